// What JavaScript would lose on the way without a word: maps, causes, cycles.

import assert from "node:assert/strict";
import test from "node:test";

import { AnyConversation } from "../build/hosts/detect.js";
import { Session } from "../build/define/session.js";
import { unpack } from "../build/wire/unpack.js";
import { pack } from "../build/wire/pack.js";
import { any, list, map, number, object, Plugin, string } from "../dist/index.js";
import { memoryHost } from "../dist/testing.js";
import { inFolder, run } from "./programs.mjs";

const circle = () => {
  const found = { name: "a" };
  found.inner = [found];
  return found;
};

const numbers = () => new Map([["b", 2], ["a", 1]]);

/** A plugin whose every function and action returns, or does, the same. */
function plugin(run) {
  return new Plugin({ name: "lost", version: "1.0.0" })
    .function("map", { returns: map(number()) }, run)
    .function("lists", { returns: map(list(number())) }, run)
    .function("any", { returns: any() }, run)
    .function("object", { returns: object({ a: number().optional(), b: number().optional() }) }, run)
    .function("text", { returns: string() }, run)
    .action("act", { outputs: { a: number().optional() } }, run)
    .resource("thing", {
      props: { tags: map(number()) },
      state: { label: string().optional() },
      create: () => ({ id: "1", state: run() }),
      read: () => ({ props: run() }),
      delete: () => undefined,
    });
}

async function ask(made, message, host = "service") {
  const { send, received, end } = memoryHost(made, host);
  for (const one of Array.isArray(message) ? message : [message]) send(`${JSON.stringify(one)}\n`);
  await end();
  const answers = received.map((frame) => JSON.parse(String(frame)));
  return answers.find(({ id }) => id === 1) ?? answers;
}

const call = (made, method) => ask(made, { jsonrpc: "2.0", id: 1, method });

test("a Map is a map, and a value of any type", async () => {
  assert.deepEqual((await call(plugin(numbers), "map")).result, { a: 1, b: 2 });
  assert.deepEqual((await call(plugin(numbers), "any")).result, { a: 1, b: 2 });
  const nested = () => ({ a: new Map([["x", [1]]]) });
  assert.deepEqual((await call(plugin(nested), "any")).result, { a: { x: [1] } });
  assert.deepEqual((await call(plugin(() => new Map([["x", [1]]])), "lists")).result, { x: [1] });
});

test("a Map is not an object with attributes, and other objects without members are no values", async () => {
  const hint = "an object is required, but this is a Map; return Object.fromEntries(map)";
  const lost = "the result of the plugin does not match its declaration";
  assert.equal((await call(plugin(numbers), "object")).error.message, `${lost}: ${hint}`);
  const outputs = (await call(plugin(numbers), "act")).error;
  assert.equal(outputs.message, `the action was run, but its outputs do not match: ${hint}`);
  assert.equal((await call(plugin(() => 5), "act")).error.message.split(": ")[1], "an object is required, but this is a number");
  const keys = await call(plugin(() => new Map([[1, 1]])), "map");
  assert.equal(keys.error.message, `${lost}: the keys of a map must be strings, but one is a number`);
  for (const [value, name] of [[new Date(0), "a Date"], [new URLSearchParams("a=1"), "a URLSearchParams"], [/a/, "a RegExp"]]) {
    assert.equal((await call(plugin(() => value), "map")).error.message, `${lost}: a map is required, but this is ${name}`);
  }
  const error = (await call(plugin(() => new Error("x")), "any")).error;
  assert.equal(error.message, `${lost}: a value is required, but this is an Error`);
});

test("props and states are objects with members", async () => {
  const given = { type: "thing", config: { tags: { a: 1 } }, planned: { tags: { a: 1 } }, prior: null };
  const { send, received, end } = memoryHost(plugin(numbers), "seasonings");
  send(pack([0, 1, "resources/applyChange", [given]]));
  const state = { id: "1", tags: { a: 1 }, label: null };
  send(pack([0, 2, "resources/read", [{ type: "thing", state, private: new Uint8Array(0) }]]));
  await end();
  const answers = received.map(unpack).sort((a, b) => a[1] - b[1]);
  const hint = "an object is required, but this is a Map; return Object.fromEntries(map)";
  assert.deepEqual(answers[0][3].diagnostics, [{
    severity: "error",
    summary: "the resource was created in part",
    detail: `the state does not match its declaration: ${hint}`,
  }]);
  assert.match(JSON.stringify(answers[1][2]), /an object is required, but this is a Map/);
});

test("a value that contains itself is refused in words", async () => {
  const { error } = await call(plugin(circle), "any");
  const problem = "the value is nested more than 128 levels deep, or contains itself";
  assert.equal(error.message, `the result of the plugin does not match its declaration: inner.0.inner: ${problem}`);
});

test("a script of denobridge loses nothing either", () =>
  inFolder(async (folder) => {
    const source = `import { DatasourceProvider } from "@tenon/sdk/denobridge";
      const circle = { name: "a" };
      circle.inner = circle;
      const all = { map: new Map([["a", 1]]), inside: { map: new Map() }, set: { all: new Set([1]) }, circle };
      new DatasourceProvider({ read: ({ as }) => all[as] });`;
    const kinds = ["map", "inside", "set", "circle"];
    const lines = kinds.map((as, id) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "read", params: { props: { as } } })}\n`);
    const { stdout } = await run(folder, source, lines.join(""));
    const answers = stdout.toString().trim().split("\n").map((line) => JSON.parse(line)).sort((a, b) => a.id - b.id);
    const hint = "return Object.fromEntries(map)";
    assert.deepEqual(answers.map(({ error }) => error?.message), [
      `read returned a Map in result, which cannot be written as JSON; ${hint}`,
      `read returned a Map in result.map, which cannot be written as JSON; ${hint}`,
      "read returned a Set in result.all, which cannot be written as JSON; return [...set]",
      "read returned a value in result.inner.inner that is nested more than 128 levels deep, or contains itself",
    ]);
  }));

test("all errors of an AggregateError are told", async () => {
  const many = () => {
    throw new AggregateError([new Error("first", { cause: new Error("why") }), new Error("second")], "both failed");
  };
  assert.deepEqual((await call(plugin(many), "text")).error, {
    code: -32000,
    message: "both failed",
    data: { detail: "first\nwhy\nsecond" },
  });
  // As those of connections to several addresses, which have no message.
  const nameless = () => {
    throw new AggregateError([new Error("refused by ::1"), new Error("refused by 127.0.0.1")]);
  };
  const { message, data } = (await call(plugin(nameless), "text")).error;
  assert.deepEqual([message, data.detail], ["refused by ::1", "refused by 127.0.0.1"]);
});

test("a mistake in an action leaves its outcome unknown, and a failure does not", async () => {
  const thrown = (error) => () => {
    throw error;
  };
  const execute = async (error) => {
    const messages = [
      { id: 0, method: "configure", params: { config: {} } },
      { id: 1, method: "execute", params: { action: "act", attrs: {} } },
    ];
    return (await ask(plugin(thrown(error)), messages, "orchard")).error.code;
  };
  const mistakes = [new TypeError("x is not a function"), new ReferenceError("y is not defined"), new RangeError("z")];
  for (const mistake of mistakes) {
    assert.equal(await execute(mistake), "outcome_unknown");
    const { error } = await call(plugin(thrown(mistake)), "act");
    assert.deepEqual(error, { code: -32000, message: mistake.message, data: { code: "outcome_unknown" } });
  }
  assert.equal(await execute(new Error("no such file")), "execute_failed");
});

test("a first line in pieces is not looked at again for each piece", async () => {
  const counted = ["set", "indexOf", "slice"];
  const originals = Object.fromEntries(counted.map((name) => [name, Uint8Array.prototype[name]]));
  let bytes = 0;
  const count = {
    set(source, ...rest) {
      bytes += source.length;
      return originals.set.call(this, source, ...rest);
    },
    indexOf(byte, from = 0) {
      bytes += this.length - from;
      return originals.indexOf.call(this, byte, from);
    },
    slice(...range) {
      const found = originals.slice.apply(this, range);
      bytes += found.length;
      return found;
    },
  };
  const sent = [];
  const output = { write: (text) => void sent.push(text) };
  const conversation = new AnyConversation(new Session(plugin(() => "ok")), output, () => undefined);
  const [piece, pieces] = [Buffer.alloc(1000, " "), 2000];
  Object.assign(Uint8Array.prototype, count);
  try {
    conversation.receive(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"text"'));
    for (let index = 0; index < pieces; index += 1) conversation.receive(piece);
    conversation.receive(Buffer.from("}\n"));
  } finally {
    Object.assign(Uint8Array.prototype, originals);
  }
  await conversation.finish();
  assert.equal(JSON.parse(String(sent[0])).result, "ok");
  assert.ok(bytes < 12 * piece.length * pieces, `${bytes} bytes were looked at`);
});
