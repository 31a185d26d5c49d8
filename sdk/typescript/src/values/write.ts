import { decimalText, type Exact, exactNumber, isBig } from "./big.ts";
import type { Path } from "./failure.ts";
import { DEEPEST } from "./json.ts";
import { isRecord, type Wire } from "./read.ts";
import { isSecret, revealed } from "./secret.ts";
import {
  bytewise,
  type Declaration,
  type Declarations,
  isOptional,
  mustBeThere,
  put,
  type Type,
  typeJson,
  typeName,
} from "./type.ts";
import { isUnknown } from "./unknown.ts";

/** A value that an author returned does not fit what was declared, or cannot be written. */
export class Unwritable extends Error {
  override name = "Unwritable";
  readonly path: Path;

  constructor(path: Path, problem: string) {
    super(path.length === 0 ? problem : `${path.join(".")}: ${problem}`);
    this.path = path;
  }
}

/** A value of the type `any` with a type of its own: `new Typed(list(string()).declaration.type, ["a"])`. */
export class Typed {
  readonly type: Type;
  readonly value: unknown;

  constructor(type: Type, value: unknown) {
    this.type = type;
    this.value = value;
  }
}

/** How values are written: for msgpack with types and unknown values, or as JSON. */
export type Format = "msgpack" | "json";

const encoder = new TextEncoder();
const HALF_PAIR = /\p{Surrogate}/u;

/**
 * Writes a value as its declaration says.
 *
 * @throws {Unwritable} It does not fit.
 */
export function writeDeclared(value: unknown, one: Declaration, format: Format, path: Path = []): Wire {
  const plain = isSecret(value) ? revealed(value) : value;
  if (plain === undefined || plain === null) return null;
  if (isUnknown(plain) && one.type.kind !== "any") {
    if (format === "json") {
      throw new Unwritable(path, "the value is not known yet, and this host has no unknown values");
    }
    return plain;
  }
  return writeTyped(plain, one.type, format, path);
}

function writeTyped(value: unknown, type: Type, format: Format, path: Path): Wire {
  switch (type.kind) {
    case "string":
      if (typeof value === "string") return checkedText(value, path);
      if (value instanceof Date) return dateText(value, path);
      break;
    case "bool":
      if (typeof value === "boolean") return value;
      break;
    case "number": {
      const number = typeof value === "string" ? exactNumber(value) : value;
      if (isNumber(number)) return checkedNumber(number, format, path);
      break;
    }
    case "any":
      return writeAny(value, format, path);
    case "list":
    case "set": {
      if (!isIterable(value)) break;
      const all = Array.from(value, (one, index) => writeElement(one, type.element, format, [...path, index]));
      return type.kind === "set" ? ordered(all) : all;
    }
    case "tuple":
      if (!isIterable(value)) break;
      return writeTuple(Array.from(value), type.elements, format, path);
    case "map":
      if (!(value instanceof Map) && !hasMembers(value)) break;
      return writeEntries(entriesOf(value, path), path, (one, place) => writeElement(one, type.element, format, place));
    case "object":
      return writeObject(value, type.attributes, format, path);
  }
  throw new Unwritable(path, `${typeName(type)} is required, but this is ${jsName(value)}`);
}

/** Whether a value has its content in members: that of a `Map`, a `Date` or a `URLSearchParams` is elsewhere, and would be lost. */
export function hasMembers(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && Object.prototype.toString.call(value) === "[object Object]";
}

/**
 * The members of what an author returned; nothing has none.
 *
 * @throws {Unwritable} It is not an object with members.
 */
export function membersOf(value: unknown, path: Path = []): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (hasMembers(value)) return value;
  throw new Unwritable(path, `an object is required, but this is ${jsName(value)}${hintFor(value)}`);
}

/** How a value becomes an object, for errors. */
export function hintFor(value: unknown): string {
  return value instanceof Map ? "; return Object.fromEntries(map)" : "";
}

type Entry = readonly [key: string, value: unknown];

/** What a map consists of, in the order that it is written in. @throws {Unwritable} One of its keys is not a string. */
function entriesOf(value: Map<unknown, unknown> | Record<string, unknown>, path: Path): Entry[] {
  const all = value instanceof Map ? [...value] : Object.entries(value);
  const entries = all.filter(([, one]) => one !== undefined).map(([key, one]): Entry => {
    if (typeof key !== "string") throw new Unwritable(path, `the keys of a map must be strings, but one is ${jsName(key)}`);
    return [key, one];
  });
  return entries.sort(([a], [b]) => bytewise(a, b));
}

function writeEntries(entries: Entry[], path: Path, write: (value: unknown, path: Path) => Wire): Record<string, Wire> {
  const found = {};
  for (const [key, one] of entries) put(found, checkedText(key, path), write(one, [...path, key]));
  return found;
}

/** Writes what is inside a list, a set, a map or a tuple. */
function writeElement(value: unknown, one: Declaration, format: Format, path: Path): Wire {
  const written = writeDeclared(value, one, format, path);
  if (written === null && mustBeThere(one)) {
    throw new Unwritable(path, `${typeName(one.type)} is required, but this is ${value === undefined ? "missing" : "null"}`);
  }
  return written;
}

function writeTuple(all: unknown[], elements: readonly Declaration[], format: Format, path: Path): Wire {
  if (all.length !== elements.length) {
    throw new Unwritable(path, `a tuple of ${elements.length} elements is required, but this has ${all.length}`);
  }
  return elements.map((one, index) => writeElement(all[index], one, format, [...path, index]));
}

const namesInOrder = new WeakMap<Declarations, readonly string[]>();

/** The names of attributes in the order that they are written in. */
function sortedNames(attributes: Declarations): readonly string[] {
  let names = namesInOrder.get(attributes);
  if (names === undefined) namesInOrder.set(attributes, names = Object.keys(attributes).sort(bytewise));
  return names;
}

/**
 * Writes an object of attributes. One that is not declared is an error, as is a missing one that is not optional.
 *
 * @throws {Unwritable} It does not fit.
 */
export function writeObject(
  given: unknown,
  attributes: Declarations,
  format: Format,
  path: Path = [],
): Record<string, Wire> {
  const value = membersOf(given, path);
  for (const name in value) {
    if (value[name] !== undefined && !Object.hasOwn(attributes, name)) {
      throw new Unwritable([...path, name], "the attribute is not declared");
    }
  }
  const found: Record<string, Wire> = {};
  for (const name of sortedNames(attributes)) {
    const one = attributes[name] as Declaration;
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    if (
      (member === undefined || member === null) && !isOptional(one) && one.nullable !== true && one.secret !== true &&
      one.block === undefined
    ) {
      throw new Unwritable([...path, name], "the attribute is required, but it is missing");
    }
    put(found, name, writeDeclared(member, one, format, [...path, name]));
  }
  return found;
}

function writeAny(value: unknown, format: Format, path: Path): Wire {
  if (value instanceof Typed) {
    const written = writeDeclared(value.value, { type: value.type, nullable: true }, format, path);
    return format === "json" || value.type.kind === "any" ? written : [typeBytes(value.type), written];
  }
  const plain = writeImplied(value, format, path);
  if (format === "json" || plain === null || isUnknown(plain)) return plain;
  return [typeBytes(impliedType(plain)), plain];
}

/** Writes a value by what it is: arrays as lists, objects as maps. @throws {Unwritable} It cannot be written. */
export function writeImplied(given: unknown, format: Format, path: Path): Wire {
  const value = revealed(given);
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return checkedText(value, path);
  if (typeof value === "boolean") return value;
  if (isNumber(value)) return checkedNumber(value, format, path);
  if (isUnknown(value)) {
    if (format === "json") {
      throw new Unwritable(path, "the value is not known yet, and this host has no unknown values");
    }
    return value;
  }
  if (value instanceof Date) return dateText(value, path);
  if (path.length > DEEPEST) {
    // The whole path would be longer than everything else in the message.
    throw new Unwritable(path.slice(0, 3), `the value is nested more than ${DEEPEST} levels deep, or contains itself`);
  }
  if (isIterable(value)) return Array.from(value, (one, index) => writeImplied(one, format, [...path, index]));
  if (!(value instanceof Map) && !hasMembers(value)) {
    throw new Unwritable(path, `a value is required, but this is ${jsName(value)}`);
  }
  return writeEntries(entriesOf(value, path), path, (one, place) => writeImplied(one, format, place));
}

/** The type that a value implies: arrays are tuples, objects are objects. */
export function impliedType(plain: Wire): Type {
  if (typeof plain === "string") return { kind: "string" };
  if (typeof plain === "boolean") return { kind: "bool" };
  if (isNumber(plain)) return { kind: "number", as: "exact" };
  if (Array.isArray(plain)) return { kind: "tuple", elements: plain.map((one) => ({ type: impliedType(one) })) };
  if (!isRecord(plain)) return { kind: "any" };
  const attributes: Record<string, Declaration> = {};
  for (const name in plain) put(attributes, name, { type: impliedType(plain[name]) });
  return { kind: "object", attributes };
}

function typeBytes(type: Type): Uint8Array {
  return encoder.encode(
    JSON.stringify(typeJson(type)).replace(
      /[<>&\u2028\u2029]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  );
}

function isNumber(value: unknown): value is Exact {
  return typeof value === "number" || typeof value === "bigint" || isBig(value);
}

function dateText(date: Date, path: Path): string {
  if (Number.isNaN(date.getTime())) throw new Unwritable(path, "the date is invalid");
  return date.toISOString();
}

function checkedText(text: string, path: Path): string {
  if (HALF_PAIR.test(text)) throw new Unwritable(path, "the text has half a surrogate pair, which is not UTF-8");
  return text.normalize("NFC");
}

function checkedNumber(number: Exact, format: Format, path: Path): Exact {
  if (Number.isNaN(number)) throw new Unwritable(path, "NaN is not a number");
  if (format === "json" && (number === Infinity || number === -Infinity)) {
    throw new Unwritable(path, "an infinite number cannot be written as JSON");
  }
  return number;
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return Array.isArray(value) || value instanceof Set;
}

/** The elements of a set: each once, primitive ones in the order that Terraform writes them in. */
function ordered(all: Wire[]): Wire[] {
  const seen = new Map<string, Wire>();
  let unknowns = 0;
  for (const one of all) {
    if (isUnknown(one)) seen.set(`?${unknowns += 1}`, one);
    else seen.set(canonical(one), one);
  }
  const rank = (one: Wire) => (one === null ? 2 : isUnknown(one) ? 1 : 0);
  return [...seen].sort(([x, a], [y, b]) => rank(a) - rank(b) || compared(a, b) || bytewise(x, y)).map(([, one]) =>
    one
  );
}

function compared(a: Wire, b: Wire): number {
  if (typeof a === "string" && typeof b === "string") return bytewise(a, b);
  if (isNumber(a) && isNumber(b)) {
    const [x, y] = [isBig(a) ? a.toNumber() : a, isBig(b) ? b.toNumber() : b];
    return x < y ? -1 : x > y ? 1 : 0;
  }
  return Number(a === true) - Number(b === true);
}

/** A text that is the same for the same value. */
export function canonical(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (isNumber(value)) return decimalText(value);
  if (typeof value === "string") return JSON.stringify(value);
  if (isUnknown(value)) {
    return `?${JSON.stringify(value.refinement, (_, one) => (isNumber(one) ? decimalText(one) : one))}`;
  }
  if (isSecret(value)) return canonical(value.reveal());
  if (value instanceof Uint8Array) return `0x${Array.from(value, (byte) => byte.toString(16)).join()}`;
  if (value instanceof Set) return `[${[...value].map(canonical).sort().join()}]`;
  if (value instanceof Map) return canonical(Object.fromEntries(value));
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isRecord(value)) return String(value);
  const names = Object.keys(value).filter((name) => value[name] !== undefined && value[name] !== null).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`;
}

/** What a value is, in the words of JavaScript. */
export function jsName(value: unknown): string {
  if (Array.isArray(value) || value instanceof Set) return "a list";
  if (isNumber(value)) return "a number";
  if (typeof value === "boolean") return "a bool";
  if (typeof value === "string" || typeof value === "function") return `a ${typeof value}`;
  if (typeof value !== "object" || value === null) return String(value);
  const kind = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return kind === "Object" ? "an object" : `${/^[AEIO]/.test(kind) ? "an" : "a"} ${kind}`;
}
