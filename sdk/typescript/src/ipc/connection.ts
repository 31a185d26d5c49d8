import type { Socket } from "node:net";

import { connectionError, type ConnectionError } from "./errors.ts";
import { frame, type FrameReader, frameReader } from "./framing.ts";
import type { Sender, Settings } from "./options.ts";

/** How long what was written may take to leave when we close. */
const FLUSH_TIMEOUT = 1000;

/** So many bytes may wait for a client before no more of its calls are read. */
const MOST_UNREAD = 8 * 1024 * 1024;

/** Who hears of a connection. */
export interface ConnectionListener {
  /** A message came. Its bytes are valid during the call. */
  received(frame: Uint8Array, connection: Connection): void;
  /** The connection has ended; with the problem if it was ended here. Not called after `close`. */
  lost(problem: ConnectionError | undefined): void;
  /** The other side has sent everything. Without this, the connection is lost then. */
  ended?(): void;
}

/** One open socket and the messages on it. */
export class Connection {
  readonly #socket: Socket;
  readonly #settings: Settings;
  readonly #listener: ConnectionListener;
  readonly #reader: FrameReader;
  readonly #peer: Sender;
  #isOpen = true;
  #isCorked = false;
  #flushed: (() => void) | undefined;
  #unsent = 0;
  #isFull = false;

  constructor(socket: Socket, settings: Settings, listener: ConnectionListener, sender: Sender = "server") {
    this.#socket = socket;
    this.#settings = settings;
    this.#listener = listener;
    this.#peer = sender;
    this.#reader = frameReader(settings.framing, settings.maxMessageBytes, sender);
    socket.on("data", (chunk: Uint8Array) => this.#take(() => this.#reader.push(chunk)));
    socket.on("end", () => {
      this.#take(() => this.#reader.finish());
      if (this.#listener.ended === undefined) this.abandon(undefined);
      else this.#listener.ended();
    });
    socket.on("error", (cause: Error) => {
      this.abandon(connectionError("DISCONNECTED", "Connection lost", { cause }));
    });
    socket.on("close", () => {
      this.abandon(undefined);
      this.#flushed?.();
    });
  }

  /**
   * Sends a message. What is sent in one go leaves in one write.
   *
   * @throws {ConnectionError} It is too long, the connection is closed, or nobody reads.
   */
  send(text: string): void {
    if (!this.#isOpen) throw connectionError("NOT_CONNECTED", "Not connected");
    const bytes = this.#framed(text);
    if (this.#unsent + bytes.length > this.#settings.maxQueuedBytes) {
      const problem = `the ${this.#peer} does not read, and ${this.#unsent} bytes wait to be sent already`;
      throw connectionError("OVERLOADED", `${problem}; wait for answers before sending more`);
    }
    this.#write(bytes);
  }

  /**
   * Sends the answer of a server, also to a client that does not read yet. While many wait, no more calls are read of it.
   *
   * @throws {ConnectionError} It is too long.
   */
  answer(text: string): void {
    // Nobody waits for it any more.
    if (this.#isOpen) this.#write(this.#framed(text));
  }

  #framed(text: string): Uint8Array {
    const { framing, maxMessageBytes } = this.#settings;
    const bytes = frame(framing, text);
    if (bytes.length <= maxMessageBytes) return bytes;
    const problem = `the message has ${bytes.length} bytes, of ${maxMessageBytes} at most`;
    throw connectionError("TOO_LARGE", `${problem}; raise maxMessageBytes, there and here`);
  }

  #write(bytes: Uint8Array): void {
    this.#cork();
    this.#unsent += bytes.length;
    this.#socket.write(bytes, () => {
      this.#unsent -= bytes.length;
      this.#measure();
      if (this.#unsent === 0) this.#flushed?.();
    });
    this.#measure();
  }

  /** A server reads no more while its client does not read. */
  #measure(): void {
    const isFull = this.#peer === "client" && this.#unsent > MOST_UNREAD;
    if (isFull === this.#isFull) return;
    this.#isFull = isFull;
    if (isFull) this.#socket.pause();
    else this.#socket.resume();
  }

  /**
   * Closes the connection once what was written has left. It is never closed on one side alone:
   * there are servers that answer nothing any more, or without end, once our side is closed.
   */
  async close(): Promise<void> {
    this.#isOpen = false;
    if (this.#unsent > 0 && !this.#socket.destroyed) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        this.#flushed = resolve;
        timer = setTimeout(resolve, FLUSH_TIMEOUT);
      });
      clearTimeout(timer);
    }
    this.#socket.destroy();
  }

  /** Ends the connection to a server that is gone, or that cannot be talked to any more. */
  abandon(problem: ConnectionError | undefined): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#socket.destroy();
    this.#listener.lost(problem);
  }

  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#socket.cork();
    queueMicrotask(() => {
      this.#isCorked = false;
      this.#socket.uncork();
    });
  }

  #take(frames: () => Iterable<Uint8Array>): void {
    if (!this.#isOpen) return;
    try {
      for (const message of frames()) {
        this.#listener.received(message, this);
        // Whoever heard of it may have closed the connection.
        if (!this.#isOpen) return;
      }
    } catch (error) {
      this.abandon(error as ConnectionError);
    }
  }
}
