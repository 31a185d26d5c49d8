import { existsSync } from "node:fs";
import process from "node:process";

/**
 * Where a server with this name listens. On Unix a name with a slash is a path as it is; any other
 * is a file that ends in `.sock`, in `$XDG_RUNTIME_DIR`, or in `/tmp` if that does not name a folder.
 * On Windows it is a pipe in `\\.\pipe\`, or the path of one; a name that leads elsewhere, such as `\\server\pipe\x`, is an
 * error.
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
    const path = /[:/\\]/.test(name) ? name : `\\\\.\\pipe\\${name}`;
    const problem = pipeProblem(path);
    if (problem !== undefined) throw new Error(`${name}: ${problem}`);
    return [path];
  }
  if (name.includes("/")) return [name];
  const file = name.endsWith(".sock") ? name : `${name}.sock`;
  const reference = `/tmp/${file}`;
  return folder === undefined ? [reference] : [`${folder}/${file}`, reference];
}

/** Why a path is not that of a pipe of this machine, if it is not. Another machine would learn who the user is. */
function pipeProblem(path: string): string | undefined {
  const [, name] = /^\\\\[.?]\\pipe\\(.*)$/is.exec(path.replaceAll("/", "\\")) ?? [];
  if (name === undefined) return "this is not a pipe of this machine; use a name, or \\\\.\\pipe\\NAME";
  // Windows would shorten `\\.\pipe\..\x` to `\\.\x`, a device.
  if (name.split("\\").some((part) => /^\.*$/.test(part))) return "a part of the name is empty, or has only dots";
  if (/[<>:"|?*\u0000-\u001f\u007f-\u009f]/.test(name)) {
    return 'the name has a character in it that Windows reserves: one of <>:"|?* or a control character';
  }
  if (/[ .]$/.test(name)) return "the name ends with a space or a dot, which Windows drops";
  return path.length > 256 ? "the name is longer than 247 characters" : undefined;
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
