import type { Decision, ResourcePart } from "../define/parts.ts";
import { CTY_READING, isRecord, type Wire } from "../values/read.ts";
import { type Declaration, type Declarations, put } from "../values/type.ts";
import { isUnknown, unknown } from "../values/unknown.ts";
import { canonical, membersOf, writeObject } from "../values/write.ts";
import { readStored } from "./denobridge_values.ts";
import { written } from "./run.ts";

type Members = Record<string, Wire>;

/** What the host sends about a change. */
export interface Whole {
  readonly part: ResourcePart;
  /** The resource as it is; null for a create. */
  readonly prior: Members | null;
  /** What the user wrote; null if that is not known. */
  readonly config: Members | null;
}

/** The members of these names; those that are missing are null. */
export function select(object: Wire, names: Declarations): Members {
  const found: Members = {};
  for (const name in names) put(found, name, (isRecord(object) ? object[name] : null) ?? null);
  return found;
}

/** The attributes of a resource that the plugin computes, with its id. */
function isComputed(part: ResourcePart, name: string): boolean {
  return name === "id" || part.state[name] !== undefined;
}

function allNames(part: ResourcePart): string[] {
  return [...new Set(["id", ...Object.keys(part.body.attributes), ...Object.keys(part.state)])].sort();
}

/**
 * What the resource will be, as the host would plan it: what is configured, and what is computed. If nothing changes, everything
 * keeps its value; otherwise what is computed and not configured is unknown, except what an update does not change.
 */
export function plannedChange({ part, prior, config }: Whole, proposed: Members): Members {
  if (prior !== null && canonical(prior) === canonical(proposed)) return prior;
  const planned: Members = {};
  for (const name of allNames(part)) {
    const given = part.body.attributes[name];
    const returned = name === "id" ? { stable: true } : part.state[name];
    if (!isComputed(part, name) || (config?.[name] ?? null) !== null) put(planned, name, proposed[name] ?? null);
    else if (
      prior !== null && (returned?.stable === true || given?.replaces === true || part.state[name]?.replaces === true)
    ) put(planned, name, prior[name] ?? null);
    else put(planned, name, unknown);
  }
  return planned;
}

/** The author's props of a planned resource. Write-only values are in the configuration alone, and what the plugin computes is absent. */
export function plannedProps({ part, config }: Whole, planned: Members): Members {
  const props: Members = {};
  for (const [name, one] of Object.entries(part.body.attributes)) {
    const [value, configured] = [planned[name] ?? null, config?.[name] ?? null];
    const isConfigured = hasWriteOnly(one) || isUnknown(value) && configured === null;
    put(props, name, isConfigured ? configured : value);
  }
  return props;
}

function hasWriteOnly(one: Declaration): boolean {
  if (one.writeOnly === true) return true;
  if (one.block === undefined) return false;
  const inner = one.type.kind === "object" ? one.type : "element" in one.type ? one.type.element.type : one.type;
  return inner.kind === "object" && Object.values(inner.attributes).some(hasWriteOnly);
}

/** The plan as the author decided it. */
export function decided(
  whole: Whole,
  proposed: Members,
  planned: Members,
  decision: Decision<Members>,
): { result: Members } {
  const { part, prior } = whole;
  if (!isRecord(decision)) return { result: { planned } };
  if ("replace" in decision) {
    // A new one has a new id, which shows the host that there is a change.
    const result: Members = { planned: { ...planned, id: unknown } };
    return { result: prior === null ? result : { ...result, replace: [["id"]] } };
  }
  const { attributes } = part.body;
  const stored = Object.fromEntries(Object.entries(attributes).filter(([, one]) => one.writeOnly !== true));
  const given = written("the props", () => Object.entries(membersOf(decision.props)));
  const settable = Object.fromEntries(given.filter(([name]) => attributes[name]?.writeOnly !== true));
  const props = written("the props", () => writeObject(settable, stored, "msgpack"));
  const kept = settled(stored, prior ?? {}, settled(stored, proposed, props));
  const changed = plannedChange(whole, { ...proposed, ...kept });
  const known = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== null));
  return { result: { planned: { ...changed, ...known } } };
}

/** Props that the author returned, in which what means the same as before is as it was: its type, and a default that was filled in. */
export function settled(attributes: Declarations, before: Members, props: Members): Members {
  const found: Members = {};
  for (const name in attributes) {
    const one = { [name]: attributes[name] as Declaration };
    const meaning = (all: Members) =>
      canonical(readStored(select(all, one), one, { ...CTY_READING, allowUnknown: true }));
    put(found, name, Object.hasOwn(before, name) && meaning(before) === meaning(props) ? before[name] : props[name]);
  }
  return found;
}

/** Props that the author returned, with the defaults of those that it left out, as the next plan has them. */
export function filledIn(attributes: Declarations, props: Members): Members {
  const found: Members = { ...props };
  for (const [name, one] of Object.entries(attributes)) {
    if (one.default === undefined || (props[name] ?? null) !== null) continue;
    put(found, name, writeObject({ [name]: one.default }, { [name]: one }, "msgpack")[name]);
  }
  return found;
}

/** The whole resource. What the plugin returned comes before what is known otherwise, and nothing is unknown any more. */
export function wholeState(part: ResourcePart, id: string, known: Members, returned: Members): Members {
  const state: Members = {};
  for (const name of allNames(part)) {
    const given = part.body.attributes[name];
    const value = given?.writeOnly === true ? null : name === "id" ? id : returned[name] ?? known[name] ?? null;
    // An absent block is empty, never null.
    if (given?.block !== undefined && value === null) continue;
    put(state, name, unknownAsNull(value));
  }
  return state;
}

function unknownAsNull(value: Wire): Wire {
  if (isUnknown(value)) return null;
  if (Array.isArray(value)) return value.map(unknownAsNull);
  if (!isRecord(value)) return value;
  const found: Members = {};
  for (const name in value) put(found, name, unknownAsNull(value[name]));
  return found;
}
