import { EventEmitter } from "node:events";

/** What a client tells, and with which arguments. */
export interface ClientEvents {
  /** There is a connection, the first or a new one. */
  connect: [];
  /** The same. */
  connected: [];
  /** The connection is gone: by `disconnect()`, or lost. */
  disconnect: [];
  /** The same. */
  disconnected: [];
  /** The server told something. */
  notification: [method: string, params: unknown];
  /** Something is wrong that no call can be told of. Without a listener it goes to `debug`. */
  error: [error: Error];
  /** A lost connection will be made again after a pause of so many milliseconds. */
  reconnecting: [attempt: number, delay: number];
}

/** The methods of Node's emitter, with the types of our events. */
interface TypedEmitter {
  on<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this;
  once<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this;
  off<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this;
  addListener<E extends keyof ClientEvents>(
    event: E,
    listener: (...args: ClientEvents[E]) => void,
  ): this;
  removeListener<E extends keyof ClientEvents>(
    event: E,
    listener: (...args: ClientEvents[E]) => void,
  ): this;
  removeAllListeners(event?: keyof ClientEvents): this;
  listenerCount(event: keyof ClientEvents): number;
  emit<E extends keyof ClientEvents>(event: E, ...args: ClientEvents[E]): boolean;
}

const Emitter = EventEmitter as unknown as new () => TypedEmitter;

/** Node's emitter, that neither ends the process nor stops half-way. */
export class Announcer extends Emitter {
  /**
   * Tells all listeners. What one of them throws is thrown again outside: here it would end the
   * reading of messages that came together with this one.
   */
  protected announce<E extends keyof ClientEvents>(event: E, ...args: ClientEvents[E]): void {
    // Node's own `emit` throws an "error" that nobody listens to, which would end the process.
    if (this.listenerCount(event) === 0) return;
    try {
      this.emit(event, ...args);
    } catch (error) {
      reportLater(error);
    }
  }
}

/** Throws an error where it is seen as uncaught, and the caller goes on. */
export function reportLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
