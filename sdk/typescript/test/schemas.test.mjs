// Parameters from schemas of zod 3 and 4, and of ArkType, which writes JSON Schema itself.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import process from "node:process";
import test from "node:test";

import { Plugin } from "../dist/index.js";
import { Host } from "../dist/testing.js";

const modules = new URL("../../../.tools/schemas/node_modules/", import.meta.url);
const skip = !existsSync(modules) && process.env["CI"] !== "true"
  ? "scripts/tools has not installed the libraries"
  : false;

for (const [name, file] of [["zod 4", "zod/index.js"], ["zod 3", "zod3/index.js"]]) {
  test(`${name}: types, defaults, descriptions, refinements and transformations`, { skip }, async () => {
    const { z } = await import(new URL(file, modules).href);
    const plugin = new Plugin({ name: "p", version: "1.0.0" })
      .function("all", {
        parameters: z.object({
          text: z.string().min(2).describe("A text."),
          kind: z.enum(["a", "b"]),
          trimmed: z.string().transform((text) => text.trim()),
          count: z.number().int(),
          numbers: z.array(z.number()),
          flags: z.record(z.string(), z.boolean()),
          pair: z.tuple([z.string(), z.number()]),
          nested: z.object({ on: z.boolean().default(true), note: z.string().optional() }),
          either: z.union([z.string(), z.number()]),
          literal: z.literal("x"),
          size: z.number().default(3),
          note: z.string().nullable().optional(),
        }),
        returns: z.object({ json: z.string() }),
      }, (given) => ({ json: JSON.stringify(given) }));
    const { parameters, returns } = plugin.offer().functions.all;
    assert.deepEqual(Object.fromEntries(parameters.map(({ name, type }) => [name, type])), {
      text: "string",
      kind: "string",
      trimmed: "string",
      count: "number",
      numbers: "list(number)",
      flags: "map(bool)",
      pair: "tuple([string, number])",
      nested: "object({ on = optional(bool), note = optional(string) })",
      either: "any",
      literal: "string",
      size: "number",
      note: "string",
    });
    assert.equal(parameters[0].description, "A text.");
    assert.equal(parameters.find((one) => one.name === "size").default, 3);
    assert.equal(returns, "object({ json = string })");
    const host = new Host(plugin);
    const given = {
      text: "ab",
      kind: "a",
      trimmed: " x ",
      count: 1,
      numbers: [1],
      flags: { a: true },
      pair: ["a", 1],
      nested: {},
      either: 7,
      literal: "x",
    };
    const { json } = await host.callFunction("all", given);
    assert.deepEqual(JSON.parse(json), { ...given, trimmed: "x", nested: { on: true }, size: 3 });
    await assert.rejects(host.callFunction("all", { ...given, text: "a" }), { path: ["text"] });
    await assert.rejects(host.callFunction("all", { ...given, kind: "c" }), { path: ["kind"] });
    await assert.rejects(host.callFunction("all", { ...given, count: 1.5 }), { path: ["count"] });
  });
}

const isDeno = process.versions.deno !== undefined && "Deno does not look for its dependencies beside it";

test("a library with JSON Schema", { skip: skip || isDeno }, async () => {
  const { type } = await import(new URL("arktype/out/index.js", modules).href);
  const plugin = new Plugin({ name: "p", version: "1.0.0" })
    .function(
      "join",
      { parameters: type({ words: "string[]", "separator?": "string" }), returns: type("string") },
      ({ words, separator }) => words.join(separator),
    );
  assert.deepEqual(plugin.offer().functions.join, {
    parameters: [{ name: "words", type: "list(string)" }, { name: "separator", type: "string", optional: true }],
    returns: "string",
  });
  const host = new Host(plugin);
  assert.equal(await host.callFunction("join", { words: ["a", "b"], separator: "-" }), "a-b");
});

test("a schema without types is refused with what to do", () => {
  const schema = { "~standard": { version: 1, vendor: "mine", validate: (value) => ({ value }) } };
  const plugin = new Plugin({ name: "p", version: "1.0.0" });
  assert.throws(
    () => plugin.function("f", { parameters: schema }, () => null),
    /the schema of mine has no JSON Schema; declare it with fields/,
  );
});
