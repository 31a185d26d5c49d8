// Calls of the server, which the client answers.

import assert from "node:assert/strict";

import { RpcError } from "../build/ipc/mod.js";
import { next, trial } from "./trial.mjs";

trial("a call is answered, with its own id", async (use) => {
  const { client, peer } = await use.pair();
  client.onRequest("name", (params) => ({ name: "Ida", ...params }));
  client.onRequest("later", async () => undefined);
  for (const id of [1, 0, "a", "", null, 1.5]) {
    peer.send({ jsonrpc: "2.0", id, method: "name", params: { of: "you" } });
    const result = { name: "Ida", of: "you" };
    assert.deepEqual(await peer.message(), { jsonrpc: "2.0", id, result });
  }
  peer.send({ jsonrpc: "2.0", id: 7, method: "later" });
  assert.equal(await peer.text(), '{"jsonrpc":"2.0","id":7,"result":null}');
});

trial("a method that nobody answers", async (use) => {
  const { peer } = await use.pair();
  peer.send({ jsonrpc: "2.0", id: 1, method: "nobody" });
  const error = { code: -32601, message: "Method not found", data: { method: "nobody" } };
  assert.deepEqual(await peer.message(), { jsonrpc: "2.0", id: 1, error });
});

trial("a handler is replaced", async (use) => {
  const { client, peer } = await use.pair();
  client.onRequest("m", () => 1).onRequest("m", () => 2);
  peer.send({ jsonrpc: "2.0", id: 1, method: "m" });
  assert.equal((await peer.message()).result, 2);
  assert.throws(() => client.onRequest("", () => 1), { name: "TypeError" });
});

trial("a handler that throws", async (use) => {
  const { client, peer } = await use.pair();
  const refusal = { code: 7, message: "ask later", data: [1] };
  client.onRequest("refuse", () => {
    throw new RpcError(refusal.code, refusal.message, refusal.data);
  });
  client.onRequest("break", async () => {
    throw new Error("a bug");
  });
  client.onRequest("unwritable", () => 1n);
  client.onRequest("unwritable error", () => {
    throw new RpcError(1, "no", 1n);
  });
  peer.send({ jsonrpc: "2.0", id: 1, method: "refuse" });
  assert.deepEqual((await peer.message()).error, refusal);
  for (const method of ["break", "unwritable", "unwritable error"]) {
    const heard = next(client, "error");
    peer.send({ jsonrpc: "2.0", id: 1, method });
    const { error } = await peer.message();
    assert.deepEqual([error.code, error.message], [-32603, "Internal error"]);
    // Whoever wrote the handler hears of it too, and the server of no stack.
    assert.equal((await heard)[0].message, error.data);
    assert.doesNotMatch(error.data, /\n/);
  }
});

trial("a handler may call the server meanwhile", async (use) => {
  const { client, peer } = await use.pair();
  client.onRequest("ask", async (params) => [params, await client.request("what?")]);
  // Both sides may use the same id at the same time.
  peer.send({ jsonrpc: "2.0", id: 1, method: "ask", params: [5] });
  assert.deepEqual(await peer.message(), { jsonrpc: "2.0", id: 1, method: "what?" });
  peer.result(1, "that");
  assert.deepEqual(await peer.message(), { jsonrpc: "2.0", id: 1, result: [[5], "that"] });
});

trial("calls that come together are answered together", async (use) => {
  const { client, peer } = await use.pair();
  client.onRequest("m", (params) => params);
  peer.send([
    { jsonrpc: "2.0", id: 1, method: "m", params: [1] },
    { jsonrpc: "2.0", method: "told" },
    { jsonrpc: "2.0", id: 2, method: "nobody" },
  ]);
  const [first, second, ...others] = await peer.message();
  assert.deepEqual(first, { jsonrpc: "2.0", id: 1, result: [1] });
  assert.deepEqual([second.id, second.error.code], [2, -32601]);
  assert.deepEqual(others, []);
});

trial("a call that is none", async (use) => {
  const { client, peer } = await use.pair();
  const heard = next(client, "error");
  peer.send({ jsonrpc: "2.0", id: 1, method: 5 });
  const { id, error } = await peer.message();
  assert.deepEqual([id, error.code, error.message], [1, -32600, "Invalid Request"]);
  assert.equal((await heard)[0].code, "INVALID_MESSAGE");
});

trial("the server takes a call back", async (use) => {
  const { client, peer } = await use.pair();
  client.on("notification", () => assert.fail("this is no affair of the program's"));
  let seen;
  client.onRequest("wait", (_, { method, signal }) => {
    seen = method;
    return new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  });
  for (const id of [1, 2]) peer.send({ jsonrpc: "2.0", id, method: "wait" });
  peer.send({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id: 2 } });
  const { id, error } = await peer.message();
  assert.deepEqual([id, error.code], [2, -32800]);
  assert.equal(seen, "wait");
  assert.equal(peer.unread, 0);
});

trial("the server is gone while a handler runs", async (use) => {
  const { client, peer, server } = await use.pair();
  let finish;
  const aborted = new Promise((resolve) => {
    client.onRequest("wait", (_, { signal }) => {
      signal.addEventListener("abort", resolve);
      return new Promise((resolve) => (finish = resolve));
    });
  });
  peer.send({ jsonrpc: "2.0", id: 1, method: "wait" });
  await peer.socket.end();
  await aborted;
  const [successor] = await Promise.all([server.next(), client.connect()]);
  finish("too late");
  await new Promise((resolve) => setImmediate(resolve));
  client.notify("first");
  // The new connection has not asked, and hears nothing of it.
  assert.equal((await successor.message()).method, "first");
});

trial("more calls than may run", async (use) => {
  const { client, peer } = await use.pair();
  client.onRequest("wait", () => new Promise(() => {}));
  for (let id = 1; id <= 1025; id += 1) peer.send({ jsonrpc: "2.0", id, method: "wait" });
  const { id, error } = await peer.message();
  assert.deepEqual([id, error.code], [1025, -32000]);
});

trial("an answer that is too long is an error answer", async (use) => {
  const { client, peer } = await use.pair({ maxMessageBytes: 200 });
  client.onRequest("long", () => "x".repeat(300));
  peer.send({ jsonrpc: "2.0", id: 1, method: "long" });
  const { id, error } = await peer.message();
  assert.deepEqual([id, error.code, error.data], [1, -32603, "answer too large"]);
});

trial("a server that asks and does not read is left", async (use) => {
  const { client, peer } = await use.pair({ maxQueuedBytes: 1_000_000 });
  client.onRequest("long", () => "x".repeat(500_000));
  const heard = next(client, "error");
  peer.socket.pause();
  for (let id = 1; id <= 10; id += 1) peer.send({ jsonrpc: "2.0", id, method: "long" });
  assert.equal((await heard)[0].code, "OVERLOADED");
  assert.equal(client.isConnected(), false);
});
