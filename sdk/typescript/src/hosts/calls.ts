/** How long calls that change nothing may take once the host is gone. */
const GOODBYE_LIMIT = 5000;

/** A call in progress. */
export class RunningCall {
  readonly isMutating: boolean;
  /** The host does not wait for it any more. */
  isCancelled = false;
  /** @internal Answers the host when the call is cancelled. */
  readonly onCancel: () => void;
  #controller: AbortController | undefined;

  constructor(isMutating: boolean, onCancel: () => void) {
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
  readonly #calls = new Map<unknown, RunningCall>();
  #idle: (() => void) | undefined;
  /** The time for calls that change nothing is over. */
  #isLate = false;

  /** Notes a call. One that changes something is not cancelled: its outcome counts. */
  begin(id: unknown, isMutating: boolean, onCancel: () => void = () => undefined): RunningCall {
    const call = new RunningCall(isMutating, onCancel);
    this.#calls.set(id, call);
    return call;
  }

  /** Notes the end of a call. */
  end(id: unknown, call: RunningCall): void {
    if (this.#calls.get(id) === call) this.#calls.delete(id);
    if (this.#idle !== undefined && (this.#calls.size === 0 || this.#isLate)) this.#idle();
  }

  /** The host does not wait for a call any more. */
  cancel(id: unknown): void {
    const call = this.#calls.get(id);
    if (call === undefined || call.isMutating || call.isCancelled) return;
    call.cancel();
    call.onCancel();
  }

  /** The host is gone: calls that change something finish, others have a few seconds. */
  async finished(): Promise<void> {
    while (this.#calls.size > 0) {
      const isChanging = [...this.#calls.values()].some((call) => call.isMutating);
      if (this.#isLate && !isChanging) return;
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
        if (!this.#isLate) timer = setTimeout(resolve, GOODBYE_LIMIT);
      });
      clearTimeout(timer);
      this.#isLate = true;
      for (const call of this.#calls.values()) if (!call.isMutating) call.cancel();
    }
  }
}
