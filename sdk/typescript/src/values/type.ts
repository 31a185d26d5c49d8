/** How many of a block there are, and how they are told apart. */
export type Nesting = "single" | "list" | "set" | "map" | "group";

/** What is declared about an attribute, a parameter or a block. */
export interface Declaration {
  readonly type: Type;
  readonly optional?: boolean;
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly allowUnknown?: boolean;
  readonly secret?: boolean;
  readonly writeOnly?: boolean;
  /** A secret that arrives as it is, because the schema of a library knows no `Secret`. */
  readonly isBare?: boolean;
  readonly replaces?: boolean;
  readonly stable?: boolean;
  readonly idempotencyKey?: boolean;
  readonly description?: string;
  readonly deprecated?: string;
  /** The only values that there are, for agents; the schema of the author checks it. */
  readonly choices?: readonly unknown[];
  readonly block?: { readonly nesting: Nesting; readonly min?: number; readonly max?: number };
}

/** Attributes by their names, in the order of their declaration. */
export type Declarations = { readonly [name: string]: Declaration };

/** A type of Terraform's, and which form it has in JavaScript. */
export type Type =
  | { readonly kind: "string" | "bool" | "any" }
  | { readonly kind: "number"; readonly as: "number" | "integer" | "bigint" | "big" | "exact" }
  | { readonly kind: "list" | "set" | "map"; readonly element: Declaration }
  | { readonly kind: "tuple"; readonly elements: readonly Declaration[] }
  | { readonly kind: "object"; readonly attributes: Declarations };

/** A type in the notation of cty. */
export type TypeJson = string | readonly [string, ...unknown[]];

const DEEPEST_TYPE = 64;

const EXACT: Type = { kind: "number", as: "exact" };

/** A type as a text, as schemas have it: `object({ a = optional(number) })`. */
export function typeText(type: Type): string {
  switch (type.kind) {
    case "list":
    case "set":
    case "map":
      return `${type.kind}(${typeText(type.element.type)})`;
    case "tuple":
      return `tuple([${type.elements.map((one) => typeText(one.type)).join(", ")}])`;
    case "object": {
      const all = Object.entries(type.attributes).map(([name, one]) => {
        const text = typeText(one.type);
        return `${name} = ${isOptional(one) ? `optional(${text})` : text}`;
      });
      return all.length === 0 ? "object({})" : `object({ ${all.join(", ")} })`;
    }
    default:
      return type.kind;
  }
}

/** A type in JSON notation. */
export function typeJson(type: Type): TypeJson {
  switch (type.kind) {
    case "any":
      return "dynamic";
    case "list":
    case "set":
    case "map":
      return [type.kind, typeJson(type.element.type)];
    case "tuple":
      return ["tuple", type.elements.map((one) => typeJson(one.type))];
    case "object": {
      const names = Object.keys(type.attributes).sort(bytewise);
      const types = Object.fromEntries(names.map((name) => [name, typeJson(declared(type.attributes, name).type)]));
      const optional = names.filter((name) => isOptional(declared(type.attributes, name)));
      return optional.length === 0 ? ["object", types] : ["object", types, optional];
    }
    default:
      return type.kind;
  }
}

/**
 * Reads a type in JSON notation. `undefined` if it is not one.
 */
export function typeFromJson(json: unknown, depth = 0): Type | undefined {
  if (depth > DEEPEST_TYPE) return undefined;
  if (json === "string" || json === "bool") return { kind: json };
  if (json === "number") return EXACT;
  if (json === "dynamic") return { kind: "any" };
  if (!Array.isArray(json)) return undefined;
  const [kind, inner, optional] = json as unknown[];
  switch (kind) {
    case "list":
    case "set":
    case "map": {
      const element = json.length === 2 ? typeFromJson(inner, depth + 1) : undefined;
      return element && { kind, element: { type: element, nullable: true } };
    }
    case "tuple": {
      if (json.length !== 2 || (inner !== null && !Array.isArray(inner))) return undefined;
      const elements = ((inner ?? []) as unknown[]).map((one) => typeFromJson(one, depth + 1));
      if (elements.includes(undefined)) return undefined;
      return { kind, elements: elements.map((type) => ({ type: type as Type, nullable: true })) };
    }
    case "object":
      return json.length <= 3 ? objectFromJson(inner ?? {}, optional ?? [], depth) : undefined;
    default:
      return undefined;
  }
}

function objectFromJson(types: unknown, optional: unknown, depth: number): Type | undefined {
  if (typeof types !== "object" || types === null || Array.isArray(types) || !Array.isArray(optional)) return undefined;
  const attributes: Record<string, Declaration> = {};
  for (const [name, json] of Object.entries(types)) {
    const type = typeFromJson(json, depth + 1);
    if (type === undefined) return undefined;
    put(attributes, name.normalize("NFC"), { type, nullable: true, optional: optional.includes(name) });
  }
  if (!optional.every((name) => typeof name === "string" && Object.hasOwn(types, name))) return undefined;
  return { kind: "object", attributes };
}

/** Whether an attribute can be left out. */
export function isOptional(one: Declaration): boolean {
  return one.optional === true || one.default !== undefined || one.writeOnly === true;
}

/** Whether a value of this declaration cannot be null. */
export function mustBeThere(one: Declaration): boolean {
  return one.type.kind !== "any" && one.nullable !== true && !isOptional(one);
}

/** Whether a value of this declaration is a secret, or has one in it. */
export function holdsSecret({ secret, writeOnly, type }: Declaration): boolean {
  if (secret === true || writeOnly === true) return true;
  if (type.kind === "object") return Object.values(type.attributes).some(holdsSecret);
  if (type.kind === "tuple") return type.elements.some(holdsSecret);
  return "element" in type && holdsSecret(type.element);
}

/** The declaration of a name that is known to be there. */
export function declared(attributes: Declarations, name: string): Declaration {
  return attributes[name] as Declaration;
}

/** Sets a member, also one called `__proto__`. */
export function put(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  } else object[name] = value;
}

/** The order of texts by their bytes in UTF-8, which is that of their code points. */
export function bytewise(a: string, b: string): number {
  if (a === b) return 0;
  for (let index = 0; index < a.length && index < b.length; index += 1) {
    const [x, y] = [a.charCodeAt(index), b.charCodeAt(index)];
    // A surrogate stands for a code point above all that have none.
    if (x !== y) return (x >= 0xd800 && x < 0xe000 ? x + 0x10000 : x) - (y >= 0xd800 && y < 0xe000 ? y + 0x10000 : y);
  }
  return a.length - b.length;
}

const ARTICLES: Readonly<Record<Type["kind"], string>> = {
  string: "a string",
  number: "a number",
  bool: "a bool",
  any: "a value",
  list: "a list",
  set: "a set",
  map: "a map",
  tuple: "a tuple",
  object: "an object",
};

/** A type with its article, for errors. */
export function typeName(type: Type): string {
  if (type.kind === "number" && (type.as === "integer" || type.as === "bigint")) return "a whole number";
  return ARTICLES[type.kind];
}
