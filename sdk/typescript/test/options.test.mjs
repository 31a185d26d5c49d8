// What a client can be made with.

import assert from "node:assert/strict";
import test from "node:test";

import { Client, JSONRPCClient } from "../build/ipc/mod.js";
import { settings } from "../build/ipc/options.js";

const socketPath = "/tmp/nobody.sock";

test("a name is enough", () => {
  const client = new Client({ socketPath });
  assert.equal(client.getState(), "disconnected");
  assert.equal(client.isConnected(), false);
  assert.equal(client.getPendingRequestCount(), 0);
});

test("the reference's name is the same class", () => {
  assert.equal(JSONRPCClient, Client);
  assert.ok(new JSONRPCClient({ socketPath }) instanceof Client);
});

test("what is left out has its default", () => {
  const { debug, ...others } = settings({ socketPath });
  assert.deepEqual(others, {
    socketPath,
    framing: "lines",
    allowUsers: [],
    connectionTimeout: 10_000,
    requestTimeout: 30_000,
    autoReconnect: false,
    maxReconnectAttempts: Infinity,
    reconnectDelay: 100,
    maxReconnectDelay: 30_000,
    maxMessageBytes: 16 * 1024 * 1024,
    maxQueuedBytes: 64 * 1024 * 1024,
  });
  assert.equal(debug("nobody hears this"), undefined);
});

test("what is given counts", () => {
  const given = {
    socketPath,
    framing: "headers",
    allowUsers: [1000],
    connectionTimeout: 1,
    requestTimeout: Infinity,
    autoReconnect: true,
    maxReconnectAttempts: 3,
    reconnectDelay: 4,
    maxReconnectDelay: 5,
    maxMessageBytes: 6,
    maxQueuedBytes: 7,
  };
  const { debug, ...others } = settings(given);
  assert.deepEqual(others, given);
  assert.equal(typeof debug, "function");
});

test("timeout is another name of requestTimeout", () => {
  assert.equal(settings({ socketPath, timeout: 5 }).requestTimeout, 5);
  assert.equal(settings({ socketPath, timeout: 5, requestTimeout: 6 }).requestTimeout, 6);
});

test("options that make no sense are named", () => {
  const wrong = [
    [{}, /socketPath/],
    [{ socketPath: "" }, /socketPath/],
    [{ socketPath: "a\0b" }, /socketPath/],
    [{ socketPath, framing: "xml" }, /framing.*"xml"/],
    [{ socketPath, connectionTimeout: 0 }, /connectionTimeout.*0/],
    [{ socketPath, requestTimeout: NaN }, /requestTimeout.*NaN/],
    [{ socketPath, requestTimeout: "1" }, /requestTimeout.*1/],
    // A timer would go off at once.
    [{ socketPath, timeout: 2 ** 31 }, /requestTimeout.*2147483648/],
    [{ socketPath, reconnectDelay: Infinity }, /reconnectDelay.*Infinity/],
    [{ socketPath, maxMessageBytes: -1 }, /maxMessageBytes.*-1/],
  ];
  for (const [options, message] of wrong) {
    assert.throws(() => new Client(options), { name: "TypeError", message });
  }
});
