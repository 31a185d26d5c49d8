// What the client of sdk/typescript does while it reconnects, and its errors, as JSON. reconnecting.py does the same.
//
//     TENON=tenon node reconnecting.mjs SOCKET

import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

import * as ipc from "../../../../sdk/typescript/dist/ipc.js";

const [socketPath] = process.argv.slice(2);

const serve = () => spawn(process.env.TENON, ["echo", "--socket", socketPath], { stdio: ["ignore", "inherit", "inherit"] });

async function end(server) {
  const ended = once(server, "exit");
  server.kill("SIGKILL");
  await ended;
}

const outcome = (work) => work.then((value) => value, (error) => error.code);
const call = (client, timeout) => outcome(client.request("add", [1, 2], { timeout }));

async function connected(client) {
  for (;;) {
    try {
      return await client.connect();
    } catch (error) {
      if (error.code !== "CONNECT_FAILED") throw error;
      await sleep(10);
    }
  }
}

/** Ends the server, and waits until the client has seen it. What became of the call in progress. */
async function lost(client, server) {
  const running = outcome(client.request("sleep", { ms: 3_600_000 }, { timeout: 600_000 }));
  await client.request("add", [1, 2]);
  await end(server);
  return running;
}

const found = {};
let client = new ipc.Client({ socketPath, autoReconnect: true, reconnectDelay: 10, maxReconnectDelay: 50 });
found["a call before connect"] = await call(client);
found["connect without a server"] = await outcome(client.connect());
let server = serve();
await connected(client);
found["a call when the server ends"] = await lost(client, server);
found["a call that cannot wait"] = await call(client, 200);
let waiting = call(client, 600_000);
server = serve();
found["a call that waits"] = await waiting;
await lost(client, server);
waiting = call(client, 600_000);
await client.close();
found["a call that waits when the client is closed"] = await waiting;
found["a call after close"] = await call(client);

server = serve();
client = new ipc.Client({ socketPath, autoReconnect: true, reconnectDelay: 500, maxReconnectAttempts: 2 });
await connected(client);
await lost(client, server);
found["a call that waits when it is given up"] = await call(client, 600_000);
found["a call after that"] = await call(client);
await client.close();

const kinds = Object.values(ipc).filter((kind) => kind?.prototype instanceof ipc.ConnectionError);
const codes = kinds.map((kind) => [kind.name, kind.code]);
console.log(JSON.stringify({ errors: Object.fromEntries(codes), outcomes: found }));
