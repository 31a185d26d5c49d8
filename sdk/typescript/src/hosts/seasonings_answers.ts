import type { Session } from "../define/session.ts";
import { asFailure, type Diagnostic, failureDiagnostics, failureText } from "../values/failure.ts";
import { isUnfit } from "../values/problem.ts";
import type { RunningCall } from "./calls.ts";
import { FAILED, Fault, INVALID_PARAMS } from "./json_rpc.ts";

export const NOT_FOUND = -32002;

/** The result of a call about something with attributes, with its warnings. An error at an attribute is a diagnostic beside them. */
export async function seasoningsAnswer(
  { warnings }: RunningCall,
  work: () => Promise<{ result: Record<string, unknown>; diagnostics?: readonly Diagnostic[] }>,
): Promise<Record<string, unknown>> {
  try {
    const { result, diagnostics = [] } = await work();
    const found = [...diagnostics, ...warnings];
    return found.length === 0 ? result : { ...result, diagnostics: sent(found) };
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (isUnfit(error)) {
      const found = error.problems.map(({ path, text }): Diagnostic => ({
        severity: "error",
        summary: "invalid value",
        detail: text,
        path,
      }));
      return { diagnostics: sent([...found, ...warnings]) };
    }
    const failure = asFailure(error);
    if (failure.path === undefined && failure.diagnostics.length === 0) throw new Fault(FAILED, failureText(failure));
    return { diagnostics: sent([...failureDiagnostics(failure), ...warnings]) };
  }
}

function sent(diagnostics: readonly Diagnostic[]): unknown[] {
  return diagnostics.map(({ severity, summary, detail, path }) => ({
    severity,
    summary,
    ...(detail === undefined || detail === "" ? {} : { detail }),
    ...(path === undefined || path.length === 0 ? {} : { path }),
  }));
}

/** The thing that a call names by its type. */
export function subjectOf<T>(session: Session, kind: string, all: Map<string, T>, type: unknown): T {
  if (typeof type !== "string") throw new Fault(INVALID_PARAMS, "type: a string is required");
  const found = all.get(type);
  if (found === undefined) throw new Fault(NOT_FOUND, session.missing(kind, type, all.keys()));
  return found;
}
