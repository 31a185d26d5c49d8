import process from "node:process";

/**
 * Where a server with this name listens. On Unix a name with a slash is a path as it is; any other
 * is a file in `/tmp` that ends in `.sock`. On Windows it is a pipe in `\\.\pipe\`, unless it is a
 * whole path already.
 */
export function socketAddress(name: string, platform: string = process.platform): string {
  if (platform === "win32") {
    const isWhole = name.includes(":") || name.startsWith("\\") || name.startsWith("/");
    return isWhole ? name : `\\\\.\\pipe\\${name}`;
  }
  if (name.includes("/")) return name;
  return name.endsWith(".sock") ? `/tmp/${name}` : `/tmp/${name}.sock`;
}
