import type { ResourcePart } from "../define/parts.ts";
import { CTY_READING, isRecord, readObject } from "../values/read.ts";
import { revealed } from "../values/secret.ts";
import type { Declarations } from "../values/type.ts";
import { Unknown, unknown } from "../values/unknown.ts";

export type Members = Record<string, unknown>;

export function withoutDefaults(given: Members): Members {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== null));
}

export function withDefaults(given: Members, attributes: Declarations): Members {
  const defaults = Object.entries(attributes).filter(([name, one]) =>
    one.default !== undefined && (given[name] ?? undefined) === undefined
  );
  return { ...withoutDefaults(given), ...Object.fromEntries(defaults.map(([name, one]) => [name, one.default])) };
}

/** What the user wrote may leave out anything: the plugin says what is missing. */
export function relaxed(attributes: Declarations): Declarations {
  return Object.fromEntries(Object.entries(attributes).map(([name, one]) => [name, { ...one, optional: true }]));
}

export function wholeOf(part: ResourcePart, known: Members, isStored = false): Members {
  const names = new Set(["id", ...Object.keys(part.body.attributes), ...Object.keys(part.state)]);
  return Object.fromEntries(
    [...names].sort().map((name) => {
      const isHidden = isStored && part.body.attributes[name]?.writeOnly === true;
      return [name, isHidden ? null : known[name] ?? null];
    }),
  );
}

export function computed(part: ResourcePart, prior: Members | null): Members {
  if (prior === null) return {};
  return Object.fromEntries(["id", ...Object.keys(part.state)].map((name) => [name, prior[name] ?? null]));
}

export function readState(part: ResourcePart, wire: Members, isPlan: boolean): Members {
  const attributes: Declarations = { ...part.body.attributes, ...part.state, id: { type: { kind: "string" } } };
  const found = readObject(wire, attributes, {
    ...CTY_READING,
    allowUnknown: isPlan,
    ignoreExtra: true,
    isPartial: true,
  });
  return plainSecrets(found);
}

export function plainSecrets(values: Members): Members {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, revealed(value)]));
}

export function plain(value: unknown): unknown {
  const shown = revealed(value);
  if (shown instanceof Set) return [...shown].map(plain);
  if (Array.isArray(shown)) return shown.map(plain);
  if (!isRecord(shown)) return shown;
  return Object.fromEntries(Object.entries(shown).map(([name, one]) => [name, plain(one)]));
}

/** A value that can be compared as JSON. */
export function packable(value: unknown): unknown {
  if (value instanceof Unknown || value === unknown) return "(unknown)";
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) return Array.from(value);
  if (Array.isArray(value)) return value.map(packable);
  if (!isRecord(value)) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, packable(one)]),
  );
}
