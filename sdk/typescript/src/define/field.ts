import type { Exact } from "../values/big.ts";
import type { Declaration, Declarations, Nesting, Type } from "../values/type.ts";
import type { CanBeAbsent, Given, Infer } from "./infer.ts";

/** What can be said about an attribute or a parameter. */
export interface FieldOptions<T = unknown> {
  /** For people. */
  description?: string;
  /** It can be left out; then it is `undefined`. */
  optional?: boolean;
  /** It can be left out; then it has this value. */
  default?: T;
  /** It can be null. Only needed where null differs from absent: parameters of functions, elements of lists and maps. */
  nullable?: boolean;
  /** A parameter of a function: it is called although this is not known yet. */
  allowUnknown?: boolean;
  /** It is not shown. It arrives as a `Secret`. */
  secret?: boolean;
  /** An attribute of a resource that is never stored. It arrives as a `WriteOnly`, and only when the resource is created or updated. */
  writeOnly?: boolean;
  /** A change of it makes a new resource. */
  replaces?: boolean;
  /** It is computed, and the same after an update. */
  stable?: boolean;
  /** An attribute of an action: two calls with the same key are performed once. */
  idempotencyKey?: boolean;
  /** Why it should not be used any more. */
  deprecated?: string;
}

const FIELD: unique symbol = Symbol.for("tenon.field") as never;

/** The declaration of an attribute or a parameter. `T` is what a handler gets. */
export class Field<T, O = object> {
  /** What is declared. */
  readonly declaration: Declaration;
  /** Never there: it carries the type. */
  declare readonly infer: T;
  /** Never there: it carries the options. */
  declare readonly options: O;

  constructor(declaration: Declaration) {
    this.declaration = Object.freeze(declaration);
  }

  get [FIELD](): true {
    return true;
  }

  #with<P>(more: Partial<Declaration>): Field<T, O & P> {
    return new Field({ ...this.declaration, ...more });
  }

  /** With a description for people. */
  describe(description: string): Field<T, O> {
    return this.#with({ description });
  }

  /** It can be left out; then it is `undefined`. */
  optional(): Field<T, O & { optional: true }> {
    return this.#with({ optional: true });
  }

  /** It can be left out; then it has this value. */
  default(value: T): Field<T, O & { default: T }> {
    return this.#with({ default: value });
  }

  /** It can be null. */
  nullable(): Field<T, O & { nullable: true }> {
    return this.#with({ nullable: true });
  }

  /** It is not shown, and arrives as a `Secret`. */
  secret(): Field<T, O & { secret: true }> {
    return this.#with({ secret: true });
  }

  /** It is never stored, and arrives as a `WriteOnly`. */
  writeOnly(): Field<T, O & { writeOnly: true }> {
    return this.#with({ writeOnly: true });
  }

  /** A change of it makes a new resource. */
  replaces(): Field<T, O> {
    return this.#with({ replaces: true });
  }

  /** It is computed, and the same after an update. */
  stable(): Field<T, O> {
    return this.#with({ stable: true });
  }

  /** A function is called although this parameter is not known yet. */
  allowUnknown(): Field<T, O & { allowUnknown: true }> {
    return this.#with({ allowUnknown: true });
  }

  /** Of an action: two calls with the same key are performed once. */
  idempotencyKey(): Field<T, O> {
    return this.#with({ idempotencyKey: true });
  }

  /** It should not be used any more. */
  deprecated(why: string): Field<T, O> {
    return this.#with({ deprecated: why });
  }
}

/** Whether a value is a {@link Field}. */
export function isField(value: unknown): value is Field<unknown> {
  return typeof value === "object" && value !== null && (value as Field<unknown>)[FIELD] === true;
}

/** A field of any type. Not `Field<any, any>`: the options of a field in its place would be inferred as `any`. */
export type AnyField = Field<unknown, object>;

/** Attributes or parameters by their names. */
export type Shape = { readonly [name: string]: AnyField };

type Chosen<O> = O extends FieldOptions ? O : object;

function field<T, O>(type: Type, options: string | FieldOptions<T> | undefined): Field<T, O> {
  const all = typeof options === "string" ? { description: options } : { ...options };
  return new Field({ ...all, type });
}

/** A text. */
export function string<const O extends FieldOptions<string>>(options?: string | O): Field<string, Chosen<O>> {
  return field({ kind: "string" }, options);
}

/** A number of JavaScript. One that it cannot hold without losing digits is refused: see {@link big} and {@link bigint}. */
export function number<const O extends FieldOptions<number>>(options?: string | O): Field<number, Chosen<O>> {
  return field({ kind: "number", as: "number" }, options);
}

/** A whole number up to 2^53. */
export function integer<const O extends FieldOptions<number>>(options?: string | O): Field<number, Chosen<O>> {
  return field({ kind: "number", as: "integer" }, options);
}

/** A whole number of any size. */
export function bigint<const O extends FieldOptions<bigint>>(options?: string | O): Field<bigint, Chosen<O>> {
  return field({ kind: "number", as: "bigint" }, options);
}

/** A number with all its digits: a `number` where that is enough, otherwise a `bigint` or a `Big`. */
export function big<const O extends FieldOptions<Exact>>(options?: string | O): Field<Exact, Chosen<O>> {
  return field({ kind: "number", as: "big" }, options);
}

/** True or false. */
export function bool<const O extends FieldOptions<boolean>>(options?: string | O): Field<boolean, Chosen<O>> {
  return field({ kind: "bool" }, options);
}

/** Anything, also null: lists are arrays, maps are objects, and long numbers are `bigint` or `Big`. What is left out is null. */
export function any<const O extends FieldOptions<unknown>>(options?: string | O): Field<unknown, Chosen<O>> {
  const given = typeof options === "string" ? { description: options } : options;
  return field({ kind: "any" }, { nullable: true, ...given });
}

type Element<F> = Given<F> | (CanBeAbsent<F> extends true ? null : never);

/** Values of one type in their order. */
export function list<F extends AnyField, const O extends FieldOptions<Element<F>[]>>(
  element: F,
  options?: string | O,
): Field<Element<F>[], Chosen<O>> {
  return field({ kind: "list", element: elementOf(element) }, options);
}

type SetOf<F> = F extends Field<infer T, infer _O>
  ? (T extends readonly unknown[] | ReadonlySet<unknown> | string | number | bigint | boolean ? Set<Element<F>>
    : T extends object ? Element<F>[]
    : Set<Element<F>>)
  : never;

/** Different values of one type, without an order: a `Set`; of objects, an array. */
export function set<F extends AnyField, const O extends FieldOptions<SetOf<F>>>(
  element: F,
  options?: string | O,
): Field<SetOf<F>, Chosen<O>> {
  return field({ kind: "set", element: elementOf(element) }, options);
}

/** Values of one type by their keys. */
export function map<F extends AnyField, const O extends FieldOptions<Record<string, Element<F>>>>(
  element: F,
  options?: string | O,
): Field<Record<string, Element<F>>, Chosen<O>> {
  return field({ kind: "map", element: elementOf(element) }, options);
}

/** An object of attributes, some of which may be optional. */
export function object<S extends Shape, const O extends FieldOptions<Infer<S>>>(
  attributes: S,
  options?: string | O,
): Field<Infer<S>, Chosen<O>> {
  return field({ kind: "object", attributes: declarations(attributes) }, options);
}

/** A list of fixed length, each of whose elements has its own type. */
export function tuple<
  const F extends readonly AnyField[],
  const O extends FieldOptions<{ -readonly [K in keyof F]: Element<F[K]> }>,
>(elements: F, options?: string | O): Field<{ -readonly [K in keyof F]: Element<F[K]> }, Chosen<O>> {
  return field({ kind: "tuple", elements: elements.map(elementOf) }, options);
}

function elementOf(element: AnyField): Declaration {
  const { declaration } = element;
  return declaration.optional === true ? { ...declaration, optional: false, nullable: true } : declaration;
}

/** What can be said about a block. */
export interface BlockOptions {
  /** `list` if it is left out. */
  nesting?: Nesting;
  /** How many there must be. */
  min?: number;
  /** How many there may be. */
  max?: number;
  description?: string;
  deprecated?: string;
}

type BlockOf<S, O> = O extends { nesting: "map" } ? Record<string, Infer<S>>
  : O extends { nesting: "single" | "group" } ? Infer<S>
  : Infer<S>[];

type BlockPresence<O> = O extends { nesting: "single" } ? (O extends { min: 1 } ? object : { optional: true }) : object;

/** A block of Terraform: `link { url = "..." }`. Its nesting is `list` unless it is said otherwise. */
export function block<S extends Shape, const O extends BlockOptions>(
  attributes: S,
  options?: O,
): Field<BlockOf<S, O>, BlockPresence<O>> {
  const { nesting = "list", min, max, ...texts }: BlockOptions = options ?? {};
  const body: Type = { kind: "object", attributes: declarations(attributes) };
  const element = { type: body };
  const type: Type = nesting === "single" || nesting === "group" ? body : { kind: nesting, element };
  const bounds = { nesting, ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
  return new Field({ ...texts, type, block: bounds, optional: nesting === "single" && (min ?? 0) === 0 });
}

/** The declarations of a shape. */
export function declarations(shape: Shape): Declarations {
  return Object.fromEntries(
    Object.entries(shape).map(([name, one]) => {
      if (!isField(one)) throw new TypeError(`${name}: a field is required, such as string() or number()`);
      return [name, one.declaration];
    }),
  );
}
