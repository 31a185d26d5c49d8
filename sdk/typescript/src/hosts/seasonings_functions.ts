import { Context } from "../define/context.ts";
import type { Session } from "../define/session.ts";
import { asFailure, failureText } from "../values/failure.ts";
import { isUnfit } from "../values/problem.ts";
import { CTY_READING } from "../values/read.ts";
import { FAILED, Fault, INVALID_PARAMS } from "./json_rpc.ts";
import { functionArguments, printWarnings, runFunction } from "./run.ts";
import { NOT_FOUND } from "./seasonings_answers.ts";
import type { SeasoningsCall } from "./seasonings.ts";

/** Calls a function. An error about an argument points at it. */
export async function seasoningsFunction(
  session: Session,
  { given, running, reporter }: SeasoningsCall,
): Promise<unknown> {
  const { name } = given;
  if (typeof name !== "string") {
    throw new Fault(INVALID_PARAMS, "name in the params of functions/call: a string is required");
  }
  const { functions } = session.parts;
  const part = functions.get(name);
  if (part === undefined) throw new Fault(NOT_FOUND, session.missing("function", name, functions.keys()));
  try {
    const read = functionArguments(part, given["arguments"], CTY_READING);
    // Hosts call functions also before they configure the plugin, so that the state is there only afterwards.
    const context = new Context(session.stateOnDemand(), running, reporter);
    const result = await runFunction(part, read, "msgpack", context);
    printWarnings(session, running, given);
    return { result };
  } catch (error) {
    if (error instanceof Fault) throw error;
    if (isUnfit(error)) {
      const [{ path, text } = { path: [], text: "invalid argument" }] = error.problems;
      const [argument, ...inside] = path;
      const message = inside.length === 0 ? text : `${inside.join(".")}: ${text}`;
      throw new Fault(FAILED, message, argument === undefined ? undefined : { argument: String(argument) });
    }
    const failure = asFailure(error);
    const [argument] = failure.path ?? [];
    if (argument === undefined) throw new Fault(FAILED, failureText(failure));
    // The host shows which argument it is, so that the text needs no path.
    const text = failure.detail === undefined ? failure.message : `${failure.message}\n${failure.detail}`;
    throw new Fault(FAILED, text, { argument: String(argument) });
  }
}
