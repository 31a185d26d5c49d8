import { chmodSync, lstatSync, mkdirSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server as NetServer, type Socket } from "node:net";
import { dirname } from "node:path";
import process from "node:process";

import { allOf, type Awaitable, proceed } from "../values/awaitable.ts";
import { Calls } from "./calls.ts";
import { Connection } from "./connection.ts";
import { connectionError, ErrorCode, RpcError } from "./errors.ts";
import { type Answer, Handlers } from "./handlers.ts";
import { batchText, errorText, type Message, notificationText, parse, read, requestText } from "./message.ts";
import { type Framing, type Settings, settings } from "./options.ts";
import { socketAddress } from "./socket_name.ts";
import { type AllowedUsers, checkPlace } from "./socket_place.ts";

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

/**
 * A JSON-RPC 2.0 server on a Unix socket or a named pipe.
 *
 * ```ts
 * const server = new Server("calc", { add: ([a, b]) => a + b });
 * await server.listen();
 * ```
 */
export class Server {
  /** Where it listens. */
  readonly address: string;
  readonly #methods: Map<string, ServerHandler>;
  readonly #options: ServerOptions;
  readonly #clients = new Set<ServedClient>();
  #server: NetServer | undefined;
  #lastId = 0;

  /** `name` is a name or, with a slash, a path: see `socketAddress`. */
  // authors know the params of their methods
  constructor(
    name: string,
    methods: Readonly<Record<string, (params: any, context: ServerContext) => unknown>>,
    options: ServerOptions = {},
  ) {
    this.address = socketAddress(name);
    this.#methods = new Map(Object.entries(methods));
    this.#options = options;
  }

  /**
   * Listens. The socket of a dead server is replaced.
   *
   * @throws {ConnectionError} Another server listens there, or the place is not safe: `CONNECT_FAILED`.
   */
  async listen(): Promise<void> {
    if (this.#server !== undefined) return;
    const { allowUsers = [], mode = 0o600 } = this.#options;
    const isFile = process.platform !== "win32";
    if (isFile) {
      mkdirSync(dirname(this.address), { recursive: true, mode: 0o700 });
      checkPlace(this.address, allowUsers);
      await removeDead(this.address);
    }
    // Nobody can connect before the mode is set.
    const before = isFile ? process.umask(0o177) : 0;
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket));
    this.#server = server;
    try {
      await new Promise<void>((resolve, reject) => {
        server.once(
          "error",
          (cause: Error) =>
            reject(
              connectionError("CONNECT_FAILED", `could not listen on ${this.address}: ${cause.message}`, { cause }),
            ),
        );
        server.listen(this.address, resolve);
        if (isFile) process.umask(before);
      });
    } catch (error) {
      this.#server = undefined;
      throw error;
    }
    if (isFile) chmodSync(this.address, mode);
  }

  /** Tells all clients something. A client that does not read misses it. */
  broadcast(method: string, params?: unknown): void {
    for (const client of this.#clients) {
      try {
        client.notify(method, params);
      } catch (error) {
        this.#options.onError?.(error as Error);
      }
    }
  }

  /** The clients that are connected. */
  sessions(): Session[] {
    return [...this.#clients];
  }

  /** Stops listening and disconnects all clients. The socket file is removed. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    const closed = server === undefined ? undefined : new Promise<void>((resolve) => server.close(() => resolve()));
    await Promise.all([...this.#clients].map((client) => client.close()));
    await closed;
  }

  #accept(socket: Socket): void {
    const { maxClients = 4096, maxMessageBytes = 16 * 1024 * 1024 } = this.#options;
    socket.on("error", () => undefined);
    if (this.#clients.size >= maxClients) {
      const refusal = new RpcError(ErrorCode.ServerError, `too many clients: ${maxClients} are connected`);
      socket.end(`${errorText(null, refusal)}\n`);
      return;
    }
    this.#lastId += 1;
    const id = this.#lastId;
    // The first byte of a client shows its framing.
    socket.once("data", (first: Uint8Array) => {
      const framing: Framing = first[0] === 0x43 || first[0] === 0x63 ? "headers" : "lines";
      client.begin(socket, settings({ socketPath: this.address, framing, maxMessageBytes }));
      socket.emit("data", first);
    });
    socket.once("end", () => (client.hasBegun ? undefined : socket.end()));
    socket.once("close", () => this.#gone(client));
    const client = new ServedClient(id, socket, this.#methods, this.#options);
    this.#clients.add(client);
    this.#options.onConnect?.(client);
  }

  #gone(client: ServedClient): void {
    if (!this.#clients.delete(client)) return;
    client.lost();
    this.#options.onDisconnect?.(client);
  }
}

/** One client of a server. */
class ServedClient implements Session {
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
    });
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
      return connection.send(errorText(null, new RpcError(ErrorCode.ParseError, "Parse error")));
    }
    const isBatch = Array.isArray(value);
    const messages: unknown[] = isBatch ? (value as unknown[]) : [value];
    if (messages.length === 0 || messages.length > LARGEST_BATCH) {
      const problem = messages.length === 0
        ? "a batch must not be empty"
        : `a batch has at most ${LARGEST_BATCH} messages`;
      return connection.send(errorText(null, new RpcError(ErrorCode.InvalidRequest, "Invalid Request", problem)));
    }
    const answers = messages.flatMap((one) => this.#take(read(one)) ?? []);
    if (answers.length === 0) return;
    this.#running += 1;
    void proceed(allOf(answers), (all) => {
      this.#running -= 1;
      try {
        const texts = all.map(({ text }) => text);
        connection.send(isBatch ? batchText(texts) : texts.join());
      } catch (error) {
        this.#options.onError?.(error as Error);
      }
      if (this.#isEnding && this.#running === 0) void this.close();
    });
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

/** Removes the socket of a server that is dead. @throws {ConnectionError} It is alive, or not a socket. */
async function removeDead(address: string): Promise<void> {
  let isSocket: boolean;
  try {
    isSocket = lstatSync(address).isSocket();
  } catch {
    return;
  }
  if (!isSocket) {
    throw connectionError("CONNECT_FAILED", `${address} exists and is not a socket; remove it, or choose another name`);
  }
  const isAlive = await new Promise<boolean>((resolve) => {
    const socket = connect(address, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on(
      "error",
      (error: Error & { code?: string }) => resolve(error.code !== "ECONNREFUSED" && error.code !== "ENOENT"),
    );
  });
  if (isAlive) {
    throw connectionError("CONNECT_FAILED", `a server already listens on ${address}; stop it, or choose another name`);
  }
  unlinkSync(address);
}
