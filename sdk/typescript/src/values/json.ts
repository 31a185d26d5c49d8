import { wellFormed } from "../ipc/bytes.ts";
import { decimalText, type Exact, exactNumber, isBig } from "./big.ts";
import { put } from "./type.ts";

/** Deeper nesting than any host sends or reads, and less than the stack holds. */
export const DEEPEST = 128;
/** Values of this depth, and what is around them in an answer or a schema. */
const DEEPEST_WRITTEN = 4 * DEEPEST;

// A number of more than 15 digits, or with an exponent. JSON.parse keeps all others exactly.
const LONG_NUMBER = /[:[,]\s*-?(?:\d[\d.]{15}|\d[\d.]*[eE])/;

/**
 * Reads JSON, with all digits of its numbers: one that a `number` cannot hold is a `bigint` or a `Big`.
 *
 * @throws {SyntaxError} It is not JSON, or is nested too deeply.
 */
export function parseJson(text: string): unknown {
  if (LONG_NUMBER.test(text)) return new JsonParser(text).whole();
  if (isDeep(text)) throw new SyntaxError("the JSON is nested too deeply");
  return JSON.parse(text);
}

/** Whether JSON is nested too deeply: JSON.parse takes any depth, and what walks over the value would overflow the stack. */
function isDeep(text: string): boolean {
  if (text.length <= 2 * DEEPEST) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        at = endOfText(text, at);
        if (at < 0) return false;
        break;
      }
      case 0x5b:
      case 0x7b:
        depth += 1;
        if (depth > DEEPEST) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
    }
  }
  return false;
}

/** Where a text in double quotes ends, or -1. */
function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}

/** Writes JSON, with all digits of a `bigint` or a `Big`. Half a surrogate pair, which no host reads, is replaced. */
export function stringifyJson(value: unknown): string {
  return wellFormed(jsonText(value) ?? "null");
}

function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // One of its numbers is a bigint or a Big; anything else fails again.
    if (!(error instanceof TypeError)) throw error;
    return exactText(value, 0);
  }
}

/** By parts, because JSON.stringify has no form for a number with all its digits. */
function exactText(value: unknown, depth: number): string | undefined {
  if (typeof value === "bigint" || isBig(value)) return decimalText(value as Exact);
  if (depth > DEEPEST_WRITTEN) throw new TypeError("the value is nested too deeply, or contains itself");
  if (Array.isArray(value)) return `[${value.map((one) => exactText(one, depth + 1) ?? "null").join()}]`;
  if (typeof value !== "object" || value === null || "toJSON" in value) return JSON.stringify(value);
  const members: string[] = [];
  for (const [name, one] of Object.entries(value)) {
    const text = exactText(one, depth + 1);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join()}}`;
}

/** A parser for texts with long numbers, which JSON.parse would round. */
class JsonParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): unknown {
    const value = this.#value(0);
    this.#blanks();
    if (this.#at < this.#text.length) this.#fail();
    return value;
  }

  #fail(): never {
    throw new SyntaxError(`invalid JSON at character ${this.#at}`);
  }

  #blanks(): void {
    while (" \t\n\r".includes(this.#text[this.#at] ?? "x")) this.#at += 1;
  }

  #value(depth: number): unknown {
    if (depth > DEEPEST) throw new SyntaxError("the JSON is nested too deeply");
    this.#blanks();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#object(depth);
      case "[":
        return this.#array(depth);
      case '"':
        return this.#string();
      default:
        return this.#scalar();
    }
  }

  #object(depth: number): unknown {
    const found = {};
    this.#at += 1;
    this.#blanks();
    if (this.#take("}")) return found;
    do {
      this.#blanks();
      if (this.#text[this.#at] !== '"') this.#fail();
      const name = this.#string();
      this.#blanks();
      if (!this.#take(":")) this.#fail();
      put(found, name, this.#value(depth + 1));
      this.#blanks();
    } while (this.#take(","));
    return this.#take("}") ? found : this.#fail();
  }

  #array(depth: number): unknown {
    const found: unknown[] = [];
    this.#at += 1;
    this.#blanks();
    if (this.#take("]")) return found;
    do {
      found.push(this.#value(depth + 1));
      this.#blanks();
    } while (this.#take(","));
    return this.#take("]") ? found : this.#fail();
  }

  #take(letter: string): boolean {
    if (this.#text[this.#at] !== letter) return false;
    this.#at += 1;
    return true;
  }

  #string(): string {
    let end = this.#at + 1;
    while (this.#text[end] !== '"') {
      if (end >= this.#text.length) this.#fail();
      end += this.#text[end] === "\\" ? 2 : 1;
    }
    const quoted = this.#text.slice(this.#at, end + 1);
    this.#at = end + 1;
    return JSON.parse(quoted) as string;
  }

  #scalar(): unknown {
    const rest = /[^\s,\]}]*/y;
    rest.lastIndex = this.#at;
    const text = rest.exec(this.#text)?.[0] ?? "";
    if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) {
      this.#at += text.length;
      return exactNumber(text) ?? this.#fail();
    }
    if (text !== "true" && text !== "false" && text !== "null") this.#fail();
    this.#at += text.length;
    return JSON.parse(text);
  }
}
