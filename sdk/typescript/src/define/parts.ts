import type { Declaration, Declarations } from "../values/type.ts";
import type { Awaitable } from "../values/awaitable.ts";
import type { Context } from "./context.ts";
import type { MaybeUnknownProps } from "./infer.ts";
import type { Body } from "./standard.ts";

/** A resource as it was last seen. */
export interface Existing<Props, Value> {
  id: string;
  /** Absent if it was imported and has not been read since. */
  props?: Props;
  /** Absent if it was created only in part. */
  state?: Value;
}

/** A planned change. */
export type Plan<Props, Value> =
  | { kind: "create"; props: MaybeUnknownProps<Props> }
  | { kind: "update"; existing: Existing<Props, Value>; props: MaybeUnknownProps<Props> }
  | { kind: "delete"; existing: Existing<Props, Value> };

/** What a plugin makes of a planned change: nothing, a replacement, or other props. */
export type Decision<Returned> = void | undefined | null | { replace: true } | { props: Returned };

/** The functions of a resource. */
export interface ResourceHandlers<State, Props, Value, ReturnedProps, ReturnedState> {
  /** Creates it. */
  create(props: Props, context: Context<State>): Awaitable<{ id: string; state?: ReturnedState }>;
  /** Returns how it is now; nothing if it is gone. Right after an import there are no props, only the id. */
  read(
    id: string,
    props: Props | undefined,
    context: Context<State>,
  ): Awaitable<{ props: ReturnedProps; state?: ReturnedState } | null | undefined | void>;
  /** Updates it. Its id stays the same. Without it, every change replaces the resource. */
  update?(
    existing: Existing<Props, Value>,
    props: Props,
    context: Context<State>,
  ): Awaitable<{ state?: ReturnedState } | void>;
  /** Deletes it. If it is gone already, that is a success. */
  delete(existing: Existing<Props, Value>, context: Context<State>): Awaitable<void>;
  /** Decides about a planned change, without changing anything. */
  modifyPlan?(plan: Plan<Props, Value>, context: Context<State>): Awaitable<Decision<ReturnedProps>>;
  /** The id that an import stands for; the same id unless it is implemented. */
  import?(id: string, context: Context<State>): Awaitable<string>;
  /** Makes the current props and state out of what an older version of the schema stored. */
  upgrade?(
    version: number,
    stored: Record<string, unknown>,
  ): Awaitable<{ id: string; props: ReturnedProps; state?: ReturnedState }>;
}

/** What an ephemeral resource returns when it is opened. */
export interface Opened<Result> {
  result: Result;
  /** When it has to be renewed. */
  renewAt?: Date | undefined;
  /** What `renew` and `close` need: anything that JSON can hold. */
  private?: unknown;
}

/** The functions of an ephemeral resource. */
export interface EphemeralHandlers<State, Props, ReturnedResult> {
  open(props: Props, context: Context<State>): Awaitable<Opened<ReturnedResult>>;
  renew?(kept: unknown, context: Context<State>): Awaitable<{ renewAt?: Date | undefined; private?: unknown } | void>;
  close?(kept: unknown, context: Context<State>): Awaitable<void>;
}

// handlers of every plugin
type Any = any;

/** A function that a plugin offers. */
export interface FunctionPart {
  readonly summary?: string | undefined;
  readonly description: string;
  readonly deprecated?: string;
  readonly body: Body;
  readonly variadic?: { readonly name: string; readonly element: Declaration };
  readonly returns: Declaration;
  readonly run: (given: Any, context: Context<Any>) => Awaitable<unknown>;
}

/** An action that a plugin offers. */
export interface ActionPart {
  readonly description: string;
  readonly body: Body;
  readonly outputs: Declarations;
  readonly isIdempotent: boolean;
  readonly run: (given: Any, context: Context<Any>) => Awaitable<unknown>;
}

/** A resource that a plugin offers. */
export interface ResourcePart {
  readonly description: string;
  readonly deprecated?: string;
  readonly version: number;
  readonly body: Body;
  readonly state: Declarations;
  readonly handlers: ResourceHandlers<Any, Any, Any, Any, Any>;
}

/** A data source that a plugin offers. */
export interface DataPart {
  readonly description: string;
  readonly deprecated?: string;
  readonly body: Body;
  readonly result: Declarations;
  readonly read: (given: Any, context: Context<Any>) => Awaitable<unknown>;
}

/** An ephemeral resource that a plugin offers. */
export interface EphemeralPart {
  readonly description: string;
  readonly deprecated?: string;
  readonly body: Body;
  readonly result: Declarations;
  readonly handlers: EphemeralHandlers<Any, Any, Any>;
}

/** A hook of a plugin, or a method of its storage: params as they are on the wire. */
export type RawHandler = (params: Any, context: Context<Any>) => Awaitable<unknown>;

/** Everything that a plugin consists of. */
export interface Parts {
  config: Body;
  configure: ((config: Any) => Awaitable<unknown>) | undefined;
  shutdown: ((state: Any) => Awaitable<void>) | undefined;
  maxInFlight: number | undefined;
  readonly functions: Map<string, FunctionPart>;
  readonly actions: Map<string, ActionPart>;
  readonly resources: Map<string, ResourcePart>;
  readonly dataSources: Map<string, DataPart>;
  readonly ephemerals: Map<string, EphemeralPart>;
  /** By the name after `middleware/`. */
  readonly hooks: Map<string, RawHandler>;
  /** By the name after `storage/`. */
  readonly storage: Map<string, RawHandler>;
}
