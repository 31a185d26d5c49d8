import { ByteQueue } from "./bytes.ts";
import { connectionError, type ConnectionError } from "./errors.ts";
import type { Sender } from "./options.ts";

const LINE_FEED = 0x0a;
/** The headers of one message together. A peer that speaks something else must not fill memory. */
const LONGEST_HEADERS = 8 * 1024;
const ZERO = 0x30;
const PLAIN_HEADER = Uint8Array.from("Content-Length: ", (letter) => letter.charCodeAt(0));
const HEADER_END = [0x0d, 0x0a, 0x0d, 0x0a];
/** With ten digits. */
const LONGEST_PLAIN_HEADER = PLAIN_HEADER.length + 10;
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/;
const headerDecoder = new TextDecoder();
const CHARSET = /charset\s*=\s*"?([^";\s]*)/i;

/** Messages behind `Content-Length` headers, as in the Language Server Protocol. */
export class HeaderReader {
  readonly #limit: number;
  readonly #sender: Sender;
  readonly #queue = new ByteQueue();
  /** Bytes of the headers that were read of this message. */
  #headers = 0;
  /** What they say about its length. */
  #length: number | undefined;
  /** Whether the headers are over and the body comes. */
  #isBody = false;

  constructor(limit: number, sender: Sender) {
    this.#limit = limit;
    this.#sender = sender;
  }

  *push(chunk: Uint8Array): Generator<Uint8Array> {
    this.#queue.push(chunk);
    for (;;) {
      if (!this.#isBody && !this.#readPlainHeader() && !this.#readHeaders()) return;
      const length = this.#length ?? 0;
      if (this.#queue.length < length) return;
      const body = this.#queue.view.subarray(0, length);
      this.#queue.drop(length);
      this.#headers = 0;
      this.#length = undefined;
      this.#isBody = false;
      yield body;
    }
  }

  *finish(): Generator<Uint8Array> {
    if (this.#queue.length > 0 || this.#headers > 0 || this.#isBody) {
      throw broken("the connection ended in the middle of a message");
    }
  }

  /** Whether the next message has this one header, written as everybody writes it: it is read without a text of its own. */
  #readPlainHeader(): boolean {
    if (this.#headers > 0) return false;
    const { view } = this.#queue;
    for (let at = 0; at < PLAIN_HEADER.length; at += 1) if (view[at] !== PLAIN_HEADER[at]) return false;
    let length = 0;
    let end = PLAIN_HEADER.length;
    for (; end < LONGEST_PLAIN_HEADER; end += 1) {
      const digit = (view[end] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) break;
      length = length * 10 + digit;
    }
    const isPlain = end > PLAIN_HEADER.length && HEADER_END.every((byte, index) => view[end + index] === byte);
    if (!isPlain || length > this.#limit) return false;
    this.#queue.drop(end + HEADER_END.length);
    this.#length = length;
    this.#isBody = true;
    return true;
  }

  /** Whether the headers are complete. */
  #readHeaders(): boolean {
    for (;;) {
      const { view } = this.#queue;
      const end = view.indexOf(LINE_FEED);
      const bytes = end < 0 ? view.length : end + 1;
      if (this.#headers + bytes > LONGEST_HEADERS) {
        throw broken(`headers of more than ${LONGEST_HEADERS} bytes`);
      }
      if (end < 0) return false;
      const line = headerDecoder.decode(view.subarray(0, end)).replace(/\r$/, "");
      this.#queue.drop(bytes);
      if (line !== "") {
        this.#headers += bytes;
        this.#readHeader(line);
      } else if (this.#headers > 0) {
        if (this.#length === undefined) throw broken("headers without Content-Length");
        this.#isBody = true;
        return true;
      }
    }
  }

  #readHeader(line: string): void {
    const [, name, value = ""] = HEADER.exec(line) ?? [];
    if (name === undefined) {
      const problem = `"${line.slice(0, 80)}" is not a header`;
      // Whoever is called finds out by the first byte; only who calls can choose.
      throw broken(
        this.#sender === "server" ? `${problem}; does the server speak lines? Then set framing to "lines"` : problem,
      );
    }
    switch (name.toLowerCase()) {
      case "content-length":
        this.#length = this.#readLength(value);
        break;
      case "content-type": {
        const charset = CHARSET.exec(value)?.[1]?.toLowerCase() ?? "utf-8";
        if (charset !== "utf-8" && charset !== "utf8") throw broken(`the charset ${charset}`);
        break;
      }
    }
  }

  #readLength(value: string): number {
    if (!/^[0-9]+$/.test(value)) throw broken(`"${value.slice(0, 80)}" is not a Content-Length`);
    const length = Number(value);
    if (length <= this.#limit) return length;
    const problem = `the ${this.#sender} announces ${value} bytes, and ${this.#limit} are taken at most`;
    const hint = this.#sender === "host" ? "" : "; raise maxMessageBytes to take them";
    throw connectionError("TOO_LARGE", problem + hint);
  }
}

function broken(problem: string): ConnectionError {
  return connectionError("INVALID_MESSAGE", `Invalid message received: ${problem}`);
}
