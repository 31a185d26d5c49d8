// The server, with clients of this SDK, raw sockets, and the real command.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import process from "node:process";
import test from "node:test";

import { Client, RpcError, Server } from "../build/ipc/mod.js";
import { inFolder } from "./programs.mjs";

async function withServer(methods, work, options) {
  await inFolder(async (folder) => {
    chmodSync(folder, 0o700);
    const server = new Server(join(folder, "s"), methods, options);
    await server.listen();
    const client = new Client({ socketPath: server.address });
    await client.connect();
    try {
      await work({ server, client, folder });
    } finally {
      await client.disconnect();
      await server.close();
      assert.equal(existsSync(server.address), false, "the socket file is removed");
    }
  });
}

const CALC = {
  add: ([a, b]) => a + b,
  async later({ text }) {
    return text;
  },
  refuse: () => {
    throw new RpcError(-32010, "not today", { until: "tomorrow" });
  },
  fail: () => {
    throw new Error("a bug");
  },
  ask: (_, { session }) => session.request("name"),
  hang: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
};

test("methods are called, in batches too, and errors are answered", () =>
  withServer(CALC, async ({ server, client }) => {
    assert.equal(statSync(server.address).mode & 0o777, 0o600);
    assert.equal(await client.request("add", [2, 3]), 5);
    assert.equal(await client.request("later", { text: "x" }), "x");
    await assert.rejects(client.request("refuse"), { code: -32010, message: "not today", data: { until: "tomorrow" } });
    await assert.rejects(client.request("fail"), { code: -32603, data: "a bug" });
    await assert.rejects(client.request("nothing"), { code: -32601 });
    await assert.rejects(client.request("hang", undefined, { timeout: 20 }), {
      code: "TIMEOUT",
      name: "RequestTimeout",
    });
    const all = await client.batch([{ method: "add", params: [1, 1] }, { method: "refuse" }]);
    assert.deepEqual(all.map((one) => one.value ?? one.reason.code), [2, -32010]);
  }));

test("the server calls its clients, and tells all of them something", () =>
  withServer(CALC, async ({ server, client }) => {
    client.onRequest("name", () => "Ida");
    assert.equal(await client.request("ask"), "Ida");
    const heard = once(client, "notification");
    server.broadcast("tick", { n: 1 });
    assert.deepEqual(await heard, ["tick", { n: 1 }]);
    assert.equal(server.sessions().length, 1);
  }));

test("notifications reach their handler, and a client that is gone is noticed", async () => {
  let tell;
  const told = new Promise((resolve) => (tell = resolve));
  let leave;
  const left = new Promise((resolve) => (leave = resolve));
  await withServer({ hello: (params, { session }) => tell([params, session.id]) }, async ({ client }) => {
    client.notify("hello", { a: 1 });
    assert.deepEqual(await told, [{ a: 1 }, 1]);
    await client.disconnect();
    assert.equal((await left).id, 1);
  }, { onDisconnect: (session) => leave(session) });
});

/** Sends bytes, closes its side, and gives everything that came back. */
async function raw(address, bytes) {
  const socket = connect({ path: address, allowHalfOpen: true });
  socket.end(bytes);
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text;
}

test("lines and headers by the first byte, wrong messages, and half-closed connections", () =>
  withServer(CALC, async ({ server }) => {
    const call = '{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]}';
    assert.equal(await raw(server.address, `${call}\n`), '{"jsonrpc":"2.0","id":1,"result":3}\n');
    assert.equal(
      await raw(server.address, `Content-Length: ${call.length}\r\n\r\n${call}`),
      'Content-Length: 35\r\n\r\n{"jsonrpc":"2.0","id":1,"result":3}',
    );
    const answers = await raw(server.address, 'nonsense\n[]\n{"jsonrpc":"1.0","id":7,"method":"add"}\n[1]\n');
    assert.deepEqual(answers.trim().split("\n").map((line) => [JSON.parse(line)].flat()[0].error.code), [
      -32700,
      -32600,
      -32600,
      -32600,
    ]);
  }));

test("a dead server's socket is replaced, a live one and other files are not touched", () =>
  withServer(CALC, async ({ server, folder }) => {
    await assert.rejects(new Server(server.address, {}).listen(), {
      code: "LISTEN_FAILED",
      message: /already listens/,
    });
    const dead = join(folder, "dead");
    const program = `const { createServer } = require("node:net"); createServer().listen(${
      JSON.stringify(dead)
    }, () => process.kill(process.pid, "SIGKILL"));`;
    const node = process.versions.deno === undefined ? process.execPath : "node";
    spawnSync(node, ["-e", program]);
    assert.ok(existsSync(dead));
    const next = new Server(dead, CALC);
    await next.listen();
    await next.close();
    writeFileSync(join(folder, "file"), "");
    await assert.rejects(new Server(join(folder, "file"), {}).listen(), { message: /not a socket/ });
  }));

test("the command talks to the server", {
  skip: process.env["TENON"] === undefined && process.env["CI"] !== "true" && "TENON does not name the command",
}, () =>
  withServer(CALC, async ({ server }) => {
    const { spawn } = await import("node:child_process");
    const child = spawn(process.env["TENON"], ["call", "add", "[2,3]", "--socket", server.address], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [[code], text] = await Promise.all([
      once(child, "close"),
      (async () => {
        let all = "";
        for await (const chunk of child.stdout) all += chunk;
        return all;
      })(),
    ]);
    assert.deepEqual([code, text.trim()], [0, "5"]);
  }));

/** The answers on a socket that nobody reads until everything is sent. */
function readLate(address, sent, count) {
  return new Promise((resolve, reject) => {
    const socket = connect(address, () => {
      socket.pause();
      socket.write(sent, () => socket.resume());
    });
    const pieces = [];
    socket.on("data", (piece) => {
      pieces.push(piece);
      if (piece.at(-1) !== 0x0a) return;
      const lines = Buffer.concat(pieces).toString().split("\n").slice(0, -1);
      if (lines.length < count) return;
      socket.destroy();
      resolve(lines.map((line) => JSON.parse(line)));
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error(`closed after ${pieces.length} pieces`)));
  });
}

test("a client that reads late gets all answers", () =>
  withServer({ blob: () => "x".repeat(2 ** 20) }, async ({ server }) => {
    const calls = Array.from({ length: 80 }, (_, id) => `${JSON.stringify({ jsonrpc: "2.0", id, method: "blob" })}\n`);
    const answers = await readLate(server.address, calls.join(""), calls.length);
    assert.deepEqual(answers.map(({ id, result }) => [id, result.length]), calls.map((_, id) => [id, 2 ** 20]));
  }));

test("an answer that is too large is an error, and the connection goes on", () => {
  const errors = [];
  return withServer({ ...CALC, blob: () => "x".repeat(5000) }, async ({ client }) => {
    await assert.rejects(client.request("blob"), { code: -32603, data: "the answer is too large" });
    const all = await client.batch([{ method: "add", params: [1, 1] }, { method: "blob" }]);
    assert.deepEqual(all.map((one) => one.value ?? one.reason.code), [-32603, -32603]);
    assert.equal(await client.request("add", [2, 3]), 5);
    assert.deepEqual(errors.map(({ code }) => code), ["TOO_LARGE", "TOO_LARGE"]);
  }, { maxMessageBytes: 4096, onError: (error) => errors.push(error) });
});
