// The golden frames of msgpack-rpc and Orchard, as a plugin reads and writes them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { parseJson, stringifyJson } from "../build/values/json.js";
import { unknown } from "../build/values/unknown.js";
import { canonical } from "../build/values/write.js";
import { pack } from "../build/wire/pack.js";
import { FlawedMessage, MessageStream, unpack } from "../build/wire/unpack.js";
import { Plugin } from "../dist/index.js";
import { memoryHost } from "../dist/testing.js";

const golden = (dialect) => {
  const file = new URL(`../../../conformance/dialects/${dialect}.jsonl`, import.meta.url);
  const frames = readFileSync(file, "utf8").trim().split("\n").map(parseJson);
  assert.ok(frames.length > 50, "the golden frames have moved");
  return frames;
};

const bytesOf = ({ text, hex }) => Buffer.from(hex === undefined ? text : hex.replaceAll(" ", ""), hex === undefined ? "utf8" : "hex");

/** A plugin that has nothing, so that every request is answered with an error of its own. */
const bare = () => new Plugin({ name: "bare", version: "1.0.0" });

/** What the plugin sends after these bytes and the end; undefined if it breaks off. */
async function answers(host, bytes) {
  const { send, received, end } = memoryHost(bare(), host);
  try {
    send(bytes);
    await end();
  } catch {
    return undefined;
  }
  return received;
}

/** A value of msgpack that is written as JSON. */
function valueOf(json) {
  if (Array.isArray(json)) return json.map(valueOf);
  if (typeof json !== "object" || json === null) return json;
  if (json.$binary !== undefined) return new Uint8Array(Buffer.from(json.$binary, "base64"));
  if (json.$float !== undefined) return Number(json.$float);
  if (json.$unknown !== undefined || json.$ext !== undefined) return unknown;
  return Object.fromEntries(Object.entries(json).map(([name, one]) => [name, valueOf(one)]));
}

/** What a message means, as an array of msgpack-rpc. */
function messageOf({ request, event, response }) {
  if (request !== undefined) return [0, request.id, request.method, valueOf(request.params ?? null)];
  if (event !== undefined) return [2, event.method, valueOf(event.params ?? null)];
  const { id, error, result = null } = response;
  if (error === undefined) return [1, id, null, valueOf(result)];
  return [1, id, [error.code, error.message, ...(error.data === undefined ? [] : [valueOf(error.data)])], null];
}

/** What a plugin reads or writes otherwise, with the reason. */
const MSGPACK_EXCEPTIONS = {
  "response with an ext value of 1 byte": "every ext is an unknown value of Terraform",
  "response with an ext value of 3 bytes": "every ext is an unknown value of Terraform",
  "response with an ext value of 16 bytes": "every ext is an unknown value of Terraform",
  "response with a double that is whole": "a number of JavaScript does not say that it was a double",
  "response with the largest unsigned number": "numbers from 2^63 are written as Terraform writes them",
  "response with minus zero": "there is one zero",
  "response with no number": "NaN is not a value of Terraform: the message is refused, and the next one is read",
  "response with a map with numbers as keys": "keys are texts: the message is refused, and the next one is read",
};

test("msgpack-rpc: canonical frames are read as they mean, and written as the same bytes", () => {
  const different = golden("msgpack-rpc").filter((one) => one.canonical).filter((one) => {
    const bytes = bytesOf(one);
    const [message] = new MessageStream().push(bytes);
    if (message instanceof FlawedMessage) return true;
    const isRead = canonical(message) === canonical(messageOf(one.means));
    return !isRead || !Buffer.from(pack(message)).equals(bytes);
  });
  assert.deepEqual(different.map(({ name }) => name).sort(), Object.keys(MSGPACK_EXCEPTIONS).sort());
});

/** JavaScript does not tell 1.0 from 1: the call is answered. */
const SAME_ID = "id as a fraction";

/** The code of the answer to a request: there is no such method, unless its params are refused before that. */
function codeOf({ params = [] }) {
  const [first, ...more] = Array.isArray(params) ? params : [params];
  if (more.length === 0 && first?.$binary !== undefined) return -32602;
  const isMap = first === undefined || typeof first === "object" && first !== null && !Array.isArray(first);
  return isMap && more.length === 0 ? -32601 : -32600;
}

test("msgpack-rpc: requests are answered with their id, malformed frames with -32600, and broken streams end", async () => {
  const frames = golden("msgpack-rpc");
  assert.ok(frames.some(({ name }) => name === SAME_ID));
  for (const one of frames.filter(({ name }) => name !== SAME_ID)) {
    const { request, event, response, malformed, broken } = one.means;
    const found = (await answers("seasonings", bytesOf(one)))?.map(unpack);
    if (broken) {
      assert.equal(found, undefined, one.name);
      continue;
    }
    assert.ok(found !== undefined, one.name);
    const shown = found.map(([, id, error]) => [id, error?.[0]]);
    if (event !== undefined || response !== undefined || malformed?.kind === "response") {
      assert.deepEqual(shown, [], one.name);
    } else if (malformed !== undefined) assert.deepEqual(shown, [[malformed.id ?? 0, -32600]], one.name);
    else {
      assert.deepEqual(shown, [[request.id, codeOf(request)]], one.name);
    }
  }
});

test("orchard: requests are answered with their id, malformed lines with invalid_request", async () => {
  for (const one of golden("orchard")) {
    const { request, malformed } = one.means;
    const found = (await answers("orchard", bytesOf(one)))?.map((line) => parseJson(String(line)));
    assert.ok(found !== undefined, one.name);
    const ids = found.map(({ id }) => stringifyJson(id));
    if (malformed !== undefined && malformed.kind !== "response") {
      assert.deepEqual(found.map(({ error }) => error?.code), ["invalid_request"], one.name);
      assert.deepEqual(ids, [stringifyJson(malformed.id ?? 0)], one.name);
    } else assert.deepEqual(ids, request === undefined ? [] : [stringifyJson(request.id)], one.name);
  }
});
