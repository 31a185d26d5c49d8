// Cutting messages out of chunks, without a connection.

import assert from "node:assert/strict";
import test from "node:test";

import { ByteQueue } from "../build/ipc/bytes.js";
import { frame, frameReader } from "../build/ipc/framing.js";

const MIB = 1024 * 1024;

function* chunks(bytes, size) {
  for (let start = 0; start < bytes.length; start += size) {
    yield bytes.subarray(start, start + size);
  }
}

function texts(framing, parts, limit = MIB) {
  const reader = frameReader(framing, limit);
  const found = [];
  // What a frame is made of is only valid until the next push.
  const take = (frames) => {
    for (const bytes of frames) found.push(new TextDecoder().decode(bytes));
  };
  for (const part of parts) take(reader.push(part));
  take(reader.finish());
  return found;
}

for (const framing of ["lines", "headers"]) {
  test(`${framing}: cut anywhere`, () => {
    const messages = ['"é"', "[1,2]", '"😀😀"', `"${"x".repeat(3000)}"`, "{}"];
    const stream = Buffer.concat(messages.map((message) => frame(framing, message)));
    for (const size of [1, 2, 3, 5, 64, 1000, stream.length]) {
      assert.deepEqual(texts(framing, chunks(stream, size)), messages);
    }
  });

  // One copy for each chunk would be 2 TiB: the watchdog of whoever runs this would see it.
  test(`${framing}: 64 MiB in chunks of 1 KiB`, () => {
    const length = 64 * MIB;
    const stream = frame(framing, "x".repeat(length));
    const reader = frameReader(framing, length);
    const found = [];
    for (const chunk of chunks(stream, 1024)) {
      for (const bytes of reader.push(chunk)) found.push(bytes.length);
    }
    assert.deepEqual(found, [length]);
  });

  test(`${framing}: the limit is exact`, () => {
    const stream = frame(framing, "x".repeat(100));
    assert.deepEqual(texts(framing, [stream], 100), ["x".repeat(100)]);
    assert.throws(() => texts(framing, [stream], 99), { code: "TOO_LARGE" });
  });
}

test("headers without end are not collected", () => {
  const parts = Array.from({ length: 9000 }, () => new Uint8Array([0x78]));
  assert.throws(() => texts("headers", parts), { code: "INVALID_MESSAGE", message: /8192 bytes/ });
});

test("a queue gives its bytes in their order, however they come and go", () => {
  const queue = new ByteQueue();
  const expected = [];
  let byte = 0;
  for (let round = 0; round < 500; round += 1) {
    const chunk = Uint8Array.from({ length: (round * 7) % 97 }, () => byte++ % 251);
    queue.push(chunk);
    expected.push(...chunk);
    const taken = (round * 5) % (queue.length + 1);
    queue.drop(taken);
    expected.splice(0, taken);
    assert.deepEqual([...queue.view], expected);
  }
});
