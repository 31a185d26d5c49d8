// How a conversation ends: what still runs has five seconds, and nothing holds the end back longer.

import assert from "node:assert/strict";
import process from "node:process";
import test from "node:test";

import { inFolder, run, start } from "./programs.mjs";

const SOURCE = `
import { Plugin, string } from "@tenon/sdk";
const forever = () => new Promise(() => setInterval(() => undefined, 1000));
await new Plugin({ name: "endless", version: "1.0.0" })
  .action("begin", {}, forever)
  .function("wait", { returns: string() }, forever)
  .function("echo", { returns: string() }, () => "here")
  .shutdown(() => console.log("shut down"))
  .serve();
`;

const call = (id, method) => `${JSON.stringify({ jsonrpc: "2.0", id, method })}\n`;
const cancel = (id) => `${JSON.stringify({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id } })}\n`;
const initialize = `${
  JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: "2025-06-18" } })
}\n`;
const tool = (id, name) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {} } })}\n`;

for (const [host, input] of [["ipc", call(1, "begin")], ["MCP", initialize + tool(1, "begin")], [
  "Orchard",
  '{"id":1,"method":"configure"}\n{"id":2,"method":"execute","params":{"action":"begin","attrs":{}}}\n',
]]) {
  test(`${host}: after the end of stdin a call that does not end is abandoned, and stderr says so`, () =>
    inFolder(async (folder) => {
      const { code, stderr } = await run(folder, SOURCE, input);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /a call was still running 5 s after the end of the conversation/);
      assert.match(stderr, /shut down/);
    }));
}

test("a cancelled call whose handler goes on does not hold the end back", () =>
  inFolder(async (folder) => {
    const input = call(1, "wait") + cancel(1) + call(2, "echo");
    const { code, stdout, stderr } = await run(folder, SOURCE, input);
    assert.equal(code, 0, stderr);
    const answers = stdout.toString().trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(answers.map(({ id, result, error }) => [id, result ?? error.code]).sort(), [
      [1, -32800],
      [2, "here"],
    ]);
    assert.doesNotMatch(stderr, /still running/);
  }));

test("a cancelled tool does not hold the end back", () =>
  inFolder(async (folder) => {
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    const { stderr } = await run(folder, SOURCE, `${initialize}${tool(1, "wait")}${JSON.stringify(cancelled)}\n`);
    assert.doesNotMatch(stderr, /still running/);
  }));

test("one signal after the end of stdin ends the program at once", {
  skip: process.versions.deno !== undefined && "Deno tells no exit code of a child that it has sent a signal to",
}, () =>
  inFolder(async (folder) => {
    const source = SOURCE.replace("const forever", 'process.stdin.on("end", () => console.log("no more input"));\n$&');
    const { child, send, end, until, ended } = start(folder, source);
    send(call(1, "begin"));
    send(call(2, "echo"));
    await until((output) => output.includes("\n"));
    end();
    // The listener of the test is the first one, so the plugin has seen the end as well once it hears the signal.
    let stderr = "";
    child.stderr.on("data", (chunk) => {
      stderr += chunk;
      if (stderr.includes("no more input")) child.kill("SIGTERM");
    });
    const { code } = await ended;
    assert.equal(code, 143, stderr);
    assert.doesNotMatch(stderr, /still running/);
  }));
