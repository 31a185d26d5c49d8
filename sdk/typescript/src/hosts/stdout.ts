import { Console } from "node:console";
import process from "node:process";

type Print = (...args: unknown[]) => void;
type Methods = Record<string, Print>;

/** What authors print goes to stderr: stdout is the protocol's. */
export function protectStdout(): void {
  try {
    // The streams are made when they are asked for, which takes time that a start does not have.
    Object.defineProperty(process, "stdout", { configurable: true, get: () => process.stderr });
  } catch {
    // The runtime does not allow it; the methods of console are replaced in any case.
  }
  const { versions } = process;
  if (versions["deno"] === undefined && versions["bun"] === undefined) protectNodeConsole();
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
