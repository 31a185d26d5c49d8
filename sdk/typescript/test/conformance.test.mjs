// The golden frames that every implementation of a dialect reads and writes alike.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { frame, frameReader } from "../build/ipc/framing.js";
import * as message from "../build/ipc/message.js";
import { ConnectionError, RpcError } from "../build/ipc/mod.js";

const LIMIT = 16 * 1024 * 1024;

const EXCEPTIONS = new Map([
  ["error with a name as its code", "codes are numbers here; the name is in the data"],
]);

function means(value) {
  const found = message.read(value);
  const { kind, id, method, params } = found;
  const given = params === undefined ? {} : { params };
  switch (kind) {
    case "request":
      return { request: { id, method, ...given } };
    case "notification":
      return { event: { method, ...given } };
    case "result":
      return { response: { id, result: found.result } };
    case "error":
      return { response: { id, error: found.error.toJSON() } };
    case "bare":
      return { malformed: { kind: "bare", id, code: -32600 } };
    case "malformed": {
      const known = id === undefined ? {} : { id };
      return { malformed: { kind: found.of, ...known, code: -32600 } };
    }
  }
}

function meansFrame(bytes) {
  let value;
  try {
    value = message.parse(bytes);
  } catch {
    return { malformed: { kind: "stray", code: -32700 } };
  }
  const isBatch = Array.isArray(value) && value.length > 0;
  return isBatch ? { batch: value.map(means) } : means(value);
}

function meansStream(framing, bytes, size) {
  const reader = frameReader(framing, LIMIT);
  const found = [];
  try {
    for (let start = 0; start < bytes.length; start += size) {
      const chunk = bytes.subarray(start, start + size);
      for (const one of reader.push(chunk)) found.push(meansFrame(one));
    }
    for (const one of reader.finish()) found.push(meansFrame(one));
  } catch (error) {
    assert.ok(error instanceof ConnectionError, error.stack);
    found.push({ broken: true });
  }
  return found;
}

function text({ request, event, response, batch }) {
  if (batch) return message.batchText(batch.map(text));
  if (event) return message.notificationText(event.method, event.params);
  if (request) return message.requestText(request.id, request.method, request.params);
  const { id, result, error } = response;
  if (error === undefined) return message.resultText(id, result);
  return message.errorText(id, new RpcError(error.code, error.message, error.data));
}

function golden(dialect) {
  const file = new URL(`../../../conformance/dialects/${dialect}.jsonl`, import.meta.url);
  const frames = readFileSync(file, "utf8").trim().split("\n").map((line) => JSON.parse(line));
  // Every number is a double here.
  return frames.filter(({ exact, name }) => !exact && !EXCEPTIONS.has(name));
}

function bytesOf({ text, hex }) {
  return hex === undefined ? Buffer.from(text) : Buffer.from(hex.replaceAll(" ", ""), "hex");
}

for (const [dialect, framing] of [["json-rpc", "lines"], ["json-rpc-headers", "headers"]]) {
  const frames = golden(dialect);

  test(`${dialect}: read`, () => {
    assert.ok(frames.length > 40, "the golden frames have moved");
    for (const one of frames) {
      const bytes = bytesOf(one);
      assert.deepEqual(meansStream(framing, bytes, bytes.length), [one.means], one.name);
    }
  });

  test(`${dialect}: written`, () => {
    const canonical = frames.filter((one) => one.canonical);
    assert.ok(canonical.length >= 10);
    for (const one of canonical) {
      assert.equal(Buffer.from(frame(framing, text(one.means))).toString(), one.text, one.name);
    }
  });

  test(`${dialect}: one stream, a byte at a time`, () => {
    const whole = frames.filter(
      (one) => !one.means.broken && (framing === "headers" || bytesOf(one).at(-1) === 0x0a),
    );
    const stream = Buffer.concat(whole.map(bytesOf));
    assert.deepEqual(meansStream(framing, stream, 1), whole.map((one) => one.means));
  });
}
