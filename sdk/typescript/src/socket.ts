import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import process from "node:process";

import { ConnectionError } from "./errors.ts";

/** Starts to connect. A test gives another one. */
export type Dial = (address: string) => Socket;

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
      fail(new ConnectionError("TIMEOUT", `Connection timeout after ${timeout}ms`));
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
  throw new ConnectionError("CONNECT_FAILED", `${problem}; choose a shorter one`);
}

function explain(address: string, cause: Error & { code?: string }): ConnectionError {
  const message = problem(address, cause);
  return new ConnectionError("CONNECT_FAILED", message, { cause });
}

function problem(address: string, error: Error & { code?: string }): string {
  switch (error.code) {
    case "ENOENT":
      return `there is no such socket ${address}; is the server running?`;
    case "ECONNREFUSED":
      return `nobody listens at ${address}; has the server ended?`;
    case "EACCES":
    case "EPERM":
      return `the socket ${address} belongs to somebody else; run as the user of the server`;
    case "ENOTSOCK":
      return `${address} is no socket; is the path right?`;
    case "EAGAIN":
      return `the server at ${address} does not accept connections fast enough; try again later`;
    default:
      return `could not connect to ${address}: ${error.message}`;
  }
}
