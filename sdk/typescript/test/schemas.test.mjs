// Parameters from schemas of zod 3 and 4, and of ArkType, which writes JSON Schema itself.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import process from "node:process";
import test from "node:test";

import { orchardSchema } from "../build/hosts/orchard.js";
import { any, integer, list, object, Plugin, string } from "../dist/index.js";
import { Host, memoryHost } from "../dist/testing.js";

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

test("functions say what they do in a line and at length, and whether their result is a secret", () => {
  const texts = { summary: "Short.", description: "At length.", deprecated: "use b" };
  const plugin = new Plugin({ name: "p", version: "1.0.0" })
    .function("a", { ...texts, returns: string() }, () => "")
    .function("b", { returns: list(object({ key: string({ secret: true }) })) }, () => [])
    .action("act", { outputs: { all: list(object({ key: string({ secret: true }) })) } }, () => ({ all: [] }));
  assert.deepEqual(plugin.offer().functions, {
    a: { summary: "Short.", description: "At length.", deprecation: "use b", parameters: [], returns: "string" },
    b: { parameters: [], returns: "list(object({ key = string }))", sensitive: true },
  });
  assert.equal(orchardSchema(plugin).actions.act.outputs.sensitive, true);
});

test("a parameter of any type may be null, and stands for what is left out", async () => {
  const given = [];
  const plugin = new Plugin({ name: "p", version: "1.0.0" })
    .function("take", { parameters: { value: any(), last: integer() }, returns: any() }, ({ value }) => value)
    .action("act", { parameters: { value: any(), inner: object({ value: any() }) } }, (all) => void given.push(all));
  assert.deepEqual(plugin.offer().functions.take.parameters, [
    { name: "value", type: "any", allow_null: true },
    { name: "last", type: "number" },
  ]);
  assert.equal(orchardSchema(plugin).actions.act.attrs.value.required, false);
  const { send, received, end } = memoryHost(plugin, "service");
  const calls = [["take", [null, 1]], ["take", { last: 1 }], ["take", [7, 1]], ["act", { inner: {} }]];
  for (const [id, [method, params]] of calls.entries()) send(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  await end();
  assert.deepEqual(received.map((frame) => JSON.parse(String(frame)).result), [null, null, 7, null]);
  assert.deepEqual(given, [{ value: null, inner: { value: null } }]);
});

for (const [name, file] of [["zod 4", "zod/index.js"], ["zod 3", "zod3/index.js"]]) {
  test(`${name}: each schema is a type that it accepts, or is refused with another one to use`, { skip }, async () => {
    const { z } = await import(new URL(file, modules).href);
    const AT = "2030-01-31T12:30:00.000Z";
    const letter = (k) => z.object({ k: z.literal(k) });
    /** What it is declared as, a value for it, and what the handler gets. */
    const accepted = [
      [z.intersection(z.object({ a: z.string() }), z.object({ b: z.number().optional() })), "object({ a = string, b = optional(number) })", { a: "x" }],
      [z.intersection(z.object({ a: z.string().optional() }), z.object({ a: z.string() })), "object({ a = string })", { a: "x" }],
      [z.intersection(z.object({ a: z.string() }), z.record(z.string(), z.string())), "any", { a: "x", b: "y" }],
      [z.tuple([z.string(), z.number()]), "tuple([string, number])", ["a", 1]],
      [z.tuple([z.string()]).rest(z.number()), "any", ["a", 1, 2]],
      [z.object({ a: z.string() }).strict(), "object({ a = string })", { a: "x" }],
      [z.object({ a: z.string() }).passthrough(), "any", { a: "x", more: [1] }],
      [z.object({ a: z.string() }).catchall(z.number()), "any", { a: "x", more: 1 }],
      [z.object({}).catchall(z.number()), "map(number)", { more: 1 }],
      [z.number().catch(5), "number", 7],
      [z.number().catch(5), "number", undefined, 5],
      [z.number().min(3).catch(5), "number", 1, 5],
      [z.coerce.date(), "string", AT, new Date(AT)],
      [z.preprocess((given) => new Date(given), z.date()), "any", AT, new Date(AT)],
      [z.string().nullable().transform((text) => text ?? "none"), "string", null, "none"],
      [z.union([z.string(), z.date()]), "any", AT],
      [z.union([z.string(), z.null()]), "string", null],
      [z.union([letter("a"), letter("b")]), "any", { k: "b" }],
      [z.discriminatedUnion("k", [letter("a"), letter("b")]), "any", { k: "b" }],
      [z.unknown(), "any", null],
      [z.set(z.string()), "set(string)", ["a"], new Set(["a"])],
    ];
    for (const [schema, type, value, got = value] of accepted) {
      let seen;
      const plugin = new Plugin({ name: "p", version: "1.0.0" })
        .function("f", { parameters: z.object({ value: schema }), returns: z.any() }, (all) => (seen = all.value, null));
      assert.equal(plugin.offer().functions.f.parameters[0].type, type);
      await new Host(plugin).callFunction("f", value === undefined ? {} : { value });
      assert.deepEqual(seen, got, type);
    }
    const refused = [
      [z.object({ at: z.date() }), /no host can send what z\.date\(\) accepts; use z\.coerce\.date\(\)/],
      [z.object({ all: z.array(z.map(z.string(), z.number())).optional() }), /z\.map\(\) accepts; use z\.record/],
      [z.object({ a: z.string() }).passthrough(), /function f: the schema of an object with fixed attributes is required/],
      [z.record(z.string(), z.string()), /a record or a union has none/],
    ];
    for (const [parameters, why] of refused) {
      assert.throws(() => new Plugin({ name: "p", version: "1.0.0" }).function("f", { parameters }, () => null), why);
    }
    // What a plugin returns may be a date.
    const plugin = new Plugin({ name: "p", version: "1.0.0" })
      .function("now", { returns: z.object({ at: z.date() }) }, () => ({ at: new Date(AT) }))
      .function("never", { returns: z.object({ at: z.date() }) }, () => ({ at: new Date(NaN) }));
    assert.equal(plugin.offer().functions.now.returns, "object({ at = string })");
    assert.deepEqual(await new Host(plugin).callFunction("now"), { at: AT });
    await assert.rejects(new Host(plugin).callFunction("never"), /at: the date is invalid/);
  });
}

/** The properties of the first tool's arguments. */
async function toolSchema(plugin) {
  const { send, received, end } = memoryHost(plugin, "mcp");
  send('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
  await end();
  return JSON.parse(String(received[0])).result.tools[0].inputSchema;
}

for (const [name, file] of [["zod 4", "zod/index.js"], ["zod 3", "zod3/index.js"]]) {
  test(`${name}: agents see the values of enums and literals`, { skip }, async () => {
    const { z } = await import(new URL(file, modules).href);
    const Colour = { Red: 0, Green: 1, 0: "Red", 1: "Green" };
    const parameters = z.object({
      size: z.enum(["s", "l"]),
      maybe: z.enum(["s", "l"]).optional(),
      preset: z.enum(["s", "l"]).default("s"),
      kind: z.literal("x"),
      level: z.union([z.literal(1), z.literal(2)]),
      either: z.union([z.literal("a"), z.string()]),
      colour: z.nativeEnum(Colour),
      all: z.array(z.enum(["s", "l"])),
    });
    const { properties } = await toolSchema(
      new Plugin({ name: "p", version: "1.0.0" }).function("f", { parameters, returns: z.string() }, () => ""),
    );
    assert.deepEqual(properties, {
      size: { type: "string", enum: ["s", "l"] },
      maybe: { type: ["string", "null"], enum: ["s", "l", null] },
      preset: { type: "string", enum: ["s", "l"], default: "s" },
      kind: { type: "string", enum: ["x"] },
      level: { type: "number", enum: [1, 2] },
      either: { type: "string" },
      colour: { type: "number", enum: [0, 1] },
      all: { type: "array", items: { type: "string", enum: ["s", "l"] } },
    });
  });
}

test("ArkType: agents see the values of enums", { skip: skip || isDeno }, async () => {
  const { type } = await import(new URL("arktype/out/index.js", modules).href);
  const parameters = type({ size: "'s' | 'l'", "level?": "1 | 2", either: "string | 'x'" });
  const { properties } = await toolSchema(
    new Plugin({ name: "p", version: "1.0.0" }).function("f", { parameters, returns: type("string") }, () => ""),
  );
  assert.deepEqual([...properties.size.enum].sort(), ["l", "s"]);
  assert.deepEqual(properties.level.enum, [1, 2, null]);
  assert.equal(properties.either.enum, undefined);
});

test("zod 4: what zod has no word for is said with meta", { skip }, async () => {
  const { z } = await import(new URL("zod/index.js", modules).href);
  const seen = [];
  const plugin = new Plugin({ name: "p", version: "1.0.0" })
    .resource("account", {
      props: z.object({
        user: z.string().meta({ replaces: true, description: "Who." }),
        token: z.string().min(3).meta({ secret: true }),
        password: z.string().optional().meta({ writeOnly: true }),
        old: z.string().optional().meta({ deprecated: "use user" }),
      }),
      state: z.object({ key: z.string().meta({ secret: true, stable: true }) }),
      create: (props) => (seen.push(props), { id: "1", state: { key: "k" } }),
      read: (_, props) => ({ props, state: { key: "k" } }),
      update: (existing, props) => (seen.push(existing.props, existing.state, props), { state: { key: "k" } }),
      delete: () => undefined,
    })
    .action("send", {
      parameters: z.object({ key: z.string().meta({ idempotencyKey: true }), secret: z.string().meta({ secret: true }) }),
    }, ({ secret }) => void seen.push(secret));
  const { attributes } = plugin.offer().resources.account;
  assert.deepEqual(attributes.user, { type: "string", required: true, replace: true, description: "Who." });
  assert.deepEqual(attributes.token, { type: "string", required: true, sensitive: true });
  assert.deepEqual(attributes.password, { type: "string", optional: true, write_only: true });
  assert.deepEqual(attributes.old, { type: "string", optional: true, deprecation: "use user" });
  assert.deepEqual(attributes.key, { type: "string", computed: true, sensitive: true, stable: true });
  const host = new Host(plugin);
  const made = await host.apply("account", { user: "ada", token: "t0ken", password: "pw" });
  assert.deepEqual(seen.splice(0), [{ user: "ada", token: "t0ken", password: "pw" }]);
  await host.apply("account", { user: "ada", token: "other" }, made);
  assert.deepEqual(seen.splice(0), [{ user: "ada", token: "t0ken" }, { key: "k" }, { user: "ada", token: "other" }]);
  await assert.rejects(host.apply("account", { user: "ada", token: "x" }), { path: ["token"] });
  await host.runAction("send", { key: "1", secret: "hidden" });
  assert.deepEqual(seen, ["hidden"]);
});

test("a schema without types is refused with what to do", () => {
  const schema = { "~standard": { version: 1, vendor: "mine", validate: (value) => ({ value }) } };
  const plugin = new Plugin({ name: "p", version: "1.0.0" });
  assert.throws(
    () => plugin.function("f", { parameters: schema }, () => null),
    /the schema of mine has no JSON Schema; declare it with fields/,
  );
});
