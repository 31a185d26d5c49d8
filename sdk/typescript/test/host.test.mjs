// The host in memory, and through it what Seasonings and Orchard do.

import assert from "node:assert/strict";
import test from "node:test";

import { Big, bool, Failure, integer, isUnknown, Plugin, string, unknown } from "../dist/index.js";
import { Host } from "../dist/testing.js";
import { notes } from "./notes_plugin.mjs";

test("functions have defaults, optional and variadic parameters", async () => {
  const host = new Host(notes().plugin);
  assert.equal(await host.callFunction("slug", { text: "A B c" }), "a-b-c");
  assert.equal(await host.callFunction("slug", { text: "A B c", separator: "_", limit: 3 }), "a_b");
  assert.equal(await host.callFunction("total", { numbers: [1, 2.5] }), 3.5);
  assert.equal(await host.callFunction("total"), 0);
});

test("a failure names the argument, and any other error reaches the user as its message", async () => {
  const host = new Host(notes().plugin);
  await assert.rejects(host.callFunction("slug", { text: "" }), { message: "the text is empty", path: ["text"] });
  await assert.rejects(host.callFunction("slug", { text: "boom" }), { message: "it went boom\na spark" });
  await assert.rejects(host.callFunction("slug", { text: ["x"] }), /a string is required/);
  await assert.rejects(host.callFunction("slug"), { message: 'the attribute "text" is required', path: ["text"] });
  await assert.rejects(host.callFunction("slog"), { message: 'unknown function `slog`; did you mean `slug`?' });
});

test("numbers keep all their digits", async () => {
  const host = new Host(notes().plugin);
  const whole = 123456789012345678901234567890n;
  const part = new Big("0.1000000000000000000000001");
  const [next, same] = await host.callFunction("exact", { whole, part });
  assert.equal(next, whole + 1n);
  assert.equal(same.toString(), part.toString());
  await assert.rejects(host.callFunction("total", { numbers: [2n ** 70n] }), /more digits than the plugin can hold/);
});

test("any, sets and unknown values go both ways", async () => {
  const host = new Host(notes().plugin);
  const value = { list: [1, "a", null, { b: true }], "__proto__x": 2n ** 64n };
  assert.deepEqual(await host.callFunction("same", { value }), value);
  assert.equal(await host.callFunction("same", { value: null }), null);
  assert.equal(await host.callFunction("maybe", { value: unknown }), true);
  assert.equal(await host.callFunction("maybe", { value: "known" }), false);
  assert.deepEqual([...(await host.callFunction("unique", { all: new Set(["m", "a"]) }))], ["a", "m", "z"]);
  await assert.rejects(host.callFunction("slug", { text: unknown }), /not known yet/);
});

test("a resource is planned, created, read, updated, replaced and deleted", async () => {
  const { plugin, calls } = notes();
  const host = new Host(plugin);
  const plan = await host.plan("note", { title: "Milk", text: "buy some", password: "p" });
  assert.equal(plan.action, "create");
  assert.ok(isUnknown(plan.planned.id) && isUnknown(plan.planned.words));
  const note = await host.apply("note", {
    title: "Milk",
    text: "buy some",
    password: "p",
    tags: { a: "1", b: null },
    link: [{ url: "u" }],
  });
  assert.deepEqual(calls.shift(), ["password", "p"]);
  assert.deepEqual(
    { ...note.state, link: undefined },
    { id: "n1", title: "Milk", text: "buy some", tags: { a: "1", b: null }, words: 2, key: "key-n1", link: undefined },
  );
  assert.deepEqual(note.state.link, [{ url: "u" }]);
  assert.equal(
    (await host.plan(
      "note",
      { title: "Milk", text: "buy some", tags: { a: "1", b: null }, link: [{ url: "u" }] },
      note,
    )).action,
    "none",
  );
  const read = await host.read(note);
  assert.deepEqual(calls.shift(), ["read", "n1", "Milk", "mine"]);
  assert.equal(read.state.key, "key-n1", "a secret that read leaves out stays as it was");
  const updated = await host.apply("note", { title: "Milk", text: "buy" }, read);
  assert.deepEqual(calls.shift(), ["update", "key-n1"]);
  assert.equal(updated.state.words, 1);
  assert.equal(updated.state.key, "key-n1");
  const replaced = await host.apply("note", { title: "Bread" }, updated);
  assert.equal(replaced.state.id, "n2");
  assert.equal(replaced.state.text, "(empty)");
  await host.destroy(replaced);
  assert.equal(await host.read(replaced), undefined);
  assert.deepEqual(host.events[0], { method: "progress", params: { message: "written" } });
});

test("modifyPlan decides, warns and refuses", async () => {
  const host = new Host(notes().plugin);
  const note = await host.apply("note", { title: "Milk" });
  assert.equal((await host.plan("note", { title: "Milk", text: "replace" }, note)).action, "replace");
  const warned = await host.plan("note", { title: "Milk", text: "warn" }, note);
  assert.deepEqual(warned.warnings, [{ severity: "warning", summary: "that is short", path: ["text"] }]);
  await assert.rejects(host.plan("note", { title: "refuse" }), { message: "not this title", path: ["title"] });
  const later = await host.plan("note", { title: unknown });
  assert.ok(isUnknown(later.planned.title));
});

test("problems have the path of their attribute", async () => {
  const host = new Host(notes().plugin);
  await assert.rejects(host.apply("note", { title: "bad" }), {
    message: "no such tag",
    path: ["tags", "a"],
    detail: "use another one",
  });
  await assert.rejects(host.apply("note", {}), /required/);
  await assert.rejects(host.apply("note", { title: "partly" }), { message: "the resource was created in part" });
});

test("a resource is imported and upgraded", async () => {
  const { plugin, calls } = notes();
  const host = new Host(plugin);
  await host.apply("note", { title: "Milk" });
  calls.length = 0;
  const imported = await host.import("note", "n1");
  assert.deepEqual(calls, [["read", "n1", undefined, undefined]], "an import is read without props");
  assert.equal(imported.state.title, "Milk");
  assert.equal(imported.private, undefined);
  assert.equal(await host.import("note", "n9"), undefined);
  const upgraded = await host.upgrade("note", 0, { id: "n1", title: "Milk", body: "buy" });
  assert.deepEqual([upgraded.state.text, upgraded.state.words], ["buy", 0]);
});

test("an imported resource has the values of its defaults, so that the next plan is empty", async () => {
  const plugin = new Plugin({ name: "flags", version: "1.0.0" }).resource("flag", {
    props: { text: string({ default: "(empty)" }), on: bool({ default: true }), size: integer({ default: 3 }) },
    state: {},
    create: () => ({ id: "f1", state: {} }),
    read: () => ({ props: { text: "(empty)", on: true }, state: {} }),
    update: () => ({ state: {} }),
    delete: () => {},
  });
  const host = new Host(plugin);
  const imported = await host.import("flag", "f1");
  assert.deepEqual(imported.state, { id: "f1", text: "(empty)", on: true, size: 3 });
  assert.equal((await host.plan("flag", {}, imported)).action, "none");
});

test("data sources and ephemeral resources", async () => {
  const { plugin, calls } = notes();
  const host = new Host(plugin);
  await host.apply("note", { title: "Milk" });
  assert.deepEqual(await host.readData("count", { prefix: "M" }), { notes: 1, titles: ["Milk"] });
  const token = await host.open("token", { length: 3 });
  assert.deepEqual(token.result, { value: "xxx" });
  assert.equal(token.renewAt.getTime(), 60_000);
  await token.renew();
  await token.close();
  assert.deepEqual(calls.at(-1), ["closed", 1]);
});

test("hooks and storage", async () => {
  const host = new Host(notes().plugin);
  assert.deepEqual(await host.hook("postPlan", { address: "a.b", after: { size: unknown } }), { status: "success" });
  assert.deepEqual(await host.hook("post-plan", { address: "a.b", after: { size: "large" } }), {
    status: "fail",
    message: "a.b is too large",
    metadata: { size: "large" },
  });
  await assert.rejects(host.hook("preApply"), { code: "-32601" });
  assert.deepEqual(await host.storage("read", { path: "a/b" }), { state: null });
  assert.deepEqual(await host.storage("write", { path: "a/b", state: new Uint8Array([1, 2]) }), { success: true });
  assert.deepEqual([...(await host.storage("read", { path: "a/b" })).state], [1, 2]);
  assert.deepEqual(await host.storage("lock", { path: "a/b", info: '{"ID":"x"}' }), { lockId: "x" });
  await assert.rejects(host.storage("write", { path: "a/b", state: new Uint8Array(), lockId: "lost" }), {
    code: "-32001",
  });
  await assert.rejects(host.storage("read", { path: "../b" }), { code: "-32602" });
  await assert.rejects(host.storage("list"), { code: "-32601" });
});

test("actions have outputs, and codes for what goes wrong", async () => {
  const host = new Host(notes().plugin);
  assert.deepEqual(await host.runAction("wait", { steps: 2 }), { done: true, secret: "s" });
  await assert.rejects(host.runAction("wait", { steps: 13 }), {
    code: "outcome_unknown",
    message: "the answer was lost",
  });
  await assert.rejects(host.runAction("wait", { steps: 14 }), {
    code: "outcome_unknown",
    message: /outputs do not match: done/,
  });
  await assert.rejects(host.runAction("wait", { steps: "x", more: 1 }), {
    code: "validation_failed",
    message: /"more" is not supported; at .steps: a whole number is required/,
  });
  await assert.rejects(host.runAction("wat"), {
    code: "unknown_action",
    message: "unknown action `wat`; did you mean `wait`?",
  });
});

test("a configuration is checked, may fail, and may be needed later", async () => {
  await assert.rejects(new Host(notes().plugin, { folder: "missing" }).callFunction("total"), {
    message: "no such folder",
    path: ["folder"],
  });
  const { plugin, calls } = notes();
  const host = new Host(plugin);
  await host.call("init", {});
  await host.call("resources/configure", { config: { folder: unknown, token: null } });
  const failed = await host.call("resources/readData", { type: "count", config: {} }).catch((error) => error);
  assert.ok(failed instanceof Failure && /known only after apply/.test(failed.message));
  await host.call("resources/configure", { config: { folder: "f" } });
  assert.equal((await host.call("resources/readData", { type: "count", config: {} })).state.notes, 0);
  await host.close();
  assert.deepEqual(calls, ["shutdown"]);
});
