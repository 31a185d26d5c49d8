// A client of `tenon echo` in Node with vscode-jsonrpc: messages behind Content-Length headers.
// Node gives its children sockets as stdin and stdout, not pipes.
//
//     node_client.mjs [ARGUMENT OF tenon echo]...

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";

const { createMessageConnection, CancellationTokenSource, StreamMessageReader, StreamMessageWriter } =
  createRequire(`${process.env.NODE_MODULES_HERE}/`)("vscode-jsonrpc/node");

const plugin = spawn(process.env.TENON, ["echo", ...process.argv.slice(2)], {
  stdio: ["pipe", "pipe", "inherit"],
});
const exited = once(plugin, "exit");
const connection = createMessageConnection(
  new StreamMessageReader(plugin.stdout),
  new StreamMessageWriter(plugin.stdin),
);
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

async function endWaitsForWhatRuns() {
  const last = connection.sendRequest("sleep", { ms: 300 });
  // Requests are written one after the other: once this one is answered, the first has gone.
  await connection.sendRequest("echo");
  plugin.stdin.end();
  assert.equal(await last, null);
  assert.deepEqual(await exited, [0, null]);
}

await valuesComeBack();
await errors();
await eventsBothWays();
await callsBack();
await cancellation();
await endWaitsForWhatRuns();
connection.dispose();
