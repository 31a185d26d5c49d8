import { utf8Text, wellFormed } from "./bytes.ts";
import { connectionError, ErrorCode, RpcError } from "./errors.ts";

/** What tells a call from the others. Ours are 1, 2, 3, ...; a server's may be texts, or null. */
export type Id = number | string | null;

/** What a frame says. */
export type Message =
  | { kind: "request"; id: Id; method: string; params: unknown }
  | { kind: "notification"; method: string; params: unknown }
  | { kind: "result"; id: Id; result: unknown }
  | { kind: "error"; id: Id; error: RpcError }
  /** An id alone: the result of a call that waits for it, which some servers leave out. */
  | { kind: "bare"; id: Id }
  /** A request or an answer that is none. The id is there if it can be read. */
  | { kind: "malformed"; of: "request" | "response"; id: Id | undefined; problem: string };

/**
 * The JSON value of a frame.
 *
 * @throws {ConnectionError} It is no JSON, or no UTF-8.
 */
export function parse(frame: Uint8Array): unknown {
  try {
    return JSON.parse(utf8Text(frame));
  } catch (cause) {
    const start = new TextDecoder().decode(frame.subarray(0, 80));
    const rest = frame.length > 80 ? `... (${frame.length} bytes)` : "";
    const message = `Invalid JSON received: ${start}${rest}`;
    throw connectionError("INVALID_MESSAGE", message, { cause });
  }
}

/** What one JSON value means; a batch is an array of them. Which members are there decides. */
export function read(value: unknown): Message {
  const members = asObject(value);
  if (members === undefined) return malformed("request", undefined, "neither object nor batch");
  const { id, method, result, params } = members;
  const error = members["error"] ?? undefined;
  const isAnswer = method === undefined && (result !== undefined || error !== undefined);
  const of = isAnswer ? "response" : "request";
  if (!isId(id) && id !== undefined) {
    return malformed(of, undefined, "an id is a number, a text or null");
  }
  if ("jsonrpc" in members && members["jsonrpc"] !== "2.0") {
    return malformed(of, id, `jsonrpc must be "2.0"`);
  }
  if (isAnswer) return readAnswer(id, result, error);
  if (typeof method === "string" && method !== "") {
    return id === undefined
      ? { kind: "notification", method, params: params ?? undefined }
      : { kind: "request", id, method, params: params ?? undefined };
  }
  if (method !== undefined) return malformed("request", id, "a method is a text, and not empty");
  if (id !== undefined) return { kind: "bare", id };
  return malformed("request", undefined, "neither method nor id");
}

function readAnswer(id: Id | undefined, result: unknown, error: unknown): Message {
  if (id === undefined) return malformed("response", id, "an answer without id");
  if (error === undefined) return { kind: "result", id, result };
  if ((result ?? undefined) !== undefined) return malformed("response", id, "result and error");
  const members = asObject(error);
  if (members === undefined || (members["code"] ?? members["message"]) === undefined) {
    return malformed("response", id, "an error has a code and a message");
  }
  return { kind: "error", id, error: readError(members) };
}

/** Lenient, because an error that cannot be read would hide what has happened. */
function readError({ code, message, data }: Record<string, unknown>): RpcError {
  const text = typeof message === "string" ? message : "(no message)";
  if (Number.isInteger(code)) return new RpcError(code as number, text, data);
  // Some servers have names instead of numbers.
  const named = data === undefined && typeof code === "string" ? { code } : data;
  return new RpcError(ErrorCode.ServerError, text, named);
}

function textOf(message: object): string {
  return wellFormed(JSON.stringify(message));
}

/** The text of a request. Params that are undefined or null are left out. */
export function requestText(id: Id, method: string, params: unknown): string {
  return textOf({ jsonrpc: "2.0", id, method, params: params ?? undefined });
}

/** The text of a notification. */
export function notificationText(method: string, params: unknown): string {
  return textOf({ jsonrpc: "2.0", method, params: params ?? undefined });
}

/** The text of a good answer. An undefined result becomes null: left out it would be no answer. */
export function resultText(id: Id, result: unknown): string {
  return textOf({ jsonrpc: "2.0", id, result: result === undefined ? null : result });
}

/** The text of an answer that is an error. */
export function errorText(id: Id, error: RpcError): string {
  return textOf({ jsonrpc: "2.0", id, error });
}

/** The text of several messages that go together. */
export function batchText(texts: string[]): string {
  return `[${texts.join(",")}]`;
}

function asObject(value: unknown): Record<string, unknown> | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : undefined;
}

function isId(value: unknown): value is Id {
  // A number beyond a double would be answered to nobody: it goes back as null.
  return value === null || typeof value === "string" || Number.isFinite(value);
}

function malformed(of: "request" | "response", id: Id | undefined, problem: string): Message {
  return { kind: "malformed", of, id, problem };
}
