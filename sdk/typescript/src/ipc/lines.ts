import { ByteQueue } from "./bytes.ts";
import { connectionError } from "./errors.ts";
import type { Sender } from "./options.ts";

const LINE_END = 0x0a;
const BLANKS = [0x20, 0x09, 0x0d];

/** Messages that are one line each. */
export class LineReader {
  readonly #limit: number;
  readonly #sender: Sender;
  readonly #queue = new ByteQueue();
  /** How many bytes are known to have no newline among them, so that none is looked at twice. */
  #searched = 0;

  constructor(limit: number, sender: Sender) {
    this.#limit = limit;
    this.#sender = sender;
  }

  *push(chunk: Uint8Array): Generator<Uint8Array> {
    this.#queue.push(chunk);
    for (;;) {
      const { view } = this.#queue;
      const end = view.indexOf(LINE_END, this.#searched);
      this.#check(end < 0 ? view.length : end);
      if (end < 0) {
        this.#searched = view.length;
        return;
      }
      this.#queue.drop(end + 1);
      this.#searched = 0;
      const line = view.subarray(0, end);
      if (!isBlank(line)) yield line;
    }
  }

  /** A last line counts without its newline too. */
  *finish(): Generator<Uint8Array> {
    const { view } = this.#queue;
    if (!isBlank(view)) yield view;
  }

  #check(length: number): void {
    if (length <= this.#limit) return;
    const problem = `the ${this.#sender} sent a line of more than ${this.#limit} bytes`;
    throw connectionError("TOO_LARGE", this.#sender === "host" ? problem : `${problem}; raise maxMessageBytes to take it`);
  }
}

function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => BLANKS.includes(byte));
}
