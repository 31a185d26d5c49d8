/** What goes wrong: what the other side answered, and what happened on the way. */

/** The codes of errors that JSON-RPC 2.0 and this protocol give a meaning to. */
export const ErrorCode = {
  /** What was sent is no JSON. */
  ParseError: -32700,
  /** What was sent is no request. */
  InvalidRequest: -32600,
  /** There is no such method. */
  MethodNotFound: -32601,
  /** The method does not take these params. */
  InvalidParams: -32602,
  /** The method failed for a reason that is not the caller's. */
  InternalError: -32603,
  /** The first of the codes that servers may use as they like, down to -32099. */
  ServerError: -32000,
  /** The caller took the call back. */
  RequestCancelled: -32800,
} as const;

/** Everything that can go wrong with a call. */
export abstract class IpcError extends Error {
  /** Why: a number if the other side answered with it, otherwise a word. */
  abstract readonly code: number | ConnectionErrorCode;
}

/** The error that the other side answered with. A handler throws one to answer with it. */
export class RpcError extends IpcError {
  override readonly name: string = "RpcError";
  /** A number of JSON-RPC's, see {@link ErrorCode}, or one of the server's own. */
  readonly code: number;
  /** What the server adds, in a form of its own; undefined if it adds nothing. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }

  /** The error as JSON-RPC writes it. */
  toJSON(): { code: number; message: string; data?: unknown } {
    const { code, message, data } = this;
    return data === undefined ? { code, message } : { code, message, data };
  }
}

/** Why there is no answer, in one word. */
export type ConnectionErrorCode =
  /** It took too long to connect, or to answer. */
  | "TIMEOUT"
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
export class ConnectionError extends IpcError {
  override readonly name: string = "ConnectionError";
  /** Why, in one word. */
  readonly code: ConnectionErrorCode;

  constructor(code: ConnectionErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Nobody could be connected to. */
export class ConnectionFailed extends ConnectionError {
  static readonly code: ConnectionErrorCode = "CONNECT_FAILED";
  override readonly name: string = "ConnectionFailed";
}

/** A server cannot listen: another one does, or the place is not safe. */
export class ListenFailed extends ConnectionError {
  static readonly code: ConnectionErrorCode = "LISTEN_FAILED";
  override readonly name: string = "ListenFailed";
}

/** There is no connection; call `connect()` first. */
export class NotConnected extends ConnectionError {
  static readonly code: ConnectionErrorCode = "NOT_CONNECTED";
  override readonly name: string = "NotConnected";
}

/** The connection ended before the answer came. */
export class ConnectionLost extends ConnectionError {
  static readonly code: ConnectionErrorCode = "DISCONNECTED";
  override readonly name: string = "ConnectionLost";
}

/** The server let nobody in; its error is the cause. */
export class Refused extends ConnectionLost {
  static override readonly code: ConnectionErrorCode = "REFUSED";
  override readonly name: string = "Refused";
}

/** It took too long to connect, or to answer. */
export class RequestTimeout extends ConnectionError {
  static readonly code: ConnectionErrorCode = "TIMEOUT";
  override readonly name: string = "RequestTimeout";
}

/** A message is longer than `maxMessageBytes`. */
export class MessageTooLarge extends ConnectionError {
  static readonly code: ConnectionErrorCode = "TOO_LARGE";
  override readonly name: string = "MessageTooLarge";
}

/** What was received is not a message. */
export class InvalidMessage extends ConnectionError {
  static readonly code: ConnectionErrorCode = "INVALID_MESSAGE";
  override readonly name: string = "InvalidMessage";
}

/** The caller's signal ended the call. */
export class Aborted extends ConnectionError {
  static readonly code: ConnectionErrorCode = "ABORTED";
  override readonly name: string = "Aborted";
}

/** The server does not read, or too many calls wait for an answer already. */
export class Overloaded extends ConnectionError {
  static readonly code: ConnectionErrorCode = "OVERLOADED";
  override readonly name: string = "Overloaded";
}

const CLASSES = {
  CONNECT_FAILED: ConnectionFailed,
  LISTEN_FAILED: ListenFailed,
  NOT_CONNECTED: NotConnected,
  DISCONNECTED: ConnectionLost,
  REFUSED: Refused,
  TIMEOUT: RequestTimeout,
  TOO_LARGE: MessageTooLarge,
  INVALID_MESSAGE: InvalidMessage,
  ABORTED: Aborted,
  OVERLOADED: Overloaded,
} as const;

/** The error of this code, of its own class. */
export function connectionError(
  code: ConnectionErrorCode,
  message: string,
  options?: { cause?: unknown },
): ConnectionError {
  return new CLASSES[code](code, message, options);
}
