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

export { Client, Client as JSONRPCClient } from "./client.ts";
export type { BatchCall, RequestOptions } from "./client.ts";
export {
  Aborted,
  ConnectionError,
  ConnectionFailed,
  ConnectionLost,
  ErrorCode,
  InvalidMessage,
  IpcError,
  ListenFailed,
  MessageTooLarge,
  NotConnected,
  Overloaded,
  Refused,
  RequestTimeout,
  RpcError,
  RpcError as JSONRPCError,
} from "./errors.ts";
export type { ConnectionErrorCode } from "./errors.ts";
export type { ClientEvents } from "./events.ts";
export type { Handler, HandlerContext } from "./handlers.ts";
export type { ConnectionState } from "./link.ts";
export type { Id } from "./message.ts";
export type { Notification, NotificationStream } from "./notifications.ts";
export type { ClientOptions, Framing } from "./options.ts";
export { socketAddress, socketAddresses } from "./socket_name.ts";
export type { AllowedUsers } from "./socket_place.ts";
export { Server } from "./server.ts";
export type { ServerContext, ServerHandler, ServerOptions, Session } from "./served_client.ts";
