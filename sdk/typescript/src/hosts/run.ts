import type { ActionPart, FunctionPart } from "../define/parts.ts";
import { type Cancellable, Context, type Reporter } from "../define/context.ts";
import type { Session } from "../define/session.ts";
import { validated } from "../define/standard.ts";
import { type Awaitable, isPromise, proceed } from "../values/awaitable.ts";
import { asFailure, diagnosticText, Failure, isMistake } from "../values/failure.ts";
import { type Problem, Unfit } from "../values/problem.ts";
import { isRecord, JSON_READING, type Reading, readObject, readValue, type Wire } from "../values/read.ts";
import { revealed } from "../values/secret.ts";
import { mustBeThere, typeName } from "../values/type.ts";
import { type Format, Unwritable, writeDeclared, writeObject } from "../values/write.ts";
import { hideSecrets } from "./masking.ts";

/** Runs a handler with its context, which reports nothing once the call is over. */
export async function withContext<T>(
  session: Session,
  call: Cancellable,
  reporter: Reporter,
  run: (context: Context<unknown>) => T | Promise<T>,
  stored?: Uint8Array,
): Promise<{ value: T; context: Context<unknown> }> {
  const state = await session.state();
  const context = new Context(() => state, call, reporter, stored);
  try {
    return { value: await run(context), context };
  } finally {
    context.end();
  }
}

/** The arguments of a function, of an object by name. @throws {Unfit} They do not fit. */
export function functionArguments(
  part: FunctionPart,
  given: Wire,
  reading: Reading,
): Awaitable<Record<string, unknown>> {
  const { variadic, body } = part;
  if (variadic === undefined) return validated(body, readObject(given, body.attributes, reading));
  const all = isRecord(given ?? {}) ? { ...(given as Record<string, unknown> | null | undefined) } : given;
  let rest: unknown[] = [];
  if (isRecord(all)) {
    const values = all[variadic.name] ?? [];
    delete all[variadic.name];
    if (!Array.isArray(values)) throw new Unfit([{ path: [variadic.name], text: "a list is required" }]);
    rest = values.map((one, index) => readValue(one, variadic.element, reading, [variadic.name, index]));
  }
  const fixed = validated(body, readObject(all, body.attributes, reading));
  return proceed(fixed, (named) => ({ ...named, [variadic.name]: rest }));
}

/** Positional arguments by the names of their parameters. @throws {Unfit} There are too many. */
export function named(
  name: string,
  part: FunctionPart | ActionPart,
  values: readonly unknown[],
): Record<string, unknown> {
  const names = Object.keys(part.body.attributes);
  const given: Record<string, unknown> = Object.fromEntries(
    values.slice(0, names.length).map((value, index) => [names[index], value]),
  );
  const rest = values.slice(names.length);
  const variadic = "variadic" in part ? part.variadic : undefined;
  if (variadic !== undefined) given[variadic.name] = rest;
  else if (rest.length > 0) {
    throw new Unfit([
      {
        path: [],
        text: `too many arguments: ${name} takes ${names.length}, but ${values.length} are given`,
      } satisfies Problem,
    ]);
  }
  return given;
}

/**
 * Runs a function for a host that speaks JSON and does not configure plugins: the defaults are the configuration. Only a function
 * with one parameter cannot see the state. What it returns is a promise only if something of the author's is one.
 */
export function callFunction(
  session: Session,
  part: FunctionPart,
  given: Wire,
  call: Cancellable,
  reporter: Reporter,
): Awaitable<Wire> {
  const state = part.run.length === 1 ? session.stateOnDemand() : session.defaultStateOnDemand();
  return proceed(
    state,
    (it) => runFunction(part, functionArguments(part, given, JSON_READING), "json", new Context(it, call, reporter)),
  );
}

/** Runs a function with its arguments. */
export function runFunction(
  part: FunctionPart,
  given: Awaitable<Record<string, unknown>>,
  format: Format,
  context: Context<unknown>,
): Awaitable<Wire> {
  const outcome = (value: unknown) => functionResult(value, part, format);
  return proceed(given, (read) => {
    let value: unknown;
    try {
      value = part.run(read, context);
      if (isPromise(value)) return Promise.resolve(value).finally(() => context.end()).then(outcome);
    } finally {
      if (!isPromise(value)) context.end();
    }
    return outcome(value);
  });
}

function functionResult(value: unknown, { returns }: FunctionPart, format: Format): Wire {
  return written("the result", () => {
    const plain = revealed(value);
    if ((plain === undefined || plain === null) && mustBeThere(returns)) {
      const hint = "return a value, or declare the result as nullable";
      throw new Unwritable([], `${typeName(returns.type)} is required, but the function returned ${plain}; ${hint}`);
    }
    return writeDeclared(plain, returns, format);
  });
}

/** Runs an action. */
export async function runAction(
  session: Session,
  part: ActionPart,
  given: Wire,
  reading: Reading,
  call: Cancellable,
  reporter: Reporter,
): Promise<Wire> {
  const read = await validated(part.body, readObject(given, part.body.attributes, reading));
  const { value } = await withContext(session, call, reporter, async (it) => {
    try {
      return await part.run(read, it);
    } catch (error) {
      // A mistake in the program: anything may have been done until then.
      if (!isMistake(error)) throw error;
      const { message, detail } = asFailure(error);
      throw Failure.outcomeUnknown(message, { detail, cause: error });
    }
  });
  // The action was run, so what is wrong now leaves its outcome unknown.
  try {
    return writeObject(value, part.outputs, "json");
  } catch (error) {
    if (!(error instanceof Unwritable)) throw error;
    throw Failure.outcomeUnknown(`the action was run, but its outputs do not match: ${error.message}`);
  }
}

/** Writes what an author returned. @throws {Failure} It does not fit what was declared. */
export function written<T>(what: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    if (error instanceof Unwritable) {
      throw new Failure(`${what} of the plugin does not match its declaration: ${error.message}`);
    }
    throw error;
  }
}

/** Shows the warnings of a call where its host has no place for them: on stderr, without the secrets in what it was given. */
export function printWarnings(session: Session, call: Cancellable, given: Wire): void {
  for (const warning of call.warnings?.splice(0) ?? []) {
    console.error(hideSecrets(session, diagnosticText(warning), given));
  }
}
