// What comes, however it is cut, and what is no message.

import assert from "node:assert/strict";

import { RpcError } from "../build/ipc/mod.js";
import { next, trial } from "./trial.mjs";

// Asks for something, to see that the connection works still.
async function works(client, peer) {
  const call = client.request("still there?");
  const { id } = await peer.message();
  peer.result(id, "yes");
  assert.equal(await call, "yes");
}

trial("an answer in pieces, also inside of characters", async (use) => {
  const { client, peer } = await use.pair();
  const result = "é€😀 ".repeat(20);
  for (const size of [1, 2, 3, 7]) {
    const call = client.request("m");
    const { id } = await peer.message();
    const answer = JSON.stringify({ jsonrpc: "2.0", id, result });
    await peer.writeInPieces(Buffer.from(`${answer}\n`), size);
    assert.equal(await call, result);
  }
});

trial("a long text of characters with many bytes", async (use) => {
  const { client, peer } = await use.pair();
  const call = client.request("m");
  await peer.text();
  const result = "é".repeat(2_000_000);
  peer.result(1, result);
  assert.ok((await call) === result, "a character was damaged");
});

trial("many answers in one chunk, with blank lines and carriage returns", async (use) => {
  const { client, peer } = await use.pair();
  const calls = [1, 2, 3].map(() => client.request("m"));
  const lines = [3, 1, 2].map((id) => `{"jsonrpc":"2.0","id":${id},"result":${id}}`);
  peer.write(`\n \t\r\n${lines.join("\r\n\n")}\r\n`);
  assert.deepEqual(await Promise.all(calls), [1, 2, 3]);
});

trial("lines that are no JSON", async (use) => {
  const { client, peer } = await use.pair();
  for (const text of ["Listening on port 8080", '{"jsonrpc":', "{}{}"]) {
    const error = next(client, "error");
    peer.write(`${text}\n`);
    const [{ code, message }] = await error;
    assert.deepEqual([code, message], ["INVALID_MESSAGE", `Invalid JSON received: ${text}`]);
    await works(client, peer);
  }
  const error = next(client, "error");
  peer.write(Buffer.from([0x22, 0xff, 0x22, 0x0a]));
  assert.equal((await error)[0].code, "INVALID_MESSAGE");
  await works(client, peer);
});

trial("a long line that is no JSON is not quoted whole", async (use) => {
  const { client, peer } = await use.pair();
  const error = next(client, "error");
  peer.write(`${"x".repeat(100_000)}\n`);
  const [{ message }] = await error;
  assert.ok(message.length < 200, message);
  assert.match(message, /100000 bytes/);
});

trial("an error that nobody listens to does not end the process", async (use) => {
  const lines = [];
  const { client, peer } = await use.pair({ debug: (line) => lines.push(line) });
  peer.write("garbage\n");
  await works(client, peer);
  assert.ok(lines.includes("error: Invalid JSON received: garbage"), lines.join("\n"));
});

trial("an error without an id", async (use) => {
  const { client, peer } = await use.pair();
  const heard = next(client, "error");
  peer.send({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error", data: 1 } });
  const [error] = await heard;
  assert.ok(error instanceof RpcError);
  assert.deepEqual(error.toJSON(), { code: -32700, message: "Parse error", data: 1 });
  await works(client, peer);
});

trial("an array of answers, of notifications, of both", async (use) => {
  const { client, peer } = await use.pair();
  const heard = next(client, "notification");
  const calls = [client.request("a"), client.request("b")];
  await peer.text();
  await peer.text();
  peer.send([
    { jsonrpc: "2.0", id: 2, result: "b" },
    { jsonrpc: "2.0", method: "told", params: [1] },
    { jsonrpc: "2.0", id: 1, result: "a" },
  ]);
  assert.deepEqual(await Promise.all(calls), ["a", "b"]);
  assert.deepEqual(await heard, ["told", [1]]);
  await works(client, peer);
});

// Each of them is the answer to the call 1.
const odd = [
  ["without a version", { id: 1, result: 5 }, { value: 5 }],
  ["with an error that is null", { jsonrpc: "2.0", id: 1, result: 5, error: null }, { value: 5 }],
  ["with neither result nor error", { jsonrpc: "2.0", id: 1 }, { value: null }],
  ["without a message", { jsonrpc: "2.0", id: 1, error: { code: 5 } }, { code: 5 }],
  ["with a word as its code", { jsonrpc: "2.0", id: 1, error: { code: "busy" } }, { code: -32000 }],
  ["with result and error", { jsonrpc: "2.0", id: 1, result: 1, error: { code: 5 } }, "malformed"],
  ["with a text as its error", { jsonrpc: "2.0", id: 1, error: "no" }, "malformed"],
  ["of another version", { jsonrpc: "1.0", id: 1, result: 5 }, "malformed"],
];
for (const [name, answer, expected] of odd) {
  trial(`an answer ${name}`, async (use) => {
    const { client, peer } = await use.pair();
    client.on("error", (error) => assert.fail(error));
    const call = client.request("m");
    await peer.text();
    peer.send(answer);
    const [{ value, reason }] = await Promise.allSettled([call]);
    if (expected === "malformed") assert.equal(reason.code, "INVALID_MESSAGE");
    else assert.deepEqual(reason === undefined ? { value } : { code: reason.code }, expected);
  });
}

trial("messages that mean nothing", async (use) => {
  const { client, peer } = await use.pair();
  for (const value of [5, null, "text", [], {}, [5], { jsonrpc: "2.0", method: 5 }]) {
    const error = next(client, "error");
    peer.send(value);
    assert.equal((await error)[0].code, "INVALID_MESSAGE");
  }
  await works(client, peer);
});

trial("a line over the limit ends the connection", async (use) => {
  const { client, peer } = await use.pair({ maxMessageBytes: 1000 });
  const error = next(client, "error");
  const call = client.request("m").catch((reason) => reason);
  await peer.text();
  // No newline: it must not be waited for.
  peer.write("x".repeat(1001));
  const [{ code, message }] = await error;
  assert.deepEqual([code, /1000 bytes.*maxMessageBytes/.test(message)], ["TOO_LARGE", true]);
  const reason = await call;
  assert.deepEqual([reason.code, reason.cause.code], ["DISCONNECTED", "TOO_LARGE"]);
  assert.equal(client.getState(), "disconnected");
  await peer.closed;
});

trial("the end in the middle of a line", async (use) => {
  const { client, peer } = await use.pair();
  const error = next(client, "error");
  const call = client.request("m").catch((reason) => reason);
  await peer.text();
  peer.socket.end('{"jsonrpc":"2.0","id":1,"res');
  assert.equal((await error)[0].code, "INVALID_MESSAGE");
  assert.equal((await call).code, "DISCONNECTED");
});

trial("behind headers", async (use) => {
  const { client, peer } = await use.pair({ framing: "headers" });
  const call = client.request("größe", ["é"]);
  const request = '{"jsonrpc":"2.0","id":1,"method":"größe","params":["é"]}';
  const length = Buffer.byteLength(request);
  assert.equal(await peer.text(), `Content-Length: ${length}\r`);
  assert.equal(await peer.text(), "\r");
  const answer = '{"jsonrpc":"2.0",\n"id":1,\n"result":"😀"}';
  const bytes = Buffer.from(`Content-Length: ${Buffer.byteLength(answer)}\r\n\r\n${answer}`);
  await peer.writeInPieces(bytes, 3);
  assert.equal(await call, "😀");
});

trial("a line where a header should be ends the connection", async (use) => {
  const { client, peer } = await use.pair({ framing: "headers" });
  const error = next(client, "error");
  peer.write('{"jsonrpc":"2.0","method":"m"}\n');
  assert.match((await error)[0].message, /is not a header; .* framing to "lines"/);
  assert.equal(client.isConnected(), false);
});
