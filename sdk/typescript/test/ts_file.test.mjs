// A plugin in a `.ts` file, without a compiler: on the runtimes that take away the types themselves.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";

import { pack } from "../build/wire/pack.js";
import { MessageStream } from "../build/wire/unpack.js";
import { BUN, inFolder, run, SKIP_BUN } from "./programs.mjs";

const SOURCE = `import { type Context, Failure, integer, object, Plugin, string } from "@tenon/sdk";

interface Notes {
  readonly folder: string;
}

type Verdict = { size: number; loud?: string };

function sized(text: string, by: number = 1): Verdict {
  if (text === "") throw Failure.at("text", "the text is empty" satisfies string);
  return { size: text.length * by } as const;
}

await new Plugin({ name: "typed", version: "1.0.0" })
  .configure({ folder: string({ default: "notes" }) }, ({ folder }): Notes => ({ folder }))
  .function("size", {
    parameters: { text: string(), by: integer({ default: 1 }) },
    returns: object({ size: integer(), loud: string().optional() }),
  }, ({ text, by }) => sized(text, by))
  .action("where", { outputs: { folder: string() } }, (_: object, context: Context<Notes>) => {
    const { folder }: Notes = context.state;
    return { folder };
  })
  .serve();
`;

const DENO = fileURLToPath(new URL("../../../.tools/deno/deno", import.meta.url));
const hasDeno = existsSync(DENO);

const RUNTIMES = [
  { name: "Deno", on: [DENO, "run", "-A", "--no-lock"], skip: !hasDeno && process.env["CI"] !== "true" && "no Deno" },
  { name: "Bun", on: [BUN], skip: SKIP_BUN },
];

for (const { name, on, skip } of RUNTIMES) {
  test(`a plugin in a .ts file runs on ${name}`, { skip }, () =>
    inFolder(async (folder) => {
      const options = { name: "program.ts", on, env: { DENO_DIR: folder, DENO_NO_UPDATE_CHECK: "1" } };
      const call = (id, method, params) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
      const calls = call(1, "size", ["abc", 2]) + call(2, "size", [""]) + call(3, "where", {});
      const { code, stdout, stderr } = await run(folder, SOURCE, calls, options);
      assert.equal(code, 0, stderr);
      const answers = stdout.toString().trim().split("\n").map((line) => JSON.parse(line)).sort((a, b) => a.id - b.id);
      assert.deepEqual(answers.map(({ result, error }) => result ?? error.message), [
        { size: 6, loud: null },
        "text: the text is empty",
        { folder: "notes" },
      ]);
      const described = await run(folder, SOURCE, "", { ...options, args: ["schema"] });
      assert.deepEqual(Object.keys(JSON.parse(described.stdout.toString()).actions), ["where"]);
      const packed = await run(folder, SOURCE, Buffer.from(pack([0, 1, "ping", [{}]])), options);
      assert.deepEqual([...new MessageStream().push(packed.stdout)], [[1, 1, null, { status: "ok" }]]);
    }));
}
