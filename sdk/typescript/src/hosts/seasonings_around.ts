import type { Session } from "../define/session.ts";
import { pathProblem } from "../define/storage.ts";
import { asFailure, failureText } from "../values/failure.ts";
import { isRecord } from "../values/read.ts";
import { writeImplied } from "../values/write.ts";
import { FAILED, Fault, INVALID_PARAMS, METHOD_NOT_FOUND } from "./json_rpc.ts";
import { withContext } from "./run.ts";
import type { SeasoningsCall } from "./seasonings.ts";

const LOCKED = -32001;

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
  const returned = isRecord(value) ? (writeImplied(value, "msgpack", []) as Record<string, unknown>) : {};
  const status = returned["status"];
  const verdict = {
    ...returned,
    status: typeof status === "string" ? STATUSES[status] ?? status : "success",
  } as Record<string, unknown>;
  const warnings = context.warnings.map((one) => one.summary);
  if (warnings.length === 0) return verdict;
  return {
    ...verdict,
    warnings: [...(Array.isArray(verdict["warnings"]) ? (verdict["warnings"] as unknown[]) : []), ...warnings],
  };
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
  if (name === "write") {
    const { state } = params;
    if (state === undefined || state === null) {
      throw new Fault(INVALID_PARAMS, "state in the params of storage/write: it is missing");
    }
    if (typeof state === "string") params["state"] = new TextEncoder().encode(state);
  }
  try {
    const { value } = await withContext(session, running, reporter, (it) => handler(params, it));
    const result = isRecord(value) ? value : {};
    if (name === "read") return { state: result["state"] ?? null };
    // A handler that returns nothing has done what it was asked for.
    return name === "unlock" || name === "delete" ? { success: true, ...result } : result;
  } catch (error) {
    const failure = asFailure(error);
    if (failure.held === undefined) throw new Fault(FAILED, failureText(failure));
    throw new Fault(LOCKED, failureText(failure), {
      lockId: failure.held?.id ?? null,
      info: failure.held?.info ?? null,
    });
  }
}
