import type { Cancellable, Reporter } from "../define/context.ts";
import { jsonSchemaOfDeclaration, jsonSchemaOfObject } from "../define/json_schema.ts";
import type { ActionPart, FunctionPart } from "../define/parts.ts";
import type { Session } from "../define/session.ts";
import { type Awaitable, isPromise, proceed } from "../values/awaitable.ts";
import { asFailure, failureText } from "../values/failure.ts";
import { stringifyJson } from "../values/json.ts";
import { isUnfit } from "../values/problem.ts";
import { isRecord, JSON_READING } from "../values/read.ts";
import type { Declaration } from "../values/type.ts";
import type { RunningCalls } from "./calls.ts";
import { Fault, INVALID_PARAMS, type JsonRpcMethods, METHOD_NOT_FOUND, type Request } from "./json_rpc.ts";
import { hideSecrets } from "./masking.ts";
import { callFunction, printWarnings, runAction } from "./run.ts";
import { callable, callableNames, serviceFault, unknownName } from "./service.ts";
import { Slots } from "./slots.ts";

/** The versions of the Model Context Protocol that are spoken here. */
const VERSIONS = ["2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/** A plugin as a server of the Model Context Protocol: functions and actions are tools. */
export class McpMethods implements JsonRpcMethods {
  readonly isSilent = true;
  readonly #session: Session;
  readonly #slots: Slots;

  constructor(session: Session) {
    this.#session = session;
    this.#slots = new Slots(session.parts.maxInFlight ?? 1);
  }

  isMutating(method: string, params: unknown): boolean {
    const name = (params as { name?: unknown } | undefined)?.name;
    return method === "tools/call" && typeof name === "string" && !this.#session.parts.functions.has(name);
  }

  request(request: Request): unknown {
    switch (request.method) {
      case "initialize":
        return this.#initialize(request.params);
      case "ping":
        return {};
      case "tools/list":
        return { tools: callableNames(this.#session).map((name) => this.#tool(name)) };
      case "tools/call":
        return this.#call(request);
      default:
        throw new Fault(
          METHOD_NOT_FOUND,
          `unknown method \`${request.method}\`; the plugin offers tools/list and tools/call`,
        );
    }
  }

  event(method: string, params: unknown, calls: RunningCalls): void {
    if (method === "notifications/cancelled") {
      calls.cancel((params as { requestId?: unknown } | null | undefined)?.requestId);
    }
  }

  #initialize(params: unknown): unknown {
    const wanted = (params as { protocolVersion?: unknown } | undefined)?.protocolVersion as string;
    const { name, version } = this.#session.plugin;
    return {
      protocolVersion: VERSIONS.includes(wanted) ? wanted : VERSIONS[VERSIONS.length - 1],
      capabilities: { tools: {} },
      serverInfo: { name, version },
    };
  }

  #tool(name: string): unknown {
    const found = callable(this.#session, name) as { function: FunctionPart } | { action: ActionPart };
    const part = "function" in found ? found.function : found.action;
    const attributes = { ...part.body.attributes };
    if ("variadic" in part && part.variadic !== undefined) {
      attributes[part.variadic.name] = { type: { kind: "list", element: part.variadic.element }, default: [] };
    }
    const outputSchema = "function" in found ? resultSchema(found.function.returns) : outputsSchema(found.action);
    const annotations = "function" in found
      ? { readOnlyHint: true }
      : found.action.isIdempotent
      ? { idempotentHint: true }
      : undefined;
    return {
      name,
      ...(part.description === "" ? {} : { description: part.description }),
      inputSchema: jsonSchemaOfObject(attributes),
      ...(outputSchema === undefined ? {} : { outputSchema }),
      ...(annotations === undefined ? {} : { annotations }),
    };
  }

  #call({ params, call, notify }: Request): unknown {
    const { name, arguments: given, _meta: meta } = isRecord(params) ? params : {};
    if (typeof name !== "string") throw new Fault(INVALID_PARAMS, "name: a string is required");
    const found = callable(this.#session, name);
    if (found === undefined) throw new Fault(INVALID_PARAMS, unknownName(this.#session, "tool", name));
    const token = isRecord(meta) ? meta["progressToken"] : undefined;
    let steps = 0;
    const progress = (message: string, done?: number, total?: number) => {
      steps = done ?? steps + 1;
      if (token === undefined) return;
      notify("notifications/progress", {
        progressToken: token,
        progress: steps,
        ...(total === undefined ? {} : { total }),
        message,
      });
    };
    try {
      const answer = this.#content(found, given, call, progress);
      return isPromise(answer) ? answer.catch((error) => this.#failed(error, given, call)) : answer;
    } catch (error) {
      return this.#failed(error, given, call);
    }
  }

  #failed(error: unknown, given: unknown, call: Cancellable): unknown {
    printWarnings(this.#session, call, given);
    if (isUnfit(error)) throw serviceFault(error);
    const text = hideSecrets(this.#session, failureText(asFailure(error)), given);
    return { content: [{ type: "text", text }], isError: true };
  }

  #content(
    found: { function: FunctionPart } | { action: ActionPart },
    given: unknown,
    call: Cancellable,
    progress: NonNullable<Reporter["progress"]>,
  ): Awaitable<unknown> {
    if ("function" in found) {
      const outcome = callFunction(this.#session, found.function, given, call, { progress });
      const isObject = isObjectType(found.function.returns);
      return proceed(outcome, (result) => {
        printWarnings(this.#session, call, given);
        return content(result, isObject ? result : { result });
      });
    }
    const { action } = found;
    const run = () => runAction(this.#session, action, given, JSON_READING, call, { progress });
    return this.#slots.run(run).then((outputs) => {
      printWarnings(this.#session, call, given);
      const isEmpty = Object.keys(action.outputs).length === 0;
      return isEmpty ? { content: [{ type: "text", text: "done" }] } : content(outputs, outputs);
    });
  }
}

function content(result: unknown, structuredContent: unknown): unknown {
  const text = typeof result === "string" ? result : stringifyJson(result);
  return { content: [{ type: "text", text }], structuredContent };
}

/** Structured content is an object; a map of any keys is one, too. */
function isObjectType({ type, nullable, optional }: Declaration): boolean {
  return (type.kind === "object" || type.kind === "map") && nullable !== true && optional !== true;
}

function resultSchema(returns: Declaration): unknown {
  if (isObjectType(returns)) {
    const { description: _, ...schema } = jsonSchemaOfDeclaration(returns, true);
    return schema;
  }
  return {
    type: "object",
    properties: { result: jsonSchemaOfDeclaration(returns, true) },
    required: ["result"],
    additionalProperties: false,
  };
}

function outputsSchema(action: ActionPart): unknown {
  return Object.keys(action.outputs).length === 0 ? undefined : jsonSchemaOfObject(action.outputs, true);
}
