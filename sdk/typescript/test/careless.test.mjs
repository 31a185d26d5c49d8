// What scripts and hosts do wrong, and what the other side gets to know of it.

import assert from "node:assert/strict";
import test from "node:test";

import { frameReader } from "../build/ipc/framing.js";
import { pack } from "../build/wire/pack.js";
import { unpack } from "../build/wire/unpack.js";
import { DENOBRIDGE_VERSION } from "../dist/denobridge.js";
import { Plugin, bool, number, string } from "../dist/index.js";
import { memoryHost } from "../dist/testing.js";
import { inFolder, run } from "./programs.mjs";

/** Calls a script, each call with the next id. */
const talk = (source, ...calls) =>
  inFolder(async (folder) => {
    const lines = calls.map(([method, params], id) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    const { stdout } = await run(folder, source, lines.join(""));
    const answers = stdout.toString().trim().split("\n").map((line) => JSON.parse(line));
    return calls.map((_, id) => answers.find((one) => one.id === id));
  });

test("a script has the methods that it defines, and none that every object has", async () => {
  const names = ["toString", "constructor", "valueOf", "hasOwnProperty", "__proto__"];
  const answers = await talk(
    `import { ActionProvider } from "@tenon/sdk/denobridge";
    new ActionProvider({ invoke() {} });`,
    ...names.map((name) => [name, {}]),
    ["invoke", [1]],
  );
  for (const [index, name] of names.entries()) {
    assert.deepEqual(answers[index].error, { code: -32601, message: `Method not found: ${name}`, data: { method: name } });
  }
  assert.deepEqual(answers.at(-1).error, { code: -32602, message: "the params of invoke must be an object" });
});

test("a script that returns too little, or what JSON cannot hold, gets an error that says so", async () => {
  const answers = await talk(
    `import { ResourceProvider } from "@tenon/sdk/denobridge";
    new ResourceProvider({
      create: ({ as }) => as === "nothing" ? undefined : as === "no id" ? { state: {} } : { id: "a", state: { all: [1, { size: NaN }] } },
      read: () => undefined,
      update: () => ({ size: Infinity }),
      delete: () => undefined,
    });`,
    ["create", { props: { as: "nothing" } }],
    ["create", { props: { as: "no id" } }],
    ["create", { props: { as: "NaN" } }],
    ["read", { id: "a", props: null }],
    ["update", { id: "a", nextProps: {}, currentProps: {}, currentState: null, currentSensitiveState: null }],
    ["delete", { id: "a", props: {}, state: null, sensitiveState: null }],
  );
  const message = (index) => [answers[index].error?.code, answers[index].error?.message];
  const noId = "create returned nothing that has an id; return { id, state }";
  assert.deepEqual(message(0), [-32000, noId]);
  assert.deepEqual(message(1), [-32000, noId]);
  assert.deepEqual(message(2), [-32000, "create returned NaN in state.all.1.size, which cannot be written as JSON"]);
  assert.deepEqual(message(3), [
    -32000,
    "read returned nothing that has props; return { props, state }, or { exists: false } if it is gone",
  ]);
  assert.deepEqual(message(4), [-32000, "update returned Infinity in state.size, which cannot be written as JSON"]);
  assert.deepEqual(answers[5].result, { done: true });
});

test("a data source and an ephemeral resource that return nothing are errors", async () => {
  const [data] = await talk(
    `import { DatasourceProvider } from "@tenon/sdk/denobridge";
    new DatasourceProvider({ read: () => undefined });`,
    ["read", { props: {} }],
  );
  assert.equal(data.error.message, "read returned nothing that has a result; return the result");
  const [opened] = await talk(
    `import { EphemeralResourceProvider } from "@tenon/sdk/denobridge";
    new EphemeralResourceProvider({ open: () => ({ renewAt: 1 }) });`,
    ["open", { props: {} }],
  );
  assert.equal(opened.error.message, "open returned nothing that has a result; return { result }");
});

test("scripts find the version that they pin the provider to", () => {
  assert.match(DENOBRIDGE_VERSION, /^\d+\.\d+\.\d+$/);
});

const plugin = () =>
  new Plugin({ name: "p", version: "1.0.0" })
    .function("text", { parameters: { text: string() }, returns: string() }, ({ text }) => text)
    .function("flag", { parameters: { flag: bool() }, returns: bool() }, ({ flag }) => flag)
    .function("number", { parameters: { number: number() }, returns: number() }, ({ number: given }) => given);

test("msgpack: a value that cannot be read fails its call, and the next call is answered", async () => {
  const { send, received, end } = memoryHost(plugin(), "seasonings");
  const request = (id, name, value) => {
    const marked = pack([0, id, "functions/call", [{ name, arguments: { [name]: "@@@@@@@@" } }]]);
    const at = Buffer.from(marked).indexOf("@@@@@@@@") - 1;
    return Buffer.concat([marked.subarray(0, at), value, marked.subarray(at + 9)]);
  };
  send(request(1, "number", Buffer.from("cb7ff8000000000000", "hex")));
  send(request(2, "text", Buffer.from("a3eda080", "hex")));
  send(request(3, "text", Buffer.from(`b0${"61".repeat(15)}ff`, "hex")));
  send(request(4, "text", Buffer.from("a2c3a9", "hex")));
  send(request(5, "text", Buffer.from("c402c3a9", "hex")));
  send(request(6, "text", Buffer.from("c402c3c3", "hex")));
  await end();
  const answers = received.map(unpack);
  const by = (id) => answers.find((one) => one[1] === id);
  assert.deepEqual(by(1)[2], [-32602, "the params of functions/call cannot be read: NaN is not a number"]);
  assert.deepEqual(by(2)[2], [-32602, "the params of functions/call cannot be read: a text is not UTF-8"]);
  assert.deepEqual(by(3)[2], [-32602, "the params of functions/call cannot be read: a text is not UTF-8"]);
  assert.deepEqual(by(4)[3], { result: "é" });
  assert.deepEqual(by(5)[3], { result: "é" });
  assert.match(JSON.stringify(by(6)[2]), /a string is required, but this is not UTF-8/);
});

test("a text stands for a number or a bool that it spells, as in Terraform, and for no other", async () => {
  const { send, received, end } = memoryHost(plugin(), "service");
  const given = { flag: ["true", "false", "1", "0", "yes", 1], number: ["4", "0x4", true] };
  const calls = Object.entries(given).flatMap(([name, all]) => all.map((one) => [name, one]));
  for (const [id, [method, one]] of calls.entries()) {
    send(`${JSON.stringify({ jsonrpc: "2.0", id, method, params: [one] })}\n`);
  }
  await end();
  const answers = received.map((frame) => JSON.parse(String(frame))).map(({ result, error }) => result ?? error.code);
  assert.deepEqual(answers, [true, false, true, false, -32602, -32602, 4, -32602, -32602]);
});

test("errors about frames advise only who has the option", () => {
  const problem = (framing, sender, text) => {
    try {
      [...frameReader(framing, 8, sender).push(Buffer.from(text))];
    } catch (error) {
      return error.message;
    }
    return undefined;
  };
  assert.equal(problem("lines", "host", "123456789"), "the host sent a line of more than 8 bytes");
  assert.equal(
    problem("lines", "client", "123456789"),
    "the client sent a line of more than 8 bytes; raise maxMessageBytes to take it",
  );
  assert.equal(problem("headers", "host", "Content-Length: 9\r\n"), "the host announces 9 bytes, and 8 are taken at most");
  assert.equal(problem("headers", "host", "{}\n"), 'Invalid message received: "{}" is not a header');
  assert.match(problem("headers", "server", "{}\n"), /set framing to "lines"$/);
});
