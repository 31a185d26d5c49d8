// Hooks and storage: what a handler returns by mistake is an error, not a success and not a missing state.

import assert from "node:assert/strict";
import test from "node:test";

import { Plugin } from "../dist/index.js";
import { Host } from "../dist/testing.js";

const plugin = () => new Plugin({ name: "around", version: "1.0.0" });
const hooked = (verdict) => new Host(plugin().postPlan(() => verdict)).hook("postPlan", { address: "a.b" });

test("a hook that returns nothing is a success", async () => {
  for (const verdict of [undefined, null, {}, { status: null }]) {
    assert.equal((await hooked(verdict)).status, "success");
  }
});

test("a hook that returns no verdict fails", async () => {
  for (
    const [verdict, problem] of [
      ["fail", /this is a string/],
      [true, /this is a bool/],
      [false, /this is a bool/],
      [["fail"], /this is a list/],
      [new Map([["status", "fail"]]), /this is a Map/],
      [{ stauts: "fail" }, /it has "stauts"/],
      [{ status: false }, /its status is a bool/],
      [{ status: "warn", warnings: "too large" }, /its warnings are a string/],
    ]
  ) {
    await assert.rejects(hooked(verdict), { code: "-32000", message: problem });
  }
});

test("warnings of the context come after those of the verdict", async () => {
  const host = new Host(plugin().postPlan((_, context) => {
    context.warn("second");
    return { warnings: ["first"] };
  }));
  assert.deepEqual(await host.hook("postPlan", {}), { status: "success", warnings: ["first", "second"] });
});

const read = (state) => new Host(plugin().storageRead(() => state)).storage("read", { path: "a" });

test("a state that is not where it belongs is not a missing one", async () => {
  assert.deepEqual(await read({ state: null }), { state: null });
  assert.deepEqual(await read({ state: undefined }), { state: null });
  assert.deepEqual(await read({ state: "{}" }), { state: "{}" });
  for (
    const [state, problem] of [
      [new Uint8Array([1]), /must return \{ state \}/],
      ["{}", /but this is a string/],
      [{ sate: "{}" }, /but this is an object with sate/],
      [{}, /an object with no members/],
      [null, /but this is null/],
      [undefined, /but this is undefined/],
    ]
  ) {
    await assert.rejects(read(state), { code: "-32000", message: problem });
  }
});

test("a storage that returns something else has not succeeded", async () => {
  const wrong = [false, "fail", { done: true }];
  const given = { path: "a", state: "{}", lockId: "x", info: '{"ID":"x"}' };
  for (const method of ["write", "lock", "unlock", "list", "delete"]) {
    const name = `storage${method[0].toUpperCase()}${method.slice(1)}`;
    for (const returned of wrong) {
      const host = new Host(plugin()[name](() => returned));
      await assert.rejects(host.storage(method, given), { code: "-32000", message: /must return/ });
    }
  }
  for (const method of ["Unlock", "Delete"]) {
    const host = new Host(plugin()[`storage${method}`](() => undefined));
    assert.deepEqual(await host.storage(method.toLowerCase(), given), { success: true });
  }
});

test("only force releases a lock without its id", async () => {
  const unlocked = [];
  const storage = { read: () => null, write: () => {}, unlock: (path, lockId) => void unlocked.push(lockId) };
  const raw = plugin().storageUnlock(({ lockId }) => void unlocked.push(lockId));
  for (const host of [new Host(plugin().storage(storage)), new Host(raw)]) {
    for (const given of [{}, { lockId: null }, { force: false }, { lockId: 1 }, { force: "true" }]) {
      await assert.rejects(host.storage("unlock", { path: "a", ...given }), { code: "-32602", message: /lockId/ });
    }
    await host.storage("unlock", { path: "a", lockId: "x" });
    await host.storage("unlock", { path: "a", force: true });
  }
  assert.deepEqual(unlocked, ["x", undefined, "x", undefined]);
});
