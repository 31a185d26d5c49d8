// Programs in a process of their own, with a time limit.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const WATCHDOG = 60_000;
export const DIST = new URL("../dist/", import.meta.url).href;
/** Deno runs these tests as well; the programs that they start run on the same runtime. */
export const RUNTIME = process.versions.deno === undefined
  ? [process.execPath]
  : [process.execPath, "run", "--allow-all", "--no-lock", "--quiet"];

/** Bun, which runs no tests of its own here, but programs. */
export const BUN = fileURLToPath(
  new URL("../../../.tools/bun/node_modules/@oven/bun-linux-x64/bin/bun", import.meta.url),
);
export const SKIP_BUN = !existsSync(BUN) && process.env["CI"] !== "true" ? "scripts/tools has not installed Bun" : false;

/** A folder that is gone after the test. */
export async function inFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "tenon-sdk-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a program: `send` writes to it, `ended` has what became of it. */
export function start(folder, source, { args = [], env = {}, name = "program.mjs", on = RUNTIME } = {}) {
  const file = join(folder, name);
  if (source !== undefined) {
    writeFileSync(
      file,
      source.replaceAll("@tenon/sdk", `${DIST}index.js`).replaceAll(`${DIST}index.js/`, DIST).replace(
        /(from "file:[^"]*\/dist\/(?:denobridge|testing|ipc))"/g,
        '$1.js"',
      ),
    );
  }
  const [runtime, ...before] = on;
  const child = spawn(runtime, [...before, file, ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: "1", ...env },
    stdio: "pipe",
  });
  let stderr = "";
  const chunks = [];
  const waiting = [];
  child.stdout.on("data", (chunk) => {
    chunks.push(chunk);
    for (const one of waiting.splice(0)) one();
  });
  child.stderr.on("data", (chunk) => (stderr += chunk));
  child.stdin.on("error", () => undefined);
  const timer = setTimeout(() => child.kill("SIGKILL"), WATCHDOG);
  const ended = new Promise((resolve) =>
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      for (const one of waiting.splice(0)) one();
      resolve({ code, signal, stdout: Buffer.concat(chunks), stderr });
    })
  );
  const until = async (isEnough) => {
    while (!isEnough(Buffer.concat(chunks))) {
      assert.equal(child.exitCode, null, `it ended early: ${stderr}`);
      await new Promise((resolve) => waiting.push(resolve));
    }
    return Buffer.concat(chunks);
  };
  return { child, ended, until, send: (data) => child.stdin.write(data), end: () => child.stdin.end() };
}

/** Runs a program with this input until it ends. */
export async function run(folder, source, input, options) {
  const { child, ended } = start(folder, source, options);
  child.stdin.end(input);
  return ended;
}
