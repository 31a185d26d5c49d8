import { Buffer } from "node:buffer";
import { writeSync } from "node:fs";

import type { FrameLog } from "./frame_log.ts";
import type { Output } from "./host.ts";
import { unblockStdout, writeStdout } from "./stdout.ts";

/** Larger frames are written in the background, a piece at a time. */
const LARGEST_DIRECT = 32 * 1024;
/** So much is written at once, so that it shows whether the host reads. */
const LARGEST_PIECE = 64 * 1024;
/** While more than this waits to be written, nothing more is read. */
const MOST_WAITING = 1024 * 1024;
const STDOUT = 1;
/** The smallest pipe takes so much without a reader: what a start writes never waits for one. */
const SMALLEST_PIPE = 4096;
/** How long the host may take to read the last answers. */
const READING_LIMIT = 5000;

/** Writes whole frames to stdout: one write each, or several frames in one. */
export class StdioOutput implements Output {
  readonly #debug: FrameLog | undefined;
  #corked: Buffer[] | undefined;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  #isBroken = false;
  /** How many bytes may still be written directly; unlimited once such a write cannot wait for the reader. */
  #direct = SMALLEST_PIPE;
  #drained: (() => void)[] = [];
  #isPaused = false;
  /** Too many calls wait for their answers. */
  #isHeld = false;
  /** Called when nothing more should be read, and when it may go on. */
  onPause: (isPaused: boolean) => void = () => undefined;
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

  hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#measure();
  }

  /** Whether nothing more should be read has changed, perhaps. */
  #measure(): void {
    const wasPaused = this.#isPaused;
    this.#isPaused = this.#isHeld || this.#waitingBytes > MOST_WAITING;
    if (this.#isPaused !== wasPaused) this.onPause(this.#isPaused);
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

  /** Resolves when everything is written, or the host has read nothing of it for five seconds. */
  async drained(): Promise<void> {
    if (this.#corked !== undefined) await new Promise((resolve) => setImmediate(resolve));
    if (this.#waitingBytes === 0 || this.#isBroken) return;
    await new Promise<void>((resolve) => {
      let left = this.#waitingBytes;
      const timer = setInterval(() => {
        const isRead = this.#waitingBytes < left;
        left = this.#waitingBytes;
        if (isRead) return;
        console.error(`${left} bytes were not sent: the host did not read for ${READING_LIMIT / 1000} s`);
        done();
      }, READING_LIMIT);
      const done = () => {
        clearInterval(timer);
        resolve();
      };
      this.#drained.push(done);
    });
  }

  #put(bytes: Buffer): void {
    if (this.#isBroken) return;
    // Beyond what any pipe takes, a write that waits for a reader who has stopped would leave this process deaf to signals.
    if (this.#direct < bytes.length) this.#direct = unblockStdout() ? Infinity : 0;
    let rest = bytes;
    if (!this.#isWriting && bytes.length <= LARGEST_DIRECT && bytes.length <= this.#direct) {
      this.#direct -= bytes.length;
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(STDOUT, rest));
        return;
      } catch (error) {
        // The pipe is full: the rest is written when there is room.
        if ((error as { code?: string }).code !== "EAGAIN") return this.#break();
      }
    }
    this.#waiting.push(rest);
    this.#waitingBytes += rest.length;
    this.#measure();
    if (!this.#isWriting) this.#next();
  }

  #next(): void {
    const frames = this.#taken();
    this.#isWriting = frames !== undefined;
    if (frames === undefined) {
      for (const resolve of this.#drained.splice(0)) resolve();
      return;
    }
    writeStdout(frames, (error, count) => {
      if (this.#isBroken) return;
      const isFull = (error as { code?: string } | null | undefined)?.code === "EAGAIN";
      if (!isFull && error !== null && error !== undefined) return this.#break();
      this.#waitingBytes -= count;
      if (count < frames.length) this.#waiting.unshift(frames.subarray(count));
      this.#measure();
      if (isFull) setTimeout(() => this.#next(), 1);
      else this.#next();
    });
  }

  /** What is written next: several small frames, or a piece of a large one. */
  #taken(): Buffer | undefined {
    let count = 0;
    for (let size = 0; count < this.#waiting.length && size < LARGEST_DIRECT; count += 1) {
      size += (this.#waiting[count] as Buffer).length;
    }
    const frames = this.#waiting.splice(0, count);
    const bytes = frames.length > 1 ? Buffer.concat(frames) : frames[0];
    if (bytes === undefined || bytes.length <= LARGEST_PIECE) return bytes;
    this.#waiting.unshift(bytes.subarray(LARGEST_PIECE));
    return bytes.subarray(0, LARGEST_PIECE);
  }

  #break(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    this.#waitingBytes = 0;
    for (const resolve of this.#drained.splice(0)) resolve();
    this.onBroken();
  }
}
