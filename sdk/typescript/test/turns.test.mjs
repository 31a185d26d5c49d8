// How many calls run at a time, and what a cancelled one is answered with.

import assert from "node:assert/strict";
import test from "node:test";

import { integer, list, map, object, Plugin, string } from "../dist/index.js";
import { memoryHost } from "../dist/testing.js";

const call = (id, method, params) => ({ jsonrpc: "2.0", id, method, params });
const tool = (id, name, given = {}) => call(id, "tools/call", { name, arguments: given });
const lines = (...all) => all.map((one) => `${JSON.stringify(one)}\n`).join("");

/** A plugin whose action notes how many of it run at a time. */
function busy(limit) {
  const seen = { running: 0, most: 0, order: [] };
  const plugin = new Plugin({ name: "busy", version: "1.0.0" })
    .action("work", { parameters: { number: integer() }, outputs: { number: integer() } }, async ({ number }) => {
      seen.running += 1;
      seen.most = Math.max(seen.most, seen.running);
      seen.order.push(number);
      // Others would begin in these turns.
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      seen.running -= 1;
      if (number === 2) throw new Error("it went wrong");
      return { number };
    });
  if (limit !== undefined) plugin.maxInFlight(limit);
  return { plugin, seen };
}

const all = [1, 2, 3, 4];
const HOSTS = {
  service: lines(...all.map((number) => call(number, "work", { number }))),
  mcp: lines(
    call(0, "initialize", { protocolVersion: "2025-06-18" }),
    ...all.map((number) => tool(number, "work", { number })),
  ),
  orchard: lines(
    { id: 0, method: "configure" },
    ...all.map((number) => ({ id: number, method: "execute", params: { action: "work", attrs: { number } } })),
  ),
};

for (const [host, input] of Object.entries(HOSTS)) {
  for (const limit of [undefined, 3]) {
    test(`${host}: ${limit ?? "without maxInFlight one"} action${limit === undefined ? " runs" : "s run"} at a time`, async () => {
      const { plugin, seen } = busy(limit);
      const { send, received, end } = memoryHost(plugin, host);
      send(input);
      await end();
      assert.deepEqual([seen.most, seen.order], [limit ?? 1, all]);
      const answers = received.map((frame) => JSON.parse(String(frame))).filter(({ id }) => id > 0);
      assert.deepEqual(answers.map(({ id }) => id).sort(), all);
    });
  }
}

test("a call of a batch that is cancelled is answered in the batch", async () => {
  const plugin = new Plugin({ name: "p", version: "1.0.0" })
    .function("wait", { returns: string() }, (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve("too late"))))
    .function("echo", { returns: string() }, () => "here");
  const { send, received, end } = memoryHost(plugin, "service");
  send(lines([call(1, "wait"), call(2, "echo")], { jsonrpc: "2.0", method: "$/cancelRequest", params: { id: 1 } }));
  await end();
  assert.deepEqual(received.map((frame) => JSON.parse(String(frame))), [[
    { jsonrpc: "2.0", id: 1, error: { code: -32800, message: "the call was cancelled" } },
    { jsonrpc: "2.0", id: 2, result: "here" },
  ]]);
});

/** Functions that return something else than they have declared. */
const careless = () =>
  new Plugin({ name: "careless", version: "1.0.0" })
    .function("nothing", { returns: string() }, () => undefined)
    .function("null", { returns: list(string()) }, () => null)
    .function("inside", { returns: list(string()) }, () => ["a", null])
    .function("member", { returns: object({ a: map(integer()) }) }, () => ({ a: { b: null } }))
    .function("allowed", { returns: string({ nullable: true }) }, () => undefined)
    .function("counts", { returns: map(integer()) }, () => ({ b: 2, a: 1 }));

test("a result that is missing is refused", async () => {
  const { send, received, end } = memoryHost(careless(), "service");
  send(lines(...["nothing", "null", "inside", "member", "allowed"].map((name) => call(name, name))));
  await end();
  const answers = Object.fromEntries(received.map((frame) => JSON.parse(String(frame))).map((one) => [one.id, one]));
  const refused = (text) => ({ code: -32000, message: `the result of the plugin does not match its declaration: ${text}` });
  assert.deepEqual(
    answers.nothing.error,
    refused(
      "a string is required, but the function returned undefined; return a value, or declare the result as nullable",
    ),
  );
  assert.deepEqual(
    answers.null.error,
    refused("a list is required, but the function returned null; return a value, or declare the result as nullable"),
  );
  assert.deepEqual(answers.inside.error, refused("1: a string is required, but this is null"));
  assert.deepEqual(answers.member.error, refused("a.b: a whole number is required, but this is null"));
  assert.equal(answers.allowed.result, null);
});

test("a map is the structured content of a tool, as an object is", async () => {
  const { send, received, end } = memoryHost(careless(), "mcp");
  send(lines(call(0, "initialize", { protocolVersion: "2024-10-07" }), call(1, "tools/list"), tool(2, "counts"), tool(3, "nothing")));
  await end();
  const [begun, listed, counts, nothing] = received.map((frame) => JSON.parse(String(frame)).result);
  assert.equal(begun.protocolVersion, "2024-10-07");
  assert.deepEqual(listed.tools.find(({ name }) => name === "counts").outputSchema, {
    type: "object",
    additionalProperties: { type: "integer" },
  });
  assert.deepEqual(counts.structuredContent, { a: 1, b: 2 });
  assert.equal(nothing.isError, true);
});
