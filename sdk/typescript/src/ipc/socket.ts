import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import process from "node:process";

import { connectionError, ConnectionError } from "./errors.ts";
import { type AllowedUsers, checkPlace } from "./socket_place.ts";

/** Starts to connect. A test gives another one. */
export type Dial = (address: string) => Socket;

/** What an attempt to connect keeps to. */
export interface ConnectLimits {
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
export async function openFirst(
  addresses: readonly string[],
  { timeout, signal, allowUsers }: ConnectLimits,
  dial?: Dial,
): Promise<Socket> {
  let missing: ConnectionError | undefined;
  for (const address of addresses) {
    try {
      checkPlace(address, allowUsers);
      return await openSocket(address, timeout, signal, dial);
    } catch (error) {
      if (signal.aborted || !isNobody(error)) throw error;
      if (missing !== undefined) throw neither(addresses, missing);
      missing = error;
    }
  }
  throw missing ?? connectionError("CONNECT_FAILED", "there is no address to connect to");
}

function isNobody(error: unknown): error is ConnectionError {
  if (!(error instanceof ConnectionError)) return false;
  const { code } = (error.cause ?? {}) as { code?: string };
  return code === "ENOENT" || code === "ECONNREFUSED";
}

function neither([first, second]: readonly string[], error: ConnectionError): ConnectionError {
  const { cause } = error;
  const message = (cause as { code?: string }).code === "ENOENT"
    ? `there is no such socket ${first}, nor ${second}; is the server running?`
    : `${error.message} No server listens at ${second} either`;
  return connectionError("CONNECT_FAILED", message, { cause });
}

/**
 * Connects to a socket.
 *
 * @throws {ConnectionError} Nobody listens there, or it took too long. The reason of the signal, if
 * that is aborted.
 */
export function openSocket(
  address: string,
  timeout: number,
  signal: AbortSignal,
  dial: Dial = (path) => connect({ path }),
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    checkLength(address);
    const socket = start(dial, address);
    const fail = (error: unknown) => {
      settle();
      // It may fail once more while it closes, and an error that nobody hears ends the process.
      socket.on("error", () => {});
      socket.destroy();
      reject(error);
    };
    const onConnect = () => {
      settle();
      resolve(socket);
    };
    const onError = (error: Error) => fail(explain(address, error));
    const onAbort = () => fail(signal.reason);
    const onTimeout = () =>
      fail(connectionError("TIMEOUT", `Connection timeout after ${timeout}ms`));
    const timer = timeout === Infinity ? undefined : setTimeout(onTimeout, timeout);
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      socket.off("connect", onConnect);
      socket.off("error", onError);
    };
    socket.once("connect", onConnect);
    socket.once("error", onError);
    signal.addEventListener("abort", onAbort);
  });
}

/** Deno throws where Node would tell of an error: when the program may not use sockets. */
function start(dial: Dial, address: string): Socket {
  try {
    return dial(address);
  } catch (error) {
    throw explain(address, error as Error);
  }
}

/** Some versions of Node cut a longer path short, and connect to whoever listens there. */
function checkLength(address: string): void {
  const longest = process.platform === "linux" ? 107 : 103;
  const length = Buffer.byteLength(address);
  if (process.platform === "win32" || length <= longest) return;
  const problem = `the path ${address} has ${length} bytes, and sockets take ${longest}`;
  throw connectionError("CONNECT_FAILED", `${problem}; choose a shorter one`);
}

function explain(address: string, cause: Error & { code?: string }): ConnectionError {
  const message = problem(address, cause);
  return connectionError("CONNECT_FAILED", message, { cause });
}

function problem(address: string, error: Error & { code?: string }): string {
  switch (error.code) {
    case "ENOENT":
      return `there is no such socket ${address}; is the server running?`;
    case "ECONNREFUSED":
      return `no server listens at ${address}; has the server ended?`;
    case "EACCES":
    case "EPERM":
      return (
        `permission denied: the socket ${address} is not open to this user; ` +
        `run as the user of the server, or start it with --mode and --allow-user`
      );
    case "ENOTSOCK":
      return `${address} is not a socket; is the path right?`;
    case "EAGAIN":
      return `the server at ${address} does not accept connections fast enough; try again later`;
    default:
      return `could not connect to ${address}: ${error.message}`;
  }
}
