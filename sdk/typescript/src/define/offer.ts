import { type Declaration, type Declarations, holdsSecret, isOptional, typeText } from "../values/type.ts";
import { Unwritable, writeDeclared } from "../values/write.ts";
import { CTY_READING, readValue } from "../values/read.ts";
import { problemsText, Unfit } from "../values/problem.ts";
import type { FunctionPart } from "./parts.ts";
import type { AnyPlugin } from "./plugin.ts";

/** An attribute in a schema. */
export interface OfferedAttribute {
  type: string;
  required?: true;
  optional?: true;
  computed?: true;
  default?: unknown;
  sensitive?: true;
  write_only?: true;
  replace?: true;
  stable?: true;
  description?: string;
  deprecation?: string;
}

/** A block in a schema. */
export interface OfferedBlock {
  nesting: string;
  min?: number;
  max?: number;
  attributes: Record<string, OfferedAttribute>;
  blocks?: Record<string, OfferedBlock>;
  description?: string;
  deprecation?: string;
}

/** The schema of a resource, a data source, an ephemeral resource or the configuration. */
export interface OfferedSchema {
  version?: number;
  description?: string;
  deprecation?: string;
  attributes: Record<string, OfferedAttribute>;
  blocks?: Record<string, OfferedBlock>;
}

/** A parameter of a function in a schema. */
export interface OfferedParameter {
  name: string;
  type: string;
  description?: string;
  optional?: true;
  default?: unknown;
  allow_null?: true;
  allow_unknown?: true;
}

/** A function in a schema. */
export interface OfferedFunction {
  summary?: string;
  description?: string;
  deprecation?: string;
  parameters: OfferedParameter[];
  variadic?: OfferedParameter;
  returns: string;
  /** The result contains a secret: tools do not show it. */
  sensitive?: true;
}

/** What a plugin offers, in the words of Seasonings and Orchard. */
export interface Offer {
  name: string;
  version: string;
  max_in_flight?: number;
  config: OfferedSchema;
  actions: Record<
    string,
    {
      description?: string;
      idempotent?: true;
      attributes: Record<string, OfferedAttribute>;
      outputs: string;
      sensitive?: string[];
    }
  >;
  functions: Record<string, OfferedFunction>;
  resources: Record<string, OfferedSchema>;
  data_sources: Record<string, OfferedSchema>;
  ephemeral: Record<string, OfferedSchema>;
  hooks: string[];
  storage: string[];
}

/** What a plugin offers. @throws {TypeError} Something in it is not possible. */
export function offerOf({ name, version, parts }: AnyPlugin): Offer {
  const each = <T, R>(all: Map<string, T>, made: (part: T, name: string) => R): Record<string, R> =>
    Object.fromEntries([...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, part]) => [key, made(part, key)]));
  return {
    name,
    version,
    ...(parts.maxInFlight === undefined ? {} : { max_in_flight: parts.maxInFlight }),
    config: schema("the configuration", parts.config.attributes, {}, {}),
    actions: each(parts.actions, (one, key) => ({
      ...text("description", one.description),
      ...(one.isIdempotent ? { idempotent: true as const } : {}),
      attributes: schema(`action ${key}`, one.body.attributes, {}, {}).attributes,
      outputs: typeText({ kind: "object", attributes: one.outputs }),
    })),
    functions: each(parts.functions, functionSchema),
    resources: each(parts.resources, (one, key) => ({
      ...(one.version === 0 ? {} : { version: one.version }),
      ...schema(`resource ${key}`, one.body.attributes, { id: ID, ...one.state }, one),
    })),
    data_sources: each(
      parts.dataSources,
      (one, key) => schema(`data source ${key}`, one.body.attributes, one.result, one),
    ),
    ephemeral: each(
      parts.ephemerals,
      (one, key) => schema(`ephemeral resource ${key}`, one.body.attributes, one.result, one),
    ),
    hooks: [...parts.hooks.keys()].sort(),
    storage: [...parts.storage.keys()].sort(),
  };
}

/** Every resource has an id, which its creation returns. */
export const ID: Declaration = { type: { kind: "string" }, stable: true, description: "The id of the resource." };

function text<K extends string>(name: K, value: string | undefined): { [P in K]?: string } {
  return (value === undefined || value === "" ? {} : { [name]: value }) as { [P in K]?: string };
}

function schema(
  place: string,
  given: Declarations,
  returned: Declarations,
  about: { description?: string; deprecated?: string },
): OfferedSchema {
  const names = [...new Set([...Object.keys(given), ...Object.keys(returned)])].sort();
  const attributes: Record<string, OfferedAttribute> = {};
  const blocks: Record<string, OfferedBlock> = {};
  for (const name of names) {
    const one = given[name] ?? (returned[name] as Declaration);
    const at = `${place}, attribute ${name}`;
    if (one.block !== undefined) blocks[name] = blockSchema(at, one);
    else attributes[name] = attribute(at, given[name], returned[name]);
  }
  return {
    ...text("description", about.description),
    ...text("deprecation", about.deprecated),
    attributes,
    ...(Object.keys(blocks).length === 0 ? {} : { blocks }),
  };
}

function attribute(place: string, given: Declaration | undefined, returned: Declaration | undefined): OfferedAttribute {
  const one = given ?? (returned as Declaration);
  if (returned?.writeOnly === true) throw new TypeError(`${place}: what a plugin returns cannot be write-only`);
  if (one.default !== undefined && one.writeOnly === true) {
    throw new TypeError(`${place}: a write-only attribute has no default`);
  }
  const isComputed = returned !== undefined;
  const presence = given === undefined
    ? { computed: true as const }
    : isOptional(given) || isComputed || given.nullable === true
    ? { optional: true as const, ...(isComputed ? { computed: true as const } : {}) }
    : { required: true as const };
  return {
    type: typeText(one.type),
    ...presence,
    ...defaultOf(place, given),
    ...((given?.secret ?? false) || (returned?.secret ?? false) ? { sensitive: true as const } : {}),
    ...(one.writeOnly === true ? { write_only: true as const } : {}),
    ...(one.replaces === true ? { replace: true as const } : {}),
    ...(returned?.stable === true || one.stable === true ? { stable: true as const } : {}),
    ...text("description", one.description),
    ...text("deprecation", one.deprecated),
  };
}

/** The default as a host gets it, in JSON. One that does not fit its type is found when the plugin starts. */
export function defaultOf(place: string, one: Declaration | undefined): { default?: unknown } {
  if (one?.default === undefined) return {};
  try {
    const written = writeDeclared(one.default, one, "json");
    readValue(written, one, CTY_READING);
    return { default: written };
  } catch (error) {
    const problem = error instanceof Unfit ? problemsText(error.problems) : (error as Unwritable).message;
    throw new TypeError(`${place}: the default does not fit: ${problem}`);
  }
}

function blockSchema(place: string, one: Declaration): OfferedBlock {
  const { nesting, ...bounds } = one.block as { nesting: string; min?: number; max?: number };
  const inner = one.type.kind === "object"
    ? one.type
    : one.type.kind === "list" || one.type.kind === "set" || one.type.kind === "map"
    ? one.type.element.type
    : one.type;
  const { attributes, blocks } = schema(place, inner.kind === "object" ? inner.attributes : {}, {}, {});
  return {
    nesting,
    ...bounds,
    attributes,
    ...(blocks === undefined ? {} : { blocks }),
    ...text("description", one.description),
    ...text("deprecation", one.deprecated),
  };
}

function functionSchema(one: FunctionPart, key: string): OfferedFunction {
  const place = `function ${key}`;
  const parameters = Object.entries(one.body.attributes).map(([name, parameter]) =>
    offeredParameter(place, name, parameter)
  );
  let optional: string | undefined;
  for (const parameter of parameters) {
    if (parameter.optional || parameter.default !== undefined) optional = parameter.name;
    else if (optional !== undefined) {
      throw new TypeError(
        `${place}: the parameter ${optional} can be left out, so it must come after ${parameter.name}`,
      );
    }
  }
  if (one.variadic !== undefined && optional !== undefined) {
    throw new TypeError(`${place}: optional parameters cannot be combined with a variadic one`);
  }
  return {
    ...text("summary", one.summary),
    ...text("description", one.description),
    ...text("deprecation", one.deprecated),
    parameters,
    ...(one.variadic === undefined
      ? {}
      : { variadic: offeredParameter(place, one.variadic.name, one.variadic.element) }),
    returns: typeText(one.returns.type),
    ...(holdsSecret(one.returns) ? { sensitive: true as const } : {}),
  };
}

function offeredParameter(place: string, name: string, one: Declaration): OfferedParameter {
  const given = defaultOf(`${place}, parameter ${name}`, one);
  // Null stands for what can be left out.
  const canBeLeftOut = one.optional === true || given.default !== undefined;
  return {
    name,
    type: typeText(one.type),
    ...text("description", one.description),
    ...(one.optional === true && given.default === undefined ? { optional: true as const } : {}),
    ...given,
    ...(one.nullable === true && !canBeLeftOut ? { allow_null: true as const } : {}),
    ...(one.allowUnknown === true ? { allow_unknown: true as const } : {}),
  };
}
