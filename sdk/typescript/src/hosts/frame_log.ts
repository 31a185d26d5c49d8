import { Buffer } from "node:buffer";
import { appendFileSync, writeSync } from "node:fs";
import process from "node:process";

import type { Parts } from "../define/parts.ts";
import { isRecord } from "../values/read.ts";
import { type Declarations, holdsSecret } from "../values/type.ts";
import { canonical } from "../values/write.ts";
import type { UnpackError } from "../wire/scanner.ts";
import { FlawedMessage, MessageStream } from "../wire/unpack.ts";
import { isSecretDeclaration, MASK, SECRET_MEMBERS, secretNames } from "./masking.ts";

/** What the log does not show. */
export interface Masked {
  /** Members whose values may be secrets. */
  readonly names: ReadonlySet<string>;
  /** Methods whose arguments by position may be secrets. */
  readonly methods: ReadonlySet<string>;
}

/** Logs each frame to stderr or a file, if TENON_DEBUG says so. Values of sensitive attributes are masked, by their names. */
export class FrameLog {
  readonly #file: string | undefined;
  readonly #masked: Masked;
  #isText: boolean | undefined;
  #rest = "";
  readonly #messages = new MessageStream();

  constructor(file: string | undefined, masked: Masked) {
    this.#file = file;
    this.#masked = masked;
  }

  /** The log that the environment asks for. */
  static fromEnvironment(masked: () => Masked): FrameLog | undefined {
    const wanted = environment("TENON_DEBUG");
    if (wanted === undefined || wanted === "" || wanted === "0") return undefined;
    return new FrameLog(wanted === "1" || wanted === "true" ? undefined : wanted, masked());
  }

  received(chunk: Uint8Array): void {
    this.#isText ??= (chunk[0] ?? 0) < 0x80;
    if (!this.#isText) {
      try {
        for (const message of this.#messages.push(chunk)) this.#line("<-", canonical(this.#hidden(message)));
      } catch (error) {
        this.#line("<-", (error as UnpackError).message);
      }
      return;
    }
    this.#rest += Buffer.from(chunk).toString("latin1");
    for (let frame = this.#next(); frame !== undefined; frame = this.#next()) {
      if (frame.trim() !== "") this.#line("<-", this.#text(Buffer.from(frame, "latin1").toString().trimEnd()));
    }
  }

  sent(frame: Uint8Array | string): void {
    if (typeof frame !== "string") {
      for (const message of new MessageStream().push(frame)) this.#line("->", canonical(this.#hidden(message)));
      return;
    }
    const body = /^content-length:/i.test(frame) ? frame.slice(frame.indexOf("\r\n\r\n") + 4) : frame;
    this.#line("->", this.#text(body.trimEnd()));
  }

  /** The next whole frame of what has arrived: a line, or what follows headers. A letter of it is a byte. */
  #next(): string | undefined {
    const headers = /^content-length:\s*(\d+)[^]*?\r\n\r\n/i.exec(this.#rest);
    let start = 0;
    let end = this.#rest.indexOf("\n") + 1;
    if (/^content-length:/i.test(this.#rest)) {
      if (headers === null) return undefined;
      start = headers[0].length;
      end = start + Number(headers[1]);
    }
    if (end === 0 || end > this.#rest.length) return undefined;
    const frame = this.#rest.slice(start, end);
    this.#rest = this.#rest.slice(end);
    return frame;
  }

  #text(text: string): string {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      // It may be a part of anything.
      return this.#masked.names.size === 0 ? text : `${Buffer.byteLength(text)} bytes that are not JSON`;
    }
    const hidden = this.#hidden(message);
    const method = isRecord(message) ? message["method"] : undefined;
    if (isRecord(hidden) && Array.isArray(hidden["params"]) && this.#masked.methods.has(String(method))) {
      hidden["params"] = MASK;
    }
    const shown = JSON.stringify(hidden);
    // As it was written, with all digits of its numbers.
    return shown === JSON.stringify(message) ? text : shown;
  }

  #hidden(value: unknown): unknown {
    if (value instanceof FlawedMessage) return [...value.start, value.problem];
    if (Array.isArray(value)) return value.map((inner) => this.#hidden(inner));
    if (!isRecord(value)) return value;
    const entries = Object.entries(value).map(([name, inner]) => [
      name,
      this.#masked.names.has(name) && inner !== null ? MASK : this.#hidden(inner),
    ]);
    return Object.fromEntries(entries);
  }

  #line(direction: string, text: string): void {
    const line = `${new Date().toISOString()} ${direction} ${text}\n`;
    try {
      if (this.#file === undefined) writeSync(2, line);
      else appendFileSync(this.#file, line, { mode: 0o600 });
    } catch {
      // A log that cannot be written does not stop the plugin.
    }
  }
}

/** A script of denobridge declares no attributes: only what the protocol marks is known. */
export const MASKED_OF_SCRIPTS: Masked = { names: new Set(SECRET_MEMBERS), methods: new Set() };

const hasSecret = (attributes: Declarations): boolean => Object.values(attributes).some(isSecretDeclaration);

/** What a plugin has declared as secret. */
export function maskedOf(parts: Parts): Masked {
  const names = new Set([...SECRET_MEMBERS, "private", ...secretNames(parts)]);
  const methods = new Set<string>();
  for (const [name, call] of [...parts.functions, ...parts.actions]) {
    const variadic = "variadic" in call ? call.variadic : undefined;
    if (hasSecret(call.body.attributes) || (variadic !== undefined && isSecretDeclaration(variadic.element))) {
      methods.add(name);
      names.add("arguments");
    }
    const isResultSecret = "outputs" in call ? Object.values(call.outputs).some(holdsSecret) : holdsSecret(call.returns);
    // Wherever a protocol has results.
    if (isResultSecret) for (const member of ["outputs", "result", "structuredContent", "text"]) names.add(member);
  }
  return { names, methods };
}

/** A variable of the environment; Deno may refuse to tell it. */
export function environment(name: string): string | undefined {
  try {
    return process.env[name];
  } catch {
    return undefined;
  }
}
