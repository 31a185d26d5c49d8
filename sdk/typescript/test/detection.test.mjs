// Who is calling, by the first bytes.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { AnyConversation, detectHost } from "../build/hosts/detect.js";
import { Session } from "../build/define/session.js";
import { number, Plugin, string } from "../dist/index.js";

const cases = readFileSync(new URL("../../../conformance/hosts.jsonl", import.meta.url), "utf8")
  .split("\n").filter(Boolean).map((line) => JSON.parse(line));

const NAMES = { ipc: "service", "ipc-headers": "service-headers" };

/** A plugin with parts of these names. */
function offering({ functions = [], actions = [], resources = [], data_sources = [], ephemeral = [] } = {}) {
  const plugin = new Plugin({ name: "any", version: "1.0.0" });
  for (const name of functions) plugin.function(name, { returns: number() }, () => 1);
  for (const name of actions) plugin.action(name, {}, () => undefined);
  for (const name of resources) {
    plugin.resource(name, { props: { a: string() }, create: () => ({ id: "1" }), read: () => undefined, delete: () => {} });
  }
  for (const name of data_sources) plugin.dataSource(name, { result: { a: string() } }, () => ({ a: "" }));
  for (const name of ephemeral) plugin.ephemeral(name, { result: { a: string() }, open: () => ({ result: { a: "" } }) });
  return new Session(plugin);
}

test("the golden first bytes are told apart", () => {
  assert.ok(cases.length > 25);
  for (const { name, text, hex, offers, host } of cases) {
    const bytes = hex === undefined ? Buffer.from(text) : Buffer.from(hex, "hex");
    assert.equal(detectHost(bytes, offering(offers)), host === null ? undefined : NAMES[host] ?? host, name);
  }
});

test("they are told apart when they come byte by byte", () => {
  for (const { name, text, hex, offers, host } of cases) {
    const bytes = hex === undefined ? Buffer.from(text) : Buffer.from(hex, "hex");
    const session = offering(offers);
    const found = [...bytes].map((_, end) => detectHost(bytes.subarray(0, end + 1), session)).find(Boolean);
    assert.equal(found, host === null ? undefined : NAMES[host] ?? host, name);
  }
});

test("a line that begins as a header does is answered as JSON-RPC", async () => {
  for (const line of ["Connecting...\n", "content-type: x\n", "c\n"]) {
    const received = [];
    const conversation = new AnyConversation(offering(), { write: (frame) => received.push(frame) }, () => undefined);
    conversation.receive(Buffer.from(line));
    await conversation.finish();
    assert.equal(JSON.parse(String(received[0])).error.code, -32700, line);
  }
});

test("after a first call that denobridge has too, calls by name go on", async () => {
  const received = [];
  const conversation = new AnyConversation(
    offering({ functions: ["f"] }),
    { write: (frame) => received.push(frame) },
    () => undefined,
  );
  for (const [id, method] of [[1, "open"], [2, "f"]]) {
    conversation.receive(Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, method })}\n`));
  }
  await conversation.finish();
  const [refused, answered] = received.map((frame) => JSON.parse(String(frame)));
  assert.match(refused.error.message, /^unknown method `open`; did you mean|^unknown method `open`; the plugin has f/);
  assert.equal(answered.result, 1);
});
