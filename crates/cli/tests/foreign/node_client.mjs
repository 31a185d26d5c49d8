// A client in Node with vscode-jsonrpc: messages behind Content-Length headers.
//
//     node_client.mjs pipe [ARGUMENT OF tenon echo]...
//     node_client.mjs socket PATH
//
// Node gives its children sockets as stdin and stdout, not pipes.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { connect } from "node:net";

const {
  createMessageConnection,
  CancellationTokenSource,
  ProgressType,
  SocketMessageReader,
  SocketMessageWriter,
  StreamMessageReader,
  StreamMessageWriter,
} = createRequire(`${process.env.NODE_MODULES_HERE}/`)("vscode-jsonrpc/node");

// How to talk to it, how to finish, and what there is to see once it has ended.
function onPipes(args) {
  const plugin = spawn(process.env.TENON, ["echo", ...args], { stdio: ["pipe", "pipe", "inherit"] });
  return {
    reader: new StreamMessageReader(plugin.stdout),
    writer: new StreamMessageWriter(plugin.stdin),
    finish: () => plugin.stdin.end(),
    ended: once(plugin, "exit").then((status) => assert.deepEqual(status, [0, null])),
  };
}

function onSocket(path) {
  const socket = connect(path);
  return {
    reader: new SocketMessageReader(socket),
    writer: new SocketMessageWriter(socket),
    finish: () => socket.end(),
    ended: once(socket, "close").then(([failed]) => assert.equal(failed, false)),
  };
}

const [kind, ...rest] = process.argv.slice(2);
const { reader, writer, finish, ended } = kind === "socket" ? onSocket(rest[0]) : onPipes(rest);
const connection = createMessageConnection(reader, writer);
const ticks = [];
connection.onNotification("tick", ({ number }) => ticks.push(number));
connection.onRequest("ask", async (params) => {
  // It still answers us while it waits for us.
  assert.equal(await connection.sendRequest("add", 1, 1), 2);
  return { asked: params };
});
connection.onError(([error]) => assert.fail(error));
connection.listen();

async function valuesComeBack() {
  const texts = ["é", "😀", '"\\\n\0', "Content-Length: 5\r\n\r\n"];
  for (const value of [{ a: [1, -1.5, null, true] }, { texts }, { x: "é".repeat(500_000) }]) {
    assert.deepEqual(await connection.sendRequest("echo", value), value);
  }
  // A single array becomes the only one of the positional params.
  assert.deepEqual(await connection.sendRequest("echo", texts), [texts]);
  assert.equal(await connection.sendRequest("echo"), null);
  assert.equal(await connection.sendRequest("add", 2, 3), 5);
  const numbers = Array.from({ length: 500 }, (_, number) => number);
  const sums = numbers.map((number) => connection.sendRequest("add", number, 1));
  assert.deepEqual(await Promise.all(sums), numbers.map((number) => number + 1));
}

async function errors() {
  await assert.rejects(connection.sendRequest("nope"), { code: -32601, message: "Method not found" });
  const asked = { code: 12, message: "as asked é", data: { a: 1 } };
  await assert.rejects(connection.sendRequest("fail", asked), asked);
  await assert.rejects(connection.sendRequest("panic"), { code: -32603 });
}

async function eventsBothWays() {
  for (let number = 0; number < 1000; number += 1) {
    await connection.sendNotification("tick", { number });
  }
  assert.deepEqual(await connection.sendRequest("ticks"), { count: 1000, in_order: true });
  assert.equal(await connection.sendRequest("emit", { count: 1000 }), 1000);
  assert.deepEqual(ticks, Array.from({ length: 1000 }, (_, number) => number));
}

async function callsBack() {
  const params = { method: "ask", params: { é: [1] } };
  assert.deepEqual(await connection.sendRequest("call_back", params), { asked: { é: [1] } });
  await assert.rejects(connection.sendRequest("call_back", { method: "nobody" }), { code: -32601 });
}

// `$/cancelRequest` has to reach the call past others that run, and is answered at once.
async function cancellation() {
  const source = new CancellationTokenSource();
  const started = Date.now();
  const cancelled = connection.sendRequest("sleep", { ms: 30_000 }, source.token);
  const other = connection.sendRequest("sleep", { ms: 50 });
  await connection.sendRequest("echo");
  source.cancel();
  await assert.rejects(cancelled, { code: -32800 });
  assert.equal(await other, null);
  assert.ok(Date.now() - started < 15_000, "it was not cancelled but waited for");
}

// What a server on a socket has on top.
async function progress() {
  const type = new ProgressType();
  const tokens = ["text é", 42];
  const steps = new Map(tokens.map((token) => [token, []]));
  for (const token of tokens) {
    connection.onProgress(type, token, (value) => steps.get(token).push(value));
  }
  const work = tokens.map((token) => connection.sendRequest("work", { token, steps: 3 }));
  assert.deepEqual(await Promise.all(work), ["done", "done"]);
  const expected = [1, 2, 3].map((step) => ({ step }));
  assert.deepEqual([...steps.values()], [expected, expected]);
}

async function broadcasts() {
  const news = [];
  connection.onNotification("news", (params) => news.push(params));
  assert.equal(await connection.sendRequest("tell_all", { é: [1] }), 1);
  // It was sent before the answer.
  assert.deepEqual(news, [{ é: [1] }]);
}

async function endWaitsForWhatRuns() {
  const last = connection.sendRequest("sleep", { ms: 300 });
  // Requests are written one after the other: once this one is answered, the first has gone.
  await connection.sendRequest("echo");
  finish();
  assert.equal(await last, null);
  await ended;
}

await valuesComeBack();
await errors();
await eventsBothWays();
await callsBack();
await cancellation();
if (kind === "socket") {
  await progress();
  await broadcasts();
}
await endWaitsForWhatRuns();
connection.dispose();
