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
  const name = (def["typeName"] ?? def["type"]) as string;
  return name.replace(/^Zod/, "").toLowerCase();
}

/** The declaration that a schema of zod makes. What Terraform's types cannot express becomes `any`. */
export function declarationOfZod(schema: unknown, place: string, depth = 0): Declaration {
  const def = definition(schema);
  if (def === undefined || depth > DEEPEST_ZOD) return { type: { kind: "any" } };
  const description = descriptionOf(schema);
  const found = { ...ofDefinition(def, schema, place, depth), ...markersOf(schema) };
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

function ofDefinition(def: Definition, schema: unknown, place: string, depth: number): Declaration {
  const inner = (one: unknown) => declarationOfZod(one, place, depth + 1);
  switch (kindOf(def)) {
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
    case "readonly":
    case "nonoptional":
      return inner(def["innerType"]);
    case "branded":
      return inner(def["type"]);
    case "effects":
      return inner(def["schema"]);
    case "pipe":
    case "pipeline": {
      // The input of a transformation is what a host sends; a preprocessor has none of its own.
      const input = definition(def["in"]);
      return inner(input !== undefined && kindOf(input) === "transform" ? def["out"] : def["in"]);
    }
    case "lazy":
      return { type: { kind: "any" } };
    case "union": {
      const options = (def["options"] as unknown[]).map(inner);
      const type = unionType(options);
      return { type, ...(type.kind === "any" ? {} : choicesOfAll(options)) };
    }
    default: {
      const type = typeOfZod(def, schema, inner);
      const choices = type.kind === "any" ? [] : choicesOfZod(def);
      return choices.length === 0 ? { type } : { type, choices };
    }
  }
}

function typeOfZod(def: Definition, schema: unknown, inner: (one: unknown) => Declaration): Type {
  switch (kindOf(def)) {
    case "string":
    case "enum":
    case "nativeenum":
    case "templateliteral":
    case "template_literal":
      return choicesOfZod(def).length > 0 ? literalType(choicesOfZod(def)) : { kind: "string" };
    case "date":
      return { kind: "any" };
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
      return { kind: "tuple", elements: (def["items"] as unknown[]).map((one) => elementOfZod(inner(one))) };
    case "object": {
      const shape = def["shape"];
      const members = (typeof shape === "function" ? (shape as () => unknown)() : shape) as Record<string, unknown>;
      const attributes: Record<string, Declaration> = {};
      for (const name of Object.keys(members)) put(attributes, name, inner(members[name]));
      return { kind: "object", attributes };
    }
    default:
      return { kind: "any" };
  }
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
