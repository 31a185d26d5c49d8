// Scripts in the shape of denobridge's own library: only the import differs.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import process from "node:process";
import test from "node:test";

import { inFolder, run } from "./programs.mjs";

async function talk(source, ...calls) {
  return inFolder(async (folder) => {
    const lines = calls.map(([method, params], id) => JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    const { code, stdout, stderr } = await run(
      folder,
      source,
      `${lines.join("\n")}\n{"jsonrpc":"2.0","method":"shutdown"}\n`,
    );
    assert.equal(code, 0, stderr);
    const messages = stdout.toString().trim().split("\n").map((line) => JSON.parse(line));
    return { answers: calls.map((_, id) => messages.find((one) => one.id === id)), messages, stderr };
  });
}

const RESOURCE = `
import { ResourceProvider } from "@tenon/sdk/denobridge";
const files = new Map();
new ResourceProvider({
  async create({ path, content, writeOnly }) {
    console.log("this is not part of the protocol");
    if (path === "bad") throw new Error("no such disk");
    files.set(path, content);
    return { id: path, state: { size: content.length, sensitive: { secret: writeOnly?.key ?? "none" } } };
  },
  async read(id, props) {
    if (!files.has(id)) return { exists: false };
    return { props: { path: id, content: files.get(id) }, state: { size: files.get(id).length } };
  },
  async update(id, nextProps, currentProps, currentState) {
    if (nextProps.path !== currentProps.path) throw new Error("Cannot change file path - requires resource replacement");
    files.set(id, nextProps.content);
    return { size: nextProps.content.length, sensitive: currentState.sensitive };
  },
  async delete(id, props, state) {
    files.delete(id);
    return { diagnostics: [{ severity: "warning", summary: "gone", detail: id }] };
  },
  async modifyPlan(_id, planType, nextProps, currentProps) {
    if (planType !== "update") return;
    return { requiresReplacement: currentProps?.path !== nextProps?.path };
  },
});`;

test("a resource: secrets apart, errors with their message, warnings beside a result", async () => {
  const { answers, stderr } = await talk(
    RESOURCE,
    ["health"],
    ["create", { props: { path: "a", content: "hi" }, writeOnlyProps: { key: "k" } }],
    ["create", { props: { path: "bad", content: "" } }],
    ["read", { id: "a", props: null }],
    ["read", { id: "b", props: null }],
    ["update", {
      id: "a",
      nextProps: { path: "a", content: "hello" },
      currentProps: { path: "a" },
      currentState: { size: 2 },
      currentSensitiveState: { secret: "k" },
    }],
    ["update", {
      id: "a",
      nextProps: { path: "b" },
      currentProps: { path: "a" },
      currentState: null,
      currentSensitiveState: null,
    }],
    ["modifyPlan", { planType: "create", nextProps: { path: "a" } }],
    ["modifyPlan", { planType: "update", id: "a", nextProps: { path: "b" }, currentProps: { path: "a" } }],
    ["delete", { id: "a", props: {}, state: null, sensitiveState: null }],
    ["renew", {}],
  );
  assert.deepEqual(answers[0].result, { ok: true });
  assert.deepEqual(answers[1].result, { id: "a", state: { size: 2 }, sensitiveState: { secret: "k" } });
  assert.deepEqual(answers[2].error, { code: -32000, message: "no such disk" });
  assert.deepEqual(answers[3].result, { props: { path: "a", content: "hi" }, state: { size: 2 } });
  assert.deepEqual(answers[4].result, { exists: false });
  assert.deepEqual(answers[5].result, { state: { size: 5 }, sensitiveState: { secret: "k" } });
  assert.match(answers[6].error.message, /^Cannot change file path/);
  assert.deepEqual(answers[7].result, { noChanges: true });
  assert.deepEqual(answers[8].result, { requiresReplacement: true });
  assert.deepEqual(answers[9].result, {
    done: true,
    diagnostics: [{ severity: "warning", summary: "gone", detail: "a" }],
  });
  assert.equal(answers[10].error.code, -32601);
  assert.match(stderr, /this is not part of the protocol/);
});

test("a data source, an ephemeral resource and an action", async () => {
  const data = await talk(
    `
    import { DatasourceProvider } from "@tenon/sdk/denobridge";
    new DatasourceProvider({ async read({ value }) { return { upper: value.toUpperCase(), sensitive: { secret: "s" } }; } });`,
    ["read", { props: { value: "a" } }],
  );
  assert.deepEqual(data.answers[0].result, { result: { upper: "A" }, sensitiveResult: { secret: "s" } });
  const token = await talk(
    `
    import { EphemeralResourceProvider } from "@tenon/sdk/denobridge";
    new EphemeralResourceProvider({
      async open({ type }) { return { result: { type }, renewAt: 60, privateData: { n: 1 } }; },
      async close({ n }) { console.log("closed " + n); },
    });`,
    ["open", { props: { type: "v4" } }],
    ["close", { privateData: { n: 1 } }],
    ["renew", { privateData: {} }],
  );
  assert.deepEqual(token.answers[0].result, { result: { type: "v4" }, renewAt: 60, privateData: { n: 1 } });
  assert.deepEqual(token.answers[1].result, { done: true });
  assert.equal(token.answers[2].error.code, -32601);
  const action = await talk(
    `
    import { ActionProvider } from "@tenon/sdk/denobridge";
    new ActionProvider({ async invoke({ path }, progressCallback) { await progressCallback("about to write " + path); } });`,
    ["invoke", { props: { path: "a" } }],
  );
  assert.deepEqual(action.messages, [
    { jsonrpc: "2.0", method: "invokeProgress", params: { message: "about to write a" } },
    { jsonrpc: "2.0", id: 0, result: { done: true } },
  ]);
});

const modules = new URL("../../../.tools/schemas/node_modules/", import.meta.url);
const skip = !existsSync(modules) && process.env["CI"] !== "true" ? "scripts/tools has not installed zod" : false;

for (const [name, file] of [["zod 4", "zod/index.js"], ["zod 3", "zod3/index.js"]]) {
  test(`${name}: props and state are checked, and problems point at the prop`, { skip }, async () => {
    const { answers } = await talk(
      `
      import { ZodResourceProvider } from "@tenon/sdk/denobridge";
      import { z } from ${JSON.stringify(new URL(file, modules).href)};
      const propsSchema = z.object({ path: z.string().min(2), mode: z.number().default(600) });
      const stateSchema = z.object({ mtime: z.number(), sensitive: z.object({ secret: z.string() }).optional() });
      new ZodResourceProvider(propsSchema, stateSchema, {
        async create({ path, mode }) { return { id: path, state: { mtime: path === "wrong" ? "x" : mode, sensitive: { secret: "s" } } }; },
        async read(id, props) { return { props: { path: id }, state: { mtime: 1 } }; },
        async update(id, next, current, state) { return { mtime: state.mtime + 1 }; },
        async delete(id, _props, _state) {},
      });`,
      ["create", { props: { path: "ab" } }],
      ["create", { props: { path: "a" } }],
      ["create", { props: { path: "wrong" } }],
      ["update", {
        id: "ab",
        nextProps: { path: "ab" },
        currentProps: { path: "ab" },
        currentState: { mtime: 1 },
        currentSensitiveState: null,
      }],
      ["delete", { id: "ab", props: { path: "ab" }, state: { mtime: 1 }, sensitiveState: null }],
    );
    assert.deepEqual(answers[0].result, { id: "ab", state: { mtime: 600 }, sensitiveState: { secret: "s" } });
    assert.deepEqual(answers[1].result.diagnostics[0].propPath, ["props", "path"]);
    assert.deepEqual(answers[2].result.diagnostics[0].propPath, ["state", "mtime"]);
    assert.deepEqual(answers[3].result, { state: { mtime: 2 } });
    assert.deepEqual(answers[4].result, { done: true });
  });
}

test("zod: a data source, an ephemeral resource and an action", { skip }, async () => {
  const zod = JSON.stringify(new URL("zod/index.js", modules).href);
  const data = await talk(
    `
    import { ZodDatasourceProvider } from "@tenon/sdk/denobridge";
    import { z } from ${zod};
    new ZodDatasourceProvider(z.object({ value: z.string() }), z.object({ upper: z.string() }), { async read({ value }) { return { upper: value.toUpperCase() }; } });`,
    ["read", { props: { value: "a" } }],
    ["read", { props: {} }],
  );
  assert.deepEqual(data.answers[0].result, { result: { upper: "A" } });
  assert.deepEqual(data.answers[1].result.diagnostics[0].propPath, ["props", "value"]);
  const token = await talk(
    `
    import * as crypto from "node:crypto";
    import { ZodEphemeralResourceProvider } from "@tenon/sdk/denobridge";
    import { z } from ${zod};
    new ZodEphemeralResourceProvider(z.object({ type: z.enum(["v4"]) }), z.object({ uuid: z.uuid() }), z.never(), {
      open({ type }) { return Promise.resolve({ result: { uuid: crypto.randomUUID() } }); },
    });`,
    ["open", { props: { type: "v4" } }],
    ["open", { props: { type: "v5" } }],
  );
  assert.match(token.answers[0].result.result.uuid, /^[0-9a-f-]{36}$/);
  assert.equal(token.answers[1].result.diagnostics.length, 1);
  const action = await talk(
    `
    import { ZodActionProvider } from "@tenon/sdk/denobridge";
    import { z } from ${zod};
    new ZodActionProvider(z.object({ args: z.array(z.string()) }), { async invoke({ args }, progressCallback) { await progressCallback("Args: " + args.join(", ")); } });`,
    ["invoke", { props: { args: ["a", "b"] } }],
  );
  assert.equal(action.messages[0].params.message, "Args: a, b");
});
