// Several calls in one message.

import assert from "node:assert/strict";

import { trial } from "./trial.mjs";

trial("one line, and results in the order of the calls", async (use) => {
  const { client, peer } = await use.pair();
  const batch = client.batch([{ method: "a", params: [1] }, { method: "b" }, { method: "c" }]);
  assert.equal(
    await peer.text(),
    '[{"jsonrpc":"2.0","id":1,"method":"a","params":[1]},' +
      '{"jsonrpc":"2.0","id":2,"method":"b"},{"jsonrpc":"2.0","id":3,"method":"c"}]',
  );
  const error = { code: 7, message: "no", data: [1] };
  peer.send([
    { jsonrpc: "2.0", id: 3, result: "c" },
    { jsonrpc: "2.0", id: 2, error },
    { jsonrpc: "2.0", id: 1, result: "a" },
  ]);
  const [a, b, c] = await batch;
  assert.deepEqual(a, { status: "fulfilled", value: "a" });
  assert.deepEqual([b.status, b.reason.toJSON()], ["rejected", error]);
  assert.deepEqual(c, { status: "fulfilled", value: "c" });
});

trial("answers that come one by one", async (use) => {
  const { client, peer } = await use.pair();
  const batch = client.batch([{ method: "a" }, { method: "b" }]);
  await peer.text();
  peer.result(2, "b");
  peer.result(1, "a");
  assert.deepEqual((await batch).map(({ value }) => value), ["a", "b"]);
});

trial("an empty batch is refused", async (use) => {
  const { client } = await use.pair();
  await assert.rejects(client.batch([]), { name: "TypeError", message: /at least one/ });
  await assert.rejects(client.batch([{ method: "" }]), { name: "TypeError" });
  assert.equal(client.getPendingRequestCount(), 0);
});

trial("a part that is not answered in time", async (use) => {
  const { client, peer } = await use.pair();
  const batch = client.batch([{ method: "a" }, { method: "b" }], { timeout: 50 });
  await peer.text();
  peer.send([{ jsonrpc: "2.0", id: 2, result: "b" }]);
  const [a, b] = await batch;
  assert.deepEqual([a.status, a.reason.code], ["rejected", "TIMEOUT"]);
  assert.equal(b.value, "b");
  assert.deepEqual((await peer.message()).params, { id: 1 });
});

trial("a signal ends all of it", async (use) => {
  const { client, peer } = await use.pair();
  const controller = new AbortController();
  const { signal } = controller;
  const batch = client.batch([{ method: "a" }, { method: "b" }], { signal });
  await peer.text();
  controller.abort();
  assert.deepEqual((await batch).map(({ reason }) => reason.code), ["ABORTED", "ABORTED"]);
  await assert.rejects(client.batch([{ method: "a" }], { signal }), { code: "ABORTED" });
});

trial("a batch that cannot be sent", async (use) => {
  const { client } = await use.pair({ maxMessageBytes: 60 });
  const outcomes = await client.batch([{ method: "a" }, { method: "b" }]);
  assert.deepEqual(outcomes.map(({ reason }) => reason.code), ["TOO_LARGE", "TOO_LARGE"]);
  assert.equal(client.getPendingRequestCount(), 0);
});
