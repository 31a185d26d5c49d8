/** What is received is not msgpack, or too large. */
export class UnpackError extends Error {
  override name = "UnpackError";
}

/** How much one message may be. */
export interface UnpackLimits {
  /** Bytes of a message. */
  readonly size: number;
  /** How deeply lists and maps may be nested. */
  readonly depth: number;
}

export const UNPACK_LIMITS: UnpackLimits = { size: 64 * 1024 * 1024, depth: 128 };

/**
 * Finds the end of a message in bytes that come in pieces, and looks at each byte once. It allocates nothing for what a message
 * only announces, so that five bytes cannot ask for gigabytes.
 */
export class Scanner {
  readonly #limits: UnpackLimits;
  /** How many values are missing at each level. */
  readonly #missing: number[] = [1];
  #at = 0;

  constructor(limits: UnpackLimits = UNPACK_LIMITS) {
    this.#limits = limits;
  }

  /** Begins with the next message. */
  reset(): void {
    this.#missing.length = 1;
    this.#missing[0] = 1;
    this.#at = 0;
  }

  /** The length of the message at the start of these bytes, or -1 if more are needed. Call it again with all bytes so far. */
  scan(bytes: Uint8Array): number {
    const missing = this.#missing;
    let level = missing.length - 1;
    while (true) {
      while (missing[level] === 0) {
        if (level === 0) return this.#at;
        missing.length = level;
        level -= 1;
      }
      if (this.#at >= bytes.length) return -1;
      const head = bytes[this.#at] as number;
      const [width, inside] = extent(bytes, this.#at, head);
      if (width < 0) return -1;
      if (this.#at + width > this.#limits.size) {
        throw new UnpackError(`the message is too large: ${this.#limits.size} bytes at most`);
      }
      // A large text is waited for in one step, without scanning it.
      if (this.#at + width > bytes.length) return -1;
      this.#at += width;
      missing[level] = (missing[level] as number) - 1;
      if (inside > 0) {
        if (level >= this.#limits.depth) {
          throw new UnpackError(`the message is nested more than ${this.#limits.depth} levels deep`);
        }
        missing.push(inside);
        level += 1;
      }
    }
  }
}

const NEED_MORE: readonly [number, number] = [-1, 0];
const ONE: readonly [number, number] = [1, 0];

/** How many bytes a value has itself, and how many values are inside it. -1: its header is not complete. */
function extent(bytes: Uint8Array, at: number, head: number): readonly [number, number] {
  if (head < 0x80 || head >= 0xe0) return ONE;
  if (head < 0x90) return [1, (head & 0x0f) * 2];
  if (head < 0xa0) return [1, head & 0x0f];
  if (head < 0xc0) return [1 + (head & 0x1f), 0];
  const width = WIDTHS[head - 0xc0] as number;
  if (width < 0) throw new UnpackError(`the byte 0x${head.toString(16)} is not msgpack`);
  if (width > 0) return [width, 0];
  const size = head === 0xc4 || head === 0xc7 || head === 0xd9
    ? 1
    : head === 0xc5 || head === 0xc8 || head === 0xda || head === 0xdc || head === 0xde
    ? 2
    : 4;
  if (at + 1 + size > bytes.length) return NEED_MORE;
  let count = 0;
  for (let index = 1; index <= size; index += 1) count = count * 256 + (bytes[at + index] as number);
  if (head === 0xdc || head === 0xdd) return [1 + size, count];
  if (head === 0xde || head === 0xdf) return [1 + size, count * 2];
  const isExt = head >= 0xc7 && head <= 0xc9;
  return [1 + size + count + (isExt ? 1 : 0), 0];
}

/** From 0xc0 on; 0: it has a length, -1: it is not used. */
const WIDTHS = [1, -1, 1, 1, 0, 0, 0, 0, 0, 0, 5, 9, 2, 3, 5, 9, 2, 3, 5, 9, 3, 4, 6, 10, 18, 0, 0, 0, 0, 0, 0, 0];
