import { writeSync } from "node:fs";
import process from "node:process";

import { offerOf } from "../define/offer.ts";
import type { AnyPlugin } from "../define/plugin.ts";
import { Session } from "../define/session.ts";
import { stringifyJson } from "../values/json.ts";
import { AnyConversation } from "./detect.ts";
import { FrameLog, type Masked, maskedOf } from "./frame_log.ts";
import type { Conversation, Goodbye, Output } from "./host.ts";
import { orchardSchema } from "./orchard.ts";
import { StdioOutput } from "./stdio.ts";
import { protectStdout } from "./stdout.ts";

/** The whole program of a plugin: see `Plugin.serve`. */
export async function servePlugin(plugin: AnyPlugin, args: readonly string[] = process.argv.slice(2)): Promise<void> {
  if (args.length > 0) return void (process.exitCode = command(plugin, args));
  try {
    offerOf(plugin);
  } catch (error) {
    return fail(plugin.name, error);
  }
  const session = new Session(plugin);
  await serveStdio(
    plugin.name,
    (output, goodbye) => new AnyConversation(session, output, goodbye),
    () => session.abandon(),
    () => maskedOf(session.parts),
  );
}

function fail(name: string, error: unknown): void {
  console.error(`${name}: ${(error as Error).message}`);
  process.exitCode = 1;
}

function command(plugin: AnyPlugin, args: readonly string[]): number {
  if (args.length !== 1 || args[0] !== "schema") {
    console.error(
      `usage: ${plugin.name}           speak to a host on stdin and stdout\n       ${plugin.name} schema    print what the plugin offers to scenarios`,
    );
    return 2;
  }
  let text: string;
  try {
    text = `${stringifyJson(orchardSchema(plugin))}\n`;
  } catch (error) {
    fail(plugin.name, error);
    return 1;
  }
  try {
    writeSync(1, text);
  } catch (error) {
    // The reader has closed it, as `head` does.
    if ((error as { code?: string }).code !== "EPIPE") throw error;
  }
  return 0;
}

/** Talks to the host on stdin and stdout until it ends the conversation or goes away, and then ends the program. */
export async function serveStdio(
  name: string,
  begin: (output: Output, goodbye: Goodbye) => Conversation,
  last: () => Promise<void>,
  masked: () => Masked,
): Promise<void> {
  protectStdout();
  const debug = FrameLog.fromEnvironment(masked);
  const output = new StdioOutput(debug);
  const { stdin } = process;
  let code = 0;
  await new Promise<void>((resolve) => {
    let isOver = false;
    let end: (reason?: unknown) => void = () => undefined;
    const conversation = begin(output, () => end());
    end = (reason) => {
      if (isOver) return;
      isOver = true;
      stdin.pause();
      if (reason !== undefined) {
        code = 1;
        console.error(`${name}: ${(reason as Error).message}`);
      }
      conversation.finish().then(() => undefined, (problem: Error) => {
        code = 1;
        console.error(`${name}: ${problem.message}`);
      }).then(resolve);
    };
    output.onPause = (isPaused) => (isPaused ? stdin.pause() : isOver ? undefined : stdin.resume());
    output.onBroken = () => end();
    stdin.on("data", (chunk: Uint8Array) => {
      if (isOver) return;
      debug?.received(chunk);
      // Several messages at once: their answers are written at once.
      if (chunk.length > 512) output.cork();
      try {
        conversation.receive(chunk);
      } catch (error) {
        end(error);
      }
      // Those that are there already.
      output.flush();
    });
    stdin.on("end", () => end());
    stdin.on("error", () => end());
    // SIGBREAK is Ctrl-Break, which a host on Windows sends.
    for (const [signal, number] of [["SIGTERM", 15], ["SIGINT", 2], ["SIGBREAK", 21]] as const) {
      try {
        process.on(signal, () => {
          // What runs has its last seconds already, after the end of the input or a first signal: this one does not wait.
          if (isOver) process.exit(128 + number);
          end();
        });
      } catch {
        // The runtime has no such signal.
      }
    }
  });
  await last();
  await output.drained();
  // Timers and connections of the author would keep the program alive.
  process.exit(code);
}
