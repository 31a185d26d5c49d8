import { Buffer } from "node:buffer";

import { type Big, decimalText, type Exact, isBig } from "../values/big.ts";
import { isUnknown, type Unknown } from "../values/unknown.ts";

const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);
const LONGEST_PREFIX = 256;

/** Writes msgpack into a buffer that grows. */
class Packer {
  #bytes = Buffer.allocUnsafe(1024);
  #at = 0;

  reset(): void {
    this.#at = 0;
    // One large message is not kept forever.
    if (this.#bytes.length > 1 << 20) this.#bytes = Buffer.allocUnsafe(1024);
  }

  taken(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#bytes, 0, this.#at);
  }

  #reserve(count: number): number {
    const at = this.#at;
    if (at + count > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, at + count));
      this.#bytes.copy(larger, 0, 0, at);
      this.#bytes = larger;
    }
    this.#at = at + count;
    return at;
  }

  pack(value: unknown): void {
    switch (typeof value) {
      case "string":
        return this.#string(value);
      case "number":
        return this.#number(value);
      case "boolean":
        return this.#byte(value ? 0xc3 : 0xc2);
      case "bigint":
        return this.#bigint(value);
      case "object":
        return this.#object(value);
      default:
        return this.#byte(0xc0);
    }
  }

  #object(value: object | null): void {
    if (value === null) return this.#byte(0xc0);
    if (Array.isArray(value)) {
      // So many are announced, whatever an iterator or a getter of the author does meanwhile.
      const count = value.length;
      this.#header(count, 0x90, 15, 0xdc);
      for (let index = 0; index < count; index += 1) this.pack(value[index]);
    } else if (value instanceof Uint8Array) this.#binary(value);
    else if (isUnknown(value)) this.#unknown(value);
    else if (isBig(value)) this.#big(value);
    else {
      const names = Object.keys(value);
      this.#header(names.length, 0x80, 15, 0xde);
      for (const name of names) {
        this.#string(name);
        this.pack((value as Record<string, unknown>)[name]);
      }
    }
  }

  #byte(byte: number): void {
    // Reserved first: the buffer may be another one afterwards.
    const at = this.#reserve(1);
    this.#bytes[at] = byte;
  }

  #copy(data: ArrayLike<number>): void {
    const at = this.#reserve(data.length);
    this.#bytes.set(data, at);
  }

  /** The header of an array or a map: in one byte, or with 16 or 32 bits. */
  #header(count: number, short: number, most: number, long: number): void {
    if (count <= most) this.#byte(short | count);
    else if (count < 0x10000) {
      const at = this.#reserve(3);
      this.#bytes[at] = long;
      this.#bytes.writeUInt16BE(count, at + 1);
    } else {
      const at = this.#reserve(5);
      this.#bytes[at] = long + 1;
      this.#bytes.writeUInt32BE(count, at + 1);
    }
  }

  #string(text: string): void {
    // Short texts of ASCII, which most are, are copied without measuring them first.
    const length = text.length;
    if (length < 32) {
      const start = this.#reserve(length + 1);
      const bytes = this.#bytes;
      let index = 0;
      for (; index < length; index += 1) {
        const code = text.charCodeAt(index);
        if (code > 0x7f) break;
        bytes[start + 1 + index] = code;
      }
      if (index === length) {
        bytes[start] = 0xa0 | length;
        return;
      }
      this.#at = start;
    }
    const size = Buffer.byteLength(text, "utf8");
    this.#sized(size, size < 32 ? 0xa0 | size : 0, 0xd9);
    const at = this.#reserve(size);
    this.#bytes.write(text, at, size, "utf8");
  }

  /** The header of a text or of binary data. */
  #sized(size: number, short: number, long: number): void {
    if (short !== 0) return this.#byte(short);
    const width = size < 0x100 ? 1 : size < 0x10000 ? 2 : 4;
    const at = this.#reserve(1 + width);
    this.#bytes[at] = long + (width >> 1);
    this.#bytes.writeUIntBE(size, at + 1, width);
  }

  #binary(data: Uint8Array): void {
    this.#sized(data.length, 0, 0xc4);
    this.#copy(data);
  }

  #number(value: number): void {
    if (value >= 0 && value < 0x80 && Number.isInteger(value)) return this.#byte(value);
    if (Number.isSafeInteger(value)) return this.#integer(value);
    if (Number.isInteger(value)) {
      // The digits of the shortest form, as Terraform writes it.
      const exact = BigInt(value);
      return exact >= INT64_MIN && exact <= INT64_MAX ? this.#bigint(exact) : this.#string(decimalText(value));
    }
    if (Number.isNaN(value)) throw new RangeError("NaN cannot be written");
    const at = this.#reserve(9);
    this.#bytes[at] = 0xcb;
    this.#bytes.writeDoubleBE(value, at + 1);
  }

  #integer(value: number): void {
    if (value >= 0) {
      if (value < 0x100) this.#wide(0xcc, value, 1);
      else if (value < 0x10000) this.#wide(0xcd, value, 2);
      else if (value < 0x100000000) this.#wide(0xce, value, 4);
      else this.#bigint(BigInt(value));
    } else if (value >= -32) this.#byte(value & 0xff);
    else if (value >= -0x80) this.#wide(0xd0, value & 0xff, 1);
    else if (value >= -0x8000) this.#wide(0xd1, value & 0xffff, 2);
    else if (value >= -0x80000000) this.#wide(0xd2, value >>> 0, 4);
    else this.#bigint(BigInt(value));
  }

  #wide(header: number, value: number, width: number): void {
    const at = this.#reserve(1 + width);
    this.#bytes[at] = header;
    this.#bytes.writeUIntBE(value, at + 1, width);
  }

  #bigint(value: bigint): void {
    if (value >= -0x80000000n && value < 0x100000000n) return this.#number(Number(value));
    // Terraform writes what an int64 cannot hold as a text.
    if (value < INT64_MIN || value > INT64_MAX) return this.#string(value.toString());
    const at = this.#reserve(9);
    this.#bytes[at] = value >= 0n ? 0xcf : 0xd3;
    if (value >= 0n) this.#bytes.writeBigUInt64BE(value, at + 1);
    else this.#bytes.writeBigInt64BE(value, at + 1);
  }

  #big(value: Big): void {
    if (value.isInteger) this.#bigint(value.toBigInt());
    else if (value.isBinary) this.#number(value.toNumber());
    else this.#string(value.toString());
  }

  #unknown({ refinement }: Unknown): void {
    const entries = refinements(refinement);
    if (entries.length === 0) return this.#copy([0xd4, 0, 0]);
    const payload = new Packer();
    payload.#header(entries.length, 0x80, 15, 0xde);
    for (const [key, one] of entries) {
      payload.pack(key);
      payload.pack(one);
    }
    const data = payload.taken();
    const fixed = [1, 2, 4, 8, 16].indexOf(data.length);
    const header = fixed >= 0
      ? [0xd4 + fixed, 12]
      : data.length < 0x100
      ? [0xc7, data.length, 12]
      : [0xc8, data.length >> 8, data.length & 0xff, 12];
    this.#copy(header);
    this.#copy(data);
  }
}

function refinements(known: Unknown["refinement"]): [number, unknown][] {
  const found: [number, unknown][] = [];
  if (known.notNull === true) found.push([1, false]);
  if (known.prefix !== undefined && known.prefix !== "") {
    if (Buffer.byteLength(known.prefix) <= LONGEST_PREFIX) found.push([2, known.prefix]);
  }
  const bound = (value: Exact, inclusive: boolean) => [value, inclusive];
  if (known.min !== undefined) found.push([3, bound(known.min.value, known.min.inclusive)]);
  if (known.max !== undefined) found.push([4, bound(known.max.value, known.max.inclusive)]);
  if (known.minLength !== undefined && known.minLength > 0) found.push([5, known.minLength]);
  if (known.maxLength !== undefined && Number.isFinite(known.maxLength)) found.push([6, known.maxLength]);
  return found;
}

/** Kept, because a buffer for each message costs more than most messages. Nobody has it while it is in use. */
let shared: Packer | undefined = new Packer();

/** A value as msgpack. */
export function pack(value: unknown): Uint8Array {
  // A getter in the value may pack something else.
  const packer = shared ?? new Packer();
  shared = undefined;
  try {
    packer.reset();
    packer.pack(value);
    return packer.taken();
  } finally {
    shared = packer;
  }
}
