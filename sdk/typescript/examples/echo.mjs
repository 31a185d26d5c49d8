// Calls, events and calls back, with a server that comes with Tenon:
//
//     tenon echo --socket /tmp/x.sock &
//     node echo.mjs /tmp/x.sock

import process from "node:process";

import { Client, ConnectionError, RpcError } from "../dist/ipc.js";

const client = new Client({ socketPath: process.argv[2] ?? "/tmp/x.sock", timeout: 5000 });
client.on("notification", (method, params) => {
  const { number } = /** @type {{ number: number }} */ (params);
  console.log("event:", method, number);
});
client.on("disconnect", () => console.log("disconnected"));
await client.connect();

console.log("2 + 3 =", await client.request("add", [2, 3]));
await client.request("emit", { count: 2 });

// The server may call as well.
client.onRequest("name", () => "Ida");
console.log("it asked, and heard:", await client.request("call_back", { method: "name" }));

try {
  await client.request("divide", [1, 0]);
} catch (error) {
  if (!(error instanceof RpcError)) throw error;
  console.log("error:", error.code, error.message, error.data);
}

try {
  await client.request("sleep", { ms: 60_000 }, { timeout: 100 });
} catch (error) {
  if (!(error instanceof ConnectionError) || error.code !== "TIMEOUT") throw error;
  console.log("error:", error.message);
}

await client.disconnect();
