// A plugin as a program: its arguments, its streams, its end.

import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import test from "node:test";

import { pack } from "../build/wire/pack.js";
import { unpack } from "../build/wire/unpack.js";
import { inFolder, run, start } from "./programs.mjs";

const ENDLESS = `
import { Plugin, string } from "@tenon/sdk";
await new Plugin({ name: "endless", version: "1.0.0" })
  .action("begin", { description: "Never ends." }, () => new Promise(() => setInterval(() => undefined, 1000)))
  .function("echo", { description: "Answers.", returns: string() }, () => "here")
  .serve();
`;

const SOURCE = `
import { string, integer, Plugin } from "@tenon/sdk";
const plugin = new Plugin({ name: "p", version: "1.0.0" })
  .function("echo", { parameters: { text: string() }, returns: string() }, ({ text }) => { console.log("echo", text.length); return text; })
  .function("hang", { returns: string() }, (_, { signal }) => new Promise((resolve) => {
    const abort = () => { console.error("aborted"); resolve("x"); };
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
  }))
  .action("slow", { outputs: { n: integer() } }, async () => { await new Promise((resolve) => setTimeout(resolve, 300)); process.stdout.write("slow is done\\n"); return { n: 1 }; })
  .shutdown(() => console.info("shut down"));
if (process.argv.length < 3) setInterval(() => undefined, 1000);
await plugin.serve();`;

const SECRET = `
import { string, Plugin } from "@tenon/sdk";
await new Plugin({ name: "p", version: "1.0.0" })
  .function("logIn", { parameters: { user: string(), password: string().secret() }, returns: string() }, () => "in")
  .serve();`;

const call = (id, method, params) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

test("what authors print goes to stderr, and the end of stdin ends the program after running calls", () =>
  inFolder(async (folder) => {
    const { code, stdout, stderr } = await run(folder, SOURCE, call(1, "echo", ["hi"]) + call(2, "slow"));
    assert.equal(code, 0, stderr);
    assert.deepEqual(stdout.toString().trim().split("\n").map((line) => JSON.parse(line).result), ["hi", { n: 1 }]);
    assert.match(stderr, /echo 2[^]*slow is done[^]*shut down/);
  }));

test("SIGTERM ends the program after a running action", () =>
  inFolder(async (folder) => {
    const { child, send, until, ended } = start(folder, SOURCE);
    send(call(1, "echo", ["x"]));
    await until((output) => output.includes("\n"));
    send(call(2, "slow"));
    send(call(3, "echo", ["y"]));
    await until((output) => output.includes('"y"'));
    // On Deno, kill of the child closes its stdin as well, and a signal after the end of stdin does not wait.
    process.kill(child.pid, "SIGTERM");
    const { code, stdout, stderr } = await ended;
    // Deno tells no exit code of a child that it has sent a signal to.
    assert.ok(code === 0 || (code === null && process.versions.deno !== undefined), stderr);
    assert.match(stdout.toString(), /"id":2,"result":\{"n":1\}/);
    assert.match(stderr, /shut down/);
  }));

test("Ctrl-Break, which only Windows has, ends the program after a running action", {
  skip: process.versions.deno !== undefined && "Deno does not emit a signal that its system does not have",
}, () =>
  inFolder(async (folder) => {
    // As the runtime does there when it comes.
    const source = SOURCE.replace("async () => {", 'async () => { process.emit("SIGBREAK");');
    const { send, until, ended } = start(folder, source);
    send(call(1, "slow"));
    await until((output) => output.includes('"id":1'));
    const { stderr } = await ended;
    assert.match(stderr, /slow is done[^]*shut down/);
  }));

test("a second signal ends a program whose action does not come to an end", {
  skip: process.versions.deno !== undefined && "Deno sends one signal to a child",
}, () =>
  inFolder(async (folder) => {
    const { child, send, until, ended } = start(folder, ENDLESS);
    send(call(1, "begin"));
    // The answer shows that signals are caught.
    send(call(2, "echo"));
    await until((output) => output.includes("\n"));
    // Signals that come before the first one is seen count as one.
    const timer = setInterval(() => child.kill("SIGTERM"), 20);
    const { code, stdout, stderr } = await ended;
    clearInterval(timer);
    assert.equal(code, 143, stderr);
    assert.doesNotMatch(stdout.toString(), /"id":1/);
  }));

test("a cancelled call is answered at once, and its signal is aborted", () =>
  inFolder(async (folder) => {
    const { send, end, until, ended } = start(folder, SOURCE);
    send(call(1, "hang"));
    send(`${JSON.stringify({ jsonrpc: "2.0", method: "$/cancelRequest", params: { id: 1 } })}\n`);
    const output = await until((found) => found.includes("\n"));
    assert.deepEqual(JSON.parse(output.toString()), {
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32800, message: "the call was cancelled" },
    });
    end();
    assert.match((await ended).stderr, /aborted/);
  }));

test("schema prints the schema, other arguments the usage", () =>
  inFolder(async (folder) => {
    const schema = await run(folder, SOURCE, "", { args: ["schema"] });
    assert.equal(schema.code, 0, schema.stderr);
    assert.equal(JSON.parse(schema.stdout.toString()).actions.slow.outputs.type, "object({ n = number })");
    const wrong = await run(folder, SOURCE, "", { args: ["shema"] });
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /^usage: p /);
  }));

test("large messages go both ways, in pieces", () =>
  inFolder(async (folder) => {
    const text = "é".repeat(700_000);
    const { send, end, until, ended } = start(folder, SOURCE);
    const bytes = pack([0, 1, "functions/call", [{ name: "echo", arguments: { text } }]]);
    for (let at = 0; at < bytes.length; at += 100_000) send(bytes.subarray(at, at + 100_000));
    const output = await until((found) => found.length > text.length * 2);
    assert.equal(unpack(output)[3].result, text);
    end();
    assert.equal((await ended).code, 0);
  }));

test("headers are answered with headers", () =>
  inFolder(async (folder) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "echo", params: { text: "ü" } });
    const { stdout } = await run(folder, SOURCE, `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
    assert.equal(stdout.toString(), 'Content-Length: 38\r\n\r\n{"jsonrpc":"2.0","id":1,"result":"ü"}');
  }));

test("TENON_DEBUG logs each frame to a file", () =>
  inFolder(async (folder) => {
    const file = join(folder, "log");
    await run(folder, SOURCE, call(1, "echo", ["hi"]), { env: { TENON_DEBUG: file } });
    const lines = readFileSync(file, "utf8").trim().split("\n").map((line) => line.slice(25));
    assert.deepEqual(lines, [
      '<- {"jsonrpc":"2.0","id":1,"method":"echo","params":["hi"]}',
      '-> {"jsonrpc":"2.0","id":1,"result":"hi"}',
    ]);
  }));

test("TENON_DEBUG masks secrets", () =>
  inFolder(async (folder) => {
    const file = join(folder, "log");
    const given = { user: "ada", password: "hunter2ü" };
    const body = call(3, "logIn", given);
    const inputs = [
      call(1, "logIn", given) + call(2, "logIn", Object.values(given)),
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      Buffer.from(pack([0, 1, "functions/call", [{ name: "logIn", arguments: Object.values(given) }]])),
    ];
    for (const input of inputs) await run(folder, SECRET, input, { env: { TENON_DEBUG: file } });
    const text = readFileSync(file, "utf8");
    assert.doesNotMatch(text, /hunter2/);
    assert.equal(text.match(/"user":"ada","password":"\(sensitive\)"/g)?.length, 2, text);
    assert.match(text, /"params":"\(sensitive\)"/);
    assert.match(text, /arguments.{1,4}\(sensitive\)/);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  }));

test("garbage on stdin ends the program with an error", () =>
  inFolder(async (folder) => {
    const { code, stderr } = await run(folder, SOURCE, Buffer.from([0x94, 0, 1, 0xc1]));
    assert.equal(code, 1);
    assert.match(stderr, /p: the byte 0xc1 is not msgpack/);
  }));
