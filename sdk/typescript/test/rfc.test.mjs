// The two examples of the RFC, as they are printed there, apart from the import line. What they leave to the reader (prices, a
// client of S3) is defined above them.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import test from "node:test";

import { pack } from "../build/wire/pack.js";
import { MessageStream } from "../build/wire/unpack.js";
import { inFolder, start } from "./programs.mjs";

const ZOD = new URL("../../../.tools/schemas/node_modules/zod/index.js", import.meta.url);
const hasZod = existsSync(ZOD);

/** Makes calls one after the other, as hosts do that need the effect of one in the next. */
async function answers(folder, source, ...calls) {
  const { send, end, until, ended } = start(folder, source);
  const messages = (bytes) => [...new MessageStream().push(bytes)];
  for (const [id, [method, params]] of [["init", {}], ...calls].entries()) {
    send(Buffer.from(pack([0, id, method, [params]])));
    await until((bytes) => messages(bytes).some((one) => one[1] === id));
  }
  end();
  const { code, stdout, stderr } = await ended;
  assert.equal(code, 0, stderr);
  return calls.map((_, index) => {
    const [, , error, result] = messages(stdout).find((one) => one[1] === index + 1);
    return error === null ? result : { error };
  });
}

test("the cost estimator", () =>
  inFolder(async (folder) => {
    const source = readFileSync(new URL("rfc/cost_estimator.mjs", import.meta.url), "utf8");
    const change = (price) => ({ address: "a.b", resource_type: "server", after: { price } });
    const [cheap, dear, all] = await answers(
      folder,
      source,
      ["middleware/postPlan", change(10)],
      ["middleware/postPlan", change(2000)],
      ["middleware/planStageCompleted", { stage: "plan", resources: [change(3000), change(2500)] }],
    );
    assert.deepEqual(cheap, {
      status: "success",
      message: "Estimated cost: $10/month",
      metadata: { estimated_cost: { monthly: 10 } },
    });
    assert.equal(dear.status, "fail");
    assert.deepEqual(all, { status: "fail", message: "Total plan cost: $5500/month" });
  }));

test("the plugin with several capabilities", {
  skip: !hasZod && process.env["CI"] !== "true" && "zod is not installed",
}, () =>
  inFolder(async (folder) => {
    const source = readFileSync(new URL("rfc/cloud_toolkit.mjs", import.meta.url), "utf8").replace(
      '"zod"',
      JSON.stringify(ZOD.href),
    );
    const [schema, none, wrote, state, lock, url, objects, wrong] = await answers(
      folder,
      source,
      ["functions/getSchema", {}],
      ["storage/read", { path: "prod" }],
      ["storage/write", { path: "prod", state: Buffer.from("{}") }],
      ["storage/read", { path: "prod" }],
      ["storage/lock", { path: "prod", info: '{"ID":"x"}' }],
      ["functions/call", { name: "presigned_url", arguments: { key: "k" } }],
      ["functions/call", { name: "list_objects", arguments: { max_keys: 1 } }],
      ["functions/call", { name: "presigned_url", arguments: { key: "k", expires_in: "soon" } }],
    );
    assert.deepEqual(schema.functions.presigned_url, {
      description: "Generate a presigned S3 URL",
      parameters: [
        { name: "key", type: "string", description: "S3 object key" },
        { name: "expires_in", type: "number", description: "URL expiration in seconds", default: 3600 },
      ],
      returns: "string",
    });
    assert.equal(schema.functions.list_objects.returns, "list(string)");
    assert.equal(schema.functions.list_objects.parameters[0].optional, true);
    assert.deepEqual(none, { state: null });
    assert.deepEqual(wrote, { success: true });
    assert.deepEqual(state, { state: "{}" });
    assert.match(lock.lockId, /^[0-9a-f-]{36}$/);
    assert.deepEqual(url, { result: "https://bucket/k?expires=3600" });
    assert.deepEqual(objects, { result: ["states/prod"] });
    assert.deepEqual(wrong.error[2], { argument: "expires_in" });
  }));
