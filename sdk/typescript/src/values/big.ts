const BIG: unique symbol = Symbol.for("tenon.big") as never;

/** More than a number of Terraform can have: its 512 bits are about 154 digits. */
const MOST_DIGITS = 1024;
/** A short text such as `1e100000000` would need a hundred megabytes. */
const LARGEST_EXPONENT = 4096;

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;

/**
 * A decimal number with all its digits, where a `number` of JavaScript would round: `0.1000000000000000000001`,
 * or `18446744073709551617.5`. Immutable.
 */
export class Big {
  readonly #coefficient: bigint;
  readonly #exponent: number;

  /**
   * Reads a number: digits with a sign, a point and an exponent as in JSON.
   *
   * @throws {RangeError} It is not such a number, or has too many digits.
   */
  constructor(text: string | number | bigint) {
    const found = typeof text === "bigint" ? [text, 0] as const : parseDecimal(String(text));
    if (found === undefined) throw new RangeError(`not a decimal number: ${JSON.stringify(String(text)).slice(0, 60)}`);
    let [coefficient, exponent] = found;
    while (coefficient !== 0n && coefficient % 10n === 0n) {
      coefficient /= 10n;
      exponent += 1;
    }
    this.#coefficient = coefficient;
    this.#exponent = coefficient === 0n ? 0 : exponent;
  }

  get [BIG](): true {
    return true;
  }

  /** Whether there is nothing behind the point. */
  get isInteger(): boolean {
    return this.#exponent >= 0;
  }

  /** @throws {RangeError} It is not an integer. */
  toBigInt(): bigint {
    if (!this.isInteger) throw new RangeError(`${this.toString()} is not an integer`);
    return this.#coefficient * 10n ** BigInt(this.#exponent);
  }

  /** The nearest `number`, which may have fewer digits. */
  toNumber(): number {
    return Number(`${this.#coefficient}e${this.#exponent}`);
  }

  /** The whole number, without an exponent. */
  toString(): string {
    const isNegative = this.#coefficient < 0n;
    const digits = (isNegative ? -this.#coefficient : this.#coefficient).toString();
    const sign = isNegative ? "-" : "";
    if (this.#exponent >= 0) return sign + digits + "0".repeat(this.#exponent);
    const places = -this.#exponent;
    const padded = digits.padStart(places + 1, "0");
    return `${sign}${padded.slice(0, -places)}.${padded.slice(-places)}`;
  }

  /** Whether both are the same number. */
  equals(other: Big | number | bigint): boolean {
    return this.toString() === (isBig(other) ? other : new Big(other)).toString();
  }

  /** Whether a `number` has exactly this value, as binary fractions do: 0.5, but not 0.1. */
  get isBinary(): boolean {
    if (this.#exponent >= 0) return Number.isSafeInteger(this.toNumber());
    const power = 5n ** BigInt(-this.#exponent);
    if (this.#coefficient % power !== 0n) return false;
    const mantissa = this.#coefficient / power;
    const bits = (mantissa < 0n ? -mantissa : mantissa).toString(2).replace(/0+$/, "").length;
    return bits <= 53 && -this.#exponent < 1000;
  }

  /** @throws {TypeError} As a number: digits could be lost. Use `toNumber()`. */
  [Symbol.toPrimitive](hint: string): string {
    if (hint === "number") throw new TypeError("a Big does not calculate; use toNumber() or toBigInt()");
    return this.toString();
  }

  /** @throws {TypeError} Always: JSON.stringify cannot write all digits. */
  toJSON(): never {
    throw new TypeError("JSON.stringify cannot write a Big; use toString() or toNumber()");
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `Big ${this.toString()}`;
  }
}

/** Whether a value is a {@link Big}. */
export function isBig(value: unknown): value is Big {
  return typeof value === "object" && value !== null && (value as Big)[BIG] === true;
}

function parseDecimal(text: string): readonly [bigint, number] | undefined {
  const found = text.length > MOST_DIGITS + 16 ? null : NUMBER.exec(text);
  if (found === null) return undefined;
  const [, sign = "", whole = "", fraction = "", power = "0"] = found;
  const exponent = Number(power);
  if (whole === "" && fraction === "") return undefined;
  if (Math.abs(exponent) > LARGEST_EXPONENT || whole.length + fraction.length > MOST_DIGITS) return undefined;
  const digits = BigInt(whole + fraction);
  return [sign === "-" ? -digits : digits, exponent - fraction.length];
}

/** A number in the smallest of the three forms that has all its digits. */
export type Exact = number | bigint | Big;

/**
 * The number that a text has: a `number` if its shortest form has the same value, otherwise a `bigint` or a
 * {@link Big}. `undefined` if the text is not a number.
 */
export function exactNumber(text: string): Exact | undefined {
  const number = Number(text);
  // Up to 15 digits always survive; the check is for the others.
  if (text.length <= 15 && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text)) return number === 0 ? 0 : number;
  if (/^[+-]?[iI]nf$/.test(text)) return text.startsWith("-") ? -Infinity : Infinity;
  const found = parseDecimal(text);
  if (found === undefined) return undefined;
  const big = new Big(text);
  // An integer beyond 2^53 is a bigint, even if it happens to be a double.
  if (big.isInteger && Number.isFinite(number) && !Number.isSafeInteger(number)) return big.toBigInt();
  if (Number.isFinite(number) && big.equals(number)) return number === 0 ? 0 : number;
  return big.isInteger ? big.toBigInt() : big;
}

/** A number as a plain decimal text. */
export function decimalText(number: Exact): string {
  if (typeof number !== "number") return number.toString();
  const text = String(number);
  return text.includes("e") ? new Big(text).toString() : text;
}
