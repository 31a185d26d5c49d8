import { connectionError, type ConnectionError } from "./errors.ts";
import type { Id } from "./message.ts";

/** How many calls may wait for an answer. */
const MOST_CALLS = 65_536;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** How long the caller waits. */
export interface Patience {
  /** Milliseconds, or Infinity. */
  timeout: number;
  /** Ends the wait early. */
  signal: AbortSignal | undefined;
}

/** A call that was opened. */
export interface Call {
  id: number;
  answer: Promise<unknown>;
}

/** The calls that wait for an answer. */
export class Calls {
  readonly #waiting = new Map<Id, Waiting>();
  readonly #onGivenUp: (id: number) => void;
  /** Ids go on over a reconnect, so that an answer from before finds nobody. */
  #lastId = 0;

  /** `onGivenUp` hears of calls whose caller does not wait any longer. */
  constructor(onGivenUp: (id: number) => void) {
    this.#onGivenUp = onGivenUp;
  }

  /** How many there are. */
  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Sees to it that so many calls can be opened: a batch is sent whole or not at all.
   *
   * @throws {ConnectionError} Too many wait already, or the signal is aborted.
   */
  check(count: number, signal: AbortSignal | undefined): void {
    if (signal?.aborted) throw aborted(signal);
    if (this.#waiting.size + count <= MOST_CALLS) return;
    const problem = `${this.#waiting.size} calls wait for an answer, of ${MOST_CALLS} at most`;
    throw connectionError("OVERLOADED", `${problem}; wait for some of them`);
  }

  /** Waits for the answer to a new call. */
  open({ timeout, signal }: Patience): Call {
    this.#lastId += 1;
    const id = this.#lastId;
    const answer = new Promise<unknown>((resolve, reject) => {
      const giveUp = (error: Error) => {
        if (this.reject(id, error)) this.#onGivenUp(id);
      };
      const onAbort = () => giveUp(aborted(signal));
      const onTimeout = () =>
        giveUp(connectionError("TIMEOUT", `Request timeout after ${timeout}ms`));
      const timer = timeout === Infinity ? undefined : setTimeout(onTimeout, timeout);
      signal?.addEventListener("abort", onAbort);
      const settled = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      this.#waiting.set(id, {
        resolve: (result) => (settled(), resolve(result)),
        reject: (error) => (settled(), reject(error)),
      });
    });
    return { id, answer };
  }

  /** Hands a result to its call. Gives whether one waits for it. */
  resolve(id: Id, result: unknown): boolean {
    return this.#take(id, (waiting) => waiting.resolve(result));
  }

  /** Fails a call. Gives whether one waits. */
  reject(id: Id, error: Error): boolean {
    return this.#take(id, (waiting) => waiting.reject(error));
  }

  /** Fails all that wait. */
  rejectAll(error: Error): void {
    for (const id of [...this.#waiting.keys()]) this.reject(id, error);
  }

  #take(id: Id, settle: (waiting: Waiting) => void): boolean {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return false;
    this.#waiting.delete(id);
    settle(waiting);
    return true;
  }
}

function aborted(signal: AbortSignal | undefined): ConnectionError {
  return connectionError("ABORTED", "Request aborted", { cause: signal?.reason });
}
