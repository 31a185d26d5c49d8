// A host that stops reading does not make a plugin deaf: signals are heard, and the end does not wait for the reader.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import test from "node:test";

import { BUN, DIST, inFolder, RUNTIME, SKIP_BUN } from "./programs.mjs";

/** More than any pipe takes, and not so much that the plugin stops reading. */
const ENOUGH = 2 ** 19;
const WATCHDOG = 60_000;

const SOURCE = `
import { integer, Plugin, string } from "${DIST}index.js";
let left = ${ENOUGH};
await new Plugin({ name: "talker", version: "1.0.0" })
  .function("talk", { parameters: { size: integer() }, returns: string() }, ({ size }) => {
    left -= size;
    // Later than this turn, in which the answer is written.
    if (left <= 0) setTimeout(() => console.error("talked"), 0);
    return "x".repeat(size);
  })
  .shutdown(() => console.error("shut down"))
  .serve();
`;

/** What becomes of a plugin that is sent a signal after it has written more than its host will ever read. */
async function stalled(folder, size, isPipe, [runtime, ...before]) {
  const command = [runtime, ...before, join(folder, "talker.mjs")];
  // What Node makes is a socket, which nobody reads here. The named pipe has its own reader, so that it is not broken.
  const child = isPipe
    ? spawn("sh", ["-c", 'mkfifo "$0" && exec "$@" 9<>"$0" >"$0"', join(folder, `pipe${size}`), ...command])
    : spawn(command[0], command.slice(1));
  const timer = setTimeout(() => child.kill("SIGKILL"), WATCHDOG);
  child.stdin.on("error", () => undefined);
  for (let sent = 0; sent < ENOUGH; sent += size) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "talk", params: { size } })}\n`);
  }
  let stderr = "";
  let isStopped = false;
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
    if (isStopped || !stderr.includes("talked")) return;
    isStopped = true;
    // On Deno, kill of the child closes its stdin as well.
    process.kill(child.pid, "SIGTERM");
  });
  const code = await new Promise((resolve) => child.on("exit", resolve));
  clearTimeout(timer);
  child.stdout.destroy();
  return { code, stderr };
}

const RUNTIMES = { "this runtime": RUNTIME, ...(SKIP_BUN === false && process.versions.deno === undefined ? { Bun: [BUN] } : {}) };

const CASES = [[true, 100], [true, 100_000], [false, 100], [false, 100_000]];

for (const [name, runtime] of Object.entries(RUNTIMES)) {
  test(`${name}: a signal ends a plugin whose answers nobody reads`, () =>
    inFolder(async (folder) => {
      writeFileSync(join(folder, "talker.mjs"), SOURCE);
      await Promise.all(CASES.map(async ([isPipe, size]) => {
        const { code, stderr } = await stalled(folder, size, isPipe, runtime);
        assert.match(stderr, /talked\nshut down\n[^]*bytes were not sent/);
        // Deno tells no exit code of a child that it has sent a signal to.
        assert.ok(code === 0 || code === null && process.versions.deno !== undefined, `${code}: ${stderr}`);
      }));
    }));
}
