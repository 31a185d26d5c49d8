import { Failure, type Lock } from "../values/failure.ts";
import type { Awaitable } from "../values/awaitable.ts";
import type { Parts, RawHandler } from "./parts.ts";

/**
 * Keeps the states of Terraform. A path is relative and has no empty, `.` or `..` segments. What a storage leaves out, its host
 * does itself or reports as unsupported.
 */
export interface Storage {
  /** The state at a path; nothing if there is none. */
  read(path: string): Awaitable<Uint8Array | string | null | undefined>;
  /** Replaces the state, whole and on disk when it returns. With the id of a lock that is not held: `Failure.locked(held)`. */
  write(path: string, state: Uint8Array, lockId: string | undefined): Awaitable<void>;
  /** Locks the state and returns the id of the lock, `wanted.id` unless the storage has its own. Held by another: `Failure.locked(held)`. */
  lock?(path: string, wanted: Lock): Awaitable<string | void>;
  /** Releases the lock; without an id, any lock. */
  unlock?(path: string, lockId: string | undefined): Awaitable<void>;
  /** The paths that begin with a prefix. */
  list?(prefix: string): Awaitable<string[]>;
  /** Deletes the state. If there is none, that is a success. */
  delete?(path: string, lockId: string | undefined): Awaitable<void>;
}

/** The methods of a storage, as the wire has them. */
export const STORAGE_METHODS = ["read", "write", "lock", "unlock", "list", "delete"] as const;
export type StorageMethod = (typeof STORAGE_METHODS)[number];

type Given = { path: string; state: Uint8Array; lockId?: string; info: string; prefix?: string; force?: boolean };

/** Adds a storage to a plugin. */
export function addStorage(parts: Parts, storage: Storage): void {
  const add = (name: keyof Storage, run: RawHandler) => {
    if (storage[name] !== undefined) parts.storage.set(name, run);
  };
  add("read", async ({ path }: Given) => ({ state: (await storage.read(path)) ?? null }));
  add("write", async ({ path, state, lockId }: Given) => {
    await storage.write(path, state, lockId);
    return { success: true };
  });
  add("lock", async ({ path, info }: Given) => {
    const wanted = { id: lockIdOf(info), info };
    return { lockId: (await storage.lock?.(path, wanted)) ?? wanted.id };
  });
  add("unlock", async ({ path, lockId, force }: Given) => {
    await storage.unlock?.(path, force === true ? undefined : lockId);
    return { success: true };
  });
  add("list", async ({ prefix }: Given) => ({ paths: (await storage.list?.(prefix ?? "")) ?? [] }));
  add("delete", async ({ path, lockId }: Given) => {
    await storage.delete?.(path, lockId);
    return { success: true };
  });
}

function lockIdOf(info: string): string {
  try {
    const { ID } = JSON.parse(info) as { ID?: unknown };
    if (typeof ID === "string" && ID !== "") return ID;
  } catch {
    // Reported below.
  }
  throw new Failure('info in the params of storage/lock is not JSON with an "ID"');
}

/** Why a path cannot be the name of a state. */
export function pathProblem(path: unknown): string | undefined {
  if (typeof path !== "string") return "path must be a string";
  const isBad = path.split("/").some((segment) => segment === "" || segment === "." || segment === "..");
  return isBad
    ? `invalid path ${JSON.stringify(path)}: it must be relative, without empty, "." or ".." segments`
    : undefined;
}
