// Functions and what `configure` made: in every host, whichever call comes first.

import assert from "node:assert/strict";
import test from "node:test";

import { number, Plugin, string } from "../dist/index.js";
import { memoryHost } from "../dist/testing.js";
import { pack } from "../build/wire/pack.js";
import { unpack } from "../build/wire/unpack.js";

const call = (id, method, params) => ({ jsonrpc: "2.0", id, method, params });

/** How each host calls a function, and where its answer is. */
const HOSTS = {
  service: (name) => [[call(1, name, {})], ({ result, error }) => result ?? error.message],
  mcp: (name) => [
    [call(0, "initialize", { protocolVersion: "2025-06-18" }), call(1, "tools/call", { name, arguments: {} })],
    ({ result }) => result.isError ? result.content[0].text : result.structuredContent.result,
  ],
  denobridge: (name) => [
    [call(0, "health"), call(1, "call", { name, arguments: [] })],
    ({ result, error }) => result === undefined ? error.message : result.result,
  ],
};

async function answer(plugin, host, name) {
  const [messages, found] = HOSTS[host](name);
  const { send, received, end } = memoryHost(plugin, host);
  for (const one of messages) send(`${JSON.stringify(one)}\n`);
  await end();
  return found(received.map((frame) => JSON.parse(String(frame))).find(({ id }) => id === 1));
}

/** Runs a test with what is printed to stderr meanwhile. */
async function printing(work) {
  const { error } = console;
  const printed = [];
  console.error = (text) => void printed.push(text);
  try {
    await work(printed);
  } finally {
    console.error = error;
  }
}

/** The functions of a plugin, with or without a look at the state. */
function counting(parameters, start) {
  return new Plugin({ name: "counting", version: "1.0.0" })
    .configure(parameters, start)
    .function("stateful", { returns: number() }, (_, { state }) => state.x)
    .function("all", { returns: number() }, (...given) => given[1].state.x)
    .function("later", { returns: number() }, async (_, context) => context.state.x)
    .function("pure", { returns: number() }, (_) => 2)
    .function("careful", { returns: number() }, (_, context) => context.cancelled ? 0 : 3);
}

for (const host of Object.keys(HOSTS)) {
  test(`${host}: a function has the state of the defaults, as the first call`, async () => {
    for (const start of [({ x }) => ({ x }), async ({ x }) => ({ x })]) {
      for (const name of ["stateful", "all", "later"]) {
        const plugin = counting({ x: number({ default: 1 }) }, start);
        assert.equal(await answer(plugin, host, name), 1);
      }
    }
  });

  test(`${host}: a configuration that is missing fails the functions that need it, and no others`, async () => {
    const plugin = () => counting({ x: number() }, ({ x }) => ({ x }));
    for (const name of ["stateful", "all", "later"]) {
      assert.match(
        String(await answer(plugin(), host, name)),
        /^the plugin needs a configuration, which this host cannot provide: .*x/,
      );
    }
    assert.equal(await answer(plugin(), host, "pure"), 2);
    assert.equal(await answer(plugin(), host, "careful"), 3);
  });

  test(`${host}: a function with one parameter configures nothing`, async () => {
    let started = 0;
    const plugin = counting({}, () => ({ x: started += 1 }));
    assert.equal(await answer(plugin, host, "pure"), 2);
    assert.equal(started, 0);
  });

  test(`${host}: a warning of a function is shown`, () => printing(async (printed) => {
    const plugin = new Plugin({ name: "warning", version: "1.0.0" })
      .function("warn", { parameters: { key: string({ secret: true, default: "hunter2" }) }, returns: number() }, (_, it) => {
        it.warn("the unit is old", { detail: "use metres" });
        return 1;
      });
    assert.equal(await answer(plugin, host, "warn"), 1);
    if (host !== "denobridge") return assert.deepEqual(printed, ["the unit is old: use metres"]);
    const { send, received, end } = memoryHost(plugin, host);
    send(`${JSON.stringify(call(1, "call", { name: "warn", arguments: [] }))}\n`);
    await end();
    assert.deepEqual(JSON.parse(String(received[0])).result, {
      result: 1,
      diagnostics: [{ severity: "warning", summary: "the unit is old", detail: "use metres" }],
    });
  }));
}

test("Seasonings: a function that is called before the plugin is configured has no state, and says so", async () => {
  const { send, received, end } = memoryHost(counting({ x: number() }, ({ x }) => ({ x })), "seasonings");
  const ask = (id, name) => send(pack([0, id, "functions/call", [{ name, arguments: {} }]]));
  ask(1, "stateful");
  ask(2, "careful");
  send(pack([0, 3, "resources/configure", [{ config: { x: 7 } }]]));
  await new Promise((resolve) => setImmediate(resolve));
  ask(4, "stateful");
  await end();
  const by = Object.fromEntries(received.map(unpack).map(([, id, error, result]) => [id, error ?? result]));
  assert.deepEqual(by[1], [-32000, "the plugin needs a configuration, and is not configured yet"]);
  assert.deepEqual(by[2], { result: 3 });
  assert.deepEqual(by[4], { result: 7 });
});

test("warnings on stderr quote no secrets", () => printing(async (printed) => {
  const plugin = new Plugin({ name: "careless", version: "1.0.0" })
    .function(
      "open",
      { parameters: { key: string({ secret: true }) }, returns: number() },
      ({ key }, it) => (it.warn(`${key.reveal()} is weak`), 1),
    )
    .action("log", { parameters: { key: string({ secret: true }) } }, ({ key }, it) => it.warn(`${key.reveal()} is old`));
  const { send, end } = memoryHost(plugin, "service");
  send(`${JSON.stringify(call(1, "open", { key: "hunter2" }))}\n${JSON.stringify(call(2, "log", ["hunter2"]))}\n`);
  await end();
  assert.deepEqual(printed, ["(sensitive) is weak", "(sensitive) is old"]);
}));
