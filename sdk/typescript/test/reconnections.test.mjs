// A connection that is lost, and made again.

import assert from "node:assert/strict";
import { Socket } from "node:net";

import { Link, pauseBefore } from "../build/ipc/link.js";
import { settings } from "../build/ipc/options.js";
import { next, trial } from "./trial.mjs";

const again = { autoReconnect: true, reconnectDelay: 1, maxReconnectDelay: 4 };

async function answered(client, peer) {
  const call = client.request("m");
  const { id } = await peer.message();
  peer.result(id, "here");
  assert.equal(await call, "here");
}

trial("a lost connection is made again", async (use) => {
  const { client, peer, server } = await use.pair(again);
  const events = [];
  for (const event of ["connect", "disconnect", "error"]) {
    client.on(event, () => events.push(event));
  }
  const reconnecting = next(client, "reconnecting");
  const connected = next(client, "connected");
  const lost = assert.rejects(client.request("m"), { message: "Connection lost" });
  // A socket that is closed with something unread is an error at the other end.
  await peer.text();
  peer.socket.destroy();
  const [attempt, delay] = await reconnecting;
  assert.equal(attempt, 1);
  assert.ok(delay >= 0 && delay <= 1, `${delay}`);
  await lost;
  await connected;
  await answered(client, await server.next());
  assert.deepEqual(events, ["disconnect", "connect"]);
});

trial("calls and batches meanwhile wait for the connection", async (use) => {
  const { client, peer, server } = await use.pair(again);
  const reconnecting = next(client, "reconnecting");
  peer.socket.destroy();
  await reconnecting;
  const call = client.request("one");
  const batch = client.batch([{ method: "two" }]);
  assert.throws(() => client.notify("three"), { code: "NOT_CONNECTED" });
  const after = await server.next();
  after.result((await after.message()).id, 1);
  assert.equal(await call, 1);
  const [{ id }] = await after.message();
  after.result(id, 2);
  assert.deepEqual(await batch, [{ status: "fulfilled", value: 2 }]);
});

trial("calls that wait end with their timeout, their signal, or the attempts", async (use) => {
  const { client, peer } = await use.pair({ autoReconnect: true, reconnectDelay: 30_000 });
  const reconnecting = next(client, "reconnecting");
  peer.socket.destroy();
  await reconnecting;
  assert.equal(client.getState(), "reconnecting");
  assert.equal(client.isConnected(), false);
  await assert.rejects(client.request("m", undefined, { timeout: 5 }), { code: "TIMEOUT", message: /nothing was sent/ });
  const controller = new AbortController();
  const aborted = assert.rejects(client.request("m", undefined, { signal: controller.signal }), { code: "ABORTED", name: "Aborted" });
  controller.abort();
  await aborted;
  const ended = assert.rejects(client.request("m"), { code: "DISCONNECTED", name: "ConnectionLost" });
  await client.close();
  await ended;
  await assert.rejects(client.request("m"), { code: "NOT_CONNECTED" });
});

trial("a server that stays away for a while", async (use) => {
  const { client, server } = await use.pair(again);
  const attempts = [];
  const third = new Promise((resolve) => {
    client.on("reconnecting", (attempt) => {
      attempts.push(attempt);
      if (attempt === 3) resolve();
    });
  });
  const connected = next(client, "connect");
  await server.close();
  await third;
  assert.deepEqual(attempts.slice(0, 3), [1, 2, 3]);
  const successor = await use.server(server.path);
  await connected;
  const peer = await successor.next();
  await answered(client, peer);
  // The server was heard of: the count begins anew.
  attempts.length = 0;
  const reconnecting = next(client, "reconnecting");
  peer.socket.destroy();
  assert.equal((await reconnecting)[0], 1);
});

trial("a server that stays away for good", async (use) => {
  const { client, server } = await use.pair({ ...again, maxReconnectAttempts: 3 });
  const attempts = [];
  client.on("reconnecting", (attempt) => attempts.push(attempt));
  const gaveUp = next(client, "error");
  await server.close();
  const [error] = await gaveUp;
  assert.deepEqual(attempts, [1, 2, 3]);
  assert.deepEqual([error.code, error.cause.code], ["CONNECT_FAILED", "CONNECT_FAILED"]);
  assert.match(error.message, /in 3 attempts/);
  assert.equal(client.getState(), "disconnected");
  // It is not for ever.
  await use.server(server.path);
  await client.connect();
});

trial("a server that accepts and closes is not stormed", async (use) => {
  const { client, peer, server } = await use.pair({ ...again, maxReconnectAttempts: 4 });
  const attempts = [];
  client.on("reconnecting", (attempt) => attempts.push(attempt));
  const gaveUp = next(client, "error");
  peer.socket.destroy();
  for (let number = 0; number < 4; number += 1) (await server.next()).socket.destroy();
  await gaveUp;
  assert.deepEqual(attempts, [1, 2, 3, 4]);
});

trial("disconnect ends the attempts", async (use) => {
  const { client, peer } = await use.pair({ autoReconnect: true, reconnectDelay: 30_000 });
  const reconnecting = next(client, "reconnecting");
  peer.socket.destroy();
  await reconnecting;
  const events = [];
  client.on("disconnect", () => events.push("disconnect"));
  await client.disconnect();
  assert.equal(client.getState(), "disconnected");
  // That was told when it was lost.
  assert.deepEqual(events, []);
});

trial("connect does not wait for the pause to end", async (use) => {
  const { client, peer, server } = await use.pair({ autoReconnect: true, reconnectDelay: 30_000 });
  const reconnecting = next(client, "reconnecting");
  peer.socket.destroy();
  await reconnecting;
  const [successor] = await Promise.all([server.next(), client.connect()]);
  await answered(client, successor);
});

trial("connect takes the place of an attempt that is under way", async (use) => {
  const sockets = [];
  const events = [];
  const listener = {
    connected: () => events.push("connected"),
    disconnected: () => events.push("disconnected"),
    reconnecting: () => events.push("reconnecting"),
    over: () => {},
  };
  let dialled;
  const dial = () => {
    const socket = new Socket();
    sockets.push(socket);
    dialled?.();
    return socket;
  };
  const link = new Link(settings({ socketPath: "/tmp/nobody", ...again }), listener, dial);
  use.ending(() => link.disconnect());
  const first = link.connect();
  sockets[0].emit("connect");
  await first;
  const attempt = new Promise((resolve) => (dialled = resolve));
  sockets[0].emit("end");
  await attempt;
  const second = link.connect();
  sockets[2].emit("connect");
  await second;
  assert.equal(sockets[1].destroyed, true);
  assert.deepEqual(events, ["connected", "disconnected", "reconnecting", "connected"]);
  assert.equal(link.state, "connected");
});

trial("a listener of the loss may connect or disconnect", async (use) => {
  const { client, peer } = await use.pair(again);
  client.on("reconnecting", () => assert.fail("nobody asked for it"));
  const lost = next(client, "disconnect");
  client.once("disconnect", () => void client.disconnect());
  peer.socket.destroy();
  await lost;
  assert.equal(client.getState(), "disconnected");
  let connecting;
  await client.connect();
  client.once("disconnect", () => (connecting = client.connect()));
  await client.disconnect();
  await connecting;
  assert.equal(client.getState(), "connected");
});

trial("pauses double up to the longest, and half of one is chance", async () => {
  const wholes = [[0, 100], [1, 200], [2, 400], [8, 25_600], [9, 30_000], [5000, 30_000]];
  for (const [attempt, whole] of wholes) {
    for (let number = 0; number < 100; number += 1) {
      const pause = pauseBefore(attempt, 100, 30_000);
      assert.ok(pause >= whole / 2 && pause <= whole, `attempt ${attempt}: ${pause}`);
    }
  }
  assert.ok(new Set(Array.from({ length: 50 }, () => pauseBefore(9, 100, 30_000))).size > 1);
});
