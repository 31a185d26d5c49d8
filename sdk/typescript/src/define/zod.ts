import { type Declaration, put, type Type } from "../values/type.ts";
import { choicesOfAll } from "./json_schema.ts";
import type { StandardSchema } from "./standard.ts";

/** What a schema of zod has inside, in version 3 (`_def.typeName`) or 4 (`_zod.def.type`). */
type Definition = Readonly<Record<string, unknown>>;

const DEEPEST_ZOD = 32;

/** Whether a schema is one of zod's. */
export function isZod(schema: StandardSchema): boolean {
  return schema["~standard"].vendor === "zod" && definition(schema) !== undefined;
}

function definition(schema: unknown): Definition | undefined {
  const { _zod, _def } = (schema ?? {}) as { _zod?: { def?: Definition }; _def?: Definition };
  return _zod?.def ?? _def;
}

/** `ZodString` of version 3 and `string` of version 4 are the same kind. */
function kindOf(def: Definition): string {
  const name = (def["typeName"] ?? def["type"] ?? "") as string;
  return name.replace(/^Zod/, "").toLowerCase();
}

/** Whether a host sends the value, or the author returns it. What a schema converts first is neither. */
export type Direction = "given" | "returned" | "converted";

/**
 * The declaration that a schema of zod makes. What Terraform's types cannot express becomes `any`.
 *
 * @throws {TypeError} It accepts nothing that a host can send.
 */
export function declarationOfZod(schema: unknown, place: string, direction: Direction, depth = 0): Declaration {
  const def = definition(schema);
  if (def === undefined || depth > DEEPEST_ZOD) return { type: { kind: "any" } };
  const description = descriptionOf(schema);
  const found = { ...ofDefinition(def, schema, place, direction, depth), ...markersOf(schema) };
  return description === undefined ? found : { ...found, description };
}

const MARKERS = ["secret", "writeOnly", "replaces", "stable", "allowUnknown", "idempotencyKey"] as const;

/** What `meta` of version 4 says that zod itself has no word for, in the words of fields. */
function markersOf(schema: unknown): Partial<Declaration> {
  const { meta } = schema as { meta?: unknown };
  const said = (typeof meta === "function" ? meta.call(schema) : undefined) as Record<string, unknown> | undefined;
  if (said === undefined) return {};
  const markers = MARKERS.filter((name) => said[name] === true).map((name) => [name, true]);
  return {
    ...Object.fromEntries(markers) as Partial<Declaration>,
    ...(said["secret"] === true || said["writeOnly"] === true ? { isBare: true } : {}),
    ...(typeof said["deprecated"] === "string" ? { deprecated: said["deprecated"] } : {}),
  };
}

function descriptionOf(schema: unknown): string | undefined {
  const { description } = schema as { description?: unknown };
  return typeof description === "string" ? description : undefined;
}

/** What no host can send, and what can be sent instead. */
const NEVER_SENT: { readonly [kind: string]: string } = {
  date: "z.coerce.date()",
  map: "z.record(z.string(), ...)",
  symbol: "z.string()",
  function: "z.string()",
  promise: "the schema inside it",
  nan: "z.number()",
  file: "z.string()",
};

function ofDefinition(
  def: Definition,
  schema: unknown,
  place: string,
  direction: Direction,
  depth: number,
): Declaration {
  const inner = (one: unknown, way = direction) => declarationOfZod(one, place, way, depth + 1);
  const kind = kindOf(def);
  const instead = Object.hasOwn(NEVER_SENT, kind) && def["coerce"] !== true ? NEVER_SENT[kind] : undefined;
  if (instead !== undefined && direction === "given") {
    throw new TypeError(`${place}: no host can send what z.${kind}() accepts; use ${instead}`);
  }
  switch (kind) {
    case "optional":
    case "exactoptional":
      return { ...inner(def["innerType"]), optional: true };
    case "default":
    case "prefault": {
      const given = def["defaultValue"];
      return { ...inner(def["innerType"]), default: typeof given === "function" ? (given as () => unknown)() : given };
    }
    case "nullable":
      return { ...inner(def["innerType"]), nullable: true };
    case "catch":
      // What is missing is caught, too.
      return { ...inner(def["innerType"], "converted"), optional: true };
    case "readonly":
    case "nonoptional":
      return inner(def["innerType"]);
    case "branded":
      return inner(def["type"]);
    case "effects": {
      const effect = def["effect"] as { type?: unknown } | undefined;
      return inner(def["schema"], effect?.type === "preprocess" ? "converted" : direction);
    }
    case "pipe":
    case "pipeline": {
      // The input of a transformation is what a host sends; a preprocessor has none of its own.
      const input = definition(def["in"]);
      const isConverted = input !== undefined && kindOf(input) === "transform";
      return isConverted ? inner(def["out"], "converted") : inner(def["in"]);
    }
    case "lazy":
      return { type: { kind: "any" } };
    case "intersection":
      return intersected(inner(def["left"]), inner(def["right"]));
    case "union": {
      const all = def["options"] as unknown[];
      const kinds = all.map((one) => kindOf(definition(one) ?? {}));
      // One of them is enough.
      const options = all.filter((_, index) => kinds[index] !== "null" && kinds[index] !== "undefined")
        .map((one) => inner(one, "converted"));
      const type = unionType(options);
      return {
        type,
        ...(type.kind === "any" ? {} : choicesOfAll(options)),
        ...(kinds.includes("null") || options.some((one) => one.nullable === true) ? { nullable: true } : {}),
        ...(kinds.includes("undefined") || options.some((one) => one.optional === true) ? { optional: true } : {}),
      };
    }
    case "any":
    case "unknown":
    case "null":
      return { type: { kind: "any" }, nullable: true };
    default: {
      const type = kind === "date" ? dateType(def, direction) : typeOfZod(def, schema, inner);
      const choices = type.kind === "any" ? [] : choicesOfZod(def);
      return choices.length === 0 ? { type } : { type, choices };
    }
  }
}

/** A date is written as a text, and read by a schema that converts one. */
function dateType(def: Definition, direction: Direction): Type {
  return { kind: direction === (def["coerce"] === true ? "given" : "returned") ? "string" : "any" };
}

/** What fits both declarations. */
function intersected(a: Declaration, b: Declaration): Declaration {
  const { optional: _a, nullable: _n, ...left } = a;
  const { optional: _b, nullable: _m, choices: others, ...right } = b;
  const choices = left.choices?.filter((one) => others?.includes(one) ?? true) ?? others;
  return {
    ...left,
    ...right,
    ...(choices === undefined ? {} : { choices }),
    ...(a.optional === true && b.optional === true ? { optional: true } : {}),
    ...(a.nullable === true && b.nullable === true ? { nullable: true } : {}),
    type: intersectedType(a.type, b.type),
  };
}

function intersectedType(a: Type, b: Type): Type {
  if (a.kind !== b.kind) return { kind: "any" };
  if (a.kind === "number" && b.kind === "number") return a.as === "integer" ? a : b;
  if (a.kind !== "object" || b.kind !== "object") return a.kind === "string" || a.kind === "bool" ? a : { kind: "any" };
  const attributes: Record<string, Declaration> = { ...a.attributes };
  for (const [name, one] of Object.entries(b.attributes)) {
    const other = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    put(attributes, name, other === undefined ? one : intersected(other, one));
  }
  return { kind: "object", attributes };
}

function typeOfZod(def: Definition, schema: unknown, inner: (one: unknown) => Declaration): Type {
  switch (kindOf(def)) {
    case "string":
    case "enum":
    case "nativeenum":
    case "templateliteral":
    case "template_literal":
      return choicesOfZod(def).length > 0 ? literalType(choicesOfZod(def)) : { kind: "string" };
    case "number":
    case "int":
      return { kind: "number", as: isWhole(def, schema) ? "integer" : "number" };
    case "bigint":
      return { kind: "number", as: "bigint" };
    case "boolean":
      return { kind: "bool" };
    case "literal":
      return literalType(choicesOfZod(def));
    case "array":
      // Version 3 has the name of its kind in `typeName`, and the elements in `type`.
      return { kind: "list", element: elementOfZod(inner(def["element"] ?? def["type"])) };
    case "set":
      return { kind: "set", element: elementOfZod(inner(def["valueType"])) };
    case "record":
      return { kind: "map", element: elementOfZod(inner(def["valueType"])) };
    case "tuple":
      // No type has a length that is fixed only from below.
      if ((def["rest"] ?? null) !== null) return { kind: "any" };
      return { kind: "tuple", elements: (def["items"] as unknown[]).map((one) => elementOfZod(inner(one))) };
    case "object": {
      const others = othersOfZod(def);
      const shape = def["shape"];
      const members = (typeof shape === "function" ? (shape as () => unknown)() : shape) as Record<string, unknown>;
      const attributes: Record<string, Declaration> = {};
      const names = Object.keys(members);
      if (others !== undefined) {
        const element: Declaration = others === null ? { type: { kind: "any" } } : elementOfZod(inner(others));
        return names.length === 0 && element.type.kind !== "any" ? { kind: "map", element } : { kind: "any" };
      }
      for (const name of names) put(attributes, name, inner(members[name]));
      return { kind: "object", attributes };
    }
    default:
      return { kind: "any" };
  }
}

/** The schema of members that are not declared; null if they are anything, `undefined` if there are none. */
function othersOfZod(def: Definition): unknown {
  const catchall = definition(def["catchall"]);
  if (catchall !== undefined && kindOf(catchall) !== "never") return def["catchall"];
  return def["unknownKeys"] === "passthrough" ? null : undefined;
}

function elementOfZod(one: Declaration): Declaration {
  return one.optional === true ? { ...one, optional: false, nullable: true } : one;
}

function isWhole(def: Definition, schema: unknown): boolean {
  if ((schema as { isInt?: unknown }).isInt === true) return true;
  const checks = def["checks"];
  return Array.isArray(checks) &&
    checks.some((one: { kind?: unknown; def?: Definition; _zod?: { def?: Definition } }) => {
      const format = one.def?.["format"] ?? one._zod?.def?.["format"];
      return one.kind === "int" || format === "safeint" || format === "int32" || format === "uint32";
    });
}

/** The values of an enum or a literal. */
function choicesOfZod(def: Definition): readonly unknown[] {
  if (kindOf(def) === "literal") return (def["values"] ?? [def["value"]]) as unknown[];
  const values = def["entries"] ?? def["values"];
  if (typeof values !== "object" || values === null) return [];
  // TypeScript adds the names of a numeric enum by their numbers.
  const entries = Object.entries(values).filter(([, one]) => typeof (values as Definition)[String(one)] !== "number");
  return [...new Set(entries.map(([, one]) => one as unknown))];
}

function literalType(values: readonly unknown[]): Type {
  const kinds = new Set(values.map((one) => typeof one));
  if (kinds.size !== 1) return { kind: "any" };
  switch ([...kinds][0]) {
    case "string":
      return { kind: "string" };
    case "number":
      return { kind: "number", as: "number" };
    case "boolean":
      return { kind: "bool" };
    default:
      return { kind: "any" };
  }
}

function unionType(options: readonly Declaration[]): Type {
  const [first] = options;
  if (first === undefined) return { kind: "any" };
  const isSame = options.every((one) => one.type.kind === first.type.kind);
  return isSame && ["string", "number", "bool"].includes(first.type.kind) ? first.type : { kind: "any" };
}
