// A plugin in Node with vscode-jsonrpc, or the same as a server: messages behind Content-Length
// headers.
//
//     node_plugin.mjs
//     node_plugin.mjs socket PATH

import { createRequire } from "node:module";
import { createServer } from "node:net";

const {
  createMessageConnection,
  ProgressType,
  ResponseError,
  SocketMessageReader,
  SocketMessageWriter,
  StreamMessageReader,
  StreamMessageWriter,
} = createRequire(`${process.env.NODE_MODULES_HERE}/`)("vscode-jsonrpc/node");

function serve(reader, writer) {
  const connection = createMessageConnection(reader, writer);
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
  // Tells how far it has come.
  connection.onRequest("work", async ({ token, steps }) => {
    for (let step = 1; step <= steps; step += 1) {
      await connection.sendProgress(new ProgressType(), token, { step });
    }
    return "done";
  });
  // Calls the host back; its answer is the result.
  connection.onRequest("ask", ({ method, params }) => connection.sendRequest(method, params));
  connection.listen();
  return connection;
}

const [kind, path] = process.argv.slice(2);
if (kind === "socket") {
  const server = createServer((socket) =>
    serve(new SocketMessageReader(socket), new SocketMessageWriter(socket)),
  );
  server.listen(path);
} else {
  const connection = serve(
    new StreamMessageReader(process.stdin),
    new StreamMessageWriter(process.stdout),
  );
  connection.onClose(() => process.exit(0));
}
