// A plugin in Node with vscode-jsonrpc: messages behind Content-Length headers.

import { createRequire } from "node:module";

const { createMessageConnection, ResponseError, StreamMessageReader, StreamMessageWriter } =
  createRequire(`${process.env.NODE_MODULES_HERE}/`)("vscode-jsonrpc/node");

const connection = createMessageConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
const held = []; // calls that wait until there are enough of them
const seen = []; // params of the events that came
let cancelled = 0;

connection.onRequest("echo", (params) => params ?? null);
// Answers the calls in the opposite order, once there are as many as they say.
connection.onRequest("hold", ({ count, number }) => {
  const answer = new Promise((resolve) => held.push(() => resolve(number)));
  if (held.length === count) {
    const turns = held.splice(0).reverse();
    turns.forEach((turn, index) => setTimeout(turn, index / 10));
  }
  return answer;
});
connection.onRequest("emit", async ({ count }) => {
  for (let number = 0; number < count; number += 1) {
    await connection.sendNotification("tick", { number });
  }
  return count;
});
connection.onNotification("tick", (params) => seen.push(params));
connection.onRequest("seen", () => seen);
connection.onRequest("fail", () => new ResponseError(7, "no\nway", { why: "é" }));
connection.onRequest("throw", () => {
  throw new Error("thrown");
});
// A method without a result: vscode-jsonrpc makes null of it.
connection.onRequest("nothing", () => undefined);
// Waits until the call is taken back.
connection.onRequest(
  "wait",
  (_, token) =>
    new Promise((resolve) =>
      token.onCancellationRequested(() => {
        cancelled += 1;
        resolve(null);
      }),
    ),
);
connection.onRequest("cancelled", () => cancelled);
// Calls the host back; its answer is the result.
connection.onRequest("ask", ({ method, params }) => connection.sendRequest(method, params));
connection.onClose(() => process.exit(0));
connection.listen();
