// Connecting, and the ends of a connection.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { Socket } from "node:net";

import { Link } from "../build/ipc/link.js";
import { settings } from "../build/ipc/options.js";
import { next, trial } from "./trial.mjs";

const EVENTS = ["connect", "connected", "disconnect", "disconnected", "error", "reconnecting"];

// The names of all events from now on.
function recorded(client) {
  const events = [];
  for (const event of EVENTS) client.on(event, () => events.push(event));
  return events;
}

trial("connect and disconnect, with their states and events", async (use) => {
  const server = await use.server();
  const client = use.client({ socketPath: server.path });
  const events = recorded(client);
  const connecting = client.connect();
  assert.equal(client.getState(), "connecting");
  assert.equal(client.isConnected(), false);
  await connecting;
  assert.equal(client.getState(), "connected");
  assert.equal(client.isConnected(), true);
  assert.deepEqual(events, ["connect", "connected"]);
  await client.disconnect();
  assert.equal(client.getState(), "disconnected");
  assert.deepEqual(events, ["connect", "connected", "disconnect", "disconnected"]);
});

trial("the server sees the end", async (use) => {
  const { client, peer } = await use.pair();
  await client.disconnect();
  await peer.closed;
});

trial("connect while connected does nothing", async (use) => {
  const { client } = await use.pair();
  const events = recorded(client);
  await client.connect();
  assert.deepEqual(events, []);
});

trial("connect while connecting waits for the attempt in progress, and so do calls", async (use) => {
  const server = await use.server();
  const client = use.client({ socketPath: server.path });
  const first = client.connect();
  const call = client.request("m");
  const [peer] = await Promise.all([server.next(), client.connect(), first]);
  assert.equal(client.isConnected(), true);
  peer.result((await peer.message()).id, "here");
  assert.equal(await call, "here");
});

trial("disconnect twice, or before connect, does nothing more", async (use) => {
  const { client } = await use.pair();
  const events = recorded(client);
  await Promise.all([client.disconnect(), client.disconnect()]);
  await client.disconnect();
  assert.deepEqual(events, ["disconnect", "disconnected"]);
  const unused = use.client({ socketPath: await use.path() });
  const none = recorded(unused);
  await unused.disconnect();
  assert.deepEqual(none, []);
});

trial("disconnect ends an attempt to connect", async (use) => {
  const server = await use.server();
  const client = use.client({ socketPath: server.path });
  const refused = assert.rejects(client.connect(), { code: "DISCONNECTED" });
  const ended = client.disconnect();
  assert.equal(client.getState(), "disconnected");
  // The attempt that has been given up must not touch the next one.
  const connecting = client.connect();
  await refused;
  await ended;
  assert.equal(client.getState(), "connecting");
  await connecting;
  assert.equal(client.getState(), "connected");
});

trial("connect, disconnect, connect", async (use) => {
  const { client, server } = await use.pair();
  await client.disconnect();
  const [peer] = await Promise.all([server.next(), client.connect()]);
  const sum = client.request("add", [1, 2]);
  // Ids go on: an answer to the first connection finds nobody here.
  peer.result((await peer.message()).id, 3);
  assert.equal(await sum, 3);
});

trial("no such socket, and nobody who hears of errors", async (use) => {
  const path = await use.path();
  const client = use.client({ socketPath: path });
  const message = `there is no such socket ${path}; is the server running?`;
  const expected = { name: "ConnectionFailed", code: "CONNECT_FAILED", message };
  await assert.rejects(client.connect(), expected);
  assert.equal(client.getState(), "disconnected");
  // It can be tried again, and works once there is a server.
  await assert.rejects(client.connect(), { message });
  await use.server(path);
  await client.connect();
});

trial("a failed connect is told once, by its promise", async (use) => {
  const client = use.client({ socketPath: await use.path(), autoReconnect: true });
  const events = recorded(client);
  await assert.rejects(client.connect(), { code: "CONNECT_FAILED" });
  assert.deepEqual(events, []);
  assert.equal(client.getState(), "disconnected");
});

trial("a file that is no socket", async (use) => {
  const path = await use.path();
  await writeFile(path, "");
  const client = use.client({ socketPath: path });
  const message = /no server listens at|is not a socket/;
  await assert.rejects(client.connect(), { code: "CONNECT_FAILED", message });
});

trial("a path that is too long is not cut short", async (use) => {
  const path = `${await use.path()}${"x".repeat(200)}`;
  const client = use.client({ socketPath: path });
  const message = /choose a shorter one/;
  await assert.rejects(client.connect(), { code: "CONNECT_FAILED", message });
  assert.equal(client.getState(), "disconnected");
});

trial("nobody answers in time", async () => {
  // Local sockets connect at once or never; this one is never told to.
  const socket = new Socket();
  const options = settings({ socketPath: "/tmp/nobody", connectionTimeout: 20 });
  const link = new Link(options, { over: () => {} }, () => socket);
  const message = "Connection timeout after 20ms";
  await assert.rejects(link.connect(), { code: "TIMEOUT", message });
  assert.equal(link.state, "disconnected");
  assert.equal(socket.destroyed, true);
});

trial("a program that may not use sockets", async () => {
  const options = settings({ socketPath: "/tmp/nobody" });
  const link = new Link(options, { over: () => {} }, () => {
    throw new Error("Requires net access");
  });
  const message = "could not connect to /tmp/nobody: Requires net access";
  await assert.rejects(link.connect(), { code: "CONNECT_FAILED", message });
  assert.equal(link.state, "disconnected");
});

trial("the server closes", async (use) => {
  const { client, peer } = await use.pair();
  const events = recorded(client);
  const disconnected = next(client, "disconnected");
  const calls = [client.request("one"), client.request("two")];
  assert.equal(client.getPendingRequestCount(), 2);
  await peer.text();
  peer.socket.end();
  const outcomes = await Promise.allSettled(calls);
  for (const { reason } of outcomes) {
    assert.deepEqual([reason.code, reason.message], ["DISCONNECTED", "Connection lost"]);
  }
  await disconnected;
  assert.equal(client.getState(), "disconnected");
  assert.equal(client.getPendingRequestCount(), 0);
  // Without autoReconnect nothing more happens.
  assert.deepEqual(events, ["disconnect", "disconnected"]);
});

trial("connect works after a loss", async (use) => {
  const { client, peer, server } = await use.pair();
  const lost = next(client, "disconnect");
  peer.socket.destroy();
  await lost;
  await assert.rejects(client.request("one"), { code: "NOT_CONNECTED" });
  const [again] = await Promise.all([server.next(), client.connect()]);
  const call = client.request("two");
  again.result((await again.message()).id, "here");
  assert.equal(await call, "here");
});

trial("an answer and the end in one write", async (use) => {
  const { client, peer } = await use.pair();
  const call = client.request("last");
  await peer.text();
  peer.socket.end('{"jsonrpc":"2.0","id":1,"result":"words"}');
  assert.equal(await call, "words");
});

trial("a socket that fails is an error and a loss", async (use) => {
  const socket = new Socket();
  const heard = [];
  const listener = {
    connected: () => heard.push("connected"),
    disconnected: (error) => heard.push(`disconnected: ${error.message}`),
    failed: (error) => heard.push(`failed: ${error.cause.message}`),
    over: () => heard.push("over"),
  };
  const link = new Link(settings({ socketPath: "/tmp/nobody" }), listener, () => socket);
  const connecting = link.connect();
  socket.emit("connect");
  await connecting;
  use.ending(() => link.disconnect());
  socket.emit("error", new Error("read ECONNRESET"));
  assert.deepEqual(heard, [
    "connected",
    "failed: read ECONNRESET",
    "disconnected: Connection lost",
    "over",
  ]);
});

trial("a client that is done keeps no process alive", async (use) => {
  const server = await use.server();
  const script = new URL("single_call.mjs", import.meta.url).pathname;
  const flags = "Deno" in globalThis ? ["run", "-A"] : [];
  const child = spawn(process.execPath, [...flags, script, server.path], { stdio: "inherit" });
  const exited = once(child, "exit");
  use.ending(() => child.kill("SIGKILL"));
  const peer = await server.next();
  peer.result((await peer.message()).id, "done");
  assert.deepEqual(await exited, [0, null]);
});

trial("what was sent before disconnect leaves first", async (use) => {
  const { client, peer } = await use.pair();
  const params = "x".repeat(1_000_000);
  client.notify("large", params);
  client.notify("last");
  await client.disconnect();
  assert.deepEqual(await peer.message(), { jsonrpc: "2.0", method: "large", params });
  assert.deepEqual(await peer.message(), { jsonrpc: "2.0", method: "last" });
});

trial("a server that reads nothing does not keep disconnect waiting", async (use) => {
  const { client, peer } = await use.pair();
  peer.socket.pause();
  client.notify("large", "x".repeat(8_000_000));
  const call = assert.rejects(client.request("never"), { message: "Client disconnected" });
  await client.disconnect();
  await call;
});

trial("our side stays open until the answers are there", async (use) => {
  const { client, peer } = await use.pair();
  let hasEnded = false;
  void peer.ended.then(() => (hasEnded = true));
  const call = client.request("slow");
  await peer.text();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(hasEnded, false);
  peer.result(1, "done");
  assert.equal(await call, "done");
});

trial("a listener may disconnect", async (use) => {
  const { client, peer } = await use.pair();
  const heard = [];
  client.on("notification", (method) => {
    heard.push(method);
    void client.disconnect();
  });
  peer.send({ jsonrpc: "2.0", method: "one" }, { jsonrpc: "2.0", method: "two" });
  await peer.closed;
  // Both came in one chunk; the second came too late.
  assert.deepEqual(heard, ["one"]);
});

const refusal = {
  jsonrpc: "2.0",
  id: null,
  error: { code: -32000, message: "this server has too many clients already" },
};

trial("a server that lets nobody in says why", async (use) => {
  const { client, peer } = await use.pair();
  const why = {
    code: "REFUSED",
    message: "Refused by the server: this server has too many clients already (-32000)",
  };
  const refused = assert.rejects(client.request("m"), (error) => {
    assert.equal(error.cause.code, -32000);
    return error.code === why.code && error.message === why.message;
  });
  await peer.text();
  peer.send(refusal);
  peer.socket.end();
  await refused;
  // Whoever calls later gets to know it as well.
  await assert.rejects(client.request("m"), why);
  assert.throws(() => client.notify("m"), why);
});

trial("an error about no call, then the end", async (use) => {
  const { client, peer } = await use.pair();
  const first = client.request("m");
  peer.result((await peer.message()).id, 1);
  await first;
  const lost = assert.rejects(client.request("m"), {
    code: "DISCONNECTED",
    message: "Connection lost: this server has too many clients already (-32000)",
  });
  await peer.text();
  peer.send(refusal);
  peer.socket.end();
  await lost;
  await assert.rejects(client.request("m"), { code: "NOT_CONNECTED", message: "Not connected" });
});

trial("a server that turns clients away is not stormed", async (use) => {
  const { client, peer, server } = await use.pair({
    autoReconnect: true,
    reconnectDelay: 1,
    maxReconnectDelay: 4,
    maxReconnectAttempts: 3,
  });
  const attempts = [];
  client.on("reconnecting", (attempt) => attempts.push(attempt));
  const over = new Promise((resolve) => {
    client.on("error", (error) => {
      if (error.code === "CONNECT_FAILED") resolve();
    });
  });
  peer.send(refusal);
  peer.socket.end();
  for (let turn = 0; turn < 3; turn += 1) {
    const next = await server.next();
    next.send(refusal);
    next.socket.end();
  }
  await over;
  assert.deepEqual(attempts, [1, 2, 3]);
});
