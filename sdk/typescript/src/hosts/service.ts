import type { Cancellable } from "../define/context.ts";
import type { ActionPart, FunctionPart } from "../define/parts.ts";
import type { Session } from "../define/session.ts";
import { isPromise, proceed } from "../values/awaitable.ts";
import { asFailure, type Failure } from "../values/failure.ts";
import { isUnfit, nearest, plainProblemText } from "../values/problem.ts";
import { JSON_READING } from "../values/read.ts";
import type { RunningCalls } from "./calls.ts";
import { FAILED, Fault, INVALID_PARAMS, type JsonRpcMethods, METHOD_NOT_FOUND, type Request } from "./json_rpc.ts";
import { hideSecrets } from "./masking.ts";
import { callFunction, named, printWarnings, runAction } from "./run.ts";
import { Slots } from "./slots.ts";

/** A function or an action, by the name that they share. */
export function callable(
  session: Session,
  name: string,
): { function: FunctionPart } | { action: ActionPart } | undefined {
  const part = session.parts.functions.get(name);
  if (part !== undefined) return { function: part };
  const action = session.parts.actions.get(name);
  return action === undefined ? undefined : { action };
}

/** The names of everything that can be called, sorted. */
export function callableNames(session: Session): string[] {
  return [...new Set([...session.parts.functions.keys(), ...session.parts.actions.keys()])].sort();
}

/** What is said about a name that is not known, with the nearest one. */
export function unknownName(session: Session, kind: string, name: string): string {
  const names = callableNames(session);
  const near = nearest(name, names);
  const hint = near === undefined
    ? `the plugin has ${names.length === 0 ? "no functions and no actions" : names.join(", ")}`
    : `did you mean \`${near}\`?`;
  return `unknown ${kind} \`${name}\`; ${hint}`;
}

/** A plugin as a JSON-RPC service: each function and each action is a method. */
export class ServiceMethods implements JsonRpcMethods {
  readonly #session: Session;
  readonly #slots: Slots;

  constructor(session: Session) {
    this.#session = session;
    this.#slots = new Slots(session.parts.maxInFlight ?? 1);
  }

  isMutating(method: string): boolean {
    return !this.#session.parts.functions.has(method) && this.#session.parts.actions.has(method);
  }

  request({ method, params, call }: Request): unknown {
    const found = callable(this.#session, method);
    if (found === undefined) throw new Fault(METHOD_NOT_FOUND, unknownName(this.#session, "method", method));
    try {
      const answer = this.#call(found, method, params, call);
      return isPromise(answer) ? answer.catch(refuseCall) : answer;
    } catch (error) {
      return refuseCall(error);
    }
  }

  #call(found: { function: FunctionPart } | { action: ActionPart }, method: string, params: unknown, call: Cancellable) {
    if ("function" in found) {
      const given = Array.isArray(params) ? named(method, found.function, params) : params;
      return proceed(callFunction(this.#session, found.function, given, call, {}), (result) => {
        printWarnings(this.#session, call, given);
        return result;
      });
    }
    const given = Array.isArray(params) ? named(method, found.action, params) : params;
    const { action } = found;
    return this.#slots.run(() => runAction(this.#session, action, given, JSON_READING, call, {})).then(
      (outputs) => {
        printWarnings(this.#session, call, given);
        return Object.keys(action.outputs).length === 0 ? null : outputs;
      },
    );
  }

  hide<T>(value: T, method: string, params: unknown): T {
    const found = callable(this.#session, method);
    if (found === undefined || !Array.isArray(params)) return hideSecrets(this.#session, value, params);
    const part = "function" in found ? found.function : found.action;
    const most = Object.keys(part.body.attributes).length;
    const isVariadic = "variadic" in part && part.variadic !== undefined;
    return hideSecrets(this.#session, value, named(method, part, isVariadic ? params : params.slice(0, most)));
  }

  event(method: string, params: unknown, calls: RunningCalls): void {
    if (method === "$/cancelRequest") calls.cancel((params as { id?: unknown } | null | undefined)?.id);
  }
}

function refuseCall(error: unknown): never {
  throw serviceFault(error);
}

/** The error of a call: what does not fit is the caller's fault, everything else the plugin's. */
export function serviceFault(error: unknown): Fault {
  if (isUnfit(error)) {
    const [first] = error.problems;
    const message = error.problems.map(plainProblemText).join("; ");
    return new Fault(
      INVALID_PARAMS,
      message,
      first === undefined || first.path.length === 0 ? undefined : { path: first.path },
    );
  }
  const failure: Failure = asFailure(error);
  const { path, code, detail, message } = failure;
  const text = path === undefined || path.length === 0 ? message : `${path.join(".")}: ${message}`;
  const data = {
    ...(code === undefined ? {} : { code }),
    ...(detail === undefined ? {} : { detail }),
    ...(path === undefined ? {} : { path }),
  };
  return new Fault(FAILED, text, Object.keys(data).length === 0 ? undefined : data);
}
