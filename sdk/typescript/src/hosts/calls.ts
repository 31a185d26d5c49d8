import type { Diagnostic } from "../values/failure.ts";
import type { Output } from "./host.ts";

/** How long calls may take once the host is gone. */
const GOODBYE_LIMIT = 5000;
/** While so many run or wait for their turn, nothing more is read. */
const MOST_CALLS = 1024;

/** A call in progress. */
export class RunningCall {
  readonly id: unknown;
  readonly isMutating: boolean;
  /** The host does not wait for it any more. */
  isCancelled = false;
  /** What the author warned about, until it is shown. */
  readonly warnings: Diagnostic[] = [];
  /** @internal Answers the host when the call is cancelled. */
  readonly onCancel: () => void;
  #controller: AbortController | undefined;

  constructor(id: unknown, isMutating: boolean, onCancel: () => void) {
    this.id = id;
    this.isMutating = isMutating;
    this.onCancel = onCancel;
  }

  /** Made when it is asked for: most calls are never cancelled, and a signal costs more than a small call. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isCancelled) this.#controller.abort();
    return this.#controller.signal;
  }

  cancel(): void {
    this.isCancelled = true;
    this.#controller?.abort();
  }
}

/** The calls in progress: they can be cancelled, and are waited for at the end. */
export class RunningCalls {
  /** A host may use an id twice. */
  readonly #calls = new Set<RunningCall>();
  readonly #output: Output;
  #idle: (() => void) | undefined;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Notes a call. One that changes something is not cancelled: its outcome counts. */
  begin(id: unknown, isMutating: boolean, onCancel: () => void = () => undefined): RunningCall {
    const call = new RunningCall(id, isMutating, onCancel);
    this.#calls.add(call);
    if (this.#calls.size === MOST_CALLS) this.#output.hold?.(true);
    return call;
  }

  /** Notes the end of a call. */
  end(call: RunningCall): void {
    // One that was cancelled has ended already.
    if (!this.#calls.delete(call)) return;
    if (this.#calls.size === MOST_CALLS - 1) this.#output.hold?.(false);
    if (this.#calls.size === 0) this.#idle?.();
  }

  /** The host does not wait for a call any more, and neither does the end of the conversation. */
  cancel(id: unknown): void {
    for (const call of this.#calls) {
      if (call.id !== id || call.isMutating) continue;
      call.cancel();
      call.onCancel();
      this.end(call);
    }
  }

  /** The host is gone: what runs has a few seconds, and is not waited for after them. */
  async finished(): Promise<void> {
    if (this.#calls.size === 0) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#idle = resolve;
      timer = setTimeout(resolve, GOODBYE_LIMIT);
    });
    clearTimeout(timer);
    this.#idle = undefined;
    const late = this.#calls.size;
    if (late === 0) return;
    for (const call of this.#calls) call.cancel();
    console.error(
      `${late === 1 ? "a call was" : `${late} calls were`} still running ${GOODBYE_LIMIT / 1000} s after the end of the conversation`,
    );
  }
}
