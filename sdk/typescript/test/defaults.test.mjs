// Defaults that JSON has other forms for: announced as they would be sent.

import assert from "node:assert/strict";
import test from "node:test";

import { bigint, Plugin, set, string } from "../dist/index.js";
import { Host, memoryHost } from "../dist/testing.js";
import { inFolder, run } from "./programs.mjs";

const SOURCE = `
import { any, bigint, list, object, Plugin, set, string } from "@tenon/sdk";
await new Plugin({ name: "defaults", version: "1.0.0" })
  .configure({ size: bigint({ default: 2n ** 70n }) }, () => undefined)
  .action("all", { parameters: {
    most: bigint({ default: 5n }),
    tags: set(string(), { default: new Set(["b", "a"]) }),
    counts: list(bigint(), { default: [1n, 2n] }),
    place: object({ name: string(), tags: set(string()) }, { default: { name: "x", tags: new Set(["y"]) } }),
    more: any({ default: { n: 12345678901234567890n } }),
    quoted: string({ default: '"q"' }),
    secret: string({ secret: true, default: "e\\u0301" }),
  } }, () => undefined)
  .serve();
`;

test("the schema for scenarios has the defaults in JSON", () =>
  inFolder(async (folder) => {
    const { code, stdout, stderr } = await run(folder, SOURCE, "", { args: ["schema"] });
    assert.equal(code, 0, stderr);
    const text = stdout.toString();
    const { attrs } = JSON.parse(text).actions.all;
    assert.equal(attrs.most.default, 5);
    assert.deepEqual(attrs.tags.default, ["a", "b"]);
    assert.deepEqual(attrs.counts.default, [1, 2]);
    assert.deepEqual(attrs.place.default, { name: "x", tags: ["y"] });
    assert.equal(attrs.quoted.default, JSON.stringify('"q"'));
    assert.equal(attrs.secret.default, "\u00e9");
    assert.match(text, /"size":\{[^}]*"default":1180591620717411303424[,}]/);
    assert.match(text, /"more":\{[^}]*"default":\{"n":12345678901234567890\}/);
  }));

const plugin = () =>
  new Plugin({ name: "defaults", version: "1.0.0" })
    .action("count", {
      parameters: { tags: set(string(), { default: new Set(["b", "a"]) }), most: bigint({ default: 5n }) },
      outputs: { most: bigint() },
    }, ({ tags, most }) => ({ most: most + BigInt(tags.size) }));

test("a tool has the defaults in JSON", async () => {
  const { send, received, end } = memoryHost(plugin(), "mcp");
  send('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
  await end();
  const [{ inputSchema }] = JSON.parse(String(received[0])).result.tools;
  assert.deepEqual(inputSchema.properties.tags.default, ["a", "b"]);
  assert.equal(inputSchema.properties.most.default, 5);
});

test("handlers get defaults as they were declared, and hosts in memory take big numbers", async () => {
  const host = new Host(plugin());
  assert.equal((await host.runAction("count")).most, 7);
  assert.equal((await host.runAction("count", { most: 2n ** 70n })).most, 2n ** 70n + 2n);
});
