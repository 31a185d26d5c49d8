// Warnings of calls that fail: they are shown all the same, without the secrets in what was given.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import process from "node:process";
import test from "node:test";

import { Failure, number, object, Plugin, string } from "../dist/index.js";
import { memoryHost } from "../dist/testing.js";
import { pack } from "../build/wire/pack.js";
import { unpack } from "../build/wire/unpack.js";

const modules = new URL("../../../.tools/schemas/node_modules/", import.meta.url);
const skip = !existsSync(modules) && process.env["CI"] !== "true"
  ? "scripts/tools has not installed the libraries"
  : false;

const FIELDS = { key: string({ secret: true }), ends: string() };
const OWN = { parameters: FIELDS, read: ({ key, ends }) => [key.reveal(), ends] };
const RESOURCE = { props: FIELDS, state: { size: number() } };

function made({ parameters, read }) {
  const open = (given, context) => {
    const [key, ends] = read(given);
    context.warn(`${key} is weak`, { path: "key" });
    if (ends === "badly") throw new Failure("it does not open");
    if (ends === "at a place") throw new Failure("unknown", { path: ["ends"] });
    return { way: ends === "unwritable" ? "far" : 1 };
  };
  const wait = async (given, context) => open(given, await context);
  return new Plugin({ name: "careful", version: "1.0.0" })
    .function("open", { parameters, returns: object({ way: number() }) }, open)
    .function("wait", { parameters, returns: object({ way: number() }) }, wait)
    .action("use", { parameters, outputs: { way: number() } }, wait);
}

const json = (method, params) => `${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`;

/** How a host calls, by the name of what it calls: what it sends. */
const CALLS = {
  service: (name, given) => json(name, given),
  "service by position": (name, given) => json(name, Object.values(given)),
  mcp: (name, given) => json("tools/call", { name, arguments: given }),
  denobridge: (name, given) =>
    name === "use" ? json("invoke", { props: given }) : json("call", { name, arguments: Object.values(given) }),
  orchard: (_, given) =>
    [{ id: 1, method: "configure" }, { id: 2, method: "execute", params: { action: "use", attrs: given } }]
      .map((one) => `${JSON.stringify(one)}\n`).join(""),
  seasonings: (name, given) => pack([0, 1, "functions/call", [{ name, arguments: given }]]),
};

/** What is printed to stderr, and what is answered, when a host sends something. */
async function called(plugin, host, sent) {
  const { error } = console;
  const printed = [];
  console.error = (text) => void printed.push(text);
  try {
    const { send, received, end } = memoryHost(plugin, host);
    send(sent);
    await end();
    return [printed, received.map((one) => typeof one === "string" ? JSON.parse(one) : unpack(one))];
  } finally {
    console.error = error;
  }
}

async function checked(schema) {
  for (const ends of ["well", "badly", "unwritable"]) {
    for (const how of Object.keys(CALLS)) {
      for (const name of ["open", "wait", "use"]) {
        if (how === "seasonings" && name === "use" || how === "orchard" && name !== "use") continue;
        const [printed, answers] = await called(
          made(schema),
          how.split(" ")[0],
          CALLS[how](name, { key: "hunter2", ends }),
        );
        if (how === "denobridge" && ends === "well") {
          assert.equal(answers[0].result.diagnostics[0].summary, "(sensitive) is weak");
          assert.deepEqual(printed, []);
        } else assert.deepEqual(printed, ["key: (sensitive) is weak"], `${how}: ${name} ends ${ends}`);
        assert.doesNotMatch(JSON.stringify(answers), /hunter2/);
      }
    }
  }
}

test("a warning is shown once, however the call ends", () => checked(OWN));

test("zod: a warning is shown once, however the call ends", { skip }, async () => {
  const { z } = await import(new URL("zod/index.js", modules).href);
  const parameters = z.object({ key: z.string().meta({ secret: true }), ends: z.string() });
  await checked({ parameters, read: ({ key, ends }) => [key, ends] });
});

test("warnings of a resource are beside an error at an attribute, and on stderr beside any other", async () => {
  const plugin = () =>
    new Plugin({ name: "careful", version: "1.0.0" }).resource("door", {
      ...RESOURCE,
      create: ({ key, ends }, context) => {
        context.warn(`${key.reveal()} is weak`, { path: "key" });
        throw ends === "badly" ? new Failure("it does not open") : new Failure("unknown", { path: ["ends"] });
      },
      read: () => null,
      delete: () => undefined,
    });
  const calls = {
    denobridge: (props) => json("create", { props }),
    seasonings: (props) => pack([0, 1, "resources/applyChange", [{ type: "door", prior: null, planned: props, config: props }]]),
  };
  for (const host of ["denobridge", "seasonings"]) {
    const ask = (ends) => called(plugin(), host, calls[host]({ key: "hunter2", ends }));
    const [printed] = await ask("badly");
    assert.deepEqual(printed, ["key: (sensitive) is weak"], host);
    const [none, answers] = await ask("at a place");
    assert.deepEqual(none, [], host);
    const { diagnostics } = host === "denobridge" ? answers[0].result : answers[0][3];
    assert.deepEqual(diagnostics.map(({ severity, summary }) => [severity, summary]), [
      ["error", "unknown"],
      ["warning", "(sensitive) is weak"],
    ]);
  }
});
