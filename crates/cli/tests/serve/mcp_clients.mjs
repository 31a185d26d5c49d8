// Two clients of the official SDK of the Model Context Protocol, at one server behind `tenon serve`.
// They choose the same ids and the same progress tokens, and one of them cancels its call.
//
//     node mcp_clients.mjs SOCKET NODE_MODULES

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";

const [socket, modules] = process.argv.slice(2);
const sdk = (path) =>
  import(pathToFileURL(join(modules, "@modelcontextprotocol/sdk/dist/esm", path)).href);
const { Client } = await sdk("client/index.js");
const { ReadBuffer, serializeMessage } = await sdk("shared/stdio.js");

// The SDK talks to processes and to HTTP servers; this is what it needs to talk to a socket.
class SocketTransport {
  #buffer = new ReadBuffer();

  async start() {
    this.socket = connect(socket);
    this.socket.on("data", (chunk) => {
      this.#buffer.append(chunk);
      for (;;) {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      }
    });
    this.socket.on("close", () => this.onclose?.());
    await once(this.socket, "connect");
  }

  async send(message) {
    this.socket.write(serializeMessage(message));
  }

  async close() {
    this.socket.destroy();
  }
}

async function join_in(name) {
  const client = new Client({ name, version: "1.0.0" });
  const errors = [];
  client.onerror = (error) => errors.push(error);
  await client.connect(new SocketTransport());
  return { client, errors };
}

const tool = (steps) => ({
  name: "trigger-long-running-operation",
  arguments: { duration: 0.2 * steps, steps },
});

const [one, two] = [await join_in("one"), await join_in("two")];
const heard = [];
const stop = new AbortController();
const [finished, cancelled] = await Promise.allSettled([
  one.client.callTool(tool(5), undefined, { onprogress: ({ progress }) => heard.push(progress) }),
  two.client.callTool(tool(1000), undefined, {
    onprogress: () => stop.abort("enough"),
    signal: stop.signal,
  }),
]);
assert.equal(finished.status, "fulfilled", String(finished.reason));
assert.match(finished.value.content[0].text, /Steps: 5/);
// The SDK takes an answer before what came together with it, so it may not tell of the last step.
assert.deepEqual(heard.slice(0, 4), [1, 2, 3, 4], "its own progress, and not that of another client");
assert.equal(cancelled.status, "rejected");
const sum = await two.client.callTool({ name: "get-sum", arguments: { a: 2, b: 3 } });
assert.match(sum.content[0].text, /5/);
// A message that it has no use for is an error: an answer to a call that was cancelled, or progress of
// another client. Progress of its own call that came too late is not what we look for.
const others = ({ errors }, steps) =>
  errors.filter(({ message }) => !message.includes(`"total":${steps},`));
assert.deepEqual([others(one, 5), others(two, 1000)], [[], []]);
await one.client.close();
await two.client.close();
console.log("done");
