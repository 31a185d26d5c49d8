// go-cty's own encodings, value by value. What JavaScript cannot hold is listed below, with the reason.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import test from "node:test";

import { Big, exactNumber } from "../build/values/big.js";
import { CTY_READING, readValue } from "../build/values/read.js";
import { typeFromJson } from "../build/values/type.js";
import { Unknown, unknown } from "../build/values/unknown.js";
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

function numberOf(value) {
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

/** Vectors whose values are written in another way that means the same, by the reason. */
const WRITTEN_OTHERWISE = {
  "conversions between types are the host's: an author returns a value of the declared type": [
    "autoconvert-001",
    "autoconvert-004",
    "autoconvert-006",
    "autoconvert-007",
  ],
  "a prefix of more than 256 bytes is left out instead of cut at a boundary between characters": [
    "unknown_prefix-036",
    "unknown_prefix-038",
    "unknown_prefix-043",
    "unknown_prefix-044",
    "unknown_prefix-045",
    "unknown_prefix-046",
    "unknown_prefix-047",
    "unknown_prefix-048",
    "unknown_prefix-051",
    "unknown_prefix-052",
    "unknown_prefix-055",
    "unknown_prefix-056",
  ],
  "the order of compound elements in a set is no contract": ["random_unknown-139", "set-010"],
  "an object of JavaScript has keys such as 10 before all others; the order in a map is no contract": ["map-002"],
};

/** Vectors that go-cty refuses or crashes on, and that are read here: a host checks what it gets, a plugin believes its host. */
const READ = {
  "a missing attribute is null, as docs/reference/seasonings.md says": ["dec-object-003"],
  "every ext is unknown, as docs/reference/seasonings.md says": ["dec-unknown-008", "dec-unknown-010", "dec-unknown-011"],
  "a value of the type any has the type that it implies": [
    "dec-dynamic-012",
    "dec-dynamic-013",
    "dec-dynamic-014",
    "dec-dynamic-023",
    "dec-dynamic-026",
    "dec-dynamic-028",
  ],
  "keys are not brought into normal form C": ["dec-map-006"],
  "what is known of an unknown value is not checked against its type": [
    "dec-refinement-007",
    "dec-refinement-010",
    "dec-refinement-029",
    "dec-refinement-042",
    "dec-refinement-043",
    "dec-refinement-055",
    "dec-unknown-020",
  ],
};

const listed = (table) => Object.values(table).flat().sort();

test("values are encoded as go-cty encodes them", () => {
  const different = [];
  for (const { id, type, value, hex } of vectors.encode) {
    if (hex === undefined) continue;
    const declaration = { type: typeFromJson(type), nullable: true };
    let written;
    try {
      written = Buffer.from(pack(writeDeclared(held(value, type), declaration, "msgpack"))).toString("hex");
    } catch (error) {
      written = `${error.name}: ${error.message}`;
    }
    if (written !== hex) different.push(id);
  }
  assert.deepEqual(different.sort(), listed(WRITTEN_OTHERWISE));
});

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
  const known = Object.keys(READ_DIFFERENTLY);
  const unlisted = failures.filter((one) => !known.some((id) => one.startsWith(`${id} `)));
  assert.deepEqual(unlisted, []);
  assert.deepEqual(known.filter((id) => !failures.some((one) => one.startsWith(`${id} `))), [], "these are read now");
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
  "dec-object-006": "an attribute that is there twice leaves another one out, which is null here; go-cty does not write it again",
  "dec-refinement-016": "an unknown value with one possible value stays unknown",
  "dec-refinement-025": "0.1 is the double of this shortest form, and written as that",
  "dec-refinement-034": "an unknown list of a known length stays unknown",
  "dec-refinement-060": "a prefix of more than 256 bytes is not written",
  "dec-trailing-001": "bytes after a value are an error",
  "dec-trailing-002": "bytes after a value are an error",
};
test("what go-cty refuses or crashes on is refused, but for what is listed", () => {
  const read = [];
  for (const { id, type, ok, hex } of vectors.decode) {
    if (ok || hex === undefined) continue;
    const declaration = { type: typeFromJson(type), nullable: true };
    try {
      readValue(unpack(Buffer.from(hex, "hex")), declaration, { ...CTY_READING, allowUnknown: true });
      read.push(id);
    } catch (error) {
      assert.match(error.name, /^(UnpackError|Unfit)$/, `${id}: ${error.stack}`);
    }
  }
  assert.deepEqual(read.sort(), listed(READ));
});
