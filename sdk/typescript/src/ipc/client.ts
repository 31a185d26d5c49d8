import { allOf, type Awaitable, proceed } from "../values/awaitable.ts";
import { Calls, type Patience } from "./calls.ts";
import type { Connection } from "./connection.ts";
import { connectionError, type ConnectionError, ErrorCode, RpcError } from "./errors.ts";
import { Announcer } from "./events.ts";
import { type Answer, type Handler, Handlers } from "./handlers.ts";
import { type ConnectionState, Link } from "./link.ts";
import {
  batchText,
  errorText,
  type Id,
  type Message,
  notificationText,
  parse,
  read,
  requestText,
} from "./message.ts";
import { NotificationQueue, type NotificationStream } from "./notifications.ts";
import { type ClientOptions, milliseconds, type Settings, settings } from "./options.ts";

/** Tells the other side that nobody waits for a call any longer. */
const CANCEL = "$/cancelRequest";

/** How long one call waits. */
export interface RequestOptions {
  /** Milliseconds, or `Infinity`; the client's `requestTimeout` if not given. */
  timeout?: number | undefined;
  /** Ends the call with the code `ABORTED`, and tells the server. */
  signal?: AbortSignal | undefined;
}

/** One call of a batch. */
export interface BatchCall {
  /** What to call. */
  method: string;
  /** With which params. */
  params?: unknown;
}

/** A client of one server. Make one, `connect()` it, and call methods. */
export class Client extends Announcer {
  readonly #settings: Settings;
  readonly #link: Link;
  readonly #calls: Calls;
  readonly #handlers: Handlers;
  readonly #streams = new Set<NotificationQueue>();

  /** @throws {TypeError} An option makes no sense. */
  constructor(options: ClientOptions) {
    super();
    this.#settings = settings(options);
    this.#calls = new Calls((id) => this.#takeBack(id));
    this.#handlers = new Handlers((error) => this.#fail(error));
    this.#link = new Link(this.#settings, {
      connected: () => {
        this.#debug(`connected to ${this.#settings.socketPath}`);
        this.announce("connect");
        this.announce("connected");
      },
      received: (frame, connection) => this.#receive(frame, connection),
      disconnected: (error) => {
        this.#debug(error.message);
        this.#calls.rejectAll(error);
        this.#handlers.cancelAll();
        this.announce("disconnect");
        this.announce("disconnected");
      },
      reconnecting: (attempt, delay) => {
        this.#debug(`attempt ${attempt} to reconnect, in ${delay}ms`);
        this.announce("reconnecting", attempt, delay);
      },
      failed: (error) => this.#fail(error),
      over: () => {
        for (const stream of this.#streams) stream.end();
      },
    });
  }

  /**
   * Connects. Does nothing if there is a connection.
   *
   * @throws {ConnectionError} Nobody could be connected to: `CONNECT_FAILED` or `TIMEOUT`.
   */
  connect(): Promise<void> {
    return this.#link.connect();
  }

  /**
   * Ends the connection, and the attempts to make it again. Calls that wait fail at once, with the
   * code `DISCONNECTED`. What was sent before leaves first. Does nothing if there is no connection.
   */
  disconnect(): Promise<void> {
    return this.#link.disconnect();
  }

  /** The same as `disconnect()`, with the name that it has in Python. */
  close(): Promise<void> {
    return this.disconnect();
  }

  /**
   * Calls a method of the server and waits for its answer. Its type is what you say; nobody checks.
   *
   * @throws {RpcError} The server answered with an error.
   * @throws {ConnectionError} There is no answer.
   */
  async request<T = unknown>(
    method: string,
    params?: unknown,
    options: RequestOptions = {},
  ): Promise<T> {
    let patience = this.#patience(options);
    checkMethod(method);
    this.#calls.check(1, options.signal);
    let { current: connection } = this.#link;
    if (connection === undefined) [connection, patience] = await this.#connected(patience);
    const { id, answer } = this.#calls.open(patience);
    try {
      connection.send(requestText(id, method, params));
      this.#debug(`-> request ${id} ${method}`);
    } catch (error) {
      this.#calls.reject(id, error as Error);
    }
    return (await answer) as T;
  }

  /**
   * Tells the server something. Nothing comes back.
   *
   * @throws {ConnectionError} There is no connection, the message is too long, or the server does
   * not read.
   */
  notify(method: string, params?: unknown): void {
    const { connection } = this.#link;
    checkMethod(method);
    connection.send(notificationText(method, params));
    this.#debug(`-> notification ${method}`);
  }

  /**
   * Calls several methods in one message. Gives what became of each, in their order.
   *
   * @throws {TypeError} There are none.
   * @throws {ConnectionError} There is no connection, or the signal is aborted already.
   */
  async batch(
    calls: readonly BatchCall[],
    options: RequestOptions = {},
  ): Promise<PromiseSettledResult<unknown>[]> {
    let patience = this.#patience(options);
    if (calls.length === 0) throw new TypeError("a batch has at least one call");
    for (const { method } of calls) checkMethod(method);
    this.#calls.check(calls.length, options.signal);
    let { current: connection } = this.#link;
    if (connection === undefined) [connection, patience] = await this.#connected(patience);
    const opened = calls.map(() => this.#calls.open(patience));
    const answers = Promise.allSettled(opened.map(({ answer }) => answer));
    try {
      const texts = calls.map(({ method, params }, index) =>
        requestText(opened[index]?.id ?? null, method, params),
      );
      connection.send(batchText(texts));
      this.#debug(`-> batch of ${calls.length}`);
    } catch (error) {
      for (const { id } of opened) this.#calls.reject(id, error as Error);
    }
    return answers;
  }

  /** Answers calls of the server to this method; a handler that was there before is replaced. */
  onRequest(method: string, handler: Handler): this {
    checkMethod(method);
    this.#handlers.set(method, handler);
    return this;
  }

  /** The notifications from now on, to be read with `for await`. */
  notifications(): NotificationStream {
    const stream: NotificationQueue = new NotificationQueue(() => this.#streams.delete(stream));
    this.#streams.add(stream);
    return stream;
  }

  /** Whether there is a connection, or will be one. */
  getState(): ConnectionState {
    return this.#link.state;
  }

  /** Whether there is a connection. */
  isConnected(): boolean {
    return this.#link.state === "connected";
  }

  /** How many calls wait for an answer. */
  getPendingRequestCount(): number {
    return this.#calls.size;
  }

  /** The connection, once there is one again, and how long the call may still take then. */
  async #connected(patience: Patience): Promise<[Connection, Patience]> {
    const start = Date.now();
    const connection = await this.#link.ready(patience.timeout, patience.signal);
    return [connection, { ...patience, timeout: Math.max(1, patience.timeout - (Date.now() - start)) }];
  }

  #patience({ timeout, signal }: RequestOptions): Patience {
    return { timeout: milliseconds("timeout", timeout ?? this.#settings.requestTimeout), signal };
  }

  /** Gives the error that is all that came, if it is about no call in particular. */
  #receive(frame: Uint8Array, connection: Connection): RpcError | undefined {
    let value: unknown;
    try {
      value = parse(frame);
    } catch (error) {
      this.#fail(error as ConnectionError);
      return undefined;
    }
    const isBatch = Array.isArray(value) && value.length > 0;
    const messages: unknown[] = isBatch ? (value as unknown[]) : [value];
    const found = messages.map(read);
    const answers = found.flatMap((message) => this.#take(message) ?? []);
    if (answers.length > 0) void proceed(allOf(answers), (all) => this.#reply(all, isBatch, connection));
    const [only] = found;
    return only?.kind === "error" && only.id === null ? only.error : undefined;
  }

  /** Does what a message asks for. Gives an answer if it has to have one. */
  #take(message: Message): Awaitable<Answer> | undefined {
    switch (message.kind) {
      case "result":
        return this.#settled(message.id, this.#calls.resolve(message.id, message.result));
      case "bare":
        return this.#settled(message.id, this.#calls.resolve(message.id, null));
      case "error": {
        const { id, error } = message;
        if (id === null) return void this.#fail(error);
        return this.#settled(id, this.#calls.reject(id, error));
      }
      case "notification":
        return void this.#hear(message.method, message.params);
      case "request":
        this.#debug(`<- request ${message.id} ${message.method}`);
        return this.#handlers.answer(message.id, message.method, message.params);
      case "malformed":
        return this.#refuse(message);
    }
  }

  #settled(id: Id, isAwaited: boolean): undefined {
    this.#debug(isAwaited ? `<- answer ${id}` : `<- answer ${id}, which nobody waits for`);
  }

  #hear(method: string, params: unknown): void {
    this.#debug(`<- notification ${method}`);
    if (method === CANCEL) return this.#handlers.cancel((params as { id?: Id } | undefined)?.id);
    for (const stream of this.#streams) stream.push({ method, params });
    this.announce("notification", method, params);
  }

  #refuse({ of, id, problem }: Message & { kind: "malformed" }): Answer | undefined {
    const message = `Invalid message received: ${problem}`;
    const error = connectionError("INVALID_MESSAGE", message);
    if (of === "response" && id !== undefined && this.#calls.reject(id, error)) return undefined;
    this.#fail(error);
    // An answer is never answered, nor is what has no id: two sides could go on like that forever.
    if (of === "response" || id === undefined || id === null) return undefined;
    const refusal = new RpcError(ErrorCode.InvalidRequest, "Invalid Request", problem);
    return { id, text: errorText(id, refusal) };
  }

  /** Sends answers to where the calls came from; a new connection has no use for them. */
  #reply(answers: Answer[], isBatch: boolean, connection: Connection): void {
    const send = (texts: string[]) => connection.send(isBatch ? batchText(texts) : texts.join());
    try {
      try {
        send(answers.map(({ text }) => text));
      } catch (error) {
        if ((error as ConnectionError).code !== "TOO_LARGE") throw error;
        const refusal = new RpcError(ErrorCode.InternalError, "Internal error", "answer too large");
        send(answers.map(({ id }) => errorText(id, refusal)));
      }
    } catch (error) {
      // Without any answer the server would wait forever.
      connection.abandon(error as ConnectionError);
    }
  }

  /** Tells the server that nobody waits for a call any longer. It is no matter if that fails. */
  #takeBack(id: number): void {
    try {
      this.#link.connection.send(notificationText(CANCEL, { id }));
    } catch (error) {
      this.#debug(`${CANCEL} ${id} was not sent: ${(error as Error).message}`);
    }
  }

  #fail(error: Error): void {
    this.#debug(`error: ${error.message}`);
    this.announce("error", error);
  }

  #debug(line: string): void {
    this.#settings.debug(line);
  }
}

function checkMethod(method: string): void {
  if (typeof method !== "string" || method === "") {
    throw new TypeError("a method is named by a text, and not by an empty one");
  }
}
