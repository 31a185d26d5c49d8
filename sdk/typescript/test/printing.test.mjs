// Whatever authors print goes to stderr, on every runtime.

import assert from "node:assert/strict";
import test from "node:test";

import { BUN, inFolder, run, RUNTIME, SKIP_BUN } from "./programs.mjs";

const SOURCE = `
import { Plugin, string } from "@tenon/sdk";
await new Plugin({ name: "loud", version: "1.0.0" })
  .function("print", { returns: string() }, () => {
    console.log("by %s", "log", { deep: 1 });
    console.info("by info");
    console.debug("by debug");
    console.error("by error");
    console.warn("by warn");
    console.dir({ by: "dir" });
    console.dirxml("by dirxml");
    console.table([{ by: "table" }]);
    console.count("by count");
    console.countReset("by count");
    console.time("by time");
    console.timeLog("by time", "100% so far");
    console.timeEnd("by time");
    console.trace("by trace");
    console.assert(false, "by assert");
    console.group("by group");
    console.log("inside");
    console.groupEnd();
    console.groupCollapsed("by groupCollapsed");
    console.groupEnd();
    for (const name of ["profile", "profileEnd", "timeStamp", "clear", "write"]) console[name]?.("by " + name);
    process.stdout.write("by a stream\\n");
    return "printed";
  })
  .serve();
`;

const METHODS = [
  ...["log", "info", "debug", "error", "warn", "dirxml", "count", "time", "group", "groupCollapsed"],
  ...["assert", "a stream"],
];

for (const [name, on, skip] of [["this runtime", RUNTIME, false], ["Bun", [BUN], SKIP_BUN]]) {
  test(`every method of console writes to stderr on ${name}`, { skip }, () =>
    inFolder(async (folder) => {
      const { stdout, stderr } = await run(folder, SOURCE, '{"jsonrpc":"2.0","id":1,"method":"print"}\n', { on });
      assert.equal(stdout.toString(), '{"jsonrpc":"2.0","id":1,"result":"printed"}\n', stderr);
      for (const method of METHODS) assert.match(stderr, new RegExp(`by ${method}\\b`));
      assert.match(stderr, /by log \{ deep: 1 \}/);
      assert.match(stderr, /by: ['"]dir['"]/);
      assert.match(stderr, /\(index\)[^]*table/);
      assert.match(stderr, /100% so far/);
      assert.match(stderr, /^ +inside$/m);
    }));

  test(`printing before serve() changes nothing of that on ${name}`, { skip }, () =>
    inFolder(async (folder) => {
      const source = `console.log("early");\n${SOURCE.replace(/import .*\n/, "")}`;
      const whole = `import { Plugin, string } from "@tenon/sdk";\n${source}`;
      const { stdout } = await run(folder, whole, '{"jsonrpc":"2.0","id":1,"method":"print"}\n', { on });
      assert.equal(stdout.toString(), 'early\n{"jsonrpc":"2.0","id":1,"result":"printed"}\n');
    }));
}
