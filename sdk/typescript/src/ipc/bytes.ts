import { Buffer } from "node:buffer";

// A byte order mark is kept, and refused, as every reader of this protocol does.
const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of a message. @throws {TypeError} It is not UTF-8. */
export function utf8Text(bytes: Uint8Array): string {
  // For small messages several times as fast as the decoder, but it replaces what is wrong instead of refusing it.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  return text.includes("\ufffd") ? strictDecoder.decode(bytes) : text;
}

/**
 * JSON without halves of surrogate pairs, which JSON.stringify writes as escapes: readers refuse the whole message. A text that
 * was cut in the middle of an emoji ends with one.
 */
export function wellFormed(json: string): string {
  if (!json.includes("\\ud")) return json;
  // A backslash in a text is two of them, and what is behind these is no escape.
  return json.replace(/(\\\\)|\\ud[89a-f][0-9a-f]{2}/g, (_, backslash?: string) => backslash ?? "\\ufffd");
}

/** Space that is kept while nothing is in it. One large message must not hold its own forever. */
const IDLE_SPACE = 64 * 1024;

/**
 * Bytes that came and were not taken yet, in one piece. It doubles when it grows: adding chunk to
 * chunk would copy a long message once for every chunk of it.
 */
export class ByteQueue {
  #space = new Uint8Array(0);
  #start = 0;
  #end = 0;

  /** How many bytes there are. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** The bytes themselves. They stay where they are until the next `push`. */
  get view(): Uint8Array {
    return this.#space.subarray(this.#start, this.#end);
  }

  /** Adds bytes behind the others. */
  push(chunk: Uint8Array): void {
    if (this.#space.length - this.#end < chunk.length) this.#makeRoom(chunk.length);
    this.#space.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /** Forgets the first bytes. */
  drop(count: number): void {
    this.#start += count;
    if (this.#start < this.#end) return;
    this.#start = 0;
    this.#end = 0;
    if (this.#space.length > IDLE_SPACE) this.#space = new Uint8Array(0);
  }

  #makeRoom(count: number): void {
    const { view } = this;
    const needed = view.length + count;
    // Moving into the same space only pays when at least half of it is free: else a queue that is
    // almost full would be moved for every few bytes.
    if (needed * 2 <= this.#space.length) {
      this.#space.copyWithin(0, this.#start, this.#end);
    } else {
      const larger = new Uint8Array(Math.max(needed, view.length * 2));
      larger.set(view);
      this.#space = larger;
    }
    this.#start = 0;
    this.#end = view.length;
  }
}
