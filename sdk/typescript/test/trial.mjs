// What every test has: an end, and nothing left behind.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";

import { Client } from "../build/ipc/mod.js";
import { Peer } from "./peer.mjs";

// No test takes longer.
const WATCHDOG = 40_000;

// Runs a test with `use`, which makes what it needs and takes it away again.
export function trial(name, body) {
  test(name, () => bounded(name, body));
}

// The same with `tenon echo`; TENON says where that is.
export function trialWithEcho(name, body) {
  if (process.env.TENON === undefined && process.env.CI !== "true") {
    test.skip(`${name}: TENON does not say where tenon is`, () => {});
    return;
  }
  trial(name, async (use) => body(use, await use.echo()));
}

async function bounded(name, body) {
  const use = new Use();
  let timer;
  const watchdog = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${name} took longer than ${WATCHDOG}ms`)), WATCHDOG);
  });
  try {
    await Promise.race([body(use), watchdog]);
  } finally {
    clearTimeout(timer);
    await use.end();
  }
}

class Use {
  #endings = [];

  // Undone when the test is over, last things first.
  ending(undo) {
    this.#endings.unshift(undo);
  }

  async end() {
    for (const undo of this.#endings) await undo();
  }

  // A path for a socket, in a folder of its own.
  async path() {
    const folder = await mkdtemp(join(tmpdir(), "tenon-"));
    this.ending(() => rm(folder, { recursive: true, force: true }));
    return join(folder, "s");
  }

  // A server that does what the test says, byte for byte.
  async server(path) {
    const server = new RawServer(path ?? (await this.path()));
    await server.listen();
    this.ending(() => server.close());
    return server;
  }

  // A client, not connected yet.
  client(options) {
    const client = new Client(options);
    this.ending(() => client.disconnect());
    return client;
  }

  // A client, and the side of it that the server sees.
  async pair(options) {
    const server = await this.server();
    const client = this.client({ socketPath: server.path, ...options });
    const [peer] = await Promise.all([server.next(), client.connect()]);
    return { client, peer, server };
  }

  // `tenon echo` on a socket. Gives the path.
  async echo() {
    const path = await this.path();
    const child = spawn(process.env.TENON, ["echo", "--socket", path], { stdio: "ignore" });
    const exited = once(child, "exit");
    this.ending(async () => {
      child.kill("SIGKILL");
      await exited;
    });
    for (;;) {
      const client = new Client({ socketPath: path });
      const isThere = await client.connect().then(
        () => true,
        () => false,
      );
      await client.disconnect();
      if (isThere) return path;
      assert.equal(child.exitCode, null, "tenon echo has ended");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

class RawServer {
  #server;
  #sockets = new Set();
  #waiting = [];
  #arrived = [];

  constructor(path) {
    this.path = path;
  }

  async listen() {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
      const peer = new Peer(socket);
      const waiting = this.#waiting.shift();
      if (waiting === undefined) this.#arrived.push(peer);
      else waiting(peer);
    });
    this.#server.listen(this.path);
    await once(this.#server, "listening");
  }

  // The next client that connects.
  async next() {
    return this.#arrived.shift() ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  async close() {
    if (this.#server === undefined) return;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

// The arguments of the next event of that name.
export function next(client, event) {
  return new Promise((resolve) => client.once(event, (...args) => resolve(args)));
}
