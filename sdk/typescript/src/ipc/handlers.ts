import { type Awaitable, isPromise, proceed } from "../values/awaitable.ts";
import { ErrorCode, RpcError } from "./errors.ts";
import { errorText, type Id, resultText } from "./message.ts";

/** What a handler is told beside the params. */
export interface HandlerContext {
  /** The name it was called by. */
  method: string;
  /** Aborted when the server takes the call back, or is gone. */
  signal: AbortSignal;
}

/** Answers a call of the server. Throw an `RpcError` to answer with an error. */
export type Handler = (params: unknown, context: HandlerContext) => unknown;

/** The text of an answer, and what it answers. */
export interface Answer {
  id: Id;
  text: string;
}

/** How many calls of the server may run at once. Past that they are refused. */
const MOST_RUNNING = 1024;

/** What the server may call, and what runs of it. */
export class Handlers {
  readonly #handlers = new Map<string, Handler>();
  readonly #running = new Map<AbortController, Id>();
  readonly #onFailure: (error: Error) => void;

  /** `onFailure` hears of what handlers throw that was not meant as an answer. */
  constructor(onFailure: (error: Error) => void) {
    this.#onFailure = onFailure;
  }

  /** Answers a method from now on; a handler that was there before is replaced. */
  set(method: string, handler: Handler): void {
    this.#handlers.set(method, handler);
  }

  /** The answer to a call, at once if the handler needs no time. It never fails: every call has one. */
  answer(id: Id, method: string, params: unknown): Awaitable<Answer> {
    return proceed(this.#text(id, method, params), (text) => ({ id, text }));
  }

  #text(id: Id, method: string, params: unknown): Awaitable<string> {
    const handler = this.#handlers.get(method);
    if (handler === undefined) {
      const error = new RpcError(ErrorCode.MethodNotFound, "Method not found", { method });
      return errorText(id, error);
    }
    if (this.#running.size >= MOST_RUNNING) {
      const problem = "too many requests are running already";
      return errorText(id, new RpcError(ErrorCode.ServerError, problem));
    }
    const controller = new AbortController();
    const { signal } = controller;
    this.#running.set(controller, id);
    const ended = (text: () => string): string => {
      this.#running.delete(controller);
      try {
        return text();
      } catch (error) {
        return this.#failure(id, error, signal);
      }
    };
    const failed = (error: unknown) =>
      ended(() => {
        throw error;
      });
    try {
      const result = handler(params, { method, signal });
      if (!isPromise(result)) return ended(() => resultText(id, result));
      return Promise.resolve(result).then((value) => ended(() => resultText(id, value)), failed);
    } catch (error) {
      return failed(error);
    }
  }

  /** The server takes a call back. */
  cancel(id: Id | undefined): void {
    for (const [controller, running] of this.#running) {
      if (running === id) controller.abort();
    }
  }

  /** The server is gone. */
  cancelAll(): void {
    for (const controller of this.#running.keys()) controller.abort();
  }

  #failure(id: Id, error: unknown, signal: AbortSignal): string {
    if (error instanceof RpcError) {
      try {
        return errorText(id, error);
      } catch (unwritable) {
        return this.#failure(id, unwritable, signal);
      }
    }
    if (signal.aborted) {
      return errorText(id, new RpcError(ErrorCode.RequestCancelled, "Request cancelled"));
    }
    const failure = error instanceof Error ? error : new Error(String(error));
    this.#onFailure(failure);
    // The message alone: a stack tells the other side more than it has to know.
    return errorText(id, new RpcError(ErrorCode.InternalError, "Internal error", failure.message));
  }
}
