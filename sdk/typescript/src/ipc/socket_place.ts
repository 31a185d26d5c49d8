import { lstatSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";

import { connectionError, type ConnectionError } from "./errors.ts";
import { runtimeFolder } from "./socket_name.ts";

/** User ids, or everybody. */
export type AllowedUsers = readonly number[] | "any";

/** Others may write. */
const OPEN = 0o002;

/** Only the owner of a file may replace it, whoever may write to the folder. */
const STICKY = 0o1000;

/**
 * Refuses a socket that somebody else has made, or could replace.
 *
 * @throws {ConnectionError} It is such a socket. The text says what to do.
 */
export function checkPlace(address: string, allowUsers: AllowedUsers): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  const folder = dirname(address);
  const found = look(statSync, folder);
  if (found !== undefined && folder === runtimeFolder()) checkRuntimeFolder(folder, found, own);
  if (allowUsers === "any") return;
  const isStranger = (user: number) => user !== own && user !== 0 && !allowUsers.includes(user);
  if (found !== undefined) {
    if (isStranger(found.uid)) throw stranger(`the folder of the socket ${address}`, found.uid);
    if ((found.mode & OPEN) !== 0 && (found.mode & STICKY) === 0) {
      const problem = `all users can replace the socket ${address}`;
      throw refusal(`${problem}; make its folder private: chmod go-w ${folder}`);
    }
  }
  for (const file of [look(lstatSync, address), look(statSync, address)]) {
    if (file !== undefined && isStranger(file.uid)) {
      throw stranger(`the socket ${address}`, file.uid);
    }
  }
}

function checkRuntimeFolder(folder: string, found: Stats, own: number): void {
  let problem: string;
  if (!found.isDirectory()) problem = "it is not a folder";
  else if (found.uid !== own) problem = `it belongs to user ${found.uid}, not to us (user ${own})`;
  else if ((found.mode & 0o077) !== 0) {
    problem = `others have access to it (mode ${(found.mode & 0o777).toString(8)})`;
  } else return;
  const advice = "unset it, or give the socket as a path with a slash";
  throw refusal(`XDG_RUNTIME_DIR (${folder}) is not used: ${problem}; ${advice}`);
}

/** What is there; connecting tells why there is nothing. */
function look(stat: (path: string) => Stats, path: string): Stats | undefined {
  try {
    return stat(path);
  } catch {
    return undefined;
  }
}

function stranger(what: string, user: number): ConnectionError {
  const problem = `${what} belongs to user ${user}, not to us or root`;
  return refusal(`${problem}; if they can be trusted, say allowUsers: [${user}]`);
}

function refusal(message: string): ConnectionError {
  return connectionError("CONNECT_FAILED", message);
}
