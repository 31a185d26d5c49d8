import type { Socket } from "node:net";

import { allOf, type Awaitable, proceed } from "../values/awaitable.ts";
import { Calls } from "./calls.ts";
import { Connection } from "./connection.ts";
import { connectionError, ErrorCode, RpcError } from "./errors.ts";
import { type Answer, Handlers } from "./handlers.ts";
import { batchText, errorText, type Message, notificationText, parse, read, requestText } from "./message.ts";
import type { Settings } from "./options.ts";
import type { AllowedUsers } from "./socket_place.ts";

/** A client of a server. */
export interface Session {
  /** Counts up from 1. */
  readonly id: number;
  /** Tells the client something. */
  notify(method: string, params?: unknown): void;
  /** Calls a method of the client. */
  request<T = unknown>(
    method: string,
    params?: unknown,
    options?: { timeout?: number; signal?: AbortSignal },
  ): Promise<T>;
  /** Ends the connection. */
  close(): Promise<void>;
}

/** What a handler is told besides the params. */
export interface ServerContext {
  readonly session: Session;
  readonly method: string;
  /** Aborted when the client cancels the call, or is gone. */
  readonly signal: AbortSignal;
  /** Whether that has happened. */
  readonly cancelled: boolean;
}

/** Answers a method, or hears of a notification. Throw an `RpcError` to answer with an error. */
export type ServerHandler = (params: unknown, context: ServerContext) => unknown;

/** What a server is made with. */
export interface ServerOptions {
  /** The mode of the socket file. 0o600 if not given. */
  mode?: number;
  /** How many clients there may be. 4,096 if not given. */
  maxClients?: number;
  /** The longest message, in both directions. 16 MiB if not given. */
  maxMessageBytes?: number;
  /** Whose folder the socket may be in, besides our own and root's; `"any"` for all. */
  allowUsers?: AllowedUsers;
  /** Called for each client that connects. */
  onConnect?: (session: Session) => void;
  /** Called when a client is gone. */
  onDisconnect?: (session: Session) => void;
  /** Errors that belong to no call: of a handler, of a connection. */
  onError?: (error: Error) => void;
}

const LARGEST_BATCH = 1024;
const REQUEST_TIMEOUT = 30_000;

/** One client of a server. */
export class ServedClient implements Session {
  readonly id: number;
  readonly #socket: Socket;
  readonly #handlers: Handlers;
  readonly #events: Map<string, ServerHandler>;
  readonly #calls: Calls;
  readonly #options: ServerOptions;
  #connection: Connection | undefined;
  #running = 0;
  #isEnding = false;

  constructor(id: number, socket: Socket, methods: Map<string, ServerHandler>, options: ServerOptions) {
    this.id = id;
    this.#socket = socket;
    this.#options = options;
    this.#events = methods;
    this.#calls = new Calls((call) => this.notify("$/cancelRequest", { id: call }));
    this.#handlers = new Handlers((error) => options.onError?.(error));
    for (const [name, handler] of methods) {
      this.#handlers.set(name, (params, { method, signal }) => handler(params, this.#context(method, signal)));
    }
  }

  get hasBegun(): boolean {
    return this.#connection !== undefined;
  }

  begin(socket: Socket, options: Settings): void {
    this.#connection = new Connection(socket, options, {
      received: (frame, connection) => this.#receive(frame, connection),
      ended: () => {
        this.#isEnding = true;
        // Nobody can answer them any more.
        this.#calls.rejectAll(connectionError("DISCONNECTED", "Connection lost"));
        if (this.#running === 0) void this.close();
      },
      lost: (problem) => {
        if (problem === undefined) return;
        this.#options.onError?.(problem);
        socket.destroy();
      },
    }, "client");
  }

  lost(): void {
    this.#handlers.cancelAll();
    this.#calls.rejectAll(connectionError("DISCONNECTED", "Connection lost"));
  }

  notify(method: string, params?: unknown): void {
    const text = notificationText(method, params);
    // A client that has sent nothing yet is sent lines.
    if (this.#connection === undefined) this.#socket.write(`${text}\n`);
    else this.#connection.send(text);
  }

  async request<T = unknown>(
    method: string,
    params?: unknown,
    options: { timeout?: number; signal?: AbortSignal } = {},
  ): Promise<T> {
    const { timeout = REQUEST_TIMEOUT, signal } = options;
    this.#calls.check(1, signal);
    const { id, answer } = this.#calls.open({ timeout, signal });
    try {
      const text = requestText(id, method, params);
      if (this.#connection === undefined) this.#socket.write(`${text}\n`);
      else this.#connection.send(text);
    } catch (error) {
      this.#calls.reject(id, error as Error);
    }
    return (await answer) as T;
  }

  async close(): Promise<void> {
    await this.#connection?.close();
    this.#socket.destroy();
  }

  #context(method: string, signal: AbortSignal): ServerContext {
    return {
      session: this,
      method,
      signal,
      get cancelled() {
        return signal.aborted;
      },
    };
  }

  #receive(frame: Uint8Array, connection: Connection): void {
    let value: unknown;
    try {
      value = parse(frame);
    } catch {
      return connection.answer(errorText(null, new RpcError(ErrorCode.ParseError, "Parse error")));
    }
    const isBatch = Array.isArray(value);
    const messages: unknown[] = isBatch ? (value as unknown[]) : [value];
    if (messages.length === 0 || messages.length > LARGEST_BATCH) {
      const problem = messages.length === 0
        ? "a batch must not be empty"
        : `a batch has at most ${LARGEST_BATCH} messages`;
      return connection.answer(errorText(null, new RpcError(ErrorCode.InvalidRequest, "Invalid Request", problem)));
    }
    const answers = messages.flatMap((one) => this.#take(read(one)) ?? []);
    if (answers.length === 0) return;
    this.#running += 1;
    void proceed(allOf(answers), (all) => {
      this.#running -= 1;
      this.#reply(all, isBatch, connection);
      if (this.#isEnding && this.#running === 0) void this.close();
    });
  }

  #reply(answers: Answer[], isBatch: boolean, connection: Connection): void {
    const send = (texts: string[]) => connection.answer(isBatch ? batchText(texts) : texts.join());
    try {
      send(answers.map(({ text }) => text));
    } catch (error) {
      this.#options.onError?.(error as Error);
      // Without any answer the client would wait until it gives up.
      const refusal = new RpcError(ErrorCode.InternalError, "Internal error", "the answer is too large");
      try {
        send(answers.map(({ id }) => errorText(id, refusal)));
      } catch {
        // The id alone is too large.
        this.#socket.destroy();
      }
    }
  }

  #take(message: Message): Awaitable<Answer> | undefined {
    switch (message.kind) {
      case "result":
        return void this.#calls.resolve(message.id, message.result);
      case "bare":
        if (this.#calls.resolve(message.id, null)) return undefined;
        return refused(message.id, "neither method nor result");
      case "error":
        return void (message.id === null || this.#calls.reject(message.id, message.error));
      case "request":
        return this.#handlers.answer(message.id, message.method, message.params);
      case "notification":
        return void this.#heard(message.method, message.params);
      case "malformed":
        if (message.of === "request") return refused(message.id ?? null, message.problem);
        // An answer is never answered: two sides could go on like that forever.
        return void this.#calls.reject(
          message.id ?? null,
          connectionError("INVALID_MESSAGE", `Invalid message received: ${message.problem}`),
        );
    }
  }

  #heard(method: string, params: unknown): void {
    if (method === "$/cancelRequest") return this.#handlers.cancel((params as { id?: never } | undefined)?.id);
    const handler = this.#events.get(method);
    if (handler === undefined) return;
    const failed = (error: unknown) => this.#options.onError?.(error as Error);
    try {
      void Promise.resolve(handler(params, this.#context(method, new AbortController().signal))).catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}

function refused(id: Answer["id"], problem: string): Answer {
  return { id, text: errorText(id, new RpcError(ErrorCode.InvalidRequest, "Invalid Request", problem)) };
}
