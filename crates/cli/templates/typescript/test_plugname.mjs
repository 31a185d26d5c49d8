// Tests of the code. `./test` runs them, and then calls the program as hosts do.
// @ts-check
import assert from "node:assert/strict";
//: action resource storage
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
//: end
import { test } from "node:test";

//: function
import { greet } from "./plugname.mjs";
//: end
//: action
import { append } from "./plugname.mjs";
//: end
//: resource
import { note } from "./plugname.mjs";
//: end
//: storage
import { Store } from "./plugname.mjs";
//: end
//: hook
import { warnAboutDeletion } from "./plugname.mjs";
//: end
//: action resource storage

/** @param {(folder: string) => Promise<void>} work */
async function inFolder(work) {
  const folder = await mkdtemp(join(tmpdir(), "plugname-"));
  await work(folder).finally(() => rm(folder, { recursive: true }));
}
//: end
//: function

test("somebody is greeted", () => {
  assert.equal(greet({ name: "World", greeting: "hi" }), "hi, World");
});
//: end
//: action

test("a line is appended", () =>
  inFolder(async (folder) => {
    const file = join(folder, "log");
    assert.deepEqual(await append({ file, line: "one" }), { lines: 1 });
    assert.deepEqual(await append({ file, line: "two" }), { lines: 2 });
  }));
//: end
//: resource

test("a note is written and removed", () =>
  inFolder(async (folder) => {
    const path = join(folder, "note");
    assert.deepEqual(await note.create({ path, text: "two words" }), { id: path, state: { words: 2 } });
    assert.equal((await note.read(path))?.props.text, "two words");
    await note.delete({ id: path });
    assert.equal(await note.read(path), undefined);
  }));
//: end
//: storage

test("a state is kept", () =>
  inFolder(async (folder) => {
    const store = new Store(folder);
    assert.equal(await store.read("default"), undefined);
    await store.lock("default", { id: "1", info: "{}" });
    await assert.rejects(store.lock("default", { id: "2", info: "{}" }));
    await store.write("default", Buffer.from("{}"), "1");
    await store.unlock("default", "1");
    assert.equal(String(await store.read("default")), "{}");
    assert.deepEqual(await store.list(""), ["default"]);
  }));
//: end
//: hook

test("a deletion is a warning", () => {
  assert.equal(warnAboutDeletion({ address: "a.b", planned_action: "Delete" })?.status, "warning");
  assert.equal(warnAboutDeletion({ address: "a.b", planned_action: "NoOp" }), undefined);
});
//: end
