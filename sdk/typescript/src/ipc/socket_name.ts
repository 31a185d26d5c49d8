import { existsSync } from "node:fs";
import process from "node:process";

/**
 * Where a server with this name listens. On Unix a name with a slash is a path as it is; any other
 * is a file that ends in `.sock`, in `$XDG_RUNTIME_DIR`, or in `/tmp` if that does not name a folder.
 * On Windows it is a pipe in `\\.\pipe\`, unless it is a whole path already.
 */
export function socketAddress(
  name: string,
  platform: string = process.platform,
  folder: string | undefined = runtimeFolder(name),
): string {
  return socketAddresses(name, platform, folder)[0] ?? name;
}

/**
 * Where a client looks for a server with this name, in this order: at its `socketAddress`, and in
 * `/tmp`, where the servers of ipc-jsonrpc listen.
 */
export function socketAddresses(
  name: string,
  platform: string = process.platform,
  folder: string | undefined = runtimeFolder(name),
): string[] {
  if (platform === "win32") {
    const isWhole = name.includes(":") || name.startsWith("\\") || name.startsWith("/");
    return [isWhole ? name : `\\\\.\\pipe\\${name}`];
  }
  if (name.includes("/")) return [name];
  const file = name.endsWith(".sock") ? name : `${name}.sock`;
  const reference = `/tmp/${file}`;
  return folder === undefined ? [reference] : [`${folder}/${file}`, reference];
}

/** The folder that `$XDG_RUNTIME_DIR` names, if there is one and the name is not a path. */
export function runtimeFolder(name = ""): string | undefined {
  // Deno asks for a permission for each variable, which a path does not need.
  if (process.platform === "win32" || name.includes("/")) return undefined;
  try {
    const folder = process.env["XDG_RUNTIME_DIR"];
    return folder?.startsWith("/") && existsSync(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}
