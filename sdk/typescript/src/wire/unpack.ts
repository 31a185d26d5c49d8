import { Buffer } from "node:buffer";

import { utf8Text } from "../ipc/bytes.ts";
import { type Exact, exactNumber, isBig } from "../values/big.ts";
import { put } from "../values/type.ts";
import { Scanner, UNPACK_LIMITS, UnpackError, type UnpackLimits } from "./scanner.ts";
import { type Bound, type Refinement, Unknown, unknown } from "../values/unknown.ts";

/** More than any refinement needs. */
const LARGEST_REFINEMENT = 1024;

/** Reads values of a message that is complete. */
class Unpacker {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get at(): number {
    return this.#at;
  }

  value(): unknown {
    const head = this.#bytes[this.#at] as number;
    this.#at += 1;
    if (head < 0x80) return head;
    if (head >= 0xe0) return head - 0x100;
    if (head < 0x90) return this.#map(head & 0x0f);
    if (head < 0xa0) return this.#array(head & 0x0f);
    if (head < 0xc0) return this.#text(head & 0x1f);
    switch (head) {
      case 0xc0:
        return null;
      case 0xc2:
        return false;
      case 0xc3:
        return true;
      case 0xc4:
        return this.#binary(this.#uint(1));
      case 0xc5:
        return this.#binary(this.#uint(2));
      case 0xc6:
        return this.#binary(this.#uint(4));
      case 0xc7:
        return this.#ext(this.#uint(1));
      case 0xc8:
        return this.#ext(this.#uint(2));
      case 0xc9:
        return this.#ext(this.#uint(4));
      case 0xca:
        return this.#float(this.#bytes.readFloatBE(this.#skip(4)));
      case 0xcb:
        return this.#float(this.#bytes.readDoubleBE(this.#skip(8)));
      case 0xcc:
        return this.#uint(1);
      case 0xcd:
        return this.#uint(2);
      case 0xce:
        return this.#uint(4);
      case 0xcf:
        return small(this.#bytes.readBigUInt64BE(this.#skip(8)));
      case 0xd0:
        return this.#bytes.readInt8(this.#skip(1));
      case 0xd1:
        return this.#bytes.readInt16BE(this.#skip(2));
      case 0xd2:
        return this.#bytes.readInt32BE(this.#skip(4));
      case 0xd3:
        return small(this.#bytes.readBigInt64BE(this.#skip(8)));
      case 0xd4:
        return this.#ext(1);
      case 0xd5:
        return this.#ext(2);
      case 0xd6:
        return this.#ext(4);
      case 0xd7:
        return this.#ext(8);
      case 0xd8:
        return this.#ext(16);
      case 0xd9:
        return this.#text(this.#uint(1));
      case 0xda:
        return this.#text(this.#uint(2));
      case 0xdb:
        return this.#text(this.#uint(4));
      case 0xdc:
        return this.#array(this.#uint(2));
      case 0xdd:
        return this.#array(this.#uint(4));
      case 0xde:
        return this.#map(this.#uint(2));
      default:
        return this.#map(this.#uint(4));
    }
  }

  #skip(count: number): number {
    const at = this.#at;
    this.#at = at + count;
    return at;
  }

  #uint(width: number): number {
    return this.#bytes.readUIntBE(this.#skip(width), width);
  }

  #float(value: number): number {
    if (Number.isNaN(value)) throw new UnpackError("NaN is not a number");
    return value === 0 ? 0 : value;
  }

  #text(size: number): string {
    const at = this.#skip(size);
    if (size < 16) {
      // Faster than the decoder for the names that messages mostly consist of.
      let text = "";
      for (let index = at; index < at + size; index += 1) {
        const byte = this.#bytes[index] as number;
        if (byte > 0x7f) return strictText(this.#bytes.subarray(at, at + size));
        text += String.fromCharCode(byte);
      }
      return text;
    }
    return strictText(this.#bytes.subarray(at, at + size));
  }

  #binary(size: number): Uint8Array {
    const at = this.#skip(size);
    return Uint8Array.prototype.slice.call(this.#bytes, at, at + size);
  }

  #array(count: number): unknown[] {
    const found: unknown[] = [];
    for (let index = 0; index < count; index += 1) found.push(this.value());
    return found;
  }

  #map(count: number): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    for (let index = 0; index < count; index += 1) {
      const key = this.value();
      const name = key instanceof Uint8Array ? strictText(key) : key;
      if (typeof name !== "string") throw new UnpackError("a key of a map is not a text");
      put(found, name, this.value());
    }
    return found;
  }

  /** Every extension is an unknown value; type 12 says what is known about it. */
  #ext(size: number): Unknown | null {
    const type = this.#bytes[this.#at];
    const at = this.#skip(size + 1) + 1;
    if (type !== 12 || size < 2) return unknown;
    if (size > LARGEST_REFINEMENT) throw new UnpackError("a refinement of an unknown value is too large");
    const known = readRefinement(this.#bytes.subarray(at, at + size));
    return known === null ? null : new Unknown(known);
  }
}

function strictText(bytes: Uint8Array): string {
  try {
    return utf8Text(bytes);
  } catch {
    throw new UnpackError("a text is not UTF-8");
  }
}

function small(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** What is known of an unknown value; null if it is that it will be null. */
function readRefinement(payload: Uint8Array): Refinement | null {
  const scanner = new Scanner({ size: LARGEST_REFINEMENT, depth: 8 });
  const head = payload[0] as number;
  if (head < 0x80 || head > 0x8f || scanner.scan(payload) < 0) {
    throw new UnpackError("a refinement of an unknown value is not a map");
  }
  // The keys are integers, so that it is read as the list of its keys and values.
  const entries = new Unpacker(payload.subarray(1));
  const known: { -readonly [K in keyof Refinement]: Refinement[K] } = {};
  let isNull = false;
  for (let left = head & 0x0f; left > 0; left -= 1) {
    const key = entries.value();
    const given = entries.value();
    const value = key === 2 && given instanceof Uint8Array ? strictText(given) : given;
    if (key === 1 && value === true) isNull = true;
    else if (key === 1 && value === false) known.notNull = true;
    else if (key === 2 && typeof value === "string") known.prefix = value.normalize("NFC");
    else if (key === 3) known.min = readBound(value);
    else if (key === 4) known.max = readBound(value);
    else if (key === 5 && Number.isSafeInteger(value)) known.minLength = value as number;
    else if (key === 6 && Number.isSafeInteger(value)) known.maxLength = value as number;
    else if (typeof key === "number" && key >= 1 && key <= 6) {
      throw new UnpackError("a refinement of an unknown value has a wrong type");
    }
  }
  if (isNull && known.notNull === true) throw new UnpackError("what is known of an unknown value contradicts itself");
  checkRefinement(known);
  return isNull ? null : known;
}

function readBound(value: unknown): Bound {
  const [given, inclusive] = Array.isArray(value) && value.length === 2 ? (value as unknown[]) : [];
  const number = typeof given === "string" ? exactNumber(given) : given;
  if (typeof inclusive !== "boolean" || !(typeof number === "number" || typeof number === "bigint" || isBig(number))) {
    throw new UnpackError("a bound of an unknown number is not a number and a bool");
  }
  return { value: number as Exact, inclusive };
}

function checkRefinement({ min, max, minLength = 0, maxLength = Infinity }: Refinement): void {
  const isEmpty = min !== undefined && max !== undefined && less(max.value, min.value);
  if (isEmpty || minLength < 0 || maxLength < 0 || minLength > maxLength) {
    throw new UnpackError("what is known of an unknown value contradicts itself");
  }
}

function less(a: Exact, b: Exact): boolean {
  const [x, y] = [isBig(a) ? a.toNumber() : a, isBig(b) ? b.toNumber() : b];
  return x < y;
}

/**
 * Reads one value.
 *
 * @throws {UnpackError} The bytes are not one value.
 */
export function unpack(bytes: Uint8Array): unknown {
  const length = new Scanner().scan(bytes);
  if (length !== bytes.length) {
    throw new UnpackError(length < 0 ? "the value is cut off" : "there are bytes after the value");
  }
  return new Unpacker(bytes).value();
}

/** A whole message with a value in it that cannot be read: the one after it can. */
export class FlawedMessage {
  /** What it begins with, up to the kind, the id and the method: enough to answer it. */
  readonly start: readonly unknown[];
  readonly problem: string;

  constructor(start: readonly unknown[], problem: string) {
    this.start = start;
    this.problem = problem;
  }
}

function messageOf(bytes: Uint8Array): unknown {
  try {
    return new Unpacker(bytes).value();
  } catch (error) {
    if (!(error instanceof UnpackError)) throw error;
    return new FlawedMessage(startOf(bytes), error.message);
  }
}

function startOf(bytes: Uint8Array): unknown[] {
  const found: unknown[] = [];
  const head = bytes[0] as number;
  // A short array, whose values are read one by one.
  const count = head >= 0x90 && head <= 0x9f ? Math.min(3, head & 0x0f) : 0;
  const values = new Unpacker(bytes.subarray(1));
  try {
    while (found.length < count) found.push(values.value());
  } catch (error) {
    if (!(error instanceof UnpackError)) throw error;
  }
  return found;
}

/** Reads messages out of bytes that come in pieces. */
export class MessageStream {
  readonly #scanner: Scanner;
  #rest: Buffer = Buffer.alloc(0);
  /** How much of the buffer is filled; the rest is room for what comes next. */
  #filled = 0;

  constructor(limits: UnpackLimits = UNPACK_LIMITS) {
    this.#scanner = new Scanner(limits);
  }

  /** Whether a message has begun and is not complete. */
  get isInside(): boolean {
    return this.#filled > 0;
  }

  /** The messages that are complete now. @throws {UnpackError} They are not msgpack; the stream cannot be read any further. */
  *push(chunk: Uint8Array): Generator<unknown, void> {
    let bytes: Uint8Array = chunk;
    if (this.#filled > 0) {
      this.#append(chunk);
      bytes = this.#rest.subarray(0, this.#filled);
    }
    let start = 0;
    while (start < bytes.length) {
      const piece = start === 0 ? bytes : bytes.subarray(start);
      const length = this.#scanner.scan(piece);
      if (length < 0) break;
      this.#scanner.reset();
      const message = messageOf(piece.subarray(0, length));
      start += length;
      yield message;
    }
    this.#keep(bytes.subarray(start));
  }

  #append(chunk: Uint8Array): void {
    const needed = this.#filled + chunk.length;
    if (needed > this.#rest.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#rest.length * 2));
      this.#rest.copy(larger, 0, 0, this.#filled);
      this.#rest = larger;
    }
    this.#rest.set(chunk, this.#filled);
    this.#filled = needed;
  }

  #keep(rest: Uint8Array): void {
    if (this.#filled > 0 && rest.length === this.#filled) return;
    if (rest.length > 0) {
      const copy = Buffer.allocUnsafe(Math.max(rest.length, 256));
      copy.set(rest);
      this.#rest = copy;
    } else if (this.#filled > 0) this.#rest = Buffer.alloc(0);
    this.#filled = rest.length;
  }
}
