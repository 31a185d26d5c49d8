// What each host sends, and the bytes that it gets.

import assert from "node:assert/strict";
import test from "node:test";

import { Plugin, string } from "../dist/index.js";
import { memoryHost } from "../dist/testing.js";
import { pack } from "../build/wire/pack.js";
import { unpack } from "../build/wire/unpack.js";
import { notes } from "./notes_plugin.mjs";

/** Sends lines, and gives the answers as JSON. */
async function talk(host, ...lines) {
  const { send, received, end } = memoryHost(notes().plugin, host);
  for (const line of lines) send(`${typeof line === "string" ? line : JSON.stringify(line)}\n`);
  await end();
  return received.map((frame) => JSON.parse(String(frame)));
}

const call = (id, method, params) => ({ jsonrpc: "2.0", id, method, params });

test("Orchard: the four methods and their codes", async () => {
  const answers = await talk(
    "orchard",
    { id: 1, method: "describe", params: {} },
    { id: 2, method: "execute", params: { action: "wait", attrs: {} } },
    { id: 3, method: "configure", params: { config: { folder: 1, more: 2 } } },
    { id: 4, method: "configure", params: null },
    { id: 5, method: "configure", params: {} },
    { id: 6, method: "execute", params: { action: "wait" } },
    { id: 7, method: "dance", params: {} },
    "not json",
    { id: 8 },
    { id: 9, method: "shutdown" },
    { id: 10, method: "execute", params: { action: "wait" } },
  );
  const described = answers.find((one) => one.id === 1);
  const others = answers.filter((one) => one !== described);
  const { schema } = described.result;
  assert.deepEqual(Object.keys(schema), ["name", "version", "protocol", "config", "actions", "max_in_flight"]);
  assert.deepEqual(schema.config.token, { type: "string", required: false, sensitive: true });
  assert.deepEqual(schema.actions.wait.outputs, {
    type: "object({ done = bool, secret = string })",
    required: false,
    sensitive: true,
  });
  assert.deepEqual(schema.actions.wait.attrs.steps, { type: "number", required: false, default: 1 });
  const codes = Object.fromEntries(others.map(({ id, error, result }) => [id, error?.code ?? result]));
  assert.equal(codes[2], "invalid_request");
  assert.equal(codes[3], "configure_failed");
  assert.deepEqual(codes[4], {});
  assert.equal(codes[5], "invalid_request");
  assert.deepEqual(codes[6], { outputs: { done: true, secret: "s" } });
  assert.equal(codes[7], "unknown_method");
  assert.equal(codes[0], "invalid_request");
  assert.equal(codes[8], "invalid_request");
  assert.deepEqual(codes[9], {});
});

test("JSON-RPC service: methods by name, params by name or position, errors with a path", async () => {
  const answers = await talk(
    "service",
    call(1, "slug", { text: "A B" }),
    call("two", "slug", ["A B", "_"]),
    call(3, "slug", { text: "" }),
    call(4, "slug", { text: "x", limit: "many" }),
    call(5, "slug", {}),
    call(6, "slog", {}),
    call(7, "nothing like it", {}),
    '{"jsonrpc":"2.0","id":18446744073709551615,"method":"exact","params":{"whole":99999999999999999999,"part":0.10000000000000000001}}',
    call(9, "slug", [1, 2, 3, 4]),
    "nonsense",
    [call(10, "total", { numbers: [1] }), { jsonrpc: "2.0", method: "unheard" }, 7],
    call(11, "wait", { steps: 13 }),
    { jsonrpc: "1.0", id: 12, method: "slug" },
  );
  const by = (id) => answers.find((one) => one.id === id);
  assert.equal(by(1).result, "a-b");
  assert.equal(by("two").result, "a_b");
  assert.deepEqual(by(3).error, { code: -32000, message: "text: the text is empty", data: { path: ["text"] } });
  assert.equal(by(4).error.code, -32602);
  assert.deepEqual(by(4).error.data, { path: ["limit"] });
  assert.match(by(5).error.message, /^text: /);
  assert.equal(by(6).error.message, "unknown method `slog`; did you mean `slug`?");
  assert.equal(
    by(7).error.message,
    "unknown method `nothing like it`; the plugin has exact, maybe, same, slug, total, unique, wait",
  );
  assert.equal(by(9).error.code, -32602);
  assert.deepEqual(by(11).error, { code: -32000, message: "the answer was lost", data: { code: "outcome_unknown" } });
  assert.equal(by(12).error.code, -32600);
  const batch = answers.find(Array.isArray);
  assert.deepEqual(batch.map((one) => one.error?.code ?? one.result), [1, -32600]);
});

test("JSON-RPC service: long numbers and ids keep their digits", async () => {
  const { send, received, end } = memoryHost(notes().plugin, "service");
  send(
    '{"jsonrpc":"2.0","id":18446744073709551615,"method":"exact","params":{"whole":99999999999999999999,"part":0.10000000000000000001}}\n',
  );
  await end();
  assert.deepEqual(received, [
    '{"jsonrpc":"2.0","id":18446744073709551615,"result":[100000000000000000000,0.10000000000000000001]}\n',
  ]);
});

test("MCP: tools with schemas, results, errors and progress", async () => {
  const answers = await talk(
    "mcp",
    call(1, "initialize", { protocolVersion: "1999-01-01", capabilities: {} }),
    { jsonrpc: "2.0", method: "notifications/initialized" },
    call(2, "tools/list"),
    call(3, "tools/call", { name: "slug", arguments: { text: "A B" } }),
    call(4, "tools/call", { name: "slug", arguments: { text: "" } }),
    call(5, "tools/call", { name: "slug", arguments: {} }),
    call(6, "tools/call", { name: "slog" }),
    call(7, "tools/call", { name: "wait", arguments: { steps: 2 }, _meta: { progressToken: 5 } }),
    call(8, "resources/list"),
  );
  const by = (id) => answers.find((one) => one.id === id);
  assert.equal(by(1).result.protocolVersion, "2025-11-25");
  const slug = by(2).result.tools.find((tool) => tool.name === "slug");
  assert.deepEqual(slug.inputSchema.required, ["text"]);
  assert.deepEqual(slug.inputSchema.properties.limit, { type: ["integer", "null"] });
  assert.deepEqual(slug.outputSchema, {
    type: "object",
    properties: { result: { type: "string" } },
    required: ["result"],
    additionalProperties: false,
  });
  assert.deepEqual(by(3).result, { content: [{ type: "text", text: "a-b" }], structuredContent: { result: "a-b" } });
  assert.deepEqual(by(4).result, { content: [{ type: "text", text: "text: the text is empty" }], isError: true });
  assert.deepEqual([by(5).error.code, by(5).error.data], [-32602, { path: ["text"] }]);
  assert.equal(by(6).error.message, "unknown tool `slog`; did you mean `slug`?");
  const progress = answers.filter((one) => one.method === "notifications/progress").map((one) => one.params);
  assert.deepEqual(progress.at(-1), { progressToken: 5, progress: 2, total: 2, message: "step 2" });
  assert.equal(by(8).error.code, -32601);
});

test("denobridge: the resource, with secrets and write-only props apart", async () => {
  const answers = await talk(
    "denobridge",
    { jsonrpc: "2.0", id: 0, method: "health" },
    call(1, "create", { props: { title: "Milk", text: "a b" }, writeOnlyProps: { password: "p" } }),
    call(2, "create", { props: { title: "Milk", password: "p" } }),
    call(3, "create", { props: { title: 1, nothing: 2 } }),
    call(4, "create", { props: { title: "bad" } }),
    call(5, "modifyPlan", {
      planType: "update",
      id: "n1",
      nextProps: { title: "", text: "t" },
      unknownProps: [["nextProps", "title"]],
      currentProps: { title: "Milk" },
      currentState: { words: 1 },
    }),
    call(6, "modifyPlan", { planType: "create", nextProps: { title: "a" } }),
    call(7, "modifyPlan", { planType: "create", nextProps: { title: "a", text: "warn" } }),
    call(8, "call", { name: "slug", arguments: ["A B", "_"] }),
    call(9, "call", { name: "slug", arguments: [""] }),
    call(10, "call", { name: "total", arguments: [1, "x"] }),
    call(11, "open", { props: {} }),
    call(12, "invoke", { props: { steps: 1 } }),
    call(13, "read", { props: { prefix: "x" } }),
    call(14, "renew", { privateData: { length: 1, renewals: 2 } }),
  );
  const by = (id) => answers.find((one) => one.id === id);
  assert.deepEqual(by(0).result, { ok: true, maxInFlight: 4 });
  assert.deepEqual(by(1).result, { id: "n1", state: { words: 2 }, sensitiveState: { key: "key-n1" } });
  assert.deepEqual(by(2).result.diagnostics[0].propPath, ["writeOnlyProps", "password"]);
  assert.deepEqual(by(3).result.diagnostics.map((one) => one.propPath), [["props", "nothing"], ["props", "title"]]);
  assert.deepEqual(by(4).result.diagnostics, [{
    severity: "error",
    summary: "no such tag",
    detail: "use another one",
    propPath: ["props", "tags", "a"],
  }]);
  assert.deepEqual(by(5).result, { requiresReplacement: true });
  assert.deepEqual(by(6).result, { noChanges: true });
  assert.deepEqual(by(7).result, {
    diagnostics: [{ severity: "warning", summary: "that is short", propPath: ["nextProps", "text"] }],
  });
  assert.deepEqual(by(8).result, { result: "a_b" });
  assert.deepEqual(by(9).result.diagnostics[0].propPath, ["arguments", "0"]);
  assert.deepEqual(by(10).result.diagnostics[0].propPath, ["arguments", "1"]);
  assert.deepEqual(by(11).result, {
    result: null,
    sensitiveResult: { value: "xxxxxxxx" },
    renewAt: 60,
    privateData: { length: 8, renewals: 0 },
  });
  assert.deepEqual(answers.find((one) => one.method === "invokeProgress").params, { message: "step 1" });
  assert.equal(by(12).result.done, true);
  assert.deepEqual(by(13).result, { result: { notes: 0, titles: [] } });
  assert.deepEqual(by(14).result, { privateData: { length: 1, renewals: 3 } });
});

test("Seasonings: the beginning, aliases, wrong messages and cancellation", async () => {
  const { send, received, end } = memoryHost(notes().plugin, "seasonings");
  send(pack([0, 1, "initialize", [{ protocol_version: "1.0" }]]));
  send(pack([0, 2, "init", { protocol_version: 2 }]));
  send(pack([0, 3, "functions.call", { name: "total", arguments: { numbers: [1] } }]));
  send(pack([0, 4, "nothing", []]));
  send(pack([0, "x", "ping", []]));
  send(pack([2, "$/cancel", [{ id: 99 }]]));
  send(pack([0, 5, "ping", null]));
  await end();
  const answers = received.map(unpack);
  const by = (id) => answers.find((one) => one[1] === id);
  assert.deepEqual(by(1)[3].capabilities, ["storage", "functions", "resources", "hooks.postPlan"]);
  assert.equal(by(1)[3].max_in_flight, 4);
  assert.match(by(2)[2][1], /version 2/);
  assert.deepEqual(by(3)[3], { result: 1 });
  assert.equal(by(4)[2][0], -32601);
  assert.equal(by(0)[2][0], -32600);
  assert.deepEqual(by(5)[3], { status: "ok" });
  assert.throws(() => memoryHost(notes().plugin, "seasonings").send("hello"), { name: "UnpackError" });
});

test("Seasonings: a configuration runs to its end although it is cancelled", async () => {
  for (const method of ["init", "resources/configure"]) {
    let begin;
    const begun = new Promise((resolve) => (begin = resolve));
    const plugin = new Plugin({ name: "slow", version: "1.0.0" })
      .configure({ x: string() }, ({ x }) => new Promise((resolve) => begin(() => resolve(x))))
      .function("state", { returns: string() }, (_, { state }) => state);
    const { send, received, end } = memoryHost(plugin, "seasonings");
    send(pack([0, 1, method, [{ config: { x: "here" } }]]));
    const go = await begun;
    send(pack([2, "$/cancel", [{ id: 1 }]]));
    go();
    await new Promise((resolve) => setImmediate(resolve));
    send(pack([0, 2, "functions/call", [{ name: "state", arguments: {} }]]));
    await end();
    const answers = received.map(unpack);
    assert.deepEqual(answers.map(([, id, error]) => [id, error]), [[1, null], [2, null]], method);
    assert.deepEqual(answers[1][3], { result: "here" });
  }
});

test("every option of a field is a method as well", () => {
  const text = string().describe("d").optional().default("x").nullable().secret().writeOnly().replaces().stable().allowUnknown()
    .idempotencyKey().deprecated("old");
  assert.deepEqual(text.declaration, {
    type: { kind: "string" },
    description: "d",
    optional: true,
    default: "x",
    nullable: true,
    secret: true,
    writeOnly: true,
    replaces: true,
    stable: true,
    allowUnknown: true,
    idempotencyKey: true,
    deprecated: "old",
  });
});
