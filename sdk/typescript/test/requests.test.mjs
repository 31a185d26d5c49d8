// Calls and notifications: what is sent, and how they end.

import assert from "node:assert/strict";

import { ConnectionError, RpcError } from "../build/ipc/mod.js";
import { trial } from "./trial.mjs";

trial("the bytes of a request, and its answer", async (use) => {
  const { client, peer } = await use.pair();
  const call = client.request("echo", { message: "hello" });
  const text = '{"jsonrpc":"2.0","id":1,"method":"echo","params":{"message":"hello"}}';
  assert.equal(await peer.text(), text);
  peer.result(1, { message: "hello" });
  assert.deepEqual(await call, { message: "hello" });
  assert.equal(client.getPendingRequestCount(), 0);
});

trial("ids are 1, 2, 3", async (use) => {
  const { client, peer } = await use.pair();
  const calls = ["a", "b", "c"].map((method) => client.request(method));
  for (const id of [1, 2, 3]) {
    assert.equal((await peer.message()).id, id);
    peer.result(id, id);
  }
  assert.deepEqual(await Promise.all(calls), [1, 2, 3]);
});

trial("params that are not there are left out", async (use) => {
  const { client, peer } = await use.pair();
  const sent = [undefined, null, [], {}, 0, "", false];
  for (const params of sent) client.request("m", params).catch(() => {});
  const seen = [];
  for (const _ of sent) seen.push((await peer.message()).params);
  assert.deepEqual(seen, [undefined, undefined, [], {}, 0, "", false]);
});

trial("results of every kind", async (use) => {
  const { client, peer } = await use.pair();
  for (const result of [null, false, 0, "", [], {}, "é😀", { a: [1, -1.5] }]) {
    const call = client.request("m");
    peer.result((await peer.message()).id, result);
    assert.deepEqual(await call, result);
  }
});

trial("answers in another order", async (use) => {
  const { client, peer } = await use.pair();
  const calls = [1, 2, 3].map((number) => client.request("m", [number]));
  for (const _ of calls) await peer.text();
  for (const id of [2, 3, 1]) peer.result(id, `answer ${id}`);
  assert.deepEqual(await Promise.all(calls), ["answer 1", "answer 2", "answer 3"]);
});

trial("an error keeps its code and data", async (use) => {
  const { client, peer } = await use.pair();
  const call = client.request("m");
  await peer.text();
  const error = { code: -32001, message: "no database", data: { host: "é" } };
  peer.send({ jsonrpc: "2.0", id: 1, error });
  const reason = await call.catch((reason) => reason);
  assert.ok(reason instanceof RpcError);
  assert.deepEqual(reason.toJSON(), error);
});

trial("a request that takes too long", async (use) => {
  const { client, peer } = await use.pair({ requestTimeout: 20 });
  const reason = await client.request("slow").catch((reason) => reason);
  assert.ok(reason instanceof ConnectionError);
  assert.deepEqual([reason.code, reason.message], ["TIMEOUT", "Request timeout after 20ms"]);
  assert.equal(client.getPendingRequestCount(), 0);
  await peer.text();
  const cancel = { jsonrpc: "2.0", method: "$/cancelRequest", params: { id: 1 } };
  assert.deepEqual(await peer.message(), cancel);
});

trial("one call has a time of its own", async (use) => {
  const { client, peer } = await use.pair({ requestTimeout: 20 });
  const patient = client.request("slow", [], { timeout: Infinity });
  await assert.rejects(client.request("slow", [], { timeout: 30 }), {
    code: "TIMEOUT",
    message: "Request timeout after 30ms",
  });
  peer.result(1, "at last");
  assert.equal(await patient, "at last");
  await assert.rejects(client.request("m", [], { timeout: -1 }), { name: "TypeError" });
});

trial("an answer that comes too late, or twice, or to nobody", async (use) => {
  const { client, peer } = await use.pair();
  client.on("error", (error) => assert.fail(error));
  await assert.rejects(client.request("slow", [], { timeout: 20 }), { code: "TIMEOUT" });
  peer.result(1, "late");
  peer.result(77, "nobody");
  // The type counts: this is not the call 2.
  peer.result("2", "a text");
  const call = client.request("m");
  peer.result(2, "first");
  peer.result(2, "second");
  assert.equal(await call, "first");
});

trial("a signal ends a call, and the server is told", async (use) => {
  const { client, peer } = await use.pair();
  const controller = new AbortController();
  const call = client.request("slow", [], { signal: controller.signal });
  assert.equal((await peer.message()).method, "slow");
  controller.abort(new Error("enough"));
  const reason = await call.catch((reason) => reason);
  assert.deepEqual([reason.code, reason.cause.message], ["ABORTED", "enough"]);
  assert.deepEqual((await peer.message()).params, { id: 1 });
  assert.equal(client.getPendingRequestCount(), 0);
});

trial("a signal that is aborted already sends nothing", async (use) => {
  const { client, peer } = await use.pair();
  const signal = AbortSignal.abort();
  await assert.rejects(client.request("never", [], { signal }), { code: "ABORTED" });
  client.notify("first");
  assert.equal((await peer.message()).method, "first");
});

trial("a signal that is aborted after the answer does nothing", async (use) => {
  const { client, peer } = await use.pair();
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  for (const [name, step] of [["addEventListener", 1], ["removeEventListener", -1]]) {
    const method = signal[name].bind(signal);
    signal[name] = (...args) => {
      listeners += step;
      method(...args);
    };
  }
  const call = client.request("m", [], { signal });
  await peer.text();
  assert.equal(listeners, 1);
  peer.result(1, "done");
  assert.equal(await call, "done");
  // A signal may live as long as the program, and have many calls.
  assert.equal(listeners, 0);
  controller.abort();
  client.notify("next");
  assert.equal((await peer.message()).method, "next");
});

trial("without a connection", async (use) => {
  const client = use.client({ socketPath: await use.path() });
  const expected = { name: "NotConnected", code: "NOT_CONNECTED", message: "Not connected" };
  await assert.rejects(client.request("m"), expected);
  await assert.rejects(client.batch([{ method: "m" }]), expected);
  assert.throws(() => client.notify("m"), expected);
});

trial("disconnect fails what waits", async (use) => {
  const { client } = await use.pair();
  const calls = [client.request("one"), client.request("two")];
  const outcomes = Promise.allSettled(calls);
  await client.disconnect();
  assert.equal(client.getPendingRequestCount(), 0);
  for (const { reason } of await outcomes) {
    assert.deepEqual([reason.code, reason.message], ["DISCONNECTED", "Client disconnected"]);
  }
});

trial("the bytes of a notification", async (use) => {
  const { client, peer } = await use.pair();
  client.notify("changed", ["a.txt"]);
  client.notify("saved");
  assert.equal(await peer.text(), '{"jsonrpc":"2.0","method":"changed","params":["a.txt"]}');
  assert.equal(await peer.text(), '{"jsonrpc":"2.0","method":"saved"}');
  assert.equal(client.getPendingRequestCount(), 0);
});

trial("newlines in params do not end the line", async (use) => {
  const { client, peer } = await use.pair();
  const params = ["a\nb\r\n\u2028\0é😀"];
  client.notify("text", params);
  assert.deepEqual((await peer.message()).params, params);
});

trial("what JSON has no form for is refused", async (use) => {
  const { client, peer } = await use.pair();
  await assert.rejects(client.request("m", [1n]), { name: "TypeError" });
  const circle = [];
  circle.push(circle);
  assert.throws(() => client.notify("m", circle), { name: "TypeError" });
  await assert.rejects(client.request(""), { name: "TypeError" });
  await assert.rejects(client.request(5), { name: "TypeError" });
  assert.equal(client.getPendingRequestCount(), 0);
  client.notify("fine");
  assert.equal((await peer.message()).method, "fine");
});

trial("a message that is too long is not sent", async (use) => {
  const { client, peer } = await use.pair({ maxMessageBytes: 100 });
  const long = "é".repeat(50);
  const expected = { code: "TOO_LARGE", message: /maxMessageBytes/ };
  await assert.rejects(client.request("m", long), expected);
  assert.throws(() => client.notify("m", long), { code: "TOO_LARGE" });
  client.notify("short");
  assert.equal((await peer.message()).method, "short");
});

trial("a server that does not read meets a bound", async (use) => {
  const { client, peer } = await use.pair({ maxQueuedBytes: 1_000_000 });
  peer.socket.pause();
  const flood = () => {
    for (;;) client.notify("m", "x".repeat(100_000));
  };
  assert.throws(flood, { code: "OVERLOADED", message: /does not read/ });
  assert.equal(client.isConnected(), true);
  peer.socket.resume();
});

trial("more calls than may wait", async (use) => {
  const { client } = await use.pair();
  const calls = Array.from({ length: 65_536 }, () => client.request("m"));
  const outcomes = Promise.allSettled(calls);
  await assert.rejects(client.request("m"), { code: "OVERLOADED" });
  await assert.rejects(client.batch([{ method: "m" }]), { code: "OVERLOADED" });
  await client.disconnect();
  assert.ok((await outcomes).every(({ reason }) => reason.code === "DISCONNECTED"));
});

trial("debug tells what happens, and not what params hold", async (use) => {
  const lines = [];
  const { client, peer } = await use.pair({ debug: (line) => lines.push(line) });
  const call = client.request("login", { password: "secret" });
  await peer.text();
  peer.result(1, "token");
  await call;
  client.notify("bye");
  await client.disconnect();
  const told = lines.join("\n");
  for (const part of ["connected", "-> request 1 login", "<- answer 1", "-> notification bye"]) {
    assert.ok(told.includes(part), told);
  }
  assert.doesNotMatch(told, /secret|token/);
});
