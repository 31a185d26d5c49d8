import type { Session } from "../define/session.ts";
import { pathProblem, type StorageMethod } from "../define/storage.ts";
import { asFailure, Failure, failureText } from "../values/failure.ts";
import { hasMembers, jsName, writeImplied } from "../values/write.ts";
import { FAILED, Fault, INVALID_PARAMS, METHOD_NOT_FOUND } from "./json_rpc.ts";
import { withContext } from "./run.ts";
import type { SeasoningsCall } from "./seasonings.ts";

const LOCKED = -32001;

const VERDICT: readonly string[] = ["status", "message", "warnings", "metadata"];

/** The words for a verdict that mean the same. */
const STATUSES: Readonly<Record<string, string>> = { pass: "success", ok: "success", warn: "warning" };

/** Runs a hook around plan or apply. */
export async function runHook(
  session: Session,
  name: string,
  { method, given, running, reporter }: SeasoningsCall,
): Promise<unknown> {
  const hook = session.parts.hooks.get(name);
  if (hook === undefined) throw new Fault(METHOD_NOT_FOUND, "Method not found", { method });
  const params = { resources: [], ...given };
  const { value, context } = await withContext(session, running, reporter, (it) => hook(params, it));
  const verdict = verdictOf(name, value);
  const warnings = context.warnings.map((one) => one.summary);
  return warnings.length === 0 ? verdict : { ...verdict, warnings: [...verdict.warnings ?? [], ...warnings] };
}

interface SentVerdict {
  readonly status: string;
  readonly warnings?: readonly unknown[];
}

/** Nothing at all is a success. What is not a verdict must not become one: its author may have meant a refusal. */
function verdictOf(hook: string, value: unknown): SentVerdict {
  if (value === undefined || value === null) return { status: "success" };
  const refused = (problem: string) =>
    new Failure(`the hook ${hook} must return nothing, or an object with ${VERDICT.join(", ")}; ${problem}`);
  if (!hasMembers(value)) throw refused(`this is ${jsName(value)}`);
  const returned = writeImplied(value, "msgpack", []) as Record<string, unknown>;
  const unknown = Object.keys(returned).find((name) => !VERDICT.includes(name));
  if (unknown !== undefined) throw refused(`it has ${JSON.stringify(unknown)}`);
  const { status, warnings } = { ...returned, status: returned["status"] ?? "success", warnings: returned["warnings"] ?? [] };
  if (typeof status !== "string") throw refused(`its status is ${jsName(status)}`);
  if (!Array.isArray(warnings)) throw refused(`its warnings are ${jsName(warnings)}`);
  return { ...returned, status: STATUSES[status] ?? status };
}

/** Runs a method of the storage. */
export async function runStorage(
  session: Session,
  name: string,
  { method, given, running, reporter }: SeasoningsCall,
): Promise<unknown> {
  const handler = session.parts.storage.get(name);
  if (handler === undefined) throw new Fault(METHOD_NOT_FOUND, "Method not found", { method });
  const problem = name === "list" ? undefined : pathProblem(given["path"]);
  if (problem !== undefined) throw new Fault(INVALID_PARAMS, problem);
  const params = { ...given };
  for (const key of ["lockId", "prefix", "force"]) if (params[key] === null) delete params[key];
  // Without an id, an unlock releases any lock, which a host has to ask for.
  if (name === "unlock" && params["force"] !== true && typeof params["lockId"] !== "string") {
    throw new Fault(INVALID_PARAMS, "lockId in the params of storage/unlock: it is missing, and force is not true");
  }
  if (name === "write") {
    const { state } = params;
    if (state === undefined || state === null) {
      throw new Fault(INVALID_PARAMS, "state in the params of storage/write: it is missing");
    }
    if (typeof state === "string") params["state"] = new TextEncoder().encode(state);
  }
  try {
    const { value } = await withContext(session, running, reporter, (it) => handler(params, it));
    return storageResult(name as StorageMethod, value);
  } catch (error) {
    const failure = asFailure(error);
    if (failure.held === undefined) throw new Fault(FAILED, failureText(failure));
    throw new Fault(LOCKED, failureText(failure), {
      lockId: failure.held?.id ?? null,
      info: failure.held?.info ?? null,
    });
  }
}

/** The member that the result of a method has. */
const RETURNED: Readonly<Record<StorageMethod, string>> = {
  read: "state",
  write: "success",
  lock: "lockId",
  unlock: "success",
  list: "paths",
  delete: "success",
};

/** A result without its member is not guessed at: no state would be read as an empty one, and its resources created again. */
function storageResult(name: StorageMethod, value: unknown): unknown {
  const isNothing = value === undefined || value === null;
  // A handler that returns nothing has done what it was asked for.
  if (isNothing && (name === "unlock" || name === "delete")) return { success: true };
  const member = RETURNED[name];
  if (!hasMembers(value) || !(member in value)) {
    const found = hasMembers(value) ? `an object with ${Object.keys(value).join(", ") || "no members"}` : jsName(value);
    throw new Failure(`storage/${name} must return { ${member} }, but this is ${found}`);
  }
  return name === "read" ? { state: value[member] ?? null } : value;
}
