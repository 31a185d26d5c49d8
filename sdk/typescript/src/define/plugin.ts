import { servePlugin } from "../hosts/serve.ts";
import type { Declaration, Declarations } from "../values/type.ts";
import { addStorage, type Storage } from "./storage.ts";
import type { Awaitable } from "../values/awaitable.ts";
import type { Context } from "./context.ts";
import type { AnyField, Shape } from "./field.ts";
import {
  type ChangeHandler,
  RESOURCE_HOOKS,
  type ResourceHook,
  STAGE_HOOKS,
  type StageHandler,
  type StageHook,
} from "./hooks.ts";
import { type Offer, offerOf } from "./offer.ts";
import type { EphemeralHandlers, Parts, RawHandler, ResourceHandlers } from "./parts.ts";
import type {
  ActionOptions,
  DataOptions,
  FunctionOptions,
  NoShape,
  Nothing,
  PluginInfo,
  ResourceOptions,
  VariadicOf,
} from "./plugin_options.ts";
import {
  type Body,
  bodyOf,
  declarationOf,
  type Parameters,
  type ParametersOf,
  type ResultOf,
  type StandardSchema,
  type ValueOf,
} from "./standard.ts";

/**
 * A plugin: defined once, it serves every host. `State` is what `configure` returns, and what handlers that are
 * added after it have as `context.state`.
 */
export class Plugin<State = undefined> {
  readonly name: string;
  readonly version: string;
  /** @internal */
  readonly parts: Parts = {
    config: { attributes: {} },
    configure: undefined,
    shutdown: undefined,
    maxInFlight: undefined,
    functions: new Map(),
    actions: new Map(),
    resources: new Map(),
    dataSources: new Map(),
    ephemerals: new Map(),
    hooks: new Map(),
    storage: new Map(),
  };

  constructor(info: PluginInfo) {
    if (typeof info?.name !== "string" || info.name === "") {
      throw new TypeError("a plugin needs a name: new Plugin({ name, version })");
    }
    this.name = info.name;
    this.version = info.version ?? "0.0.0";
  }

  /** Declares the configuration, and makes of it what the handlers share. Call it first. */
  configure<P extends Parameters, S>(parameters: P, start: (config: ParametersOf<P>) => Awaitable<S>): Plugin<S> {
    if (this.parts.configure !== undefined) throw new TypeError("configure was already called");
    this.parts.config = bodyOf(parameters, "configure", "given");
    this.parts.configure = start as (config: unknown) => Awaitable<unknown>;
    return this as unknown as Plugin<S>;
  }

  /** Called once at the end, with what `configure` returned. */
  shutdown(stop: (state: State) => Awaitable<void>): this {
    this.parts.shutdown = stop;
    return this;
  }

  /** How many calls a host may make at a time: 1 unless it is said otherwise. */
  maxInFlight(count: number): this {
    if (!Number.isInteger(count) || count < 1) throw new TypeError("maxInFlight must be a positive integer");
    this.parts.maxInFlight = count;
    return this;
  }

  /** A function without effects: equal arguments give equal results. */
  function<P extends Parameters = NoShape, R extends AnyField | StandardSchema = AnyField, V extends Shape = NoShape>(
    name: string,
    options: FunctionOptions<P, R, V>,
    run: (given: ParametersOf<P> & VariadicOf<V>, context: Context<State>) => Awaitable<ValueOf<R>>,
  ): this {
    const place = `function ${name}`;
    const [variadic, ...others] = Object.entries(options.variadic ?? {});
    if (others.length > 0) throw new TypeError(`${place}: variadic has one parameter`);
    this.#add(this.parts.functions, place, name, {
      summary: options.summary,
      ...texts(options),
      body: bodyOf(options.parameters, place, "given"),
      ...(variadic === undefined
        ? {}
        : { variadic: { name: variadic[0], element: declarationOf(variadic[1], place, "given") } }),
      returns: options.returns === undefined ? { type: { kind: "any" } } : declarationOf(options.returns, place, "returned"),
      run: run as never,
    });
    return this;
  }

  /** Something that is done: by a step of a scenario, by an action of Terraform, by an agent. */
  action<P extends Parameters = NoShape, O extends Parameters = NoShape>(
    name: string,
    options: ActionOptions<P, O>,
    run: (
      given: ParametersOf<P>,
      context: Context<State>,
    ) => Awaitable<O extends NoShape & { [K in keyof O]: never } ? Nothing | void : ResultOf<O>>,
  ): this {
    const place = `action ${name}`;
    this.#add(this.parts.actions, place, name, {
      ...texts(options),
      body: bodyOf(options.parameters, place, "given"),
      outputs: bodyOf(options.outputs, place, "returned").attributes,
      isIdempotent: options.idempotent === true,
      run: run as never,
    });
    return this;
  }

  /** Something that is created, read, updated and deleted. */
  resource<P extends Parameters, V extends Parameters = NoShape>(
    name: string,
    options:
      & ResourceOptions<P, V>
      & ResourceHandlers<State, ParametersOf<P>, ParametersOf<V>, ResultOf<P>, ResultOf<V>>,
  ): this {
    const place = `resource ${name}`;
    const body = bodyOf(options.props, place, "given");
    const state = bodyOf(options.state, place, "returned").attributes;
    for (const reserved of [...Object.keys(body.attributes), ...Object.keys(state)]) {
      if (reserved === "id") throw new TypeError(`${place}: "id" is the id that create returns; choose another name`);
    }
    this.#add(this.parts.resources, place, name, {
      ...texts(options),
      version: options.version ?? 0,
      body: options.update === undefined ? replacing(body, place) : body,
      state,
      handlers: options,
    });
    return this;
  }

  /** Something that is read. */
  dataSource<R extends Parameters, P extends Parameters = NoShape>(
    name: string,
    options: DataOptions<P, R>,
    read: (props: ParametersOf<P>, context: Context<State>) => Awaitable<ResultOf<R>>,
  ): this {
    const place = `data source ${name}`;
    this.#add(this.parts.dataSources, place, name, {
      ...texts(options),
      body: bodyOf(options.props, place, "given"),
      result: bodyOf(options.result, place, "returned").attributes,
      read: read as never,
    });
    return this;
  }

  /** Something that is opened for one run of Terraform and never stored, such as a token. */
  ephemeral<R extends Parameters, P extends Parameters = NoShape>(
    name: string,
    options: DataOptions<P, R> & EphemeralHandlers<State, ParametersOf<P>, ResultOf<R>>,
  ): this {
    const place = `ephemeral resource ${name}`;
    this.#add(this.parts.ephemerals, place, name, {
      ...texts(options),
      body: bodyOf(options.props, place, "given"),
      result: bodyOf(options.result, place, "returned").attributes,
      handlers: options,
    });
    return this;
  }

  /** A hook that is called for each resource. */
  resourceHook(hook: ResourceHook, run: ChangeHandler<State>): this {
    return this.#hook(hook, RESOURCE_HOOKS, run as RawHandler);
  }

  /** A hook that is called once for a part of a command. */
  stageHook(hook: StageHook, run: StageHandler<State>): this {
    return this.#hook(hook, STAGE_HOOKS, run as RawHandler);
  }

  prePlan(run: ChangeHandler<State>): this {
    return this.resourceHook("prePlan", run);
  }
  postPlan(run: ChangeHandler<State>): this {
    return this.resourceHook("postPlan", run);
  }
  preApply(run: ChangeHandler<State>): this {
    return this.resourceHook("preApply", run);
  }
  postApply(run: ChangeHandler<State>): this {
    return this.resourceHook("postApply", run);
  }
  preRefresh(run: ChangeHandler<State>): this {
    return this.resourceHook("preRefresh", run);
  }
  postRefresh(run: ChangeHandler<State>): this {
    return this.resourceHook("postRefresh", run);
  }
  initStageStart(run: StageHandler<State>): this {
    return this.stageHook("initStageStart", run);
  }
  initStageCompleted(run: StageHandler<State>): this {
    return this.stageHook("initStageCompleted", run);
  }
  initStageFailed(run: StageHandler<State>): this {
    return this.stageHook("initStageFailed", run);
  }
  planStageStart(run: StageHandler<State>): this {
    return this.stageHook("planStageStart", run);
  }
  planStageCompleted(run: StageHandler<State>): this {
    return this.stageHook("planStageCompleted", run);
  }
  planStageFailed(run: StageHandler<State>): this {
    return this.stageHook("planStageFailed", run);
  }
  applyStageStart(run: StageHandler<State>): this {
    return this.stageHook("applyStageStart", run);
  }
  applyStageCompleted(run: StageHandler<State>): this {
    return this.stageHook("applyStageCompleted", run);
  }
  applyStageFailed(run: StageHandler<State>): this {
    return this.stageHook("applyStageFailed", run);
  }

  /** Keeps the states of Terraform. */
  storage(storage: Storage): this {
    addStorage(this.parts, storage);
    return this;
  }

  /** The state at a path: `{ state }`, which is bytes, a text or null. */
  storageRead(
    run: (
      given: { path: string },
      context: Context<State>,
    ) => Awaitable<{ state: Uint8Array | string | null | undefined }>,
  ): this {
    return this.#storage("read", run);
  }

  /** Replaces the state at a path. */
  storageWrite(
    run: (
      given: { path: string; state: Uint8Array; lockId?: string },
      context: Context<State>,
    ) => Awaitable<{ success: boolean }>,
  ): this {
    return this.#storage("write", run);
  }

  /** Locks the state at a path. If it is locked: throw `Failure.locked(held)`. */
  storageLock(
    run: (
      given: { path: string; operation?: string; info: string },
      context: Context<State>,
    ) => Awaitable<{ lockId: string }>,
  ): this {
    return this.#storage("lock", run);
  }

  /** Releases a lock. */
  storageUnlock(
    run: (
      given: { path: string; lockId?: string; force?: boolean },
      context: Context<State>,
    ) => Awaitable<{ success: boolean } | void>,
  ): this {
    return this.#storage("unlock", run);
  }

  /** The paths of all states that begin with a prefix. */
  storageList(run: (given: { prefix?: string }, context: Context<State>) => Awaitable<{ paths: string[] }>): this {
    return this.#storage("list", run);
  }

  /** Deletes the state at a path. */
  storageDelete(
    run: (given: { path: string; lockId?: string }, context: Context<State>) => Awaitable<{ success: boolean } | void>,
  ): this {
    return this.#storage("delete", run);
  }

  /**
   * What the plugin offers, as data.
   *
   * @throws {TypeError} Something in it is not possible.
   */
  offer(): Offer {
    return offerOf(this);
  }

  /**
   * The whole program: serves the host on stdin and stdout, whichever it is, until it ends the conversation or goes away, and
   * then exits. With the argument `schema` it prints the schema for scenarios.
   */
  serve(): Promise<void> {
    return servePlugin(this);
  }

  #add<T>(all: Map<string, T>, place: string, name: string, part: T): void {
    if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name)) throw new TypeError(`${place}: invalid name`);
    if (all.has(name)) throw new TypeError(`${place}: there is one of this name already`);
    all.set(name, part);
  }

  #hook(name: string, known: readonly string[], run: RawHandler): this {
    if (!known.includes(name)) throw new TypeError(`unknown hook ${name}; the hooks are ${known.join(", ")}`);
    this.parts.hooks.set(name, run);
    return this;
  }

  #storage(name: string, run: RawHandler): this {
    this.parts.storage.set(name, run);
    return this;
  }
}

// plugins of every state
export type AnyPlugin = Plugin<any>;

function texts(options: { description?: string; deprecated?: string }): { description: string; deprecated?: string } {
  const { description = "", deprecated } = options;
  return deprecated === undefined ? { description } : { description, deprecated };
}

/** A resource that cannot be updated is replaced instead. */
function replacing(body: Body, place: string): Body {
  const all = Object.entries(body.attributes);
  if (all.some(([, one]) => one.block !== undefined)) {
    throw new TypeError(
      `${place}: a resource with blocks needs update: Terraform cannot replace it because of a block`,
    );
  }
  const attributes: Declarations = Object.fromEntries(
    all.map(([name, one]): [string, Declaration] => [name, { ...one, replaces: true }]),
  );
  return { ...body, attributes };
}
