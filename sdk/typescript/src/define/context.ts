import { type Diagnostic, Failure, type Path } from "../values/failure.ts";

/** How serious a line of the log is. */
export type Level = "trace" | "debug" | "info" | "warn" | "error";

/** What a host offers to a handler while it works. */
export interface Reporter {
  progress?(message: string, done?: number, total?: number): void;
  log?(level: Level, message: string, fields?: Record<string, unknown>): void;
}

/** A call that a host may cancel. */
export interface Cancellable {
  readonly signal: AbortSignal;
  readonly isCancelled: boolean;
  /** Where warnings are kept, so that they are not lost if the call fails. */
  readonly warnings?: Diagnostic[];
}

/** What a warning is about. */
export interface WarningOptions {
  detail?: string;
  path?: Path | string;
}

/** What a handler has besides its arguments. `State` is what `configure` returned. */
export class Context<State = undefined> {
  /** @internal */
  readonly warnings: Diagnostic[];
  /** @internal What a resource keeps for itself: nothing changed, or other data. */
  kept: Uint8Array | null | undefined;
  readonly #state: () => State;
  readonly #call: Cancellable;
  readonly #reporter: Reporter;
  readonly #stored: Uint8Array | undefined;

  /** @internal Where there is no state, `state` says so to the handler that asks for it. */
  constructor(state: () => State, call: Cancellable, reporter: Reporter, stored?: Uint8Array) {
    this.#state = state;
    this.#call = call;
    this.warnings = call.warnings ?? [];
    this.#reporter = reporter;
    this.#stored = stored;
  }

  /** What `configure` returned. @throws {Failure} The plugin is not configured: only functions can be called before that. */
  get state(): State {
    return this.#state();
  }

  /** Aborted when the host cancels the call, except for one that changes something: its outcome counts. */
  get signal(): AbortSignal {
    return this.#call.signal;
  }

  /** Whether the host has cancelled the call. */
  get cancelled(): boolean {
    return this.#call.isCancelled;
  }

  /** Tells the user how far the work is. A host without progress ignores it. */
  progress(message: string, steps: { done?: number; total?: number } = {}): void {
    if (!this.#isOver) this.#reporter.progress?.(message, steps.done, steps.total);
  }

  /** Writes a line to the log: of the host if it has one, otherwise stderr. */
  log(message: string, level: Level = "info", fields?: Record<string, unknown>): void {
    if (this.#reporter.log !== undefined && !this.#isOver) this.#reporter.log(level, message, fields);
    else console.error(`[${level.toUpperCase()}] ${message}`);
  }

  /** A warning for the user, beside the result. */
  warn(summary: string, options: WarningOptions = {}): void {
    const path = typeof options.path === "string" ? [options.path] : options.path;
    this.warnings.push({ severity: "warning", summary, detail: options.detail, path });
  }

  /**
   * Data that a resource keeps for itself, invisible to users; only Seasonings has a place for it. Assign other
   * data to change it, `undefined` to remove it.
   */
  get private(): Uint8Array | undefined {
    return this.kept === undefined ? this.#stored : this.kept ?? undefined;
  }

  set private(data: Uint8Array | undefined) {
    if (data !== undefined && !(data instanceof Uint8Array)) throw new Failure("private data must be a Uint8Array");
    this.kept = data ?? null;
  }

  #isOver = false;

  /** @internal The call is answered: what is reported from now on would belong to none. */
  end(): void {
    this.#isOver = true;
  }
}
