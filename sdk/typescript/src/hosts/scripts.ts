import type { Awaitable } from "../values/awaitable.ts";
import { asFailure, failureDiagnostics, failureText } from "../values/failure.ts";
import { DEEPEST } from "../values/json.ts";
import { isRecord, type Wire } from "../values/read.ts";
import { revealed } from "../values/secret.ts";
import { hasMembers, hintFor, jsName } from "../values/write.ts";
import type { RunningCalls } from "./calls.ts";
import type { Goodbye } from "./host.ts";
import { FAILED, Fault, INVALID_PARAMS, JsonRpcConversation, type JsonRpcMethods, METHOD_NOT_FOUND, type Request } from "./json_rpc.ts";
import { MASKED_OF_SCRIPTS } from "./frame_log.ts";
import { serveStdio } from "./serve.ts";

/** The version of denobridge's own library that the scripts here are written for. */
export const DENOBRIDGE_VERSION = "0.4.1";

/** Problems and warnings in the shape of denobridge: a path begins with `props` or another member of the params. */
export interface Diagnostics {
  diagnostics: { severity: "error" | "warning"; summary: string; detail: string; propPath?: string[] | undefined }[];
}

// what a schema of any library describes
export type ScriptValue = any;

/** The functions of a script for a resource. `sensitive` in a state is kept apart and not shown; `writeOnly` in props is never stored. */
export interface ResourceProviderMethods<Props, State = undefined, ID = string> {
  create(props: Props): Awaitable<Diagnostics | { id: ID; state?: State }>;
  read(
    id: ID,
    props: Props,
  ): Awaitable<Diagnostics | { props: Props; state?: State; exists?: true } | { exists: false }>;
  update(id: ID, nextProps: Props, currentProps: Props, currentState: State): Awaitable<Diagnostics | State | void>;
  delete(id: ID, props: Props, state: State): Awaitable<Diagnostics | void>;
  modifyPlan?(
    id: ID | null,
    planType: "create" | "update" | "delete",
    nextProps: Props | null,
    currentProps: Props | null,
    currentState: State | null,
  ): Awaitable<
    Diagnostics | { noChanges: true } | {
      modifiedProps?: Partial<Props>;
      requiresReplacement?: boolean;
      diagnostics?: Diagnostics["diagnostics"];
    } | void
  >;
}

/** The function of a script for a data source. */
export interface DatasourceProviderMethods<Props, Result> {
  read(props: Props): Awaitable<Diagnostics | Result>;
}

/** The functions of a script for an ephemeral resource. */
export interface EphemeralResourceProviderMethods<Props, Result, PrivateData = undefined> {
  open(
    props: Props,
  ): Awaitable<
    Diagnostics | { result: Result; /** In seconds since 1970. */ renewAt?: number; privateData?: PrivateData }
  >;
  renew?(privateData: PrivateData): Awaitable<Diagnostics | { renewAt?: number; privateData?: PrivateData }>;
  close?(privateData: PrivateData): Awaitable<Diagnostics | void>;
}

/** The function of a script for an action. */
export interface ActionProviderMethods<Props> {
  invoke(props: Props, progress: (message: string) => Promise<void>): Awaitable<Diagnostics | void>;
}

type Params = Record<string, Wire>;
type Methods = Record<string, (params: Params, request: Request) => Promise<unknown>>;

/** A script of denobridge, which serves its host as soon as it is made. */
class Script implements JsonRpcMethods {
  readonly #methods: Methods;
  #goodbye: Goodbye = () => undefined;

  constructor(methods: Methods) {
    this.#methods = methods;
    // A later turn, so that the constructor of the author is over.
    queueMicrotask(() => {
      void serveStdio(
        "denobridge",
        (output, goodbye) => {
          this.#goodbye = goodbye;
          return new JsonRpcConversation(this, output);
        },
        async () => undefined,
        () => MASKED_OF_SCRIPTS,
      );
    });
  }

  /** @internal */
  isMutating(method: string): boolean {
    return method !== "health" && method !== "read" && method !== "modifyPlan";
  }

  /** @internal */
  event(method: string, params: unknown, calls: RunningCalls): void {
    if (method === "shutdown") this.#goodbye();
    if (method === "$/cancelRequest") calls.cancel((params as { id?: unknown } | null | undefined)?.id);
  }

  /** @internal */
  async request(request: Request): Promise<unknown> {
    if (request.method === "health") return { ok: true };
    if (request.method === "shutdown") {
      setTimeout(this.#goodbye, 0);
      return {};
    }
    // Its own members alone: an object also has methods such as toString.
    const method = Object.hasOwn(this.#methods, request.method) ? this.#methods[request.method] : undefined;
    if (method === undefined) {
      throw new Fault(METHOD_NOT_FOUND, `Method not found: ${request.method}`, { method: request.method });
    }
    try {
      const params = request.params ?? {};
      if (!isRecord(params)) throw new Fault(INVALID_PARAMS, `the params of ${request.method} must be an object`);
      const answer = await method(params, request);
      checkJson(request.method, answer);
      return answer;
    } catch (error) {
      if (error instanceof Fault) throw error;
      // The message of the author reaches the user.
      const failure = asFailure(error);
      if (failure.path === undefined && failure.diagnostics.length === 0) throw new Fault(FAILED, failureText(failure));
      return {
        diagnostics: failureDiagnostics(failure).map(({ severity, summary, detail = "", path }) => ({
          severity,
          summary,
          detail,
          ...(path === undefined ? {} : { propPath: path.map(String) }),
        })),
      };
    }
  }
}

/** A state with its sensitive part in it; null if there is neither. */
function joined(plain: Wire, sensitive: Wire): Wire {
  if (!isRecord(sensitive)) return plain ?? null;
  return { ...(isRecord(plain) ? plain : {}), sensitive };
}

/** A state without its sensitive part, and that part. */
function parted(value: Wire, plain: string, secret: string): Params {
  const shown = revealed(value);
  if (!hasMembers(shown)) return { [plain]: shown ?? null };
  const { sensitive, ...rest } = shown;
  const hasOthers = Object.keys(rest).length > 0 || sensitive === undefined;
  return {
    [plain]: hasOthers ? rest : null,
    ...(sensitive === undefined || sensitive === null ? {} : { [secret]: sensitive }),
  };
}

function withWriteOnly(props: Wire, writeOnly: Wire): Wire {
  return writeOnly === undefined || writeOnly === null ? props : { ...(isRecord(props) ? props : {}), writeOnly };
}

/** Whether an answer consists of problems: it has no result beside them. */
export function refusal(answer: unknown): Diagnostics | undefined {
  if (!isRecord(answer) || !Array.isArray(answer["diagnostics"])) return undefined;
  return (answer as unknown as Diagnostics).diagnostics.some(({ severity }) => severity === "error")
    ? (answer as unknown as Diagnostics)
    : undefined;
}

/** The warnings of an answer, and the answer without them. */
function warned(answer: unknown): [Params, unknown] {
  if (!isRecord(answer) || !Array.isArray(answer["diagnostics"])) return [{}, answer];
  const { diagnostics, ...rest } = answer;
  return [{ diagnostics }, Object.keys(rest).length === 0 ? undefined : rest];
}

/** A resource of denobridge. */
export class ResourceProvider<Props, State = undefined, ID = string> extends Script {
  constructor(methods: ResourceProviderMethods<Props, State, ID>) {
    const any = methods as ResourceProviderMethods<ScriptValue, ScriptValue, ScriptValue>;
    super({
      async create(params) {
        const answer = await any.create(withWriteOnly(params["props"], params["writeOnlyProps"]));
        const refused = refusal(answer);
        if (refused !== undefined) return refused;
        const [warnings, result] = warned(answer);
        const { id, state } = (result ?? {}) as { id: unknown; state: Wire };
        if (id === undefined || id === null) throw incomplete("create", "an id", "{ id, state }");
        return { id, ...parted(state, "state", "sensitiveState"), ...warnings };
      },
      async read(params) {
        const answer = await any.read(params["id"], params["props"]);
        const refused = refusal(answer);
        if (refused !== undefined) return refused;
        const [warnings, result] = warned(answer);
        const { exists, props, state } = (result ?? {}) as Params;
        if (exists === false) return { exists: false, ...warnings };
        if (props === undefined || props === null) {
          throw incomplete("read", "props", "{ props, state }, or { exists: false } if it is gone");
        }
        return { props, ...parted(state, "state", "sensitiveState"), ...warnings };
      },
      async update(params) {
        const state = joined(params["currentState"], params["currentSensitiveState"]);
        const answer = await any.update(
          params["id"],
          withWriteOnly(params["nextProps"], params["nextWriteOnlyProps"]),
          params["currentProps"],
          state,
        );
        const refused = refusal(answer);
        if (refused !== undefined) return refused;
        const [warnings, result] = warned(answer);
        return { ...parted(result, "state", "sensitiveState"), ...warnings };
      },
      async delete(params) {
        const answer = await any.delete(
          params["id"],
          params["props"],
          joined(params["state"], params["sensitiveState"]),
        );
        return refusal(answer) ?? { done: true, ...warned(answer)[0] };
      },
      ...(any.modifyPlan === undefined ? {} : {
        async modifyPlan(params: Params) {
          const state = joined(params["currentState"], params["currentSensitiveState"]);
          const answer = await any.modifyPlan?.(
            params["id"] ?? null,
            params["planType"] as "create",
            params["nextProps"] ?? null,
            params["currentProps"] ?? null,
            state,
          );
          return answer ?? { noChanges: true };
        },
      }),
    });
  }
}

/** A data source of denobridge. */
export class DatasourceProvider<Props, Result> extends Script {
  constructor(methods: DatasourceProviderMethods<Props, Result>) {
    super({
      async read(params) {
        const answer = await methods.read(params["props"] as Props);
        const refused = refusal(answer);
        if (refused !== undefined) return refused;
        const [warnings, result] = warned(answer);
        if (result === undefined) throw incomplete("read", "a result", "the result");
        return { ...parted(result, "result", "sensitiveResult"), ...warnings };
      },
    });
  }
}

/** An ephemeral resource of denobridge. */
export class EphemeralResourceProvider<Props, Result, PrivateData = undefined> extends Script {
  constructor(methods: EphemeralResourceProviderMethods<Props, Result, PrivateData>) {
    const { renew, close } = methods;
    super({
      async open(params) {
        const answer = await methods.open(params["props"] as Props);
        const refused = refusal(answer);
        if (refused !== undefined) return refused;
        const [warnings, opened] = warned(answer);
        const { result, renewAt, privateData } = (opened ?? {}) as Params;
        if (result === undefined) throw incomplete("open", "a result", "{ result }");
        return { ...parted(result, "result", "sensitiveResult"), ...present({ renewAt, privateData }), ...warnings };
      },
      ...(renew === undefined ? {} : {
        async renew(params: Params) {
          const answer = await renew.call(methods, params["privateData"] as PrivateData);
          const refused = refusal(answer);
          if (refused !== undefined) return refused;
          const [warnings, renewed] = warned(answer);
          return { ...present((renewed ?? {}) as Params), ...warnings };
        },
      }),
      ...(close === undefined ? {} : {
        async close(params: Params) {
          const answer = await close.call(methods, params["privateData"] as PrivateData);
          return refusal(answer) ?? { done: true, ...warned(answer)[0] };
        },
      }),
    });
  }
}

/** An action of denobridge. */
export class ActionProvider<Props> extends Script {
  constructor(methods: ActionProviderMethods<Props>) {
    super({
      async invoke(params, { notify }) {
        const progress = async (message: string) => notify("invokeProgress", { message });
        const answer = await methods.invoke(params["props"] as Props, progress);
        return refusal(answer) ?? { done: true, ...warned(answer)[0] };
      },
    });
  }
}

function incomplete(method: string, missing: string, wanted: string): Error {
  return new Error(`${method} returned nothing that has ${missing}; return ${wanted}`);
}

/** Finds what JSON would write as null or as an empty object. @throws {Error} There is such a value. */
function checkJson(method: string, value: unknown, path: readonly string[] = []): void {
  const refused = (found: string, hint = "") =>
    new Error(`${method} returned ${found} in ${path.join(".")}, which cannot be written as JSON${hint}`);
  if (typeof value === "number" && !Number.isFinite(value)) throw refused(String(value));
  if (path.length > DEEPEST) {
    const place = path.slice(0, 3).join(".");
    throw new Error(`${method} returned a value in ${place} that is nested more than ${DEEPEST} levels deep, or contains itself`);
  }
  if (Array.isArray(value)) value.forEach((one, index) => checkJson(method, one, [...path, String(index)]));
  else if (isRecord(value) && !("toJSON" in value)) {
    const given: unknown = value;
    if (given instanceof Set) throw refused("a Set", "; return [...set]");
    if (!hasMembers(given)) throw refused(jsName(given), hintFor(given));
    for (const name in given) checkJson(method, given[name], [...path, name]);
  }
}

function present(members: Params): Params {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
