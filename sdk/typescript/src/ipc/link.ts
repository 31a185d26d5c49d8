import { Connection } from "./connection.ts";
import { type ConnectionError, connectionError, ErrorCode, type RpcError } from "./errors.ts";
import type { Settings } from "./options.ts";
import { type Dial, openFirst } from "./socket.ts";
import { socketAddresses } from "./socket_name.ts";

/** Whether there is a connection. */
export type ConnectionState = "disconnected" | "connecting" | "connected" | "reconnecting";

/** A connection that is over sooner does not count as one that lasted, however short the pauses are. */
const SHORTEST_STAY = 5000;

/** Who hears of a link. */
export interface LinkListener {
  /** There is a connection. */
  connected(): void;
  /**
   * A message came. Its bytes are valid during the call. Gives the error in it if that is about no
   * call in particular.
   */
  received(frame: Uint8Array, connection: Connection): RpcError | undefined;
  /** The connection is gone, and all that waits for it should fail with this error. */
  disconnected(error: ConnectionError): void;
  /** It will be made again after a pause. */
  reconnecting(attempt: number, delay: number): void;
  /** Something is wrong that nobody waits for. */
  failed(error: ConnectionError): void;
  /** There will be no connection unless `connect` is called again. */
  over(): void;
}

/** A connection that is made, watched, and made again. */
export class Link {
  readonly #settings: Settings;
  readonly #listener: LinkListener;
  readonly #dial: Dial | undefined;
  #state: ConnectionState = "disconnected";
  #connection: Connection | undefined;
  /** Of the attempt to connect that is under way. */
  #opening: AbortController | undefined;
  /** Who waits for the connection. */
  readonly #waiters: { resolve(): void; reject(error: ConnectionError): void }[] = [];
  /** When the connection was made. */
  #since = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Attempts since the server was last heard of. */
  #attempts = 0;
  /** Whether this connection has brought anything but an error about no call in particular. */
  #isHeard = false;
  /** That error, if it was the last thing that came. */
  #complaint: RpcError | undefined;
  /** Why the server let nobody in, the last time. */
  #refusal: ConnectionError | undefined;

  constructor(settings: Settings, listener: LinkListener, dial?: Dial) {
    this.#settings = settings;
    this.#listener = listener;
    this.#dial = dial;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** Connects, at once also if a pause before the next attempt is under way. */
  async connect(): Promise<void> {
    if (this.#state === "connected") return;
    // An attempt that is in progress is the one that is waited for.
    if (this.#state === "connecting") return this.#waited();
    this.#stopTrying(connectionError("DISCONNECTED", "Replaced by another connect()"));
    this.#attempts = 0;
    this.#state = "connecting";
    const opening = new AbortController();
    try {
      await this.#open(opening);
    } catch (error) {
      // After disconnect() somebody may be connecting anew by now.
      if (!opening.signal.aborted) this.#giveUp(error as ConnectionError);
      throw error;
    }
  }

  /** Ends the connection, or the attempts to make one. */
  async disconnect(): Promise<void> {
    if (this.#state === "disconnected") return;
    const error = connectionError("DISCONNECTED", "Client disconnected");
    const connection = this.#connection;
    this.#connection = undefined;
    this.#state = "disconnected";
    this.#stopTrying(error);
    this.#settle(error);
    const closed = connection?.close();
    if (connection !== undefined) this.#listener.disconnected(error);
    // Who heard of that may have connected again.
    if (this.state === "disconnected") this.#listener.over();
    await closed;
  }

  /** The connection, if there is one. */
  get current(): Connection | undefined {
    return this.#connection;
  }

  /** The connection, to send something on. */
  get connection(): Connection {
    if (this.#connection !== undefined) return this.#connection;
    const refusal = this.#refusal;
    if (refusal === undefined) throw connectionError("NOT_CONNECTED", "Not connected");
    throw connectionError("REFUSED", refusal.message, { cause: refusal.cause });
  }

  /**
   * The connection, as soon as there is one: while it is made for the first time or again, this waits.
   *
   * @throws {ConnectionError} There is none and will be none, it took too long, or the signal is aborted.
   */
  async ready(timeout: number, signal?: AbortSignal): Promise<Connection> {
    if (this.#connection !== undefined || this.#state === "disconnected") return this.connection;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let onAbort: (() => void) | undefined;
    const ended = new Promise<never>((_, reject) => {
      const late = () =>
        reject(
          connectionError(
            "TIMEOUT",
            `Request timeout after ${timeout}ms: there was no connection, and nothing was sent`,
          ),
        );
      if (timeout !== Infinity) timer = setTimeout(late, timeout);
      onAbort = () => reject(connectionError("ABORTED", "Request aborted", { cause: signal?.reason }));
      signal?.addEventListener("abort", onAbort);
    });
    try {
      await Promise.race([this.#waited(), ended]);
    } finally {
      clearTimeout(timer);
      if (onAbort !== undefined) signal?.removeEventListener("abort", onAbort);
    }
    return this.connection;
  }

  /** Waits until there is a connection, or no attempt is made any more. */
  #waited(): Promise<void> {
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }));
  }

  #settle(error?: ConnectionError): void {
    for (const { resolve, reject } of this.#waiters.splice(0)) {
      if (error === undefined) resolve();
      else reject(error);
    }
  }

  async #open(opening: AbortController): Promise<void> {
    const { socketPath, connectionTimeout, allowUsers } = this.#settings;
    this.#opening = opening;
    const addresses = socketAddresses(socketPath);
    const limits = { timeout: connectionTimeout, signal: opening.signal, allowUsers };
    const socket = await openFirst(addresses, limits, this.#dial);
    const connection = new Connection(socket, this.#settings, {
      received: (frame, from) => {
        this.#complaint = this.#listener.received(frame, from);
        if (this.#complaint !== undefined) return;
        // A server that turns its clients away is not one that is back.
        this.#isHeard = true;
        this.#attempts = 0;
      },
      lost: (problem) => this.#lost(problem),
    });
    if (opening.signal.aborted) {
      await connection.close();
      throw opening.signal.reason;
    }
    this.#opening = undefined;
    this.#connection = connection;
    this.#isHeard = false;
    this.#complaint = undefined;
    this.#refusal = undefined;
    this.#state = "connected";
    this.#since = Date.now();
    this.#settle();
    this.#listener.connected();
  }

  #lost(problem: ConnectionError | undefined): void {
    this.#connection = undefined;
    this.#state = this.#settings.autoReconnect ? "reconnecting" : "disconnected";
    if (problem !== undefined) this.#listener.failed(problem);
    const lost = this.#whyLost(problem);
    if (lost.code === "REFUSED") this.#refusal = lost;
    // One that lasted longer than the longest pause was not turned away.
    else if (Date.now() - this.#since > Math.max(this.#settings.maxReconnectDelay, SHORTEST_STAY)) this.#attempts = 0;
    this.#listener.disconnected(lost);
    // Who heard of that may have called connect() or disconnect().
    if (this.state === "reconnecting") this.#tryLater();
    else if (this.state === "disconnected") this.#listener.over();
  }

  /** An error about no call in particular may have been the last word of the server. */
  #whyLost(problem: ConnectionError | undefined): ConnectionError {
    const complaint = this.#complaint;
    if (complaint === undefined) {
      const cause = problem === undefined ? {} : { cause: problem };
      return connectionError("DISCONNECTED", "Connection lost", cause);
    }
    const { code, message } = complaint;
    const cause = { cause: complaint };
    if (this.#isHeard || code !== ErrorCode.ServerError) {
      return connectionError("DISCONNECTED", `Connection lost: ${message} (${code})`, cause);
    }
    return connectionError("REFUSED", `Refused by the server: ${message} (${code})`, cause);
  }

  #tryLater(lastProblem?: unknown): void {
    const { maxReconnectAttempts, reconnectDelay, maxReconnectDelay } = this.#settings;
    if (this.#attempts >= maxReconnectAttempts) {
      const message = `Could not reconnect in ${this.#attempts} attempts; call connect() for more`;
      const error = connectionError("CONNECT_FAILED", message, { cause: lastProblem });
      this.#giveUp(this.#refusal ?? error);
      this.#listener.failed(error);
      return;
    }
    const delay = pauseBefore(this.#attempts, reconnectDelay, maxReconnectDelay);
    this.#attempts += 1;
    this.#timer = setTimeout(() => void this.#tryNow(), delay);
    this.#listener.reconnecting(this.#attempts, delay);
  }

  async #tryNow(): Promise<void> {
    const opening = new AbortController();
    try {
      await this.#open(opening);
    } catch (error) {
      if (!opening.signal.aborted) this.#tryLater(error);
    }
  }

  #stopTrying(reason: ConnectionError): void {
    clearTimeout(this.#timer);
    this.#opening?.abort(reason);
    this.#opening = undefined;
  }

  #giveUp(reason: ConnectionError): void {
    this.#opening = undefined;
    this.#state = "disconnected";
    this.#settle(reason);
    this.#listener.over();
  }
}

/**
 * How long to wait before an attempt; the first is number 0. Half of it is chance, so that the
 * clients of a server that starts again do not all come at the same moment.
 */
export function pauseBefore(attempt: number, first: number, longest: number): number {
  const whole = Math.min(longest, first * 2 ** Math.min(attempt, 30));
  return Math.round(whole / 2 + (Math.random() * whole) / 2);
}
