import { chmodSync, lstatSync, mkdirSync, unlinkSync } from "node:fs";
import { connect, createServer, type Server as NetServer, type Socket } from "node:net";
import { dirname } from "node:path";
import process from "node:process";

import { connectionError, ErrorCode, RpcError } from "./errors.ts";
import { errorText } from "./message.ts";
import { type Framing, settings } from "./options.ts";
import { ServedClient, type ServerContext, type ServerHandler, type ServerOptions, type Session } from "./served_client.ts";
import { socketAddress } from "./socket_name.ts";
import { checkPlace } from "./socket_place.ts";

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
   * @throws {ConnectionError} Another server listens there, or the place is not safe: `LISTEN_FAILED`.
   */
  async listen(): Promise<void> {
    if (this.#server !== undefined) return;
    const { allowUsers = [], mode = 0o600 } = this.#options;
    const isFile = process.platform !== "win32";
    if (isFile) {
      mkdirSync(dirname(this.address), { recursive: true, mode: 0o700 });
      try {
        checkPlace(this.address, allowUsers);
      } catch (cause) {
        throw connectionError("LISTEN_FAILED", (cause as Error).message, { cause });
      }
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
              connectionError("LISTEN_FAILED", `could not listen on ${this.address}: ${cause.message}`, { cause }),
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

/** Removes the socket of a server that is dead. @throws {ConnectionError} It is alive, or not a socket. */
async function removeDead(address: string): Promise<void> {
  let isSocket: boolean;
  try {
    isSocket = lstatSync(address).isSocket();
  } catch {
    return;
  }
  if (!isSocket) {
    throw connectionError("LISTEN_FAILED", `${address} exists and is not a socket; remove it, or choose another name`);
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
    throw connectionError("LISTEN_FAILED", `a server already listens on ${address}; stop it, or choose another name`);
  }
  unlinkSync(address);
}
