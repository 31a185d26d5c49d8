// Against the real server: `tenon echo`.

import assert from "node:assert/strict";

import { RpcError } from "../build/ipc/mod.js";
import { next, trialWithEcho } from "./trial.mjs";

for (const framing of ["lines", "headers"]) {
  async function connected(use, socketPath, options) {
    const client = use.client({ socketPath, framing, ...options });
    client.on("error", (error) => assert.fail(error));
    await client.connect();
    return client;
  }

  trialWithEcho(`${framing}: values come back`, async (use, path) => {
    const client = await connected(use, path);
    const texts = ["é", "😀", '"\\\n\0\u2028', "Content-Length: 5\r\n\r\n"];
    for (const value of [{ a: [1, -1.5, null, true] }, texts, ["é".repeat(500_000)], "text"]) {
      assert.deepEqual(await client.request("echo", value), value);
    }
    assert.equal(await client.request("echo"), null);
    const { length } = await client.request("text", { length: 10_000_000 });
    assert.equal(length, 10_000_000);
  });

  trialWithEcho(`${framing}: many calls at once`, async (use, path) => {
    const client = await connected(use, path);
    const numbers = Array.from({ length: 2000 }, (_, number) => number);
    const sums = await Promise.all(numbers.map((number) => client.request("add", [number, 1])));
    assert.deepEqual(sums, numbers.map((number) => number + 1));
  });

  trialWithEcho(`${framing}: errors`, async (use, path) => {
    const client = await connected(use, path);
    const asked = { code: 12, message: "as asked é", data: { a: 1 } };
    const reason = await client.request("fail", asked).catch((reason) => reason);
    assert.ok(reason instanceof RpcError);
    assert.deepEqual(reason.toJSON(), asked);
    const unknown = { code: -32601, message: "Method not found", data: { method: "nope" } };
    await assert.rejects(client.request("nope"), unknown);
    await assert.rejects(client.request("add", ["x"]), { code: -32602 });
    await assert.rejects(client.request("panic"), { code: -32603 });
  });

  trialWithEcho(`${framing}: events both ways`, async (use, path) => {
    const client = await connected(use, path);
    const ticks = [];
    client.on("notification", (method, params) => ticks.push([method, params.number]));
    assert.equal(await client.request("emit", { count: 1000 }), 1000);
    assert.deepEqual(ticks, Array.from({ length: 1000 }, (_, number) => ["tick", number]));
    for (let number = 0; number < 1000; number += 1) client.notify("tick", { number });
    assert.deepEqual(await client.request("ticks"), { count: 1000, in_order: true });
  });

  trialWithEcho(`${framing}: the server calls back`, async (use, path) => {
    const client = await connected(use, path);
    // It answers us while it waits for us.
    client.onRequest("ask", async (params) => [params, await client.request("add", [1, 1])]);
    client.onRequest("refuse", () => {
      throw new RpcError(7, "ask later", { é: 1 });
    });
    const params = { method: "ask", params: { é: [1] } };
    assert.deepEqual(await client.request("call_back", params), [{ é: [1] }, 2]);
    const refusal = { code: 7, message: "ask later", data: { é: 1 } };
    await assert.rejects(client.request("call_back", { method: "refuse" }), refusal);
    await assert.rejects(client.request("call_back", { method: "nobody" }), { code: -32601 });
  });

  trialWithEcho(`${framing}: a batch`, async (use, path) => {
    const client = await connected(use, path);
    const [sum, failed, slow] = await client.batch([
      { method: "add", params: [2, 3] },
      { method: "nope" },
      { method: "sleep", params: { ms: 20 } },
    ]);
    assert.deepEqual(sum, { status: "fulfilled", value: 5 });
    assert.equal(failed.reason.code, -32601);
    assert.deepEqual(slow, { status: "fulfilled", value: null });
  });

  trialWithEcho(`${framing}: a call that is given up`, async (use, path) => {
    const lines = [];
    const client = await connected(use, path, { debug: (line) => lines.push(line) });
    const ms = 3_600_000;
    await assert.rejects(client.request("sleep", { ms }, { timeout: 20 }), { code: "TIMEOUT" });
    const controller = new AbortController();
    const { signal } = controller;
    const call = assert.rejects(client.request("sleep", { ms }, { signal }), { code: "ABORTED" });
    controller.abort();
    await call;
    // It heard of both, or it would not have answered them within the hour.
    while (lines.filter((line) => line.includes("which nobody waits for")).length < 2) {
      await client.request("echo");
    }
  });
}

trialWithEcho("a server that dies", async (use, path) => {
  const client = use.client({ socketPath: path });
  await client.connect();
  const disconnected = next(client, "disconnect");
  const sleeping = client.request("sleep", { ms: 3_600_000 }).catch((reason) => reason);
  const exiting = client.request("exit").catch((reason) => reason);
  for (const reason of await Promise.all([sleeping, exiting])) {
    assert.deepEqual([reason.code, reason.message], ["DISCONNECTED", "Connection lost"]);
  }
  await disconnected;
});

trialWithEcho("a message that is too long for the server", async (use, path) => {
  const client = use.client({ socketPath: path, maxMessageBytes: 32 * 1024 * 1024 });
  await client.connect();
  const reason = await client.request("echo", "x".repeat(17_000_000)).catch((reason) => reason);
  assert.equal(reason.code, "DISCONNECTED");
});
