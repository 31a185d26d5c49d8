import { Buffer } from "node:buffer";
import { write, writeSync } from "node:fs";

import type { FrameLog } from "./frame_log.ts";
import type { Output } from "./host.ts";

/** Larger frames are written in the background, so that a host that reads slowly does not stop the plugin. */
const LARGEST_DIRECT = 32 * 1024;
/** While more than this waits to be written, nothing more is read. */
const MOST_WAITING = 1024 * 1024;
const STDOUT = 1;

/** Writes whole frames to stdout: one write each, or several frames in one. */
export class StdioOutput implements Output {
  readonly #debug: FrameLog | undefined;
  #corked: Buffer[] | undefined;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  #isBroken = false;
  #drained: (() => void)[] = [];
  /** Called when too much waits, and when there is room again. */
  onFull: (isFull: boolean) => void = () => undefined;
  /** Nobody reads any more. */
  onBroken: () => void = () => undefined;

  constructor(debug: FrameLog | undefined) {
    this.#debug = debug;
  }

  write(frame: Uint8Array | string): void {
    this.#debug?.sent(frame);
    const bytes = typeof frame === "string"
      ? Buffer.from(frame)
      : Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength);
    if (this.#corked !== undefined) this.#corked.push(bytes);
    else this.#put(bytes);
  }

  /** Collects the frames of this turn of the event loop. */
  cork(): void {
    if (this.#corked !== undefined) return;
    this.#corked = [];
    setImmediate(() => {
      this.flush();
      this.#corked = undefined;
    });
  }

  /** Writes what has been collected so far at once. */
  flush(): void {
    const frames = this.#corked;
    if (frames === undefined || frames.length === 0) return;
    this.#corked = [];
    this.#put(frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames));
  }

  /** Resolves when everything is written. */
  async drained(): Promise<void> {
    if (this.#corked !== undefined) await new Promise((resolve) => setImmediate(resolve));
    if (this.#waitingBytes > 0 && !this.#isBroken) await new Promise<void>((resolve) => this.#drained.push(resolve));
  }

  #put(bytes: Buffer): void {
    if (this.#isBroken) return;
    let rest = bytes;
    if (!this.#isWriting && bytes.length <= LARGEST_DIRECT) {
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(STDOUT, rest));
        return;
      } catch (error) {
        // The pipe is full, and not one that blocks: the rest is written when there is room.
        if ((error as { code?: string }).code !== "EAGAIN") return this.#break();
      }
    }
    this.#waiting.push(rest);
    this.#waitingBytes += rest.length;
    if (this.#waitingBytes > MOST_WAITING) this.onFull(true);
    if (!this.#isWriting) this.#next();
  }

  #next(): void {
    const first = this.#waiting.shift();
    this.#isWriting = first !== undefined;
    if (first === undefined) {
      for (const resolve of this.#drained.splice(0)) resolve();
      return;
    }
    write(STDOUT, first, 0, first.length, null, (error, count) => {
      if (error !== null && error !== undefined && error.code !== "EAGAIN") return this.#break();
      const done = error === null || error === undefined ? count : 0;
      this.#waitingBytes -= done;
      if (done < first.length) this.#waiting.unshift(first.subarray(done));
      if (this.#waitingBytes <= MOST_WAITING) this.onFull(false);
      if (done === 0) setTimeout(() => this.#next(), 1);
      else this.#next();
    });
  }

  #break(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#waitingBytes = 0;
    for (const resolve of this.#drained.splice(0)) resolve();
    this.onBroken();
  }
}
