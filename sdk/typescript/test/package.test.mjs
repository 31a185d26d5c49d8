// The package as npm makes it, installed into an empty project and used there.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import test from "node:test";
import { fileURLToPath } from "node:url";

import { inFolder } from "./programs.mjs";

const sdk = fileURLToPath(new URL("..", import.meta.url));
const compiler = fileURLToPath(new URL("../../../.tools/typescript/node_modules/", import.meta.url));
const isNode = process.versions.deno === undefined;

function succeed(command, args, cwd, input = "") {
  // Nothing of the network is needed, and nothing of the user's settings is used.
  const env = {
    ...process.env,
    npm_config_offline: "true",
    npm_config_cache: join(cwd, "cache"),
    npm_config_userconfig: join(cwd, "none"),
    NO_COLOR: "1",
  };
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env,
    input,
    encoding: "utf8",
    timeout: 120_000,
  });
  assert.equal(status, 0, `${command} ${args.join(" ")}: ${error ?? ""}\n${stdout}\n${stderr}`);
  return stdout;
}

const PLUGIN =
  `new Plugin({ name: "p", version: "1.0.0" }).function("greet", { parameters: { name: string() }, returns: string() }, ({ name }) => "hello, " + name)`;
const CALL = '{"jsonrpc":"2.0","id":1,"method":"greet","params":{"name":"Ida"}}\n';
const ANSWER = '{"jsonrpc":"2.0","id":1,"result":"hello, Ida"}\n';

test("the packed package works in an empty project, as ES module, as CommonJS, and in types", {
  skip: !isNode && "npm is a program of Node",
}, () =>
  inFolder((folder) => {
    const project = join(folder, "project");
    mkdirSync(project);
    // Not in the folder of the SDK, where npm would leave its cache.
    succeed("npm", ["pack", sdk, "--ignore-scripts"], folder);
    const [archive] = readdirSync(folder).filter((file) => file.endsWith(".tgz"));
    writeFileSync(join(project, "package.json"), '{"name":"project","private":true}');
    succeed("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", join(folder, archive)], project);
    assert.deepEqual(readdirSync(join(project, "node_modules")).filter((name) => !name.startsWith(".")), ["@tenon"]);

    writeFileSync(
      join(project, "plugin.mjs"),
      `import { Plugin, string } from "@tenon/sdk";\nawait ${PLUGIN}.serve();\n`,
    );
    assert.equal(succeed("node", ["plugin.mjs"], project, CALL), ANSWER);
    writeFileSync(
      join(project, "plugin.cjs"),
      `const { Plugin, string } = require("@tenon/sdk");\n${PLUGIN}.serve();\n`,
    );
    assert.equal(succeed("node", ["plugin.cjs"], project, CALL), ANSWER);

    // Both forms in one program recognise each other's objects.
    writeFileSync(
      join(project, "both.cjs"),
      `
    const { Failure, string, Plugin } = require("@tenon/sdk");
    const { Client } = require("@tenon/sdk/ipc");
    const { ResourceProvider } = require("@tenon/sdk/denobridge");
    (async () => {
      const { Host } = await import("@tenon/sdk/testing");
      const { isFailure } = await import("@tenon/sdk");
      const plugin = ${PLUGIN}.function("fail", {}, () => { throw Failure.at("x", "no"); });
      const host = new Host(plugin);
      const error = await host.callFunction("fail").catch((error) => error);
      console.log(isFailure(new Failure("x")), error.message, error.path, typeof Client, typeof ResourceProvider);
    })();\n`,
    );
    assert.equal(succeed("node", ["both.cjs"], project), "true no [ 'x' ] function function\n");

    if (!existsSync(compiler)) return;
    const types = `${PLUGIN}; const wrong: string = 1;`;
    for (
      const [file, start] of [["typed.mts", 'import { Plugin, string } from "@tenon/sdk";'], [
        "typed.cts",
        'import { Plugin, string } from "@tenon/sdk";',
      ]]
    ) {
      writeFileSync(
        join(project, file),
        `${start}\nimport { Host } from "@tenon/sdk/testing";\nimport { Client } from "@tenon/sdk/ipc";\nimport { ResourceProvider } from "@tenon/sdk/denobridge";\nexport { Client, Host, ResourceProvider };\n${types}\n`,
      );
      const options = [
        "--strict",
        "--noEmit",
        "--module",
        "nodenext",
        "--target",
        "es2022",
        "--types",
        "node",
        "--typeRoots",
        join(compiler, "@types"),
        file,
      ];
      const { stdout } = spawnSync("node", [join(compiler, "typescript/bin/tsc"), ...options], {
        cwd: project,
        encoding: "utf8",
      });
      // The one mistake is found, so that the types were there.
      assert.match(stdout, /error TS2322: Type 'number' is not assignable to type 'string'/);
      assert.equal(stdout.trim().split("\n").length, 1, stdout);
    }
  }));

test("dist/ is what the sources make", { skip: !isNode && "it is checked on Node" }, () => {
  succeed(process.execPath, ["bundle.mjs", "--check"], sdk);
});
