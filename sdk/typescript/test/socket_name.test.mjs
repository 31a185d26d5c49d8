// Where a server with some name listens, and where clients look for it.

import assert from "node:assert/strict";
import { chmod, chown, lchown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import test from "node:test";

import { socketAddress, socketAddresses } from "../build/ipc/mod.js";
import { checkPlace } from "../build/ipc/socket_place.js";
import { trial } from "./trial.mjs";

const names = [
  ["myapp", "myapp.sock"],
  ["myapp.sock", "myapp.sock"],
  ["my.app", "my.app.sock"],
];

const paths = ["/run/my/app", "./app", "folder/app.sock"];

const windows = [
  ["myapp", "\\\\.\\pipe\\myapp"],
  ["myapp.sock", "\\\\.\\pipe\\myapp.sock"],
  ["\\\\.\\pipe\\myapp", "\\\\.\\pipe\\myapp"],
  ["\\\\?\\pipe\\myapp", "\\\\?\\pipe\\myapp"],
  ["//./PIPE/myapp", "//./PIPE/myapp"],
  ["con", "\\\\.\\pipe\\con"],
];

// As the library for Rust has it: `check_pipe`.
const elsewhere = [
  ["\\\\server\\pipe\\x", /not a pipe of this machine/],
  ["C:\\app", /not a pipe of this machine/],
  ["/app", /not a pipe of this machine/],
  ["a/b", /not a pipe of this machine/],
  ["\\\\.\\pipe\\..\\x", /only dots/],
  ["\\\\.\\pipe\\", /is empty/],
  ["", /is empty/],
  ["a*", /reserves/],
  ["\\\\.\\pipe\\a:b", /reserves/],
  ["a\n", /reserves/],
  ["a.", /ends with/],
  ["a".repeat(248), /longer/],
];

for (const platform of ["linux", "darwin"]) {
  for (const [name, file] of names) {
    test(`${name} on ${platform}`, () => {
      const own = `/run/user/7/${file}`;
      assert.deepEqual(socketAddresses(name, platform, "/run/user/7"), [own, `/tmp/${file}`]);
      assert.equal(socketAddress(name, platform, "/run/user/7"), own);
    });
  }
  for (const path of paths) {
    test(`${path} on ${platform}`, () => {
      assert.deepEqual(socketAddresses(path, platform, "/run/user/7"), [path]);
    });
  }
}

for (const [name, message] of elsewhere) {
  test(`${JSON.stringify(name.slice(0, 20))} is refused on Windows`, () => {
    assert.throws(() => socketAddress(name, "win32"), { message });
  });
}

for (const [name, address] of windows) {
  test(`${name} on Windows`, () => assert.equal(socketAddress(name, "win32"), address));
}

// Runs a test with another folder of the user.
async function withRuntimeFolder(folder, work) {
  const before = process.env.XDG_RUNTIME_DIR;
  const set = (value) => {
    if (value === undefined) delete process.env.XDG_RUNTIME_DIR;
    else process.env.XDG_RUNTIME_DIR = value;
  };
  set(folder);
  try {
    await work();
  } finally {
    set(before);
  }
}

async function withFolder(work) {
  const folder = await mkdtemp(join(tmpdir(), "tenon-place-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("without a folder of the user a name is in /tmp", async () => {
  for (const folder of [undefined, "", "relative", "/nowhere/at/all"]) {
    await withRuntimeFolder(folder, () => {
      assert.deepEqual(socketAddresses("app", "linux"), ["/tmp/app.sock"]);
    });
  }
});

trial("the folder of the user comes first, and /tmp second", async (use) => {
  const name = `tenon-test-typescript-${process.pid}`;
  await withFolder(async (folder) => {
    await withRuntimeFolder(folder, async () => {
      const [own, reference] = [`${folder}/${name}.sock`, `/tmp/${name}.sock`];
      const message = `there is no such socket ${own}, nor ${reference}; is the server running?`;
      await assert.rejects(use.client({ socketPath: name }).connect(), { message });
      for (const path of [reference, own]) {
        const server = await use.server(path);
        const client = use.client({ socketPath: name });
        await Promise.all([server.next(), client.connect()]);
        await client.disconnect();
      }
      await chmod(folder, 0o755);
      const refused = /XDG_RUNTIME_DIR .* is not used: others have access to it \(mode 755\)/;
      await assert.rejects(use.client({ socketPath: name }).connect(), { message: refused });
    });
  });
});

trial("a socket that others could replace is refused", async (use) => {
  await withFolder(async (folder) => {
    const path = join(folder, "s.sock");
    const server = await use.server(path);
    const connect = async (options) => {
      const client = use.client({ socketPath: path, ...options });
      await client.connect();
      await server.next();
      await client.disconnect();
    };
    await chmod(folder, 0o777);
    await assert.rejects(connect({}), { message: /all users can replace/ });
    await connect({ allowUsers: "any" });
    await chmod(folder, 0o1777);
    await connect({});
    if (process.getuid() !== 0) return;
    await lchown(path, 65534, 0);
    await assert.rejects(connect({}), { message: /belongs to user 65534.*allowUsers: \[65534\]/ });
    await connect({ allowUsers: [65534] });
    await lchown(path, 0, 0);
    await chown(folder, 65534, 0);
    assert.throws(() => checkPlace(path, []), { message: /the folder of the socket/ });
  });
});
