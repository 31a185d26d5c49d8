import type { Awaitable } from "../values/awaitable.ts";
import type { StandardSchema } from "../define/standard.ts";
import { asFailure, failureDiagnostics, failureText } from "../values/failure.ts";
import { isRecord, type Wire } from "../values/read.ts";
import { revealed } from "../values/secret.ts";
import type { RunningCalls } from "./calls.ts";
import type { Goodbye } from "./host.ts";
import { FAILED, Fault, JsonRpcConversation, type JsonRpcMethods, METHOD_NOT_FOUND, type Request } from "./json_rpc.ts";
import { serveStdio } from "./serve.ts";

/** Problems and warnings in the shape of denobridge: a path begins with `props` or another member of the params. */
export interface Diagnostics {
  diagnostics: { severity: "error" | "warning"; summary: string; detail: string; propPath?: string[] | undefined }[];
}

// what a schema of any library describes
type Any = any;

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
      void serveStdio("denobridge", (output, goodbye) => {
        this.#goodbye = goodbye;
        return new JsonRpcConversation(this, output);
      }, async () => undefined);
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
    const method = this.#methods[request.method];
    if (method === undefined) {
      throw new Fault(METHOD_NOT_FOUND, `Method not found: ${request.method}`, { method: request.method });
    }
    try {
      return await method((request.params ?? {}) as Params, request);
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
  if (!isRecord(shown)) return { [plain]: shown ?? null };
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
function refusal(answer: unknown): Diagnostics | undefined {
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
    const any = methods as ResourceProviderMethods<Any, Any, Any>;
    super({
      async create(params) {
        const answer = await any.create(withWriteOnly(params["props"], params["writeOnlyProps"]));
        const refused = refusal(answer);
        if (refused !== undefined) return refused;
        const [warnings, result] = warned(answer);
        const { id, state } = (result ?? {}) as { id: unknown; state: Wire };
        return { id, ...parted(state, "state", "sensitiveState"), ...warnings };
      },
      async read(params) {
        const answer = await any.read(params["id"], params["props"]);
        const refused = refusal(answer);
        if (refused !== undefined) return refused;
        const [warnings, result] = warned(answer);
        const { exists, props, state } = (result ?? {}) as Params;
        if (exists === false) return { exists: false, ...warnings };
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

function present(members: Params): Params {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

type Out<S> = S extends { readonly "~standard": { readonly types?: infer T } }
  ? (NonNullable<T> extends { output: infer O } ? O : unknown)
  : undefined;

/** What a schema makes of a value. @throws {Diagnostics} It refuses it; the paths begin with `root`. */
async function parsed(schema: StandardSchema | undefined, value: unknown, root: string): Promise<Any> {
  if (schema === undefined) return value;
  const result = await schema["~standard"].validate(value ?? undefined);
  if (result.issues === undefined) return result.value;
  throw new RefusedValue(result.issues.map(({ message, path = [] }) => ({
    severity: "error" as const,
    summary: "Invalid value",
    detail: message,
    ...(path.length === 0
      ? {}
      : { propPath: [root, ...path.map((step) => String(typeof step === "object" ? step.key : step))] }),
  })));
}

/** What a schema refuses, on its way out of a handler. */
class RefusedValue extends Error {
  readonly diagnostics: Diagnostics["diagnostics"];

  constructor(diagnostics: Diagnostics["diagnostics"]) {
    super("invalid value");
    this.diagnostics = diagnostics;
  }
}

async function checked(work: () => Promise<Any>): Promise<Any> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RefusedValue) return { diagnostics: error.diagnostics };
    throw error;
  }
}

/** A resource whose props and state are checked by schemas of zod or any other library. */
export class ZodResourceProvider<P extends StandardSchema, S extends StandardSchema | undefined = undefined>
  extends ResourceProvider<Out<P>, Out<S>> {
  constructor(props: P, state: S, methods: ResourceProviderMethods<Out<P>, Out<S>>);
  constructor(props: P, methods: ResourceProviderMethods<Out<P>>);
  constructor(props: P, second: Any, third?: Any) {
    const state = third === undefined ? undefined : (second as StandardSchema | undefined);
    const methods = (third ?? second) as ResourceProviderMethods<Any, Any>;
    const given = (
      value: unknown,
      root: string,
    ) => (value === null || value === undefined ? value : parsed(props, value, root));
    const stored = (value: unknown) => (value === null || value === undefined ? value : parsed(state, value, "state"));
    const returned = async (
      answer: Any,
    ) => (refusal(answer) !== undefined || answer === undefined || !("state" in answer)
      ? answer
      : { ...answer, state: await parsed(state, answer.state, "state") });
    super({
      create: (value: unknown) => checked(async () => returned(await methods.create(await given(value, "props")))),
      read: (id: string, value: unknown) =>
        checked(async () => returned(await methods.read(id, await given(value, "props")))),
      update: (id: string, next: unknown, current: unknown, before: unknown) =>
        checked(async () => {
          const answer = await methods.update(
            id,
            await given(next, "nextProps"),
            await given(current, "currentProps"),
            await stored(before),
          );
          return refusal(answer) !== undefined || answer === undefined ? answer : parsed(state, answer, "state");
        }),
      delete: (id: string, value: unknown, before: unknown) =>
        checked(async () => methods.delete(id, await given(value, "props"), await stored(before))),
      ...(methods.modifyPlan === undefined ? {} : {
        // Parts of a plan are not known yet, so that its props are passed as they are.
        modifyPlan: (id: string | null, kind: "create" | "update" | "delete", next: Any, current: Any, before: Any) =>
          methods.modifyPlan?.(id, kind, next, current, before),
      }),
    } as ResourceProviderMethods<Any, Any>);
  }
}

/** A data source whose props and result are checked by schemas. */
export class ZodDatasourceProvider<P extends StandardSchema, R extends StandardSchema>
  extends DatasourceProvider<Out<P>, Out<R>> {
  constructor(props: P, result: R, methods: DatasourceProviderMethods<Out<P>, Out<R>>) {
    super({
      read: (value: unknown) =>
        checked(async () => {
          const answer = await methods.read(await parsed(props, value, "props"));
          return refusal(answer) ?? parsed(result, answer, "result");
        }),
    });
  }
}

/** An ephemeral resource whose props, result and private data are checked by schemas. */
export class ZodEphemeralResourceProvider<P extends StandardSchema, R extends StandardSchema, D extends StandardSchema>
  extends EphemeralResourceProvider<Out<P>, Out<R>, Out<D>> {
  constructor(props: P, result: R, privateData: D, methods: EphemeralResourceProviderMethods<Out<P>, Out<R>, Out<D>>) {
    const kept = (
      value: unknown,
    ) => (value === undefined || value === null ? undefined : parsed(privateData, value, "privateData"));
    const { renew, close } = methods;
    super({
      open: (value: unknown) =>
        checked(async () => {
          const answer = await methods.open(await parsed(props, value, "props")) as Any;
          if (refusal(answer) !== undefined) return answer;
          return {
            ...answer,
            result: await parsed(result, answer.result, "result"),
            ...(answer.privateData === undefined ? {} : { privateData: await kept(answer.privateData) }),
          };
        }),
      ...(renew === undefined
        ? {}
        : { renew: (value: unknown) => checked(async () => renew.call(methods, await kept(value) as Any)) }),
      ...(close === undefined
        ? {}
        : { close: (value: unknown) => checked(async () => close.call(methods, await kept(value) as Any)) }),
    } as EphemeralResourceProviderMethods<Any, Any, Any>);
  }
}

/** An action whose props are checked by a schema. */
export class ZodActionProvider<P extends StandardSchema> extends ActionProvider<Out<P>> {
  constructor(props: P, methods: ActionProviderMethods<Out<P>>) {
    super({
      invoke: (value: unknown, progress) =>
        checked(async () => methods.invoke(await parsed(props, value, "props"), progress)),
    });
  }
}
