// Made by bundle.mjs out of src/. Do not edit.
import { Socket } from "node:net";

// ipc/events
/** What a client tells, and with which arguments. */
interface ClientEvents {
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
    addListener<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this;
    removeListener<E extends keyof ClientEvents>(event: E, listener: (...args: ClientEvents[E]) => void): this;
    removeAllListeners(event?: keyof ClientEvents): this;
    listenerCount(event: keyof ClientEvents): number;
    emit<E extends keyof ClientEvents>(event: E, ...args: ClientEvents[E]): boolean;
}
declare const Emitter: new () => TypedEmitter;
/** Node's emitter, that neither ends the process nor stops half-way. */
declare class Announcer extends Emitter {
    /**
     * Tells all listeners. What one of them throws is thrown again outside: here it would end the
     * reading of messages that came together with this one.
     */
    protected announce<E extends keyof ClientEvents>(event: E, ...args: ClientEvents[E]): void;
}
/** Throws an error where it is seen as uncaught, and the caller goes on. */
declare function reportLater(error: unknown): void;

// values/awaitable
/** A value, or a promise of one. */
type Awaitable<T> = T | Promise<T>;
/**
 * Goes on with a value: at once if it is there, later if it is a promise. A small call takes no longer than the promises that it
 * would otherwise be made of.
 */
declare function proceed<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R>;
/** All values, once the last of them is there. */
declare function allOf<T>(values: readonly Awaitable<T>[]): Awaitable<T[]>;
/** Whether a value is a promise, of this or another library. */
declare function isPromise<T>(value: T | Promise<T>): value is Promise<T>;

// ipc/errors
/** What goes wrong: what the other side answered, and what happened on the way. */
/** The codes of errors that JSON-RPC 2.0 and this protocol give a meaning to. */
declare const ErrorCode: {
    /** What was sent is no JSON. */
    readonly ParseError: -32700;
    /** What was sent is no request. */
    readonly InvalidRequest: -32600;
    /** There is no such method. */
    readonly MethodNotFound: -32601;
    /** The method does not take these params. */
    readonly InvalidParams: -32602;
    /** The method failed for a reason that is not the caller's. */
    readonly InternalError: -32603;
    /** The first of the codes that servers may use as they like, down to -32099. */
    readonly ServerError: -32000;
    /** The caller took the call back. */
    readonly RequestCancelled: -32800;
};
/** Everything that can go wrong with a call. */
declare abstract class IpcError extends Error {
    /** Why: a number if the other side answered with it, otherwise a word. */
    abstract readonly code: number | ConnectionErrorCode;
}
/** The error that the other side answered with. A handler throws one to answer with it. */
declare class RpcError extends IpcError {
    readonly name: string;
    /** A number of JSON-RPC's, see {@link ErrorCode}, or one of the server's own. */
    readonly code: number;
    /** What the server adds, in a form of its own; undefined if it adds nothing. */
    readonly data: unknown;
    constructor(code: number, message: string, data?: unknown);
    /** The error as JSON-RPC writes it. */
    toJSON(): {
        code: number;
        message: string;
        data?: unknown;
    };
}
/** Why there is no answer, in one word. */
type ConnectionErrorCode = 
/** It took too long to connect, or to answer. */
"TIMEOUT"
/** There is no connection; call `connect()` first. */
 | "NOT_CONNECTED"
/** The connection ended before the answer came. */
 | "DISCONNECTED"
/** The server let nobody in; its error is the cause. */
 | "REFUSED"
/** Nobody could be connected to. */
 | "CONNECT_FAILED"
/** A server cannot listen. */
 | "LISTEN_FAILED"
/** The caller's signal ended the call. */
 | "ABORTED"
/** A message is longer than `maxMessageBytes`. */
 | "TOO_LARGE"
/** The server does not read, or too many calls wait for an answer already. */
 | "OVERLOADED"
/** What came is no message. */
 | "INVALID_MESSAGE";
/** A failure of the connection, not of the method that was called. Each code has a class. */
declare class ConnectionError extends IpcError {
    readonly name: string;
    /** Why, in one word. */
    readonly code: ConnectionErrorCode;
    constructor(code: ConnectionErrorCode, message: string, options?: {
        cause?: unknown;
    });
}
/** Nobody could be connected to. */
declare class ConnectionFailed extends ConnectionError {
    static readonly code: ConnectionErrorCode;
    readonly name: string;
}
/** A server cannot listen: another one does, or the place is not safe. */
declare class ListenFailed extends ConnectionError {
    static readonly code: ConnectionErrorCode;
    readonly name: string;
}
/** There is no connection; call `connect()` first. */
declare class NotConnected extends ConnectionError {
    static readonly code: ConnectionErrorCode;
    readonly name: string;
}
/** The connection ended before the answer came. */
declare class ConnectionLost extends ConnectionError {
    static readonly code: ConnectionErrorCode;
    readonly name: string;
}
/** The server let nobody in; its error is the cause. */
declare class Refused extends ConnectionLost {
    static readonly code: ConnectionErrorCode;
    readonly name: string;
}
/** It took too long to connect, or to answer. */
declare class RequestTimeout extends ConnectionError {
    static readonly code: ConnectionErrorCode;
    readonly name: string;
}
/** A message is longer than `maxMessageBytes`. */
declare class MessageTooLarge extends ConnectionError {
    static readonly code: ConnectionErrorCode;
    readonly name: string;
}
/** What was received is not a message. */
declare class InvalidMessage extends ConnectionError {
    static readonly code: ConnectionErrorCode;
    readonly name: string;
}
/** The caller's signal ended the call. */
declare class Aborted extends ConnectionError {
    static readonly code: ConnectionErrorCode;
    readonly name: string;
}
/** The server does not read, or too many calls wait for an answer already. */
declare class Overloaded extends ConnectionError {
    static readonly code: ConnectionErrorCode;
    readonly name: string;
}
/** The error of this code, of its own class. */
declare function connectionError(code: ConnectionErrorCode, message: string, options?: {
    cause?: unknown;
}): ConnectionError;

// ipc/message
/** What tells a call from the others. Ours are 1, 2, 3, ...; a server's may be texts, or null. */
type Id = number | string | null;
/** What a frame says. */
type Message = {
    kind: "request";
    id: Id;
    method: string;
    params: unknown;
} | {
    kind: "notification";
    method: string;
    params: unknown;
} | {
    kind: "result";
    id: Id;
    result: unknown;
} | {
    kind: "error";
    id: Id;
    error: RpcError;
}
/** An id alone: the result of a call that waits for it, which some servers leave out. */
 | {
    kind: "bare";
    id: Id;
}
/** A request or an answer that is none. The id is there if it can be read. */
 | {
    kind: "malformed";
    of: "request" | "response";
    id: Id | undefined;
    problem: string;
};
/**
 * The JSON value of a frame.
 *
 * @throws {ConnectionError} It is no JSON, or no UTF-8.
 */
declare function parse(frame: Uint8Array): unknown;
/** What one JSON value means; a batch is an array of them. Which members are there decides. */
declare function read(value: unknown): Message;
/** The text of a request. Params that are undefined or null are left out. */
declare function requestText(id: Id, method: string, params: unknown): string;
/** The text of a notification. */
declare function notificationText(method: string, params: unknown): string;
/** The text of a good answer. An undefined result becomes null: left out it would be no answer. */
declare function resultText(id: Id, result: unknown): string;
/** The text of an answer that is an error. */
declare function errorText(id: Id, error: RpcError): string;
/** The text of several messages that go together. */
declare function batchText(texts: string[]): string;

// ipc/handlers
/** What a handler is told beside the params. */
interface HandlerContext {
    /** The name it was called by. */
    method: string;
    /** Aborted when the server takes the call back, or is gone. */
    signal: AbortSignal;
}
/** Answers a call of the server. Throw an `RpcError` to answer with an error. */
type Handler = (params: unknown, context: HandlerContext) => unknown;
/** The text of an answer, and what it answers. */
interface Answer {
    id: Id;
    text: string;
}
/** What the server may call, and what runs of it. */
declare class Handlers {
    #private;
    /** `onFailure` hears of what handlers throw that was not meant as an answer. */
    constructor(onFailure: (error: Error) => void);
    /** Answers a method from now on; a handler that was there before is replaced. */
    set(method: string, handler: Handler): void;
    /** The answer to a call, at once if the handler needs no time. It never fails: every call has one. */
    answer(id: Id, method: string, params: unknown): Awaitable<Answer>;
    /** The server takes a call back. */
    cancel(id: Id | undefined): void;
    /** The server is gone. */
    cancelAll(): void;
}

// ipc/socket_place
/** User ids, or everybody. */
type AllowedUsers = readonly number[] | "any";
/**
 * Refuses a socket that somebody else has made, or could replace.
 *
 * @throws {ConnectionError} It is such a socket. The text says what to do.
 */
declare function checkPlace(address: string, allowUsers: AllowedUsers): void;

// ipc/options
/** How messages are delimited: one on a line, or each behind a `Content-Length` header. */
type Framing = "lines" | "headers";
/** Who sends what is read, for the texts of errors: a plugin has no options that its host could be told about. */
type Sender = "server" | "client" | "host";
/** What a client is made with. All times are in milliseconds. */
interface ClientOptions {
    /** The name of the socket, see `socketAddress`, or its path. */
    socketPath: string;
    /**
     * The users whose servers are trusted beside our own and root's, by the owners of the socket and
     * of its folder; `"any"` for all.
     */
    allowUsers?: AllowedUsers | undefined;
    /** How long connecting may take. 10,000 if not given. */
    connectionTimeout?: number | undefined;
    /** How long an answer may take; `Infinity` for no limit. 30,000 if not given. */
    requestTimeout?: number | undefined;
    /** Another name of `requestTimeout`. */
    timeout?: number | undefined;
    /** Tells what happens, to stderr or to a function of yours; what params hold is not told. */
    debug?: boolean | ((line: string) => void) | undefined;
    /** Whether a lost connection is made again. */
    autoReconnect?: boolean | undefined;
    /** How often that is tried without a message from the server. `Infinity` if not given. */
    maxReconnectAttempts?: number | undefined;
    /** The pause before the first attempt; it doubles from one to the next. 100 if not given. */
    reconnectDelay?: number | undefined;
    /** The longest pause. 30,000 if not given. */
    maxReconnectDelay?: number | undefined;
    /** How messages are delimited. `"lines"` if not given. */
    framing?: Framing | undefined;
    /** The longest message, in both directions. 16 MiB if not given. */
    maxMessageBytes?: number | undefined;
    /** How much may wait to be sent while the server does not read. 64 MiB if not given. */
    maxQueuedBytes?: number | undefined;
}
/** The options of a client, complete and checked. */
interface Settings {
    readonly socketPath: string;
    readonly allowUsers: AllowedUsers;
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly debug: (line: string) => void;
    readonly autoReconnect: boolean;
    readonly maxReconnectAttempts: number;
    readonly reconnectDelay: number;
    readonly maxReconnectDelay: number;
    readonly framing: Framing;
    readonly maxMessageBytes: number;
    readonly maxQueuedBytes: number;
}
/**
 * Checks options and fills in what was left out.
 *
 * @throws {TypeError} One of them makes no sense.
 */
declare function settings(options: ClientOptions): Settings;
/**
 * A time limit that is one.
 *
 * @throws {TypeError} It is no positive number, or more than a timer knows.
 */
declare function milliseconds(name: string, value: number): number;

// ipc/connection
/** Who hears of a connection. */
interface ConnectionListener {
    /** A message came. Its bytes are valid during the call. */
    received(frame: Uint8Array, connection: Connection): void;
    /** The connection has ended; with the problem if it was ended here. Not called after `close`. */
    lost(problem: ConnectionError | undefined): void;
    /** The other side has sent everything. Without this, the connection is lost then. */
    ended?(): void;
}
/** One open socket and the messages on it. */
declare class Connection {
    #private;
    constructor(socket: Socket, settings: Settings, listener: ConnectionListener, sender?: Sender);
    /**
     * Sends a message. What is sent in one go leaves in one write.
     *
     * @throws {ConnectionError} It is too long, the connection is closed, or nobody reads.
     */
    send(text: string): void;
    /**
     * Sends the answer of a server, also to a client that does not read yet. While many wait, no more calls are read of it.
     *
     * @throws {ConnectionError} It is too long.
     */
    answer(text: string): void;
    /**
     * Closes the connection once what was written has left. It is never closed on one side alone:
     * there are servers that answer nothing any more, or without end, once our side is closed.
     */
    close(): Promise<void>;
    /** Ends the connection to a server that is gone, or that cannot be talked to any more. */
    abandon(problem: ConnectionError | undefined): void;
}

// ipc/socket
/** Starts to connect. A test gives another one. */
type Dial = (address: string) => Socket;
/** What an attempt to connect keeps to. */
interface ConnectLimits {
    /** In milliseconds. */
    readonly timeout: number;
    /** Ends the attempt. */
    readonly signal: AbortSignal;
    readonly allowUsers: AllowedUsers;
}
/**
 * Connects to the first of these sockets where somebody listens.
 *
 * @throws {ConnectionError} As `openSocket`, or the socket is one that others have made or could
 * replace.
 */
declare function openFirst(addresses: readonly string[], { timeout, signal, allowUsers }: ConnectLimits, dial?: Dial): Promise<Socket>;
/**
 * Connects to a socket.
 *
 * @throws {ConnectionError} Nobody listens there, or it took too long. The reason of the signal, if
 * that is aborted.
 */
declare function openSocket(address: string, timeout: number, signal: AbortSignal, dial?: Dial): Promise<Socket>;

// ipc/link
/** Whether there is a connection. */
type ConnectionState = "disconnected" | "connecting" | "connected" | "reconnecting";
/** Who hears of a link. */
interface LinkListener {
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
declare class Link {
    #private;
    constructor(settings: Settings, listener: LinkListener, dial?: Dial);
    get state(): ConnectionState;
    /** Connects, at once also if a pause before the next attempt is under way. */
    connect(): Promise<void>;
    /** Ends the connection, or the attempts to make one. */
    disconnect(): Promise<void>;
    /** The connection, if there is one. */
    get current(): Connection | undefined;
    /** The connection, to send something on. */
    get connection(): Connection;
    /**
     * The connection, as soon as there is one: while it is made for the first time or again, this waits.
     *
     * @throws {ConnectionError} There is none and will be none, it took too long, or the signal is aborted.
     */
    ready(timeout: number, signal?: AbortSignal): Promise<Connection>;
}
/**
 * How long to wait before an attempt; the first is number 0. Half of it is chance, so that the
 * clients of a server that starts again do not all come at the same moment.
 */
declare function pauseBefore(attempt: number, first: number, longest: number): number;

// ipc/notifications
/** Something the server told. */
interface Notification {
    /** What it is about. */
    method: string;
    /** The rest; undefined if there is none. */
    params: unknown;
}
/** Notifications, to be read with `for await`. They end when the connection does. */
interface NotificationStream extends AsyncIterableIterator<Notification> {
    /** How many were lost because they were not read in time: of 1,024 that wait, the oldest go. */
    readonly dropped: number;
}
/** The notifications that one reader has not read yet. */
declare class NotificationQueue implements NotificationStream {
    #private;
    dropped: number;
    /** `onOver` is called when nobody will read any more. */
    constructor(onOver: () => void);
    next(): Promise<IteratorResult<Notification, undefined>>;
    /** What `break` in a `for await` calls. */
    return(): Promise<IteratorResult<Notification, undefined>>;
    [Symbol.asyncIterator](): this;
    /** Adds one, in place of the oldest if there is no room. */
    push(notification: Notification): void;
    /** Adds no more. What waits can still be read. */
    end(): void;
}

// ipc/client
/** How long one call waits. */
interface RequestOptions {
    /** Milliseconds, or `Infinity`; the client's `requestTimeout` if not given. */
    timeout?: number | undefined;
    /** Ends the call with the code `ABORTED`, and tells the server. */
    signal?: AbortSignal | undefined;
}
/** One call of a batch. */
interface BatchCall {
    /** What to call. */
    method: string;
    /** With which params. */
    params?: unknown;
}
/** A client of one server. Make one, `connect()` it, and call methods. */
declare class Client extends Announcer {
    #private;
    /** @throws {TypeError} An option makes no sense. */
    constructor(options: ClientOptions);
    /**
     * Connects. Does nothing if there is a connection.
     *
     * @throws {ConnectionError} Nobody could be connected to: `CONNECT_FAILED` or `TIMEOUT`.
     */
    connect(): Promise<void>;
    /**
     * Ends the connection, and the attempts to make it again. Calls that wait fail at once, with the
     * code `DISCONNECTED`. What was sent before leaves first. Does nothing if there is no connection.
     */
    disconnect(): Promise<void>;
    /** The same as `disconnect()`, with the name that it has in Python. */
    close(): Promise<void>;
    /**
     * Calls a method of the server and waits for its answer. Its type is what you say; nobody checks.
     *
     * @throws {RpcError} The server answered with an error.
     * @throws {ConnectionError} There is no answer.
     */
    request<T = unknown>(method: string, params?: unknown, options?: RequestOptions): Promise<T>;
    /**
     * Tells the server something. Nothing comes back.
     *
     * @throws {ConnectionError} There is no connection, the message is too long, or the server does
     * not read.
     */
    notify(method: string, params?: unknown): void;
    /**
     * Calls several methods in one message. Gives what became of each, in their order.
     *
     * @throws {TypeError} There are none.
     * @throws {ConnectionError} There is no connection, or the signal is aborted already.
     */
    batch(calls: readonly BatchCall[], options?: RequestOptions): Promise<PromiseSettledResult<unknown>[]>;
    /** Answers calls of the server to this method; a handler that was there before is replaced. */
    onRequest(method: string, handler: Handler): this;
    /** The notifications from now on, to be read with `for await`. */
    notifications(): NotificationStream;
    /** Whether there is a connection, or will be one. */
    getState(): ConnectionState;
    /** Whether there is a connection. */
    isConnected(): boolean;
    /** How many calls wait for an answer. */
    getPendingRequestCount(): number;
}

// ipc/socket_name
/**
 * Where a server with this name listens. On Unix a name with a slash is a path as it is; any other
 * is a file that ends in `.sock`, in `$XDG_RUNTIME_DIR`, or in `/tmp` if that does not name a folder.
 * On Windows it is a pipe in `\\.\pipe\`, or the path of one; a name that leads elsewhere, such as `\\server\pipe\x`, is an
 * error.
 */
declare function socketAddress(name: string, platform?: string, folder?: string | undefined): string;
/**
 * Where a client looks for a server with this name, in this order: at its `socketAddress`, and in
 * `/tmp`, where the servers of ipc-jsonrpc listen.
 */
declare function socketAddresses(name: string, platform?: string, folder?: string | undefined): string[];
/** The folder that `$XDG_RUNTIME_DIR` names, if there is one and the name is not a path. */
declare function runtimeFolder(name?: string): string | undefined;

// ipc/served_client
/** A client of a server. */
interface Session {
    /** Counts up from 1. */
    readonly id: number;
    /** Tells the client something. */
    notify(method: string, params?: unknown): void;
    /** Calls a method of the client. */
    request<T = unknown>(method: string, params?: unknown, options?: {
        timeout?: number;
        signal?: AbortSignal;
    }): Promise<T>;
    /** Ends the connection. */
    close(): Promise<void>;
}
/** What a handler is told besides the params. */
interface ServerContext {
    readonly session: Session;
    readonly method: string;
    /** Aborted when the client cancels the call, or is gone. */
    readonly signal: AbortSignal;
    /** Whether that has happened. */
    readonly cancelled: boolean;
}
/** Answers a method, or hears of a notification. Throw an `RpcError` to answer with an error. */
type ServerHandler = (params: unknown, context: ServerContext) => unknown;
/** What a server is made with. */
interface ServerOptions {
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
/** One client of a server. */
declare class ServedClient implements Session {
    #private;
    readonly id: number;
    constructor(id: number, socket: Socket, methods: Map<string, ServerHandler>, options: ServerOptions);
    get hasBegun(): boolean;
    begin(socket: Socket, options: Settings): void;
    lost(): void;
    notify(method: string, params?: unknown): void;
    request<T = unknown>(method: string, params?: unknown, options?: {
        timeout?: number;
        signal?: AbortSignal;
    }): Promise<T>;
    close(): Promise<void>;
}

// ipc/server
/**
 * A JSON-RPC 2.0 server on a Unix socket or a named pipe.
 *
 * ```ts
 * const server = new Server("calc", { add: ([a, b]) => a + b });
 * await server.listen();
 * ```
 */
declare class Server {
    #private;
    /** Where it listens. */
    readonly address: string;
    /** `name` is a name or, with a slash, a path: see `socketAddress`. */
    constructor(name: string, methods: Readonly<Record<string, (params: any, context: ServerContext) => unknown>>, options?: ServerOptions);
    /**
     * Listens. The socket of a dead server is replaced.
     *
     * @throws {ConnectionError} Another server listens there, or the place is not safe: `LISTEN_FAILED`.
     */
    listen(): Promise<void>;
    /** Tells all clients something. A client that does not read misses it. */
    broadcast(method: string, params?: unknown): void;
    /** The clients that are connected. */
    sessions(): Session[];
    /** Stops listening and disconnects all clients. The socket file is removed. */
    close(): Promise<void>;
}

// ipc/mod
/**
 * A JSON-RPC 2.0 client over Unix sockets and named pipes.
 *
 * ```ts
 * import { Client } from "@tenon/sdk/ipc";
 *
 * const client = new Client({ socketPath: "/tmp/echo.sock" });
 * await client.connect();
 * console.log(await client.request<number>("add", [2, 3]));
 * await client.disconnect();
 * ```
 *
 * Which methods there are is between you and the server. To see what is sent and received, set the
 * option `debug`.
 */

export {
  Aborted,
  AllowedUsers,
  BatchCall,
  Client,
  Client as JSONRPCClient,
  ClientEvents,
  ClientOptions,
  ConnectionError,
  ConnectionErrorCode,
  ConnectionFailed,
  ConnectionLost,
  ConnectionState,
  ErrorCode,
  Framing,
  Handler,
  HandlerContext,
  Id,
  InvalidMessage,
  IpcError,
  ListenFailed,
  MessageTooLarge,
  NotConnected,
  Notification,
  NotificationStream,
  Overloaded,
  Refused,
  RequestOptions,
  RequestTimeout,
  RpcError,
  RpcError as JSONRPCError,
  Server,
  ServerContext,
  ServerHandler,
  ServerOptions,
  Session,
  socketAddress,
  socketAddresses,
};
