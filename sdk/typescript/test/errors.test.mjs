// The classes of errors.

import assert from "node:assert/strict";
import test from "node:test";

import { connectionError } from "../build/ipc/errors.js";
import * as ipc from "../build/ipc/mod.js";
import { ConnectionError, ErrorCode, JSONRPCError, RpcError } from "../build/ipc/mod.js";

test("an error of the server has code and message", () => {
  const error = new RpcError(-32001, "no database");
  assert.equal(error.code, -32001);
  assert.equal(error.message, "no database");
  assert.equal(error.name, "RpcError");
});

test("an error of the server is an Error", () => {
  const error = new RpcError(1, "no");
  assert.ok(error instanceof Error);
  assert.ok(error instanceof RpcError);
  assert.ok(!(error instanceof ConnectionError));
  assert.equal(String(error), "RpcError: no");
});

test("data is as it came", () => {
  const data = { why: [1, null] };
  assert.equal(new RpcError(1, "no", data).data, data);
  assert.equal(new RpcError(1, "no", null).data, null);
  assert.equal(new RpcError(1, "no").data, undefined);
});

test("an error has a stack", () => {
  assert.match(new RpcError(1, "no").stack, /no[^]*errors\.test\.mjs/);
});

test("an error becomes what JSON-RPC writes", () => {
  assert.equal(JSON.stringify(new RpcError(7, "no")), '{"code":7,"message":"no"}');
  const withData = JSON.stringify(new RpcError(7, "no", null));
  assert.equal(withData, '{"code":7,"message":"no","data":null}');
});

test("the reference's name is the same class", () => {
  assert.equal(JSONRPCError, RpcError);
});

test("the codes of the specification", () => {
  assert.deepEqual(ErrorCode, {
    ParseError: -32700,
    InvalidRequest: -32600,
    MethodNotFound: -32601,
    InvalidParams: -32602,
    InternalError: -32603,
    ServerError: -32000,
    RequestCancelled: -32800,
  });
});

test("an error of the connection has a word as its code, and a cause", () => {
  const cause = new Error("why");
  const error = new ConnectionError("TIMEOUT", "late", { cause });
  assert.ok(error instanceof Error);
  assert.deepEqual([error.name, error.code, error.message], ["ConnectionError", "TIMEOUT", "late"]);
  assert.equal(error.cause, cause);
});

test("each code has a class, and all of them have one base", () => {
  const names = {
    CONNECT_FAILED: "ConnectionFailed", NOT_CONNECTED: "NotConnected", DISCONNECTED: "ConnectionLost", REFUSED: "Refused", TIMEOUT: "RequestTimeout",
    TOO_LARGE: "MessageTooLarge", INVALID_MESSAGE: "InvalidMessage", ABORTED: "Aborted", OVERLOADED: "Overloaded",
  };
  for (const [code, name] of Object.entries(names)) {
    const error = connectionError(code, "x");
    assert.deepEqual([error.name, error.code], [name, code]);
    assert.ok(error instanceof ipc[name] && error instanceof ConnectionError && error instanceof ipc.IpcError);
  }
  assert.ok(connectionError("REFUSED", "x") instanceof ipc.ConnectionLost);
  assert.ok(new RpcError(1, "x") instanceof ipc.IpcError);
});
