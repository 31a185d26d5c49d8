import { defaultOf } from "./offer.ts";
import { type Declaration, isOptional, put, type Type } from "../values/type.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Deeper schemas are recursive. */
const DEEPEST_SCHEMA = 32;

/** The declaration that a JSON Schema makes. What Terraform's types cannot express becomes `any`. */
export function declarationOfJsonSchema(json: unknown, place: string, root: unknown = json, depth = 0): Declaration {
  if (depth > DEEPEST_SCHEMA || typeof json !== "object" || json === null) return { type: { kind: "any" } };
  const schema = json as Schema;
  const reference = schema["$ref"];
  if (typeof reference === "string") return declarationOfJsonSchema(resolved(reference, root), place, root, depth + 1);
  const texts = {
    ...(typeof schema["description"] === "string" ? { description: schema["description"] } : {}),
    ...(schema["default"] !== undefined && schema["default"] !== null ? { default: schema["default"] } : {}),
  };
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as unknown;
  if (Array.isArray(choices)) {
    const others = choices.filter((one) => (one as Schema | null)?.["type"] !== "null");
    const nullable = others.length < choices.length ? { nullable: true } : {};
    const found = others.map((one) => declarationOfJsonSchema(one, place, root, depth + 1));
    const [first] = found;
    const isOne = first !== undefined && found.every((one) => one.type.kind === first.type.kind) &&
      (found.length === 1 || isScalar(first.type));
    const { choices: _, ...one } = isOne ? first : { type: { kind: "any" } } satisfies Declaration;
    return { ...one, ...choicesOfAll(isOne ? found : []), ...texts, ...nullable };
  }
  const named = schema["type"];
  const kinds = Array.isArray(named) ? named.filter((one) => one !== "null") : [named];
  const nullable = Array.isArray(named) && kinds.length < named.length ? { nullable: true } : {};
  const type = kinds.length === 1 ? typeOf(kinds[0], schema, place, root, depth) : { kind: "any" } as const;
  const values = constants(schema).filter((one) => one !== null);
  const constant = values.length > 0 && isScalar(type) ? { choices: values } : {};
  return { ...texts, ...nullable, ...constant, type };
}

/** The choices of alternatives, if each of them has some. */
export function choicesOfAll(all: readonly Declaration[]): { choices?: readonly unknown[] } {
  const choices = all.flatMap((one) => one.choices ?? []);
  return choices.length > 0 && all.every((one) => one.choices !== undefined) ? { choices } : {};
}

function isScalar(type: Type): boolean {
  return type.kind === "string" || type.kind === "number" || type.kind === "bool";
}

function resolved(reference: string, root: unknown): unknown {
  let found: unknown = root;
  for (const step of reference.replace(/^#\/?/, "").split("/").filter((one) => one !== "")) {
    found = (found as Schema | undefined)?.[step.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return found;
}

function typeOf(kind: unknown, schema: Schema, place: string, root: unknown, depth: number): Type {
  const inner = (json: unknown) => declarationOfJsonSchema(json, place, root, depth + 1);
  switch (kind ?? constantKind(schema)) {
    case "string":
      return { kind: "string" };
    case "number":
      return { kind: "number", as: "number" };
    case "integer":
      return { kind: "number", as: "integer" };
    case "boolean":
      return { kind: "bool" };
    case "array": {
      const elements = schema["prefixItems"];
      if (Array.isArray(elements)) {
        // No type has a length that is fixed only from below.
        if (typeof schema["items"] === "object") return { kind: "any" };
        return { kind: "tuple", elements: elements.map(inner) };
      }
      return { kind: schema["uniqueItems"] === true ? "set" : "list", element: inner(schema["items"]) };
    }
    case "object":
      return objectType(schema, inner);
    default:
      return { kind: "any" };
  }
}

function constants(schema: Schema): readonly unknown[] {
  return "const" in schema ? [schema["const"]] : Array.isArray(schema["enum"]) ? (schema["enum"] as unknown[]) : [];
}

function constantKind(schema: Schema): string | undefined {
  const kinds = new Set(constants(schema).map((one) => typeof one));
  return kinds.size === 1 ? [...kinds][0] : undefined;
}

function objectType(schema: Schema, inner: (json: unknown) => Declaration): Type {
  const properties = (schema["properties"] ?? {}) as Schema;
  const others = schema["additionalProperties"];
  const names = Object.keys(properties);
  if (names.length === 0 && typeof others === "object") return { kind: "map", element: inner(others) };
  const required = Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : [];
  const attributes: Record<string, Declaration> = {};
  for (const name of names) {
    const one = inner(properties[name]);
    put(attributes, name, required.includes(name) || one.default !== undefined ? one : { ...one, optional: true });
  }
  return { kind: "object", attributes };
}

/** The JSON Schema of attributes, as MCP's tools have it. */
export function jsonSchemaOfObject(
  attributes: { readonly [name: string]: Declaration },
  isOutput = false,
): Record<string, unknown> {
  const properties: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(attributes)) put(properties, name, jsonSchemaOfDeclaration(one, isOutput));
  const required = Object.keys(attributes).filter((name) => {
    const one = attributes[name] as Declaration;
    return !isOptional(one) && (one.block === undefined || (one.block.min ?? 0) > 0);
  }).sort();
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}), additionalProperties: false };
}

/** The JSON Schema of a value. */
export function jsonSchemaOfDeclaration(one: Declaration, isOutput = false): Record<string, unknown> {
  const schema = jsonSchemaOfType(one.type, isOutput);
  if (one.description !== undefined && one.description !== "") schema["description"] = one.description;
  if (!isOutput) Object.assign(schema, defaultOf("the JSON Schema", one));
  const isNullable = one.nullable === true || isOptional(one) && (isOutput || one.default === undefined) ||
    isOutput && one.secret === true;
  if (isNullable && typeof schema["type"] === "string") schema["type"] = [schema["type"], "null"];
  if (one.choices !== undefined) schema["enum"] = isNullable ? [...one.choices, null] : one.choices;
  return schema;
}

function jsonSchemaOfType(type: Type, isOutput: boolean): Record<string, unknown> {
  switch (type.kind) {
    case "string":
      return { type: "string" };
    case "bool":
      return { type: "boolean" };
    case "number":
      return { type: type.as === "integer" || type.as === "bigint" ? "integer" : "number" };
    case "any":
      return {};
    case "list":
      return { type: "array", items: jsonSchemaOfDeclaration(type.element, isOutput) };
    case "set":
      return { type: "array", items: jsonSchemaOfDeclaration(type.element, isOutput), uniqueItems: true };
    case "map":
      return { type: "object", additionalProperties: jsonSchemaOfDeclaration(type.element, isOutput) };
    case "tuple": {
      const prefixItems = type.elements.map((one) => jsonSchemaOfDeclaration(one, isOutput));
      return { type: "array", prefixItems, minItems: prefixItems.length, maxItems: prefixItems.length };
    }
    case "object":
      return jsonSchemaOfObject(type.attributes, isOutput);
  }
}
