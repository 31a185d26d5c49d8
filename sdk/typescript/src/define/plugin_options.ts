/** Who a plugin is. */
export interface PluginInfo {
  name: string;
  version: string;
  /** What the RFC's examples say; everything that is defined is offered in any case. */
  capabilities?: readonly string[];
}

/** What can be said about a function. */
export interface FunctionOptions<P, R, V> {
  /** One line, for lists of functions. */
  summary?: string;
  description?: string;
  deprecated?: string;
  parameters?: P;
  /** One more parameter, which takes any number of arguments: `{ numbers: number() }`. */
  variadic?: V;
  returns?: R;
}

/** What can be said about an action. */
export interface ActionOptions<P, O> {
  description?: string;
  parameters?: P;
  outputs?: O;
  /** Running it again with the same parameters changes nothing more. */
  idempotent?: boolean;
}

/** What can be said about a resource. */
export interface ResourceOptions<P, V> {
  description?: string;
  deprecated?: string;
  /** The version of the schema: 0 unless it is said otherwise. */
  version?: number;
  /** What the user configures. */
  props: P;
  /** What else is known once it exists. */
  state?: V;
}

/** What can be said about a data source or an ephemeral resource. */
export interface DataOptions<P, R> {
  description?: string;
  deprecated?: string;
  props?: P;
  result: R;
}

export type Nothing = Record<never, never>;
export type NoShape = Readonly<Record<never, never>>;
export type VariadicOf<V> = { [K in keyof V]: V[K] extends { readonly infer: infer T } ? T[] : never };
