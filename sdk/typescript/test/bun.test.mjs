// The same plugin on Bun.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import test from "node:test";
import { fileURLToPath } from "node:url";

import { pack } from "../build/wire/pack.js";
import { MessageStream } from "../build/wire/unpack.js";
import { BUN, inFolder, SKIP_BUN as skip } from "./programs.mjs";

const weather = fileURLToPath(new URL("../../../examples/multi-host/typescript/weather.mjs", import.meta.url));

test("a plugin on Bun speaks JSON-RPC, msgpack and Orchard", { skip }, () =>
  inFolder((folder) => {
    const run = (input, ...args) => {
      const { status, stdout, stderr } = spawnSync(BUN, [weather, ...args], { cwd: folder, input, timeout: 60_000 });
      assert.equal(status, 0, String(stderr));
      return stdout;
    };
    const expected = { city: "Oslo", days: [{ day: 1, high: 5, sky: "rain" }] };
    const call = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "forecast", params: { city: "Oslo" } });
    assert.deepEqual(JSON.parse(run(`${call}\n`)), { jsonrpc: "2.0", id: 1, result: expected });
    const [answer] = new MessageStream().push(
      run(pack([0, 1, "functions/call", [{ name: "forecast", arguments: { city: "Oslo" } }]])),
    );
    assert.deepEqual(answer, [1, 1, null, { result: expected }]);
    assert.equal(JSON.parse(run("", "schema")).name, "weather");
    const lines = [{ id: 1, method: "configure", params: {} }, {
      id: 2,
      method: "execute",
      params: { action: "publish", attrs: { city: "Oslo", file: "f" } },
    }];
    const answers = String(run(lines.map((line) => `${JSON.stringify(line)}\n`).join(""))).trim().split("\n");
    assert.deepEqual(JSON.parse(answers[1]), { id: 2, result: { outputs: { file: "f", lines: 1 } } });
  }));
