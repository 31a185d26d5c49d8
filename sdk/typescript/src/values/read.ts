import { utf8Text } from "../ipc/bytes.ts";
import { type Exact, exactNumber, isBig } from "./big.ts";
import type { Path } from "./failure.ts";
import { nearest, type Problem, Unfit } from "./problem.ts";
import { Secret, WriteOnly } from "./secret.ts";
import { type Declaration, type Declarations, isOptional, put, type Type, typeFromJson, typeName } from "./type.ts";
import { isUnknown } from "./unknown.ts";

/** Something that was received: JSON, or what msgpack has in its place. */
export type Wire = unknown;

/** How values are read. */
export interface Reading {
  /** Values of the type `any` come with their type, as msgpack has them. */
  readonly hasTypes: boolean;
  /** Parts may be unknown. */
  readonly allowUnknown: boolean;
  /** Attributes that are not declared are left out instead of refused. */
  readonly ignoreExtra?: boolean;
  /** What is missing stays absent, without an error and without a default. */
  readonly isPartial?: boolean;
}

export const JSON_READING: Reading = { hasTypes: false, allowUnknown: false };
export const CTY_READING: Reading = { hasTypes: true, allowUnknown: false };
export const PLAN_READING: Reading = { hasTypes: true, allowUnknown: true };

/** Where a value is below its path; nothing if the path is its own. */
type Step = string | number | undefined;

function below(path: Path, step: Step): Path {
  return step === undefined ? path : [...path, step];
}

/** Reads one kind of values and collects what is wrong with them. */
class Reader {
  readonly problems: Problem[] = [];
  readonly #reading: Reading;

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  #refuse(path: Path, step: Step, text: string, isNamed = false): undefined {
    this.problems.push({ path: below(path, step), text, isNamed });
  }

  /**
   * A value as its declaration says: null as absent, secrets wrapped. It is below `path`, at `step`: most values need no path
   * of their own, because nothing is wrong with them.
   */
  declared(given: Wire, one: Declaration, path: Path, step: Step): unknown {
    let value = given;
    if (value === null || value === undefined) {
      if (one.default !== undefined && this.#reading.isPartial !== true) value = one.default;
      else if (one.nullable === true && one.optional !== true) return null;
      else if (isOptional(one) || this.#reading.isPartial === true) return undefined;
      else return this.#refuse(path, step, "a value is required, but this is null");
    }
    if (isUnknown(value)) {
      if (this.#reading.allowUnknown || one.allowUnknown === true) return value;
      return this.#refuse(path, step, "the value is not known yet");
    }
    const before = this.problems.length;
    const found = this.typed(value, one.type, path, step);
    if (one.writeOnly === true || one.secret === true) {
      // What is wrong inside a secret is not told: its keys may be as secret as its values.
      if (this.problems.length > before) {
        this.problems.splice(before);
        return this.#refuse(path, step, `${typeName(one.type)} is required`);
      }
      if (one.isBare === true) return found;
      return one.writeOnly === true ? new WriteOnly(found) : new Secret(found);
    }
    return found;
  }

  typed(value: Wire, type: Type, path: Path, step: Step): unknown {
    switch (type.kind) {
      case "string":
        return this.#string(value, path, step);
      case "bool":
        return this.#bool(value, path, step);
      case "number":
        return this.#number(value, type, path, step);
      case "any":
        return this.#any(value, path, step);
      case "list":
      case "set": {
        const all = listOfDefault(value);
        if (!Array.isArray(all)) return this.#wrong(value, type, path, step);
        const here = below(path, step);
        const elements = all.map((one, index) => this.declared(one, type.element, here, index));
        return type.kind === "list" || type.element.type.kind === "object" ? elements : new Set(elements);
      }
      case "map": {
        const all = value instanceof Map ? Object.fromEntries(value) : value;
        if (!isRecord(all)) return this.#wrong(value, type, path, step);
        const here = below(path, step);
        const found = {};
        for (const [key, one] of Object.entries(all)) put(found, key, this.declared(one, type.element, here, key));
        return found;
      }
      case "tuple": {
        if (!Array.isArray(value)) return this.#wrong(value, type, path, step);
        if (value.length !== type.elements.length) {
          return this.#refuse(
            path,
            step,
            `a tuple of ${type.elements.length} elements is required, but this has ${value.length}`,
          );
        }
        const here = below(path, step);
        return type.elements.map((one, index) => this.declared(value[index], one, here, index));
      }
      case "object":
        if (!isRecord(value)) return this.#wrong(value, type, path, step);
        return this.object(value, type.attributes, below(path, step));
    }
  }

  object(given: Readonly<Record<string, Wire>>, attributes: Declarations, path: Path): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    let meant: Set<string> | undefined;
    for (const name in given) {
      if (Object.hasOwn(attributes, name) || this.#reading.ignoreExtra === true) continue;
      const absent = Object.keys(attributes).filter((candidate) => !Object.hasOwn(given, candidate));
      const near = nearest(name, absent);
      if (near !== undefined) meant = (meant ?? new Set()).add(near);
      const hint = near === undefined ? "" : `; did you mean \`${near}\`?`;
      this.#refuse(path, name, `the attribute ${JSON.stringify(name)} is not supported${hint}`, true);
    }
    for (const name in attributes) {
      const one = attributes[name] as Declaration;
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (
        (value === null || value === undefined) && !isOptional(one) && one.nullable !== true &&
        this.#reading.isPartial !== true
      ) {
        const isBlock = one.block !== undefined && one.block.nesting !== "single" && (one.block.min ?? 0) === 0;
        if (isBlock) put(found, name, one.block?.nesting === "map" || one.block?.nesting === "group" ? {} : []);
        // Its name was given with a mistake in it, which has been reported.
        else if (meant?.has(name) !== true) {
          this.#refuse(path, name, `the attribute ${JSON.stringify(name)} is required`, true);
        }
        continue;
      }
      const member = this.declared(value, one, path, name);
      if (member !== undefined) put(found, name, member);
    }
    return found;
  }

  #string(value: Wire, path: Path, step: Step): unknown {
    if (typeof value === "string") return value;
    if (!(value instanceof Uint8Array)) return this.#wrong(value, { kind: "string" }, path, step);
    return plainText(value) ?? this.#refuse(path, step, "a string is required, but this is not UTF-8");
  }

  #bool(value: Wire, path: Path, step: Step): unknown {
    if (typeof value === "boolean") return value;
    if (value === "true" || value === "1") return true;
    if (value === "false" || value === "0") return false;
    if (typeof value === "string") return this.#refuse(path, step, 'a bool is required: "true" or "false"');
    return this.#wrong(value, { kind: "bool" }, path, step);
  }

  #number(value: Wire, type: Type & { kind: "number" }, path: Path, step: Step): unknown {
    let found: Exact | undefined;
    if (typeof value === "number" || typeof value === "bigint" || isBig(value)) found = value;
    else if (typeof value === "string") found = exactNumber(value);
    else if (value instanceof Uint8Array) found = exactNumber(new TextDecoder().decode(value));
    if (found === undefined || Number.isNaN(found)) return this.#wrong(value, type, path, step);
    if (isBig(found) && found.isInteger) found = found.toBigInt();
    const isInteger = typeof found === "bigint" || Number.isInteger(found);
    switch (type.as) {
      case "exact":
      case "big":
        return found;
      case "bigint":
        return isInteger ? BigInt(found as number) : this.#refuse(path, step, "a whole number is required");
      default:
        if (type.as === "integer" && !isInteger) return this.#refuse(path, step, "a whole number is required");
        if (typeof found === "bigint" && found >= -MAX_SAFE && found <= MAX_SAFE) return Number(found);
        if (typeof found === "number") return found;
        return this.#refuse(
          path,
          step,
          "the number has more digits than the plugin can hold; its author can declare it with big() or bigint()",
        );
    }
  }

  #any(value: Wire, path: Path, step: Step): unknown {
    if (!this.#reading.hasTypes) return this.#implied(value, path, step);
    if (Array.isArray(value) && value.length === 2 && value[0] instanceof Uint8Array) {
      const type = typeFromBytes(value[0]);
      if (type === undefined) return this.#refuse(path, step, "the type of the value is invalid");
      return this.declared(value[1], { type, nullable: true }, path, step);
    }
    return this.#implied(value, path, step);
  }

  #implied(given: Wire, path: Path, step: Step): unknown {
    const value = listOfDefault(given);
    const here = typeof value === "object" ? below(path, step) : path;
    if (Array.isArray(value)) return value.map((one, index) => this.#implied(one, here, index));
    if (isUnknown(value) && !this.#reading.allowUnknown) return this.#refuse(path, step, "the value is not known yet");
    if (!isRecord(value)) return value ?? null;
    const found = {};
    for (const [key, one] of Object.entries(value)) put(found, key, this.#implied(one, here, key));
    return found;
  }

  #wrong(value: Wire, type: Type, path: Path, step: Step): undefined {
    return this.#refuse(path, step, `${typeName(type)} is required, but this is ${wireName(value)}`);
  }
}

/** What authors write as the default of a set is a `Set`, which no host sends. */
function listOfDefault(value: Wire): Wire {
  return value instanceof Set ? [...value] : value;
}

/** The text that bytes are; `undefined` if they are not UTF-8. */
export function plainText(bytes: Uint8Array): string | undefined {
  try {
    return utf8Text(bytes);
  } catch {
    return undefined;
  }
}

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

const types = new Map<string, Type>();

/** The type that a value of the type `any` comes with. Most values have one of a few. */
export function typeFromBytes(bytes: Uint8Array): Type | undefined {
  const text = new TextDecoder().decode(bytes);
  let type = types.get(text);
  if (type !== undefined) return type;
  try {
    type = typeFromJson(JSON.parse(text));
  } catch {
    return undefined;
  }
  if (type !== undefined && types.size < 256) types.set(text, type);
  return type;
}

function wireName(value: Wire): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "a list";
  if (value instanceof Uint8Array) return "binary data";
  if (typeof value === "string") return "a string";
  if (typeof value === "boolean") return "a bool";
  if (typeof value === "number" || typeof value === "bigint" || isBig(value)) return "a number";
  return isUnknown(value) ? "not known yet" : "an object";
}

/** Whether a value is an object with members: not a list, not a number, not an unknown value. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return !isUnknown(value) && !isBig(value) && !ArrayBuffer.isView(value);
}

/**
 * Reads an object of attributes: checks it, fills in defaults, wraps secrets.
 *
 * @throws {Unfit} It does not fit; all problems are in it.
 */
export function readObject(given: Wire, attributes: Declarations, reading: Reading): Record<string, unknown> {
  const reader = new Reader(reading);
  const object = given ?? {};
  const found = isRecord(object)
    ? reader.object(object, attributes, [])
    : reader.typed(object, { kind: "object", attributes }, [], undefined);
  if (reader.problems.length > 0) throw new Unfit(reader.problems);
  return found as Record<string, unknown>;
}

/**
 * Reads one value.
 *
 * @throws {Unfit} It does not fit.
 */
export function readValue(given: Wire, one: Declaration, reading: Reading, path: Path = []): unknown {
  const reader = new Reader(reading);
  const found = reader.declared(given, one, path, undefined);
  if (reader.problems.length > 0) throw new Unfit(reader.problems);
  return found;
}
