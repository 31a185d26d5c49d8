/** A place in what a plugin was given: names of attributes, keys of maps, positions in lists. */
export type Path = readonly (string | number)[];

/** A problem or a warning, and what it is about. */
export interface Diagnostic {
  severity: "error" | "warning";
  summary: string;
  detail?: string | undefined;
  path?: Path | undefined;
}

/** What a {@link Failure} has besides its message. */
export interface FailureOptions {
  /** More about it, in as many lines as it takes. */
  detail?: string | undefined;
  /** The attribute or parameter that it is about. */
  path?: Path | string | undefined;
  /** A code for programs, such as `outcome_unknown` or one of your own. Only Orchard and ipc have a place for it. */
  code?: string | undefined;
  /** The error that caused it. */
  cause?: unknown;
}

/** A lock of a state. */
export interface Lock {
  /** The id that the client chose. */
  id: string;
  /** What the client says about itself, as JSON. */
  info: string;
}

const FAILURE: unique symbol = Symbol.for("tenon.failure") as never;

/**
 * Why something could not be done. Its texts are for the user, so secrets do not belong there. Any other error
 * that a handler throws reaches the user as well, with its message.
 */
export class Failure extends Error {
  override name = "Failure";
  readonly detail: string | undefined;
  readonly path: Path | undefined;
  readonly code: string | undefined;
  /** Further problems, each with its own path. */
  readonly diagnostics: readonly Diagnostic[];
  /** @internal The answer of a storage whose state is locked. */
  held: Lock | null | undefined;

  constructor(message: string, options: FailureOptions = {}, diagnostics: readonly Diagnostic[] = []) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.detail = options.detail;
    this.path = typeof options.path === "string" ? [options.path] : options.path;
    this.code = options.code;
    this.diagnostics = diagnostics;
  }

  get [FAILURE](): true {
    return true;
  }

  /** A failure about an attribute or parameter: `Failure.at("port", "0 is not a port")`. */
  static at(path: Path | string, message: string, options: Omit<FailureOptions, "path"> = {}): Failure {
    return new Failure(message, { ...options, path });
  }

  /**
   * A failure whose outcome is unknown: the request was sent, and no answer says whether it took effect. The
   * host does not repeat such an action unless it is idempotent.
   */
  static outcomeUnknown(message: string, options: Omit<FailureOptions, "code"> = {}): Failure {
    return new Failure(message, { ...options, code: "outcome_unknown" });
  }

  /** Several problems at once. */
  static all(diagnostics: readonly Diagnostic[]): Failure {
    const errors = diagnostics.filter((one) => one.severity === "error");
    const reasonless: Diagnostic = { severity: "error", summary: "the plugin failed; no reason was given" };
    const [first = reasonless, ...others] = errors;
    const detail = others.length > 0 ? others.map(diagnosticText).join("\n") : first.detail;
    const all = errors.length > 0 ? diagnostics : [...diagnostics, first];
    return new Failure(first.summary, { path: first.path, detail }, all);
  }

  /** A state that another client has locked, or whose lock this client has lost. */
  static locked(held?: Lock): Failure {
    const failure = new Failure(held ? "the state is locked by another client" : "the lock is no longer held");
    failure.held = held ?? null;
    return failure;
  }
}

/** Whether an error is a {@link Failure}. */
export function isFailure(error: unknown): error is Failure {
  return typeof error === "object" && error !== null && (error as Failure)[FAILURE] === true;
}

/** Whether an error is a mistake in the program, and does not say that something failed. */
export function isMistake(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) return true;
  return error instanceof Error && (error as { code?: unknown }).code === "ERR_ASSERTION";
}

/** More of them, one in another, say nothing new. */
const MOST_CAUSES = 32;

/** Any thrown value as a failure, with the causes of an error, and the errors that it is made of, as its detail. */
export function asFailure(thrown: unknown): Failure {
  if (isFailure(thrown)) return thrown;
  if (!(thrown instanceof Error)) return new Failure(textOf(thrown));
  const [first = thrown, ...others] = reasonsOf(thrown);
  const headline = thrown.message || (isAggregate(thrown) && textOf(first, "")) || thrown.name;
  const texts: string[] = [];
  for (const text of [first, ...others].map((one) => textOf(one, ""))) {
    if (text !== "" && ![headline, ...texts].some((known) => known.includes(text))) texts.push(text);
  }
  return new Failure(headline, { cause: thrown, detail: texts.length > 0 ? texts.join("\n") : undefined });
}

function isAggregate(error: unknown): error is Error & { readonly errors: readonly unknown[] } {
  return error instanceof Error && Array.isArray((error as { errors?: unknown }).errors);
}

/** What is behind an error, in order: its own parts, its cause, and what is behind these. */
function reasonsOf(error: Error): unknown[] {
  const found: unknown[] = [];
  const add = (one: unknown): void => {
    if (one === undefined || one === error || found.includes(one) || found.length >= MOST_CAUSES) return;
    found.push(one);
    if (one instanceof Error) below(one);
  };
  const below = (one: Error): void => {
    if (isAggregate(one)) one.errors.forEach(add);
    add(one.cause);
  };
  below(error);
  return found;
}

function textOf(thrown: unknown, otherwise = "the plugin failed; no reason was given"): string {
  if (typeof thrown === "string" && thrown !== "") return thrown;
  const message = (thrown as { message?: unknown } | null | undefined)?.message;
  return typeof message === "string" && message !== "" ? message : otherwise;
}

/** `city: unknown city "Atlantis"`: what hosts with one text for an error show. */
export function failureText(failure: Failure): string {
  const text = failure.path === undefined || failure.path.length === 0
    ? failure.message
    : `${failure.path.join(".")}: ${failure.message}`;
  return failure.detail === undefined || failure.detail === "" ? text : `${text}\n${failure.detail}`;
}

/** The diagnostics of a failure: those it was made of, or itself. */
export function failureDiagnostics(failure: Failure): readonly Diagnostic[] {
  if (failure.diagnostics.length > 0) return failure.diagnostics;
  const { message: summary, detail, path } = failure;
  return [{ severity: "error", summary, detail, path }];
}

/** A diagnostic in one line. */
export function diagnosticText({ summary, detail, path }: Diagnostic): string {
  const start = path === undefined || path.length === 0 ? summary : `${path.join(".")}: ${summary}`;
  return detail === undefined || detail === "" ? start : `${start}: ${detail}`;
}
