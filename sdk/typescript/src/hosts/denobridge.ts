import type { Parts, ResourcePart } from "../define/parts.ts";
import type { Session } from "../define/session.ts";
import { validated } from "../define/standard.ts";
import { proceed } from "../values/awaitable.ts";
import { Failure } from "../values/failure.ts";
import { isRecord, JSON_READING, readObject, type Wire } from "../values/read.ts";
import { writeDeclared, writeObject } from "../values/write.ts";
import type { RunningCalls } from "./calls.ts";
import { decidedPlan, existingOf, settledProps, split, withUnknown } from "./denobridge_values.ts";
import { answered, CHANGE_CALL, type Place, places, PLAIN_CALL, RESULT_CALL } from "./denobridge_places.ts";
import type { Goodbye } from "./host.ts";
import { FAILED, Fault, INVALID_PARAMS, type JsonRpcMethods, METHOD_NOT_FOUND, type Request } from "./json_rpc.ts";
import { hideSecrets, withoutSecrets } from "./masking.ts";
import { callFunction, named, runAction, withContext, written } from "./run.ts";

type Params = Record<string, Wire>;

/** Whether a method is one of denobridge that a plugin of these parts can answer. */
export function answersDenobridge(method: string, parts: Parts): boolean {
  const { actions, dataSources, ephemerals, functions, resources } = parts;
  switch (method) {
    case "health":
    case "shutdown":
      return true;
    case "create":
    case "update":
    case "delete":
    case "modifyPlan":
      return resources.size > 0;
    case "read":
      return resources.size + dataSources.size > 0;
    case "open":
    case "renew":
    case "close":
      return ephemerals.size > 0;
    case "invoke":
      return actions.size > 0;
    case "call":
      return functions.size > 0;
    default:
      return false;
  }
}

/** A plugin as a script of denobridge: its one resource, data source, ephemeral resource and action, and its functions. */
export class DenobridgeMethods implements JsonRpcMethods {
  readonly #session: Session;
  readonly #goodbye: Goodbye;

  constructor(session: Session, goodbye: Goodbye) {
    this.#session = session;
    this.#goodbye = goodbye;
  }

  isMutating(method: string): boolean {
    return ["create", "update", "delete", "invoke", "open", "renew", "close"].includes(method);
  }

  event(method: string, params: unknown, calls: RunningCalls): void {
    if (method === "shutdown") this.#goodbye();
    if (method === "$/cancelRequest") calls.cancel((params as { id?: unknown } | null | undefined)?.id);
  }

  hide<T>(value: T, method: string, params: unknown): T {
    return hideSecrets(this.#session, value, this.#given(method, params));
  }

  /** What a call was given, by name: secrets are known by their names. */
  #given(method: string, params: unknown): unknown {
    if (method !== "call" || !isRecord(params)) return params;
    const { name, arguments: values } = params;
    const part = this.#session.parts.functions.get(String(name));
    if (part === undefined || !Array.isArray(values)) return params;
    const most = Object.keys(part.body.attributes).length;
    return named(String(name), part, part.variadic === undefined ? values.slice(0, most) : values);
  }

  request(request: Request): unknown {
    const given = this.#given(request.method, request.params);
    return proceed(this.#result(request), (result) => withoutSecrets(this.#session, result, given));
  }

  #result(request: Request): unknown {
    const params = request.params ?? {};
    if (!isRecord(params)) throw new Fault(INVALID_PARAMS, `the params of ${request.method} must be an object`);
    switch (request.method) {
      case "health": {
        const { maxInFlight } = this.#session.parts;
        return maxInFlight === undefined ? { ok: true } : { ok: true, maxInFlight };
      }
      case "shutdown":
        // Answered before the end.
        queueMicrotask(() => setTimeout(this.#goodbye, 0));
        return {};
      case "create":
        return this.#create(params, request);
      case "read":
        return params["id"] === undefined || params["id"] === null
          ? this.#look(params, request)
          : this.#read(params, request);
      case "update":
        return this.#update(params, request);
      case "delete":
        return this.#delete(params, request);
      case "modifyPlan":
        return this.#modifyPlan(params, request);
      case "open":
      case "renew":
      case "close":
        return this.#ephemeral(request.method, params, request);
      case "invoke":
        return this.#invoke(params, request);
      case "call":
        return this.#call(params, request);
      default:
        throw new Fault(METHOD_NOT_FOUND, `Method not found: ${request.method}`, { method: request.method });
    }
  }

  /** The one thing of a kind that the plugin has: denobridge's calls do not name it. */
  #only<T>(method: string, kind: string, all: Map<string, T>): T {
    const [only, ...others] = [...all.values()];
    const { name } = this.#session.plugin;
    if (only === undefined) {
      throw new Fault(
        METHOD_NOT_FOUND,
        `Method not found: the plugin ${name} has no ${kind}; it offers ${this.#session.summary()}`,
        { method },
      );
    }
    if (others.length > 0) {
      throw new Fault(
        FAILED,
        `the plugin ${name} has several ${kind}s (${
          [...all.keys()].sort().join(", ")
        }), and denobridge does not say which one it calls`,
      );
    }
    return only;
  }

  #resource(method: string): ResourcePart {
    return this.#only(method, "resource", this.#session.parts.resources);
  }

  /** Props, and write-only props beside them, in one object. */
  async #props(part: ResourcePart, plain: Wire, secret: Wire): Promise<Record<string, unknown>> {
    const { attributes } = part.body;
    const all: Params = isRecord(plain) ? { ...plain } : {};
    for (const name in all) {
      if (attributes[name]?.writeOnly === true && all[name] !== null) {
        throw Failure.at(name, `${JSON.stringify(name)} is write-only`, {
          detail: `move it from \`props\` to \`write_only_props\`: ${name} is never stored`,
        });
      }
    }
    if (plain !== null && plain !== undefined && !isRecord(plain)) readObject(plain, attributes, JSON_READING);
    if (isRecord(secret)) {
      for (const name in secret) if (attributes[name]?.writeOnly === true) all[name] = secret[name];
    }
    return validated(part.body, readObject(all, attributes, JSON_READING));
  }

  #create(params: Params, { call }: Request): Promise<Params> {
    const part = this.#resource("create");
    return answered(places(PLAIN_CALL, part.body.attributes, part.state), call, async () => {
      const props = await this.#props(part, params["props"], params["writeOnlyProps"]);
      const { value } = await withContext(this.#session, call, {}, (it) => part.handlers.create(props, it));
      const { id, state } = value;
      if (typeof id !== "string" || id === "") throw new Failure("create must return { id, state }; the id is missing");
      return { id, ...split(written("the state", () => writeObject(state, part.state, "json")), part.state) };
    });
  }

  #read(params: Params, { call }: Request): Promise<Params> {
    const part = this.#resource("read");
    return answered(places(PLAIN_CALL, part.body.attributes, part.state), call, async () => {
      const given = params["props"];
      const props = isRecord(given) ? await this.#props(part, given, undefined) : undefined;
      const { value } = await withContext(
        this.#session,
        call,
        {},
        (it) => part.handlers.read(String(params["id"]), props, it),
      );
      if (value === null || value === undefined) return { exists: false };
      const state = split(written("the state", () => writeObject(value.state, part.state, "json")), part.state);
      return { props: settledProps(value.props, given, part.body.attributes), ...state };
    });
  }

  #update(params: Params, { call }: Request): Promise<Params> {
    const part = this.#resource("update");
    return answered(places(CHANGE_CALL, part.body.attributes, part.state), call, async () => {
      const { update } = part.handlers;
      if (update === undefined) throw new Failure("the resource cannot be updated");
      const props = await this.#props(part, params["nextProps"], params["nextWriteOnlyProps"]);
      const existing = existingOf(
        part,
        params["id"],
        params["currentProps"],
        params["currentState"],
        params["currentSensitiveState"],
      );
      const { value } = await withContext(
        this.#session,
        call,
        {},
        (it) => update.call(part.handlers, existing, props, it),
      );
      const state = written("the state", () => writeObject(value?.state, part.state, "json"));
      return split(state, part.state);
    });
  }

  #delete(params: Params, { call }: Request): Promise<Params> {
    const part = this.#resource("delete");
    return answered(places(PLAIN_CALL, part.body.attributes, part.state), call, async () => {
      const existing = existingOf(part, params["id"], params["props"], params["state"], params["sensitiveState"]);
      await withContext(this.#session, call, {}, (it) => part.handlers.delete(existing, it));
      return { done: true };
    });
  }

  #modifyPlan(params: Params, { call }: Request): Promise<Params> {
    const part = this.#resource("modifyPlan");
    return answered(places(CHANGE_CALL, part.body.attributes, part.state), call, async () => {
      const kind = params["planType"];
      const unknownPaths = Array.isArray(params["unknownProps"]) ? (params["unknownProps"] as string[][]) : [];
      const next = unknownPaths.reduce<Wire>((value, path) => withUnknown(value, path.slice(1)), params["nextProps"]);
      const existing = () =>
        existingOf(part, params["id"], params["currentProps"], params["currentState"], params["currentSensitiveState"]);
      const read = () => readObject(next, part.body.attributes, { ...JSON_READING, allowUnknown: true });
      const plan = kind === "delete"
        ? { kind, existing: existing() } as const
        : kind === "update"
        ? { kind, existing: existing(), props: read() } as const
        : { kind: "create" as const, props: read() };
      const { value } = await withContext(
        this.#session,
        call,
        {},
        (it) => part.handlers.modifyPlan?.(plan, it),
      );
      const result = decidedPlan(part, value, kind === "update" ? params["currentProps"] : undefined, next);
      // Hosts that see `noChanges` stop reading there, and would miss the warnings.
      if (call.warnings.length > 0) delete result["noChanges"];
      return result;
    });
  }

  #look(params: Params, { call }: Request): Promise<Params> {
    const part = this.#only("read", "data source", this.#session.parts.dataSources);
    return answered(places(RESULT_CALL, part.body.attributes, part.result), call, async () => {
      const props = await validated(part.body, readObject(params["props"], part.body.attributes, JSON_READING));
      const { value } = await withContext(this.#session, call, {}, (it) => part.read(props, it));
      const { state, sensitiveState } = split(
        written("the result", () => writeObject(value, part.result, "json")),
        part.result,
      );
      return { result: state, ...(sensitiveState === undefined ? {} : { sensitiveResult: sensitiveState }) };
    });
  }

  #ephemeral(method: "open" | "renew" | "close", params: Params, { call }: Request): Promise<Params> {
    const part = this.#only(method, "ephemeral resource", this.#session.parts.ephemerals);
    const seconds = (
      time: Date | undefined,
    ) => (time === undefined ? {} : { renewAt: Math.floor(time.getTime() / 1000) });
    const kept = (data: unknown) => ({ privateData: writeDeclared(data, { type: { kind: "any" } }, "json") });
    const { handlers } = part;
    return answered(places(RESULT_CALL, part.body.attributes, part.result), call, async () => {
      if (method === "open") {
        const props = await validated(part.body, readObject(params["props"], part.body.attributes, JSON_READING));
        const { value } = await withContext(this.#session, call, {}, (it) => handlers.open(props, it));
        const { state, sensitiveState } = split(
          written("the result", () => writeObject(value.result, part.result, "json")),
          part.result,
        );
        const secret = sensitiveState === undefined ? {} : { sensitiveResult: sensitiveState };
        return { result: state, ...secret, ...seconds(value.renewAt), ...kept(value.private) };
      }
      const handler = handlers[method];
      if (handler === undefined) throw new Fault(METHOD_NOT_FOUND, `Method not found: ${method}`, { method });
      const { value } = await withContext(
        this.#session,
        call,
        {},
        (it) => handler.call(handlers, params["privateData"] ?? undefined, it),
      );
      const renewed = (value ?? {}) as { renewAt?: Date; private?: unknown };
      return method === "close"
        ? { done: true }
        : { ...seconds(renewed.renewAt), ...("private" in renewed ? kept(renewed.private) : {}) };
    });
  }

  #invoke(params: Params, { call, notify }: Request): Promise<Params> {
    const part = this.#only("invoke", "action", this.#session.parts.actions);
    return answered(places(PLAIN_CALL, part.body.attributes, {}), call, async () => {
      const progress = (message: string) => notify("invokeProgress", { message });
      await runAction(this.#session, part, params["props"], JSON_READING, call, { progress });
      return { done: true };
    });
  }

  #call(params: Params, { call }: Request): Promise<Params> {
    const { functions } = this.#session.parts;
    if (functions.size === 0) this.#only("call", "function", functions);
    const name = String(params["name"]);
    const part = functions.get(name);
    if (part === undefined) throw new Fault(FAILED, this.#session.missing("function", name, functions.keys()));
    const names = Object.keys(part.body.attributes);
    const place: Place = ([first = "", ...rest]) => {
      const index = names.indexOf(String(first));
      if (index < 0 && part.variadic?.name === first) {
        return ["arguments", String(names.length + Number(rest[0] ?? 0)), ...rest.slice(1).map(String)];
      }
      return ["arguments", ...(index < 0 ? [] : [String(index)]), ...rest.map(String)];
    };
    return answered(place, call, async () => {
      const values = Array.isArray(params["arguments"]) ? (params["arguments"] as unknown[]) : [];
      return { result: await callFunction(this.#session, part, named(name, part, values), call, {}) };
    });
  }
}
