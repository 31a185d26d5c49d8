import { Buffer } from "node:buffer";

import { HeaderReader } from "./headers.ts";
import { LineReader } from "./lines.ts";
import type { Framing, Sender } from "./options.ts";

/** Cuts messages out of what comes, however it was cut into chunks on the way. */
export interface FrameReader {
  /**
   * The messages that this chunk completes, as bytes that are valid until the next `push`: a
   * character may be split over chunks, so nothing is decoded before it is whole.
   */
  push(chunk: Uint8Array): Iterable<Uint8Array>;
  /** What is left when nothing more comes. */
  finish(): Iterable<Uint8Array>;
}

/** A reader for one connection. No message is longer than `limit` bytes; errors name the sender. */
export function frameReader(framing: Framing, limit: number, sender: Sender = "server"): FrameReader {
  return framing === "headers" ? new HeaderReader(limit, sender) : new LineReader(limit, sender);
}

/** The bytes of a message and what tells where it ends. */
export function frame(framing: Framing, text: string): Uint8Array {
  if (framing === "lines") return Buffer.from(`${text}\n`);
  return Buffer.from(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}
