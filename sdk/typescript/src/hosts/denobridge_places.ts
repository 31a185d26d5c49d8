import { asFailure, type Diagnostic, failureDiagnostics, failureText, type Path } from "../values/failure.ts";
import { isUnfit } from "../values/problem.ts";
import type { Wire } from "../values/read.ts";
import type { Declarations } from "../values/type.ts";
import type { RunningCall } from "./calls.ts";
import { FAILED, Fault } from "./json_rpc.ts";

type Params = Record<string, Wire>;

/** What the params of a call name what they hold. */
export interface CallMembers {
  readonly props: string;
  readonly writeOnly: string;
  readonly state: string;
  readonly sensitive: string;
}

export const PLAIN_CALL: CallMembers = { props: "props", writeOnly: "writeOnlyProps", state: "state", sensitive: "sensitiveState" };
export const CHANGE_CALL: CallMembers = {
  props: "nextProps",
  writeOnly: "nextWriteOnlyProps",
  state: "currentState",
  sensitive: "currentSensitiveState",
};
export const RESULT_CALL: CallMembers = { ...PLAIN_CALL, state: "result", sensitive: "sensitiveResult" };

export type Place = (path: Path) => string[];

/** Where an attribute is in the params of a call. */
export function places(members: CallMembers, given: Declarations, returned: Declarations): Place {
  return (path) => {
    const [first = ""] = path;
    const one = given[first];
    const member = one !== undefined
      ? one.writeOnly === true ? members.writeOnly : members.props
      : returned[first] !== undefined
      ? returned[first]?.secret === true ? members.sensitive : members.state
      : members.props;
    return [member, ...path.map(String)];
  };
}

export function located(diagnostics: readonly Diagnostic[], place: Place): unknown[] {
  return diagnostics.map(({ severity, summary, detail, path }) => ({
    severity,
    summary,
    ...(detail === undefined || detail === "" ? {} : { detail }),
    ...(path === undefined ? {} : { propPath: place(path) }),
  }));
}

/**
 * The result of a call, with its warnings. An error at an attribute is a diagnostic beside them, any other fails the call as a
 * whole.
 */
export async function answered(place: Place, call: RunningCall, work: () => Promise<Params>): Promise<Params> {
  const { warnings } = call;
  try {
    const result = await work();
    return warnings.length === 0 ? result : { ...result, diagnostics: located(warnings, place) };
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (isUnfit(error)) {
      const found = error.problems.map(({ path, text }) => ({
        severity: "error" as const,
        summary: `invalid \`${place(path)[0]}\``,
        detail: path.length === 0 ? text : `${path.join(".")}: ${text}`,
        path,
      }));
      return { diagnostics: located([...found, ...warnings], place) };
    }
    const failure = asFailure(error);
    if (failure.path === undefined && failure.diagnostics.length === 0) throw new Fault(FAILED, failureText(failure));
    return { diagnostics: located([...failureDiagnostics(failure), ...warnings], place) };
  }
}
