// Where a server with some name listens.

import assert from "node:assert/strict";
import test from "node:test";

import { socketAddress } from "../dist/mod.js";

const unix = [
  ["myapp", "/tmp/myapp.sock"],
  ["myapp.sock", "/tmp/myapp.sock"],
  ["/run/my/app", "/run/my/app"],
  ["./app", "./app"],
  ["folder/app.sock", "folder/app.sock"],
];

const windows = [
  ["myapp", "\\\\.\\pipe\\myapp"],
  ["myapp.sock", "\\\\.\\pipe\\myapp.sock"],
  ["\\\\.\\pipe\\myapp", "\\\\.\\pipe\\myapp"],
  ["\\\\?\\pipe\\myapp", "\\\\?\\pipe\\myapp"],
  ["C:\\app", "C:\\app"],
  ["/app", "/app"],
  ["a/b", "\\\\.\\pipe\\a/b"],
];

for (const platform of ["linux", "darwin"]) {
  for (const [name, address] of unix) {
    test(`${name} on ${platform}`, () => assert.equal(socketAddress(name, platform), address));
  }
}

for (const [name, address] of windows) {
  test(`${name} on Windows`, () => assert.equal(socketAddress(name, "win32"), address));
}
