// Bytes that are not what they should be.

import assert from "node:assert/strict";
import test from "node:test";

import { Big, exactNumber } from "../build/values/big.js";
import { parseJson, stringifyJson } from "../build/values/json.js";
import { Unknown, unknown } from "../build/values/unknown.js";
import { writeImplied } from "../build/values/write.js";
import { pack } from "../build/wire/pack.js";
import { UnpackError } from "../build/wire/scanner.js";
import { MessageStream, unpack } from "../build/wire/unpack.js";

/** Numbers that look random and are the same in each run. */
function generator(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

test("random bytes are refused or read, and nothing else happens", () => {
  const random = generator(1);
  for (let round = 0; round < 20_000; round += 1) {
    const bytes = Uint8Array.from({ length: random(40) }, () => random(256));
    try {
      unpack(bytes);
    } catch (error) {
      assert.ok(error instanceof UnpackError, error.stack);
    }
  }
});

test("changed bytes of a message are refused or read, in pieces of any size", () => {
  const random = generator(2);
  const whole = pack([0, 1, "functions/call", [{
    name: "x",
    arguments: { list: [1, -1, 1.5, "text", null, true, { a: 2n ** 62n }], bin: new Uint8Array(20) },
  }]]);
  for (let round = 0; round < 5_000; round += 1) {
    const bytes = whole.slice();
    for (let change = random(3); change >= 0; change -= 1) bytes[random(bytes.length)] = random(256);
    const stream = new MessageStream({ size: 4096, depth: 16 });
    try {
      for (let at = 0; at < bytes.length;) {
        const size = 1 + random(20);
        for (const _ of stream.push(bytes.subarray(at, at + size)));
        at += size;
      }
    } catch (error) {
      assert.ok(error instanceof UnpackError, error.stack);
    }
  }
});

test("whatever is written where the buffer grows is whole", () => {
  const large = "x".repeat(2 ** 20);
  const known = new Unknown({ notNull: true, prefix: "ab" });
  const kinds = [null, true, 7, -7, 300, -300, 70_000, 2n ** 62n, 1.5, "short", "é", "y".repeat(40), new Uint8Array(9),
    [1, 2], Array(20).fill(3), { a: 4 }, unknown, known];
  for (const kind of kinds) {
    const alone = Buffer.from(pack(kind)).toString("hex");
    for (let before = 1000; before < 1024; before += 1) {
      // After a large message the buffer is a new one, of 1024 bytes.
      pack(large);
      const header = 1 + 3;
      const written = Buffer.from(pack(["x".repeat(before - header), kind])).subarray(before);
      assert.equal(written.toString("hex"), alone, `behind ${before} bytes`);
    }
  }
});

test("what a message announces is not allocated, and limits hold", () => {
  for (const hex of ["ddffffffff", "dfffffffff", "dcffffdcffffdcffff"]) {
    assert.throws(() => unpack(Buffer.from(hex, "hex")), /cut off/);
  }
  for (const hex of ["c6ffffffff", "dbffffffff", "c9ffffffff00"]) {
    assert.throws(() => unpack(Buffer.from(hex, "hex")), /too large/);
  }
  assert.throws(() => unpack(new Uint8Array(200).fill(0x91)), /nested more than 128/);
  assert.throws(() => unpack(Buffer.from("cb7ff8000000000000", "hex")), /NaN/);
  assert.throws(() => unpack(Buffer.from("8101c0", "hex")), /not a text/);
  const proto = unpack(pack(JSON.parse('{"__proto__":{"polluted":1}}')));
  assert.equal({}.polluted, undefined);
  assert.deepEqual(Object.keys(proto), ["__proto__"]);
});

test("messages come whole out of pieces of every size", () => {
  const messages = [[0, 1, "a", [{ text: "x".repeat(300) }]], [2, "b", []], [1, 2, null, { n: 7 }]];
  const bytes = Buffer.concat(messages.map((one) => Buffer.from(pack(one))));
  for (let size = 1; size <= bytes.length; size += 7) {
    const stream = new MessageStream();
    const found = [];
    for (let at = 0; at < bytes.length; at += size) found.push(...stream.push(bytes.subarray(at, at + size)));
    assert.deepEqual(found, messages);
    assert.equal(stream.isInside, false);
  }
});

test("JSON keeps all digits", () => {
  for (const text of ['{"a":12345678901234567890,"b":[0.1,1.5e3,-0.000000000000000000001]}', "[1e400]", "[3e0]"]) {
    const value = parseJson(text);
    assert.deepEqual(parseJson(stringifyJson(value)), value);
  }
  assert.equal(stringifyJson(parseJson('{"a":12345678901234567890}')), '{"a":12345678901234567890}');
  assert.throws(() => parseJson('{"a":12345678901234567890,}'), SyntaxError);
  assert.throws(() => parseJson(`[1e5${"[".repeat(300)}`), SyntaxError);
  assert.equal(exactNumber("1e100000000"), undefined);
  assert.equal(new Big("-0.50").toString(), "-0.5");
  assert.throws(() => JSON.stringify(new Big("0.1")), TypeError);
  assert.throws(() => new Big("0.1") * 2, TypeError);
});

test("a text is never taken for a number, beside numbers with all their digits", () => {
  const value = { large: 2n ** 64n, exact: new Big("0.10000000000000000000001"), none: undefined, at: new Date(0) };
  for (const text of ["\u{e000}tenon-number:1", '"', "\\ud800", "\u{e000}"]) {
    const written = JSON.parse(stringifyJson({ ...value, text, list: [text, undefined], [text]: text }));
    assert.deepEqual([written.text, written.list, written[text]], [text, [text, null], text]);
    assert.deepEqual(Object.keys(written), ["large", "exact", "at", "text", "list", text]);
    assert.equal(written.at, "1970-01-01T00:00:00.000Z");
  }
  const endless = [2n ** 64n];
  endless.push(endless);
  assert.throws(() => stringifyJson(endless), TypeError);
});

test("half a surrogate pair does not make a message that nobody can read", () => {
  const cut = "a😀".slice(0, 2);
  assert.equal(stringifyJson({ [cut]: [cut, "\\ud800", "\\\ud800", "😀"] }), '{"a\\ufffd":["a\\ufffd","\\\\ud800","\\\\\\ufffd","😀"]}');
  assert.equal(stringifyJson([cut, 2n ** 64n]), '["a\\ufffd",18446744073709551616]');
  // In msgpack as well.
  assert.equal(unpack(pack(cut)), "a\ufffd");
  assert.throws(() => writeImplied(cut, "json", []), /half a surrogate/);
  assert.throws(() => writeImplied({ [cut]: 1 }, "msgpack", []), /half a surrogate/);
});
