// More calls than a plugin keeps: while 1,024 are not answered, nothing more is read.

import assert from "node:assert/strict";
import test from "node:test";

import { converse } from "../build/hosts/detect.js";
import { Session } from "../build/define/session.js";
import { pack } from "../build/wire/pack.js";
import { Plugin, string } from "../dist/index.js";
import { inFolder, run } from "./programs.mjs";

const MOST = 1024;

const line = (message) => Buffer.from(`${JSON.stringify(message)}\n`);
const HOSTS = {
  service: (id) => line({ jsonrpc: "2.0", id, method: "wait" }),
  mcp: (id) => line({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "wait" } }),
  denobridge: (id) => line({ jsonrpc: "2.0", id, method: "call", params: { name: "wait", arguments: [] } }),
  orchard: (id) => line({ id, method: "execute", params: { action: "step", attrs: {} } }),
  seasonings: (id) => pack([0, id, "functions/call", [{ name: "wait", arguments: {} }]]),
};

for (const [host, call] of Object.entries(HOSTS)) {
  test(`${host}: reading stops at ${MOST} calls, and goes on when one is answered`, async () => {
    const waiting = [];
    const wait = () => new Promise((resolve) => waiting.push(() => resolve("done")));
    const plugin = new Plugin({ name: "crowd", version: "1.0.0" })
      .function("wait", { returns: string() }, wait)
      .action("step", {}, async () => void await wait());
    const held = [];
    let answers = 0;
    const output = { write: () => (answers += 1), hold: (isHeld) => held.push([isHeld, answers]) };
    const conversation = converse(host, new Session(plugin), output, () => undefined);
    for (let id = 1; id < MOST; id += 1) conversation.receive(call(id));
    assert.deepEqual(held, []);
    conversation.receive(call(MOST));
    assert.deepEqual(held, [[true, 0]]);
    // Actions of scenarios take turns, so that more begin to wait when others are done.
    while (answers < MOST) {
      for (const resolve of waiting.splice(0)) resolve();
      await new Promise((resolve) => setImmediate(resolve));
    }
    assert.equal(held.length, 2);
    assert.equal(held[1][0], false);
    await conversation.finish();
  });
}

test("a cancelled call makes room once", async () => {
  const plugin = new Plugin({ name: "crowd", version: "1.0.0" })
    .function("wait", { returns: string() }, (_, { signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve("done"))));
  const held = [];
  const output = { write: () => undefined, hold: (isHeld) => held.push(isHeld) };
  const conversation = converse("service", new Session(plugin), output, () => undefined);
  const cancel = (id) => line({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } });
  for (let id = 1; id <= MOST; id += 1) conversation.receive(HOSTS.service(id));
  conversation.receive(cancel(1));
  await new Promise((resolve) => setImmediate(resolve));
  conversation.receive(HOSTS.service(MOST + 1));
  assert.deepEqual(held, [true, false, true]);
  for (let id = 2; id <= MOST + 1; id += 1) conversation.receive(cancel(id));
  await conversation.finish();
});

const SOURCE = `
import { integer, Plugin } from "@tenon/sdk";
await new Plugin({ name: "crowd", version: "1.0.0" })
  .action("step", { parameters: { n: integer() }, outputs: { n: integer() } }, async ({ n }) => {
    await new Promise((resolve) => setImmediate(resolve));
    return { n };
  })
  .serve();
`;

test("whatever was sent at once is answered, a part at a time", () =>
  inFolder(async (folder) => {
    const ids = Array.from({ length: 5000 }, (_, index) => index + 1);
    const calls = ids.map((id) => line({ jsonrpc: "2.0", id, method: "step", params: [id] }));
    const { code, stdout, stderr } = await run(folder, SOURCE, Buffer.concat(calls));
    assert.equal(code, 0, stderr);
    const answers = stdout.toString().trim().split("\n").map((text) => JSON.parse(text));
    assert.deepEqual(answers.map(({ id }) => id), ids);
    assert.ok(answers.every(({ id, result }) => result.n === id));
  }));
