// Errors do not quote secrets, and a text is a text.

import assert from "node:assert/strict";
import test from "node:test";

import { Failure, object, Plugin, string } from "../dist/index.js";
import { memoryHost } from "../dist/testing.js";
import { pack } from "../build/wire/pack.js";

const SECRETS = ['hunt"er2', "line one\nline two", "t0ken"];

function plugin() {
  const refuse = ({ user, password, tokens }) => {
    const given = [password.reveal(), ...tokens.map((token) => token.reveal())];
    throw new Failure(`${user} cannot log in with ${JSON.stringify(given)}`, { detail: given.join("\n"), path: "user" });
  };
  return new Plugin({ name: "honest", version: "1.0.0" })
    .function("refuse", {
      description: "Fails with its secrets.",
      parameters: { user: string(), password: string().secret() },
      variadic: { tokens: string().secret() },
      returns: string(),
    }, refuse)
    .function("shout", { parameters: { text: string() }, returns: string() }, ({ text }) => text.toUpperCase())
    .function("halve", { parameters: {}, returns: string() }, () => "\ud800")
    .function("miscount", { parameters: {}, returns: object({ text: string() }) }, () => ({ text: 42 }));
}

const call = (id, method, params) => ({ jsonrpc: "2.0", id, method, params });

async function talk(host, ...messages) {
  const { send, received, end } = memoryHost(plugin(), host);
  for (const one of messages) send(one instanceof Uint8Array ? one : `${JSON.stringify(one)}\n`);
  await end();
  return received.map((frame) => (typeof frame === "string" ? frame : Buffer.from(frame).toString("latin1"))).join("");
}

test("errors do not quote secrets, whoever the host is", async () => {
  const given = { user: "ada", password: SECRETS[0], tokens: SECRETS.slice(1) };
  const called = { name: "refuse", arguments: given };
  for (
    const [host, ...messages] of [
      ["service", call(1, "refuse", given)],
      ["service", call(1, "refuse", ["ada", ...SECRETS])],
      ["mcp", call(0, "initialize", { protocolVersion: "2025-06-18" }), call(1, "tools/call", called)],
      ["seasonings", pack([0, 1, "functions/call", [called]])],
    ]
  ) {
    const text = await talk(host, ...messages);
    assert.match(text, /ada cannot log in with/, host);
    assert.match(text, /\(sensitive\)/, host);
    for (const secret of ["hunt", "er2", "line one", "line two", "t0ken"]) assert.ok(!text.includes(secret), `${host}: ${text}`);
  }
});

test("a number is not a string, neither as an argument nor as a result", async () => {
  for (const value of [42, true, 12345678901234567890n]) {
    const written = typeof value === "bigint" ? String(value) : JSON.stringify(value);
    const { send, received, end } = memoryHost(plugin(), "service");
    send(`{"jsonrpc":"2.0","id":1,"method":"shout","params":{"text":${written}}}\n`);
    await end();
    const { error } = JSON.parse(String(received[0]));
    assert.equal(error.code, -32602);
    assert.match(error.message, /^text: a string is required, but this is a (number|bool)$/);
  }
  const { error } = JSON.parse(await talk("service", call(1, "miscount", {})));
  assert.match(error.message, /the result of the plugin does not match its declaration: text: a string is required/);
});

test("half a surrogate pair is not written", async () => {
  const { error } = JSON.parse(await talk("service", call(1, "halve", {})));
  assert.match(error.message, /half a surrogate pair/);
});
