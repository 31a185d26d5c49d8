import type { Existing, ResourcePart } from "../define/parts.ts";
import { Unfit } from "../values/problem.ts";
import { isRecord, JSON_READING, readObject, readValue, type Wire } from "../values/read.ts";
import { type Declaration, type Declarations, put } from "../values/type.ts";
import { isUnknown, unknown } from "../values/unknown.ts";
import { canonical, membersOf, writeObject } from "../values/write.ts";
import { written } from "./run.ts";

type Params = Record<string, Wire>;

/** What the plugin returned, as what may be shown and what may not. Without any secret the second part is absent: it stays as it was. */
export function split(returned: Params, attributes: Declarations): { state: Wire; sensitiveState?: Wire } {
  const plain: Params = {};
  const secret: Params = {};
  let hasSecret = false;
  for (const name in returned) {
    const isSecret = attributes[name]?.secret === true;
    put(isSecret ? secret : plain, name, returned[name]);
    if (isSecret && returned[name] !== null) hasSecret = true;
  }
  const state = Object.keys(plain).length === 0 ? null : plain;
  return hasSecret ? { state, sensitiveState: secret } : { state };
}

/** Props as they are sent: without what is never stored. */
export function storedProps(props: Params, attributes: Declarations): Wire {
  const stored = Object.fromEntries(Object.entries(attributes).filter(([, one]) => one.writeOnly !== true));
  const members = Object.entries(written("the props", () => membersOf(props)));
  const given = Object.fromEntries(members.filter(([name]) => attributes[name]?.writeOnly !== true));
  const all = written("the props", () => writeObject(given, stored, "json"));
  // An attribute that is absent in the configuration has to stay absent.
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

/** Props that were read, in which what means the same as before is written as before: a default that was left out stays so. */
export function settledProps(props: Params, before: Wire, attributes: Declarations): Wire {
  const found = storedProps(props, attributes) as Params;
  if (!isRecord(before)) return found;
  const meaning = (value: Wire, name: string) =>
    canonical(readStored({ [name]: value }, { [name]: attributes[name] as Declaration }));
  const same = (name: string) => {
    const [was, is] = [meaning(before[name], name), meaning(found[name], name)];
    return was === is;
  };
  const settled: Params = {};
  for (const name in found) {
    if (Object.hasOwn(before, name) || !same(name)) put(settled, name, same(name) ? before[name] : found[name]);
  }
  // What is null in the configuration stays null instead of absent.
  for (const name in before) {
    if (before[name] === null && attributes[name] !== undefined && !Object.hasOwn(found, name)) {
      put(settled, name, null);
    }
  }
  return settled;
}

/** Stored values: strictly if they fit, otherwise as far as they do. */
export function readStored(given: Wire, attributes: Declarations, reading = JSON_READING): Record<string, unknown> {
  try {
    return readObject(given, attributes, { ...reading, ignoreExtra: true });
  } catch (error) {
    if (!(error instanceof Unfit)) throw error;
    return readObject(given, attributes, { ...reading, ignoreExtra: true, isPartial: true });
  }
}

/** The resource as it was last seen. */
export function existingOf(
  part: ResourcePart,
  id: Wire,
  props: Wire,
  plain: Wire,
  secret: Wire,
): Existing<unknown, unknown> {
  const state: Params = { ...(isRecord(plain) ? plain : {}) };
  if (isRecord(secret)) {
    for (const name in secret) if (part.state[name]?.secret === true) put(state, name, secret[name]);
  }
  const hasState = isRecord(plain) || isRecord(secret);
  return {
    id: typeof id === "string" ? id : String(id ?? ""),
    ...(isRecord(props) ? { props: readStored(props, part.body.attributes) } : {}),
    ...(hasState ? { state: readStored(state, part.state) } : {}),
  };
}

/** The value with what is at the path as unknown: denobridge sends the empty value of its type there. */
export function withUnknown(value: Wire, [first, ...rest]: readonly string[]): Wire {
  if (first === undefined) return unknown;
  if (Array.isArray(value)) return value.map((one, index) => (String(index) === first ? withUnknown(one, rest) : one));
  if (!isRecord(value)) return value;
  const found: Params = { ...value };
  if (Object.hasOwn(found, first)) put(found, first, withUnknown(found[first], rest));
  return found;
}

/** What denobridge is told about a plan. */
export function decidedPlan(part: ResourcePart, decision: unknown, current: Wire, next: Wire): Params {
  const { attributes } = part.body;
  const decided = isRecord(decision) ? decision : {};
  if (decided["replace"] === true) return { requiresReplacement: true };
  if (isRecord(decided["props"])) {
    const props = storedProps(decided["props"], attributes);
    return { modifiedProps: props, ...(isReplaced(current, props, attributes) ? { requiresReplacement: true } : {}) };
  }
  return isReplaced(current, next, attributes) ? { requiresReplacement: true } : { noChanges: true };
}

/** Whether an attribute changes, or may change, whose change makes a new resource. */
function isReplaced(current: Wire, next: Wire, attributes: Declarations): boolean {
  if (!isRecord(current)) return false;
  if (isUnknown(next)) return Object.values(attributes).some((one) => one.replaces === true);
  if (!isRecord(next)) return false;
  return Object.entries(attributes).some(([name, one]) => {
    if (one.replaces !== true) return false;
    const value = (given: Wire) => {
      if (isUnknown(given)) return given;
      try {
        return readValue(given, { ...one, optional: true }, { ...JSON_READING, allowUnknown: true });
      } catch {
        return given;
      }
    };
    const [before, after] = [value(current[name]), value(next[name])];
    return isUnknown(after) || canonical(before) !== canonical(after);
  });
}
