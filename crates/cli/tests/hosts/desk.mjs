// The server that the exchanges in conformance/exchanges talk to, made of the Server of sdk/typescript.
//
//     node desk.mjs SOCKET
//     deno run --allow-all desk.mjs SOCKET
//
// It listens on the socket until stdin ends.

import process from "node:process";

import { ConnectionError, RpcError, Server } from "../../../../sdk/typescript/dist/ipc.js";

/** What the methods remember of each client. */
const desks = new WeakMap();

function numbers(values) {
  if (!Array.isArray(values) || !values.every(Number.isInteger)) throw new RpcError(-32602, "not a list of numbers");
  return values;
}

function crash() {
  throw new Error("as asked");
}

const methods = {
  echo: (params) => params,
  subtract(params) {
    const [first, second] = numbers(Array.isArray(params) ? params : [params?.minuend, params?.subtrahend]);
    return first - second;
  },
  sum: (params) => numbers(params).reduce((sum, number) => sum + number, 0),
  get_data: () => ["tenon", 7],
  fail({ code, message, data }) {
    throw new RpcError(code, message, data);
  },
  crash,
  hold([key], { session, signal }) {
    const { released, waiting } = desks.get(session);
    if (released.has(key)) return key;
    return new Promise((resolve, reject) => {
      waiting.set(key, () => resolve(key));
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  },
  notes: (_, { session }) => [...desks.get(session).notes],
  async ask([method, params], { session }) {
    try {
      return { result: await session.request(method, params) };
    } catch (error) {
      if (error instanceof RpcError) return { error: error.code };
      if (error instanceof ConnectionError) return { broken: true };
      throw error;
    }
  },
  tell([method, params], { session }) {
    session.notify(method, params);
  },
  note: (params, { session }) => void desks.get(session).notes.push(params),
  release([key], { session }) {
    const { released, waiting } = desks.get(session);
    released.add(key);
    waiting.get(key)?.();
  },
};

const onConnect = (session) => desks.set(session, { notes: [], released: new Set(), waiting: new Map() });
const server = new Server(process.argv[2], methods, { onConnect });
await server.listen();
process.stdin.on("end", () => server.close()).resume();
