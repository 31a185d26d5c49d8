// What the server tells.

import assert from "node:assert/strict";

import { next, trial } from "./trial.mjs";

function told(number) {
  return { jsonrpc: "2.0", method: "tick", params: { number } };
}

trial("an event with method and params", async (use) => {
  const { client, peer } = await use.pair();
  for (const params of [{ percentage: 50 }, [1], undefined]) {
    const heard = next(client, "notification");
    peer.send({ jsonrpc: "2.0", method: "progress", params });
    assert.deepEqual(await heard, ["progress", params]);
  }
});

trial("notifications come in their order, before the answer behind them", async (use) => {
  const { client, peer } = await use.pair();
  const numbers = [];
  client.on("notification", (_, { number }) => numbers.push(number));
  const call = client.request("m");
  await peer.text();
  for (let number = 0; number < 100; number += 1) peer.send(told(number));
  peer.result(1, null);
  await call;
  assert.deepEqual(numbers, Array.from({ length: 100 }, (_, number) => number));
});

trial("notifications are not answered", async (use) => {
  const { client, peer } = await use.pair();
  client.onRequest("tick", () => assert.fail("this was no call"));
  const heard = next(client, "notification");
  peer.send(told(1));
  await heard;
  client.notify("first");
  assert.equal((await peer.message()).method, "first");
});

trial("what a listener throws is seen, and the next message too", async (use) => {
  const { client, peer } = await use.pair();
  const uncaught = new Promise((resolve) => {
    // Beside the one of the test runner, which would fail this test.
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    process.once("uncaughtException", resolve);
    use.ending(() => {
      process.removeAllListeners("uncaughtException");
      for (const other of others) process.on("uncaughtException", other);
    });
  });
  const numbers = [];
  client.on("notification", (_, { number }) => {
    numbers.push(number);
    if (number === 0) throw new Error("a bug");
  });
  const call = client.request("m");
  await peer.text();
  peer.send(told(0), told(1), { jsonrpc: "2.0", id: 1, result: "here" });
  assert.equal(await call, "here");
  assert.equal((await uncaught).message, "a bug");
  assert.deepEqual(numbers, [0, 1]);
});

trial("a stream of them, until the connection ends", async (use) => {
  const { client, peer } = await use.pair();
  const stream = client.notifications();
  peer.send(told(0), told(1));
  peer.socket.end();
  const seen = [];
  for await (const { method, params } of stream) seen.push([method, params.number]);
  assert.deepEqual(seen, [["tick", 0], ["tick", 1]]);
  assert.equal(stream.dropped, 0);
});

trial("a stream waits for the next one", async (use) => {
  const { client, peer } = await use.pair();
  const stream = client.notifications();
  const both = [stream.next(), stream.next()];
  peer.send(told(0), told(1));
  const values = (await Promise.all(both)).map(({ value }) => value.params.number);
  assert.deepEqual(values, [0, 1]);
  const last = stream.next();
  await client.disconnect();
  assert.deepEqual(await last, { done: true, value: undefined });
});

trial("break leaves a stream", async (use) => {
  const { client, peer } = await use.pair();
  const left = client.notifications();
  const stays = client.notifications();
  peer.send(told(0), told(1));
  for await (const _ of left) break;
  peer.send(told(2));
  for (const number of [0, 1, 2]) {
    assert.equal((await stays.next()).value.params.number, number);
  }
  assert.deepEqual(await left.next(), { done: true, value: undefined });
});

trial("a slow reader loses the oldest, and knows how many", async (use) => {
  const { client, peer } = await use.pair();
  const stream = client.notifications();
  const call = client.request("m");
  await peer.text();
  for (let number = 0; number < 1034; number += 1) peer.send(told(number));
  peer.result(1, null);
  await call;
  assert.equal(stream.dropped, 10);
  assert.equal((await stream.next()).value.params.number, 10);
});

trial("a stream goes on over a reconnect", async (use) => {
  const { client, peer, server } = await use.pair({ autoReconnect: true, reconnectDelay: 1 });
  const stream = client.notifications();
  peer.send(told(0));
  peer.socket.end();
  const successor = await server.next();
  successor.send(told(1));
  assert.equal((await stream.next()).value.params.number, 0);
  assert.equal((await stream.next()).value.params.number, 1);
});
