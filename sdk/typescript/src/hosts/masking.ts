import type { Parts } from "../define/parts.ts";
import type { Session } from "../define/session.ts";
import { isBig } from "../values/big.ts";
import { isRecord } from "../values/read.ts";
import type { Declaration, Declarations, Type } from "../values/type.ts";

export const MASK = "(sensitive)";

/** Shorter texts are in many words. */
const SHORTEST = 4;

export const isSecretDeclaration = (one: Declaration): boolean => one.secret === true || one.writeOnly === true;

/** The members that may hold secrets, in whichever message they are. */
export function secretNames(parts: Parts): Set<string> {
  const names = new Set<string>();
  const add = (attributes: Declarations): void => {
    for (const [name, one] of Object.entries(attributes)) {
      if (isSecretDeclaration(one)) names.add(name);
      addType(one.type);
    }
  };
  const addType = (type: Type): void => {
    if (type.kind === "object") add(type.attributes);
    else if ("element" in type) addType(type.element.type);
    else if ("elements" in type) type.elements.forEach((one) => addType(one.type));
  };
  add(parts.config.attributes);
  for (const call of [...parts.functions.values(), ...parts.actions.values()]) {
    add(call.body.attributes);
    const variadic = "variadic" in call ? call.variadic : undefined;
    if (variadic !== undefined && isSecretDeclaration(variadic.element)) names.add(variadic.name);
  }
  for (const { body, state } of parts.resources.values()) [body.attributes, state].forEach(add);
  for (const { body, result } of [...parts.dataSources.values(), ...parts.ephemerals.values()]) {
    [body.attributes, result].forEach(add);
  }
  return names;
}

/** What the protocols themselves say is a secret. */
export const SECRET_MEMBERS: readonly string[] = [
  "writeOnlyProps",
  "nextWriteOnlyProps",
  "sensitiveState",
  "currentSensitiveState",
  "sensitiveResult",
  "privateData",
];

/**
 * The texts of an error or a warning without the secrets in what the host has sent, now and as the configuration: an author
 * may quote them without noticing.
 */
export function hideSecrets<T>(session: Session, value: T, ...given: unknown[]): T {
  const names = new Set([...secretNames(session.parts), ...SECRET_MEMBERS, "private"]);
  const found = new Set<string>();
  for (const one of [...given, session.givenConfig]) learn(one, names, false, found);
  const texts = [...found].filter((text) => text.length >= SHORTEST).sort((a, b) => b.length - a.length);
  return texts.length === 0 ? value : hidden(value, texts) as T;
}

/** The result of a call about something with attributes: its diagnostics may quote secrets. */
export function withoutSecrets(session: Session, result: unknown, given: unknown): unknown {
  if (!isRecord(result) || result["diagnostics"] === undefined) return result;
  return { ...result, diagnostics: hideSecrets(session, result["diagnostics"], given) };
}

function learn(value: unknown, names: ReadonlySet<string>, isSecret: boolean, found: Set<string>): void {
  if (Array.isArray(value)) for (const inner of value) learn(inner, names, isSecret, found);
  else if (isRecord(value)) {
    for (const [name, inner] of Object.entries(value)) learn(inner, names, isSecret || names.has(name), found);
  } else if (isSecret && (typeof value === "string" || typeof value === "number" || typeof value === "bigint" || isBig(value))) {
    const secret = value.toString();
    // As it is, by one of its lines, or with escapes.
    for (const text of [secret, secret.trim(), ...secret.split(/\r?\n/)]) found.add(text).add(JSON.stringify(text).slice(1, -1));
  }
}

function hidden(value: unknown, texts: readonly string[]): unknown {
  if (typeof value === "string") return texts.reduce((text, secret) => text.replaceAll(secret, MASK), value);
  if (Array.isArray(value)) return value.map((inner) => hidden(inner, texts));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hidden(inner, texts)]));
}
