import { Console } from "node:console";
import { write } from "node:fs";
import process from "node:process";

type Print = (...args: unknown[]) => void;
type Methods = Record<string, Print>;

const isNode = process.versions["deno"] === undefined && process.versions["bun"] === undefined;
/** Makes the stream of stdout that Node has. */
let makeStream: (() => NodeJS.WriteStream) | undefined;
let stream: NodeJS.WriteStream | undefined;

/**
 * Makes direct writes to stdout fail when the pipe is full, instead of waiting for the reader. Whether that is so now.
 *
 * Only Node can do it, by making its stream. On Windows it stays as it is: no signal would be missed there.
 */
export function unblockStdout(): boolean {
  if (!isNode) return false;
  try {
    if (process.platform !== "win32" && stream === undefined) {
      stream = makeStream?.call(process);
      // What fails is told to the one who wrote it.
      stream?.on("error", () => undefined);
    }
    return true;
  } catch {
    // Stdout is something that there is no stream for.
    return false;
  }
}

interface DenoStdout {
  write(bytes: Uint8Array): Promise<number>;
}

/** Writes to stdout in the background: at least a part of the bytes, how many of them is passed on. */
export function writeStdout(bytes: Uint8Array, done: (error: unknown, count: number) => void): void {
  // What Deno has in the place of Node's function waits for the reader, and everything else with it.
  const { Deno } = globalThis as { Deno?: { stdout: DenoStdout } };
  if (Deno !== undefined) Deno.stdout.write(bytes).then((count) => done(undefined, count), (error) => done(error, 0));
  else if (stream === undefined) write(1, bytes, 0, bytes.length, null, done);
  else stream.write(bytes, (error) => done(error, error ? 0 : bytes.length));
}

/** What authors print goes to stderr: stdout is the protocol's. */
export function protectStdout(): void {
  try {
    if (isNode) makeStream = Object.getOwnPropertyDescriptor(process, "stdout")?.get;
    // The streams are made when they are asked for, which takes time that a start does not have.
    Object.defineProperty(process, "stdout", { configurable: true, get: () => process.stderr });
  } catch {
    // The runtime does not allow it; the methods of console are replaced in any case.
  }
  if (isNode) protectNodeConsole();
  else protectConsole();
}

/** On Node all methods of console write to a stream, which console keeps from the first time that something is printed. */
function protectNodeConsole(): void {
  for (const name of ["log", "info", "debug"] as const) {
    console[name] = (...args: unknown[]) => console.error(...args);
  }
  Object.defineProperty(console, "_stdout", { configurable: true, get: () => process.stderr });
}

/** On Deno and Bun the methods of console write to stdout themselves: those of another console take their places. */
function protectConsole(): void {
  const given = console as unknown as Methods;
  const print = given["error"] as Print;
  const write = (text: string) => {
    // A format of its own, so that nothing in the text is taken for one.
    print("%s", text.replace(/\n$/, ""));
    return true;
  };
  const stdout = { write } as unknown as NodeJS.WritableStream;
  const quiet = new Console({ stdout, ignoreErrors: false }) as unknown as Methods;
  for (const name of Object.keys(quiet)) given[name] = quiet[name] as Print;
  // Bun's leaves out what it is called with.
  given["trace"] = (...args) => {
    const calls = new Error().stack?.split("\n").slice(2) ?? [];
    (quiet["error"] as Print)("Trace:", ...args);
    for (const call of calls) write(call);
  };
  // One of Bun's own.
  if (given["write"] !== undefined) {
    given["write"] = (...args) => void process.stderr.write(args.map(String).join(""));
  }
}
