import { reportLater } from "./events.ts";
import type { AllowedUsers } from "./socket_place.ts";

/** How messages are delimited: one on a line, or each behind a `Content-Length` header. */
export type Framing = "lines" | "headers";

/** Who sends what is read, for the texts of errors: a plugin has no options that its host could be told about. */
export type Sender = "server" | "client" | "host";

/** What a client is made with. All times are in milliseconds. */
export interface ClientOptions {
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
export interface Settings {
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
export function settings(options: ClientOptions): Settings {
  const { socketPath, framing = "lines" } = options;
  if (typeof socketPath !== "string" || socketPath === "" || socketPath.includes("\0")) {
    throw new TypeError('socketPath has to name a socket, such as "myapp" or "/tmp/myapp.sock"');
  }
  if (framing !== "lines" && framing !== "headers") {
    throw new TypeError(`framing is "lines" or "headers", not ${JSON.stringify(framing)}`);
  }
  const { allowUsers = [] } = options;
  if (allowUsers !== "any" && !(Array.isArray(allowUsers) && allowUsers.every(Number.isInteger))) {
    throw new TypeError(`allowUsers is "any" or user ids, not ${JSON.stringify(allowUsers)}`);
  }
  const requestTimeout = options.requestTimeout ?? options.timeout ?? 30_000;
  return {
    socketPath,
    framing,
    allowUsers,
    connectionTimeout: milliseconds("connectionTimeout", options.connectionTimeout ?? 10_000),
    requestTimeout: milliseconds("requestTimeout", requestTimeout),
    debug: debugSink(options.debug),
    autoReconnect: options.autoReconnect ?? false,
    maxReconnectAttempts: count("maxReconnectAttempts", options.maxReconnectAttempts ?? Infinity),
    reconnectDelay: pause("reconnectDelay", options.reconnectDelay ?? 100),
    maxReconnectDelay: pause("maxReconnectDelay", options.maxReconnectDelay ?? 30_000),
    maxMessageBytes: count("maxMessageBytes", options.maxMessageBytes ?? 16 * 1024 * 1024),
    maxQueuedBytes: count("maxQueuedBytes", options.maxQueuedBytes ?? 64 * 1024 * 1024),
  };
}

/** The longest time a timer knows. For more it goes off at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * A time limit that is one.
 *
 * @throws {TypeError} It is no positive number, or more than a timer knows.
 */
export function milliseconds(name: string, value: number): number {
  return value === Infinity ? value : pause(name, value);
}

function pause(name: string, value: number): number {
  if (typeof value === "number" && value > 0 && value <= LONGEST_TIMER) return value;
  const problem = `${name} is a number of milliseconds from 1 to ${LONGEST_TIMER}`;
  throw new TypeError(`${problem}, not ${String(value)}`);
}

function count(name: string, value: number): number {
  if (typeof value === "number" && value >= 1) return value;
  throw new TypeError(`${name} is a number from 1, not ${String(value)}`);
}

function debugSink(debug: ClientOptions["debug"]): (line: string) => void {
  if (debug === undefined || debug === false) return () => {};
  // stdout may belong to a protocol.
  const sink = debug === true ? (line: string) => console.error(`[ipc] ${line}`) : debug;
  return (line) => {
    try {
      sink(line);
    } catch (error) {
      reportLater(error);
    }
  };
}
