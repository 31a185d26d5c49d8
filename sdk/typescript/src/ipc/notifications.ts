/** Something the server told. */
export interface Notification {
  /** What it is about. */
  method: string;
  /** The rest; undefined if there is none. */
  params: unknown;
}

/** How many notifications wait for somebody who is slow. */
const CAPACITY = 1024;

/** Notifications, to be read with `for await`. They end when the connection does. */
export interface NotificationStream extends AsyncIterableIterator<Notification> {
  /** How many were lost because they were not read in time: of 1,024 that wait, the oldest go. */
  readonly dropped: number;
}

/** The notifications that one reader has not read yet. */
export class NotificationQueue implements NotificationStream {
  dropped = 0;
  #waiting: Notification[] = [];
  #readers: ((result: IteratorResult<Notification, undefined>) => void)[] = [];
  #isOver = false;
  readonly #onOver: () => void;

  /** `onOver` is called when nobody will read any more. */
  constructor(onOver: () => void) {
    this.#onOver = onOver;
  }

  next(): Promise<IteratorResult<Notification, undefined>> {
    const value = this.#waiting.shift();
    if (value !== undefined) return Promise.resolve({ done: false, value });
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  /** What `break` in a `for await` calls. */
  return(): Promise<IteratorResult<Notification, undefined>> {
    this.#waiting = [];
    this.end();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Adds one, in place of the oldest if there is no room. */
  push(notification: Notification): void {
    const reader = this.#readers.shift();
    if (reader !== undefined) return reader({ done: false, value: notification });
    if (this.#waiting.length === CAPACITY) {
      this.#waiting.shift();
      this.dropped += 1;
    }
    this.#waiting.push(notification);
  }

  /** Adds no more. What waits can still be read. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onOver();
    for (const reader of this.#readers.splice(0)) reader({ done: true, value: undefined });
  }
}
