import type { Big } from "./big.ts";

/** One end of the range that an unknown number is in. */
export interface Bound {
  readonly value: number | bigint | Big;
  readonly inclusive: boolean;
}

/** What is known already about a value that is not known yet. */
export interface Refinement {
  /** It will not be null. */
  readonly notNull?: boolean;
  /** What the text begins with. */
  readonly prefix?: string;
  /** The lower bound of the number. */
  readonly min?: Bound;
  /** The upper bound of the number. */
  readonly max?: Bound;
  /** The least number of elements. */
  readonly minLength?: number;
  /** The greatest number of elements. */
  readonly maxLength?: number;
}

// Two copies of this package in one program, as ES module and as CommonJS, recognise each other's objects.
const UNKNOWN: unique symbol = Symbol.for("tenon.unknown") as never;

const NOT_KNOWN = "the value is not known yet; check it with isUnknown() before using it";

/**
 * A value that is not known yet: Terraform knows it only after apply. It cannot be used as a text or a
 * number, and it cannot be written as JSON: each of these throws. JavaScript treats every object as true in a
 * condition, so ask with {@link isUnknown}.
 */
export class Unknown {
  /** What is known already. */
  readonly refinement: Refinement;

  constructor(refinement: Refinement = {}) {
    this.refinement = Object.freeze({ ...refinement });
    Object.freeze(this);
  }

  get [UNKNOWN](): true {
    return true;
  }

  /** @throws {TypeError} Always. */
  [Symbol.toPrimitive](): never {
    throw new TypeError(NOT_KNOWN);
  }

  /** @throws {TypeError} Always. */
  toString(): never {
    throw new TypeError(NOT_KNOWN);
  }

  /** @throws {TypeError} Always. */
  toJSON(): never {
    throw new TypeError(NOT_KNOWN);
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "(not known yet)";
  }
}

/** An unknown value of which nothing is known. */
export const unknown: Unknown = new Unknown();

/** Whether a value is not known yet. */
export function isUnknown(value: unknown): value is Unknown {
  return typeof value === "object" && value !== null && (value as Unknown)[UNKNOWN] === true;
}

/** Whether a value, or a part of it, is not known yet. */
export function hasUnknown(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (isUnknown(value)) return true;
  if (ArrayBuffer.isView(value)) return false;
  if (Array.isArray(value)) return value.some(hasUnknown);
  if (value instanceof Set || value instanceof Map) return [...value.values()].some(hasUnknown);
  for (const key in value) if (hasUnknown((value as Record<string, unknown>)[key])) return true;
  return false;
}
