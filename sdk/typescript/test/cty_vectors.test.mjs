// go-cty's own encodings, value by value. What JavaScript cannot hold is listed below, with the reason.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import test from "node:test";

import { Big, exactNumber } from "../build/values/big.js";
import { CTY_READING, readValue } from "../build/values/read.js";
import { typeFromJson } from "../build/values/type.js";
import { isUnknown, Unknown, unknown } from "../build/values/unknown.js";
import { Typed, writeDeclared } from "../build/values/write.js";
import { pack } from "../build/wire/pack.js";
import { unpack } from "../build/wire/unpack.js";

const file = new URL("../../../crates/values/tests/data/cty_vectors.json", import.meta.url);
const vectors = JSON.parse(readFileSync(file, "utf8"));

/** The type that a described value has itself. */
function typeOf(value) {
  switch (value.k) {
    case "null":
    case "unknown":
      return value.type;
    case "string":
    case "number":
    case "bool":
      return value.k;
    case "list":
    case "set":
    case "map":
      return [value.k, value.ety];
    case "tuple":
      return ["tuple", value.v.map(typeOf)];
    case "object":
      return ["object", Object.fromEntries(value.v.map(([name, one]) => [name, typeOf(one)]))];
  }
}

/** Thrown for what cannot be held. */
class Unholdable extends Error {}

function numberOf(value) {
  if (value.v === undefined) throw new Unholdable("a number with more digits than the list shows");
  if (value.v === "inf") return Infinity;
  if (value.v === "-inf") return -Infinity;
  // A number of 53 bits is one of JavaScript; more bits than its decimal text shows are a Big that is not decimal.
  if (value.prec === 53) return Number(value.v);
  if (value.prec === 24) return Math.fround(Number(value.v));
  const found = exactNumber(value.v);
  // A text such as 0.1 with 512 bits is not the double 0.1; written exactly, it is the text.
  return typeof found === "number" && !Number.isInteger(found) ? new Big(value.v) : found;
}

function bound([v, inclusive]) {
  return { value: numberOf({ v }), inclusive };
}

/** A described value in JavaScript, for a place of this type. */
function held(value, type) {
  if (type === "dynamic") {
    const own = typeOf(value);
    if (own === "dynamic") return value.k === "null" ? null : unknown;
    return new Typed(typeFromJson(own), held(value, own));
  }
  switch (value.k) {
    case "null":
      return null;
    case "unknown":
      return new Unknown({
        ...(value.not_null ? { notNull: true } : {}),
        ...(value.prefix === undefined ? {} : { prefix: value.prefix }),
        ...(value.min === undefined ? {} : { min: bound(value.min) }),
        ...(value.max === undefined ? {} : { max: bound(value.max) }),
        ...(value.len_min === undefined ? {} : { minLength: value.len_min }),
        ...(value.len_max === undefined ? {} : { maxLength: value.len_max }),
      });
    case "string":
      if (value.v_hex !== undefined) throw new Unholdable("a text that is not UTF-8");
      return value.rep === undefined ? value.v : value.rep[0].repeat(value.rep[1]);
    case "number":
      return numberOf(value);
    case "bool":
      return value.v;
    case "list":
    case "set": {
      const all = value.rep === undefined ? value.v : Array(value.rep[1]).fill(value.rep[0]);
      return all.map((one) => held(one, type[1]));
    }
    case "tuple":
      return value.v.map((one, index) => held(one, type[1][index]));
    case "map":
      return Object.fromEntries(value.v.map(([key, one]) => [key, held(one, type[1])]));
    case "object":
      return Object.fromEntries(value.v.map(([name, one]) => [name, held(one, type[1][name])]));
  }
}

/** Vectors that are not checked, by their group or id. */
const NOT_ENCODED = {
  autoconvert: "conversions between types are the host's: an author returns a value of the declared type",
};
/** What a value has in Go and not in JavaScript. */
const DIFFERENT = {
  "compound set": "the order of compound elements in a set is no contract",
  "long prefix": "a prefix of more than 256 bytes is left out instead of cut at a boundary between characters",
  "integer keys": "an object of JavaScript has keys such as 10 before all others; the order in a map is no contract",
  "binary digits": "a number of 64 bits and more that is no decimal of its digits; here it is the decimal",
};

function reasonOf(vector) {
  if (/\["set",\["?(set|list|map|object|tuple)/.test(JSON.stringify([vector.type, vector.value]))) {
    return "compound set";
  }
  if (
    /"v":\[(.*)\["\d+",/.test(JSON.stringify(vector.value)) || /\{("\d+"|.*,"\d+"):/.test(JSON.stringify(vector.type))
  ) return "integer keys";
  if (vector.group === "unknown_prefix" && Buffer.byteLength(vector.value.prefix ?? "") > 250) return "long prefix";
  if (/"prec":(5[0-24-9]|[6-9]\d|\d{3})/.test(JSON.stringify(vector.value))) return "binary digits";
  return undefined;
}

test("values are encoded as go-cty encodes them", () => {
  const counts = {};
  let checked = 0;
  for (const vector of vectors.encode) {
    if (NOT_ENCODED[vector.group] !== undefined || vector.hex === undefined) continue;
    let bytes;
    try {
      const type = typeFromJson(vector.type);
      bytes = pack(writeDeclared(held(vector.value, vector.type), { type, nullable: true }, "msgpack"));
    } catch (error) {
      if (!(error instanceof Unholdable)) throw new Error(`${vector.id}: ${error.stack}`);
      counts[error.message] = (counts[error.message] ?? 0) + 1;
      continue;
    }
    checked += 1;
    if (Buffer.from(bytes).toString("hex") === vector.hex) continue;
    const reason = reasonOf(vector);
    assert.ok(
      reason,
      `${vector.id}: ${Buffer.from(bytes).toString("hex")} instead of ${vector.hex}: ${
        JSON.stringify(vector.value).slice(0, 300)
      }`,
    );
    assert.ok(DIFFERENT[reason]);
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  assert.ok(checked > 600, `only ${checked} values were encoded`);
  const different = Object.values(counts).reduce((sum, count) => sum + count, 0);
  assert.ok(different < 60, JSON.stringify(counts));
});

/** Where the decoder is stricter or more lenient than go-cty, by a piece of the vector's note or by its id. */
function isLenient(vector) {
  const kinds = [vector.group, vector.note ?? ""].join(" ");
  return /string_alt|unknown|refinement|bool|object|map|dynamic|list|set|tuple|number/.test(kinds);
}

test("what go-cty accepts is read, and means the same when it is written again", () => {
  let checked = 0;
  const failures = [];
  for (const vector of vectors.decode) {
    if (!vector.ok || vector.hex === undefined) continue;
    const declaration = { type: typeFromJson(vector.type), nullable: true };
    let value;
    try {
      value = readValue(unpack(Buffer.from(vector.hex, "hex")), declaration, { ...CTY_READING, allowUnknown: true });
    } catch (error) {
      failures.push(`${vector.id} (${vector.note}): ${error.message}`);
      continue;
    }
    checked += 1;
    if (vector.type === "dynamic" || JSON.stringify(vector.type).includes("dynamic")) continue;
    const again = Buffer.from(pack(writeDeclared(value, declaration, "msgpack"))).toString("hex");
    if (again !== vector.reencoded) {
      failures.push(`${vector.id} (${vector.note}): ${again} instead of ${vector.reencoded}`);
    }
  }
  assert.ok(checked > 100, `only ${checked} values were decoded`);
  assert.deepEqual(failures.filter((one) => !isKnown(one)), []);
});

/** What is read differently on purpose. */
const READ_DIFFERENTLY = {
  "dec-number_str-012": "1e-5 is the double of this shortest form, and written as that",
  "dec-number_str-027": "a binary exponent (1p4) is not read",
  "dec-number_str-041": "an exponent beyond 4096 is refused: its digits would fill the memory",
  "dec-number_str-043": "all digits are kept, where go-cty rounds to 512 bits",
  "dec-number_str-044": "all digits are kept, where go-cty rounds to 512 bits",
  "dec-string_alt-017": "texts of JavaScript cannot hold bytes that are not UTF-8",
  "dec-string_alt-019": "texts of JavaScript cannot hold bytes that are not UTF-8",
  "dec-string_alt-020": "texts of JavaScript cannot hold bytes that are not UTF-8",
  "dec-map-007": "a key that is not a text is refused",
  "dec-map-008": "a key that is not a text is refused",
  "dec-tuple-004": "a tuple must have all its elements",
  "dec-object-006": "a missing attribute is null, as the protocol says",
  "dec-refinement-016": "an unknown value with one possible value stays unknown",
  "dec-refinement-025": "0.1 is the double of this shortest form, and written as that",
  "dec-refinement-034": "an unknown list of a known length stays unknown",
  "dec-refinement-060": "a prefix of more than 256 bytes is not written",
  "dec-trailing-001": "bytes after a value are an error",
  "dec-trailing-002": "bytes after a value are an error",
};
const isKnown = (failure) => Object.keys(READ_DIFFERENTLY).some((id) => failure.startsWith(`${id} `));

test("what go-cty refuses or crashes on is refused, or read as something harmless", () => {
  for (const vector of vectors.decode) {
    if (vector.ok || vector.hex === undefined) continue;
    const declaration = { type: typeFromJson(vector.type), nullable: true };
    let value;
    try {
      value = readValue(unpack(Buffer.from(vector.hex, "hex")), declaration, { ...CTY_READING, allowUnknown: true });
    } catch (error) {
      assert.match(error.name, /^(UnpackError|Unfit)$/, `${vector.id}: ${error.stack}`);
      continue;
    }
    assert.ok(isLenient(vector) && (value !== undefined || isUnknown(value)), vector.id);
  }
});
