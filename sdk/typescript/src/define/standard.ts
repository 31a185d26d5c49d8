import { type Awaitable, proceed } from "../values/awaitable.ts";
import { Failure } from "../values/failure.ts";
import { type Problem, Unfit } from "../values/problem.ts";
import type { Declaration, Declarations } from "../values/type.ts";
import { declarations, type Field, isField, type Shape } from "./field.ts";
import type { Infer, Returned } from "./infer.ts";
import { declarationOfJsonSchema } from "./json_schema.ts";
import { declarationOfZod, type Direction, isZod } from "./zod.ts";

/** A schema of zod, Valibot, ArkType or another library that follows standardschema.dev. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    // Called as a method, so that a schema of a narrower input is one of `unknown`, too.
    validate(value: unknown): StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a schema says about a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
    readonly issues: readonly {
      readonly message: string;
      readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
    }[];
  };

/** Whether a value is a schema of some library. */
export function isStandard(value: unknown): value is StandardSchema {
  return (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value;
}

/** Parameters or attributes: fields by their names, or the schema of an object. */
export type Parameters = Shape | StandardSchema;

type OutputOf<T> = T extends { readonly "~standard": { readonly types?: infer Y } }
  ? (NonNullable<Y> extends { output: infer O } ? O : unknown)
  : never;
type InputOf<T> = T extends { readonly "~standard": { readonly types?: infer Y } }
  ? (NonNullable<Y> extends { input: infer I } ? I : unknown)
  : never;

/** The object that a handler gets. */
export type ParametersOf<P> = P extends StandardSchema ? OutputOf<P> : Infer<P>;

/** The object that a handler returns. */
export type ResultOf<P> = P extends StandardSchema ? InputOf<P> : Returned<P>;

/** The value that a function returns. */
export type ValueOf<F> = F extends StandardSchema ? InputOf<F>
  : F extends Field<infer T, infer _O> ? (T extends ReadonlySet<infer E> ? Iterable<E> : T) | null
  : unknown;

/** Declared attributes, and what the author's schema makes of them once they are read. */
export interface Body {
  readonly attributes: Declarations;
  /** Of a schema: checks and transforms. */
  readonly schema?: StandardSchema;
}

/** The attributes of fields or of the schema of an object. */
export function bodyOf(parameters: Parameters | undefined, place: string, direction: Direction): Body {
  if (parameters === undefined) return { attributes: {} };
  if (!isStandard(parameters)) return { attributes: declarations(parameters) };
  const { type } = declarationOf(parameters, place, direction);
  if (type.kind !== "object") {
    throw new TypeError(
      `${place}: the schema of an object with fixed attributes is required; a loose object, a record or a union has none`,
    );
  }
  return { attributes: type.attributes, schema: parameters };
}

/** The declaration that a field or a schema makes. */
export function declarationOf(given: unknown, place: string, direction: Direction): Declaration {
  if (isField(given)) return given.declaration;
  if (!isStandard(given)) {
    throw new TypeError(`${place}: a field such as string(), or a schema of zod or another library is required`);
  }
  if (isZod(given)) return declarationOfZod(given, place, direction);
  const json = jsonSchemaOf(given);
  if (json === undefined) {
    throw new TypeError(
      `${place}: the schema of ${
        given["~standard"].vendor
      } has no JSON Schema; declare it with fields such as string()`,
    );
  }
  return declarationOfJsonSchema(json, place);
}

/** The JSON Schema that a library makes of its own schema: Standard JSON Schema, or ArkType's method. */
function jsonSchemaOf(schema: StandardSchema): unknown {
  const standard = schema["~standard"] as { jsonSchema?: { input(options: { target: string }): unknown } };
  if (typeof standard.jsonSchema?.input === "function") return standard.jsonSchema.input({ target: "draft-2020-12" });
  for (const name of ["toJsonSchema", "toJSONSchema"]) {
    const make = (schema as unknown as Record<string, unknown>)[name];
    if (typeof make === "function") return make.call(schema);
  }
  return undefined;
}

/**
 * What the author's schema makes of attributes that were read.
 *
 * @throws {Unfit} The schema refuses them.
 */
export function validated(body: Body, given: Record<string, unknown>): Awaitable<Record<string, unknown>> {
  return body.schema === undefined ? given : proceed(body.schema["~standard"].validate(given), accepted);
}

function accepted(result: StandardResult<unknown>): Record<string, unknown> {
  if (result.issues === undefined) return result.value as Record<string, unknown>;
  const problems = result.issues.map(({ message, path }): Problem => ({
    path: (path ?? []).map((step) => (typeof step === "object" ? step.key : step)).map((
      key,
    ) => (typeof key === "number" ? key : String(key))),
    text: message,
  }));
  if (problems.length === 0) throw new Failure("the schema refused the value without a reason");
  throw new Unfit(problems);
}
