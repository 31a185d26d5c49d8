// What is packed, read by a reader that shares nothing with the SDK: at each boundary between forms, and at random.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import test from "node:test";

import { Big } from "../build/values/big.js";
import { Unknown, unknown } from "../build/values/unknown.js";
import { pack } from "../build/wire/pack.js";
import { MessageStream, unpack } from "../build/wire/unpack.js";
import { read } from "./independent_msgpack.mjs";

/** Numbers that look random and are the same in each run. */
function generator(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const LIMIT = 2n ** 63n;

/** What a value should be for the independent reader. */
function expected(value) {
  if (value === undefined || value === null) return null;
  if (typeof value === "number") {
    if (!Number.isInteger(value)) return value;
    return expected(BigInt(value));
  }
  if (typeof value === "bigint") return value >= -LIMIT && value < LIMIT ? value : value.toString();
  if (value instanceof Big) return value.isInteger ? expected(value.toBigInt()) : value.isBinary ? value.toNumber() : value.toString();
  if (value instanceof Unknown) {
    const { notNull, prefix, minLength } = value.refinement;
    const entries = [];
    if (notNull) entries.push([1n, false]);
    if (prefix) entries.push([2n, prefix]);
    if (minLength) entries.push([5n, BigInt(minLength)]);
    return { entries: new Map(entries) };
  }
  if (value instanceof Uint8Array || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(expected);
  return new Map(Object.entries(value).map(([name, one]) => [name, expected(one)]));
}

/** What the reader found, with the refinements of unknown values in place of their bytes. */
function found(value) {
  if (Array.isArray(value)) return value.map(found);
  if (value instanceof Map) return new Map([...value].map(([name, one]) => [name, found(one)]));
  if (typeof value?.ext !== "number") return value;
  return { entries: value.ext === 12 ? read(value.data) : new Map() };
}

function check(value) {
  // Not a Buffer, which is not equal to what has the same bytes.
  const bytes = new Uint8Array(pack(value));
  assert.deepEqual(found(read(bytes)), expected(value));
  // The SDK's own reader, whole and in pieces.
  assert.deepEqual(new Uint8Array(pack(unpack(bytes))), bytes);
  const stream = new MessageStream();
  const half = bytes.length >> 1;
  const pieces = [...stream.push(bytes.subarray(0, half)), ...stream.push(bytes.subarray(half))];
  assert.equal(pieces.length, 1);
  assert.deepEqual(pieces[0], unpack(bytes));
}


test("both sides of each boundary between forms", () => {
  for (const bits of [0, 5, 7, 8, 15, 16, 31, 32, 52, 53, 62, 63, 64]) {
    for (const more of [-1n, 0n, 1n]) {
      for (const number of [2n ** BigInt(bits) + more, -(2n ** BigInt(bits)) - more]) {
        check([number, 7]);
        if (Number.isSafeInteger(Number(number))) check([Number(number), 7]);
      }
    }
  }
  for (const size of [0, 1, 14, 15, 16, 17, 30, 31, 32, 33, 254, 255, 256, 257, 65_534, 65_535, 65_536, 65_537]) {
    for (const letter of ["a", "é", "日", "😀"]) {
      const width = Buffer.byteLength(letter);
      check([letter.repeat(size / width) + "b".repeat(size % width), 7]);
      // So many letters, and bytes beyond the next boundary.
      check(["b".repeat(size) + letter, 7]);
    }
    check([new Uint8Array(size).fill(200), 7]);
    check([Array(size).fill(7), 7]);
    check([Object.fromEntries(Array.from({ length: size }, (_, index) => [`k${index}`, 7])), 7]);
    if (size > 0 && size <= 256) check([new Unknown({ prefix: "x".repeat(size), notNull: size % 2 === 0 }), 7]);
  }
  for (let size = 1; size < 260; size += 1) check([new Unknown({ prefix: "x".repeat(Math.min(size, 256)), minLength: size }), 7]);
});

test("random values", () => {
  const random = generator(19);
  const one = (all) => all[random(all.length)];
  const value = (depth) => {
    switch (random(depth < 4 ? 11 : 8)) {
      case 0:
        return one([null, true, false, undefined]);
      case 1:
        return one([0, 1, -1, 127, 128, -32, -33, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, -(2 ** 31), -(2 ** 31) - 1, 2 ** 53 - 1]);
      case 2:
        return one([0.5, -1.25, 1e-300, Infinity, -Infinity, Math.PI, new Big("0.5"), new Big("0.1"), new Big("1e30")]);
      case 3:
        return one([2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), -(2n ** 63n) - 1n, 5n, 2n ** 32n]);
      case 4:
      case 5:
        return Array.from({ length: one([0, 3, 7, 8, 15, 16, 31, 32, 90, 260]) }, () => one(["a", "é", "日", "😀", "\0"])).join("");
      case 6:
        return Uint8Array.from({ length: one([0, 5, 255, 256, 1100]) }, () => random(256));
      case 7:
        return one([unknown, new Unknown({ notNull: true }), new Unknown({ prefix: "日".repeat(1 + random(9)), minLength: 3 })]);
      case 8:
      case 9:
        return Array.from({ length: one([0, 2, 15, 16, 17]) }, () => value(depth + 1));
      default:
        return Object.fromEntries(Array.from({ length: one([0, 3, 15, 16]) }, (_, index) => [`key ${index}`, value(depth + 1)]));
    }
  };
  for (let round = 0; round < 1500; round += 1) check(value(0));
});

test("what is packed while something is packed does not mix with it", () => {
  const inner = { get text() { return Buffer.from(pack({ other: "y".repeat(5000) })).length; } };
  assert.deepEqual(unpack(pack(["before", inner, "after"])), ["before", { text: 5010 }, "after"]);
  // Also after an error in between.
  const failing = { get text() { throw new Error("no"); } };
  assert.throws(() => pack(["before", failing]), /no/);
  assert.throws(() => pack([1, NaN]), RangeError);
  assert.deepEqual(unpack(pack(["whole"])), ["whole"]);
  // A result stays as it is when the next one is packed.
  const first = pack(["first"]);
  pack(["second"]);
  assert.deepEqual(unpack(first), ["first"]);
});

test("a list has as many values as it announces, whatever its getters do", () => {
  const list = [{ get more() { list.push("more"); return 1; } }, 2];
  assert.deepEqual(read(pack(list)), [new Map([["more", 1n]]), 2n]);
});
