import { Buffer } from "node:buffer";

import { utf8Text } from "../ipc/bytes.ts";
import { type FrameReader, frameReader } from "../ipc/framing.ts";
import type { Framing } from "../ipc/options.ts";
import { isPromise } from "../values/awaitable.ts";
import { diagnosticText } from "../values/failure.ts";
import { parseJson, stringifyJson } from "../values/json.ts";
import { isRecord } from "../values/read.ts";
import { type RunningCall, RunningCalls } from "./calls.ts";
import type { Conversation, Output } from "./host.ts";

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
export const FAILED = -32000;
export const CANCELLED = -32800;

const LARGEST_MESSAGE = 64 * 1024 * 1024;
const LARGEST_BATCH = 1024;

/** An error that a host gets as the answer to its call. */
export class Fault extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A request that is being answered. */
export interface Request {
  readonly method: string;
  readonly params: unknown;
  readonly call: RunningCall;
  notify(method: string, params: unknown): void;
}

/** What is spoken on top of JSON-RPC. */
export interface JsonRpcMethods {
  /** @throws {Fault} The answer is an error. */
  request(request: Request): unknown;
  event(method: string, params: unknown, calls: RunningCalls): void;
  isMutating(method: string, params: unknown): boolean;
  /** The texts of an error without the secrets in the params. */
  hide?<T>(value: T, method: string, params: unknown): T;
  /** Whether a cancelled call is left without an answer. */
  readonly isSilent?: boolean;
}

/** JSON-RPC 2.0 in lines or behind headers. */
export class JsonRpcConversation implements Conversation {
  readonly calls: RunningCalls;
  readonly #methods: JsonRpcMethods;
  readonly #output: Output;
  readonly #framing: Framing;
  readonly #frames: FrameReader;

  constructor(methods: JsonRpcMethods, output: Output, framing: Framing = "lines") {
    this.#methods = methods;
    this.#output = output;
    this.calls = new RunningCalls(output);
    this.#framing = framing;
    this.#frames = frameReader(framing, LARGEST_MESSAGE, "host");
  }

  receive(chunk: Uint8Array): void {
    for (const frame of this.#frames.push(chunk)) this.#message(frame);
  }

  async finish(): Promise<void> {
    for (const frame of this.#frames.finish()) this.#message(frame);
    await this.calls.finished();
    // Calls are over before their answers are joined and sent, a few promises later.
    await new Promise((resolve) => setImmediate(resolve));
  }

  #send(text: string): void {
    this.#output.write(
      this.#framing === "lines" ? `${text}\n` : `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
    );
  }

  #message(frame: Uint8Array): void {
    let value: unknown;
    try {
      value = parseJson(utf8Text(frame));
    } catch {
      return this.#send(errorText(null, new Fault(PARSE_ERROR, "Parse error")));
    }
    if (Array.isArray(value)) this.#batch(value);
    else {
      const answer = this.#one(value);
      if (answer === undefined) return;
      if (typeof answer === "string") this.#send(answer);
      else void answer.then((text) => text === undefined ? undefined : this.#send(text));
    }
  }

  #batch(messages: unknown[]): void {
    if (messages.length === 0 || messages.length > LARGEST_BATCH) {
      const problem = messages.length === 0
        ? "a batch must not be empty"
        : `a batch has at most ${LARGEST_BATCH} messages`;
      return this.#send(errorText(null, new Fault(INVALID_REQUEST, "Invalid Request", problem)));
    }
    void Promise.all(messages.map((one) => this.#one(one))).then((answers) => {
      const texts = answers.filter((text) => text !== undefined);
      if (texts.length > 0) this.#send(`[${texts.join()}]`);
    });
  }

  #one(value: unknown): string | Promise<string | undefined> | undefined {
    if (!isRecord(value)) return errorText(null, new Fault(INVALID_REQUEST, "Invalid Request"));
    const { jsonrpc, id, method, params } = value;
    const isId = id === undefined || id === null || typeof id !== "object" && typeof id !== "boolean";
    if (
      !isId || jsonrpc !== undefined && jsonrpc !== "2.0" ||
      method !== undefined && (typeof method !== "string" || method === "")
    ) {
      return errorText(isId ? id ?? null : null, new Fault(INVALID_REQUEST, "Invalid Request"));
    }
    if (method === undefined) {
      // An answer, to a call that was never made, is ignored.
      if ("result" in value || "error" in value) return undefined;
      return errorText(id ?? null, new Fault(INVALID_REQUEST, "Invalid Request"));
    }
    if (id === undefined) {
      this.#methods.event(method, params, this.calls);
      return undefined;
    }
    return this.#answer(id, method, params ?? undefined);
  }

  #answer(id: unknown, method: string, params: unknown): string | Promise<string | undefined> | undefined {
    let cancelled: (text: string | undefined) => void = () => undefined;
    const call = this.calls.begin(id, this.#methods.isMutating(method, params), () => {
      const fault = new Fault(CANCELLED, "the call was cancelled");
      cancelled(this.#methods.isSilent === true ? undefined : errorText(id, fault));
    });
    const notify = (name: string, about: unknown) =>
      this.#send(stringifyJson({ jsonrpc: "2.0", method: name, params: about }));
    const done = (text: string): string | undefined => {
      this.calls.end(call);
      return call.isCancelled ? undefined : text;
    };
    const refused = (error: unknown): string => {
      // An error has no place for them.
      for (const warning of call.warnings.splice(0)) {
        const text = diagnosticText(warning);
        console.error(this.#methods.hide?.(text, method, params) ?? text);
      }
      const { code, message, data } = answeredFault(error);
      const texts = this.#methods.hide?.({ message, data }, method, params) ?? { message, data };
      return errorText(id, new Fault(code, texts.message, texts.data));
    };
    try {
      const result = this.#methods.request({ method, params, call, notify });
      if (!isPromise(result)) return done(answerText(id, result));
      const answer = result.then((value) => answerText(id, value)).catch(refused).then(done);
      // Whatever comes first; in a batch, the cancellation takes the place of the answer.
      return new Promise((resolve) => {
        cancelled = resolve;
        void answer.then(resolve);
      });
    } catch (error) {
      return done(refused(error));
    }
  }
}

function answerText(id: unknown, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${stringifyJson(id)},"result":${stringifyJson(result ?? null)}}`;
}

function answeredFault(error: unknown): Fault {
  return error instanceof Fault ? error : new Fault(INTERNAL_ERROR, (error as Error).message || "Internal error");
}

function errorText(id: unknown, { code, message, data }: Fault): string {
  const error = data === undefined ? { code, message } : { code, message, data };
  return `{"jsonrpc":"2.0","id":${stringifyJson(id)},"error":${stringifyJson(error)}}`;
}
