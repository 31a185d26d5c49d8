// The exchanges of conformance/ with the JSON-RPC of plugins, which calls nobody.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { Fault, JsonRpcConversation } from "../build/hosts/json_rpc.js";
import { parseJson } from "../build/values/json.js";
import { canonical } from "../build/values/write.js";

const FILES = ["batches", "calls-back", "exact-numbers", "ids", "order", "parse-errors", "requests", "specification"];

// Ids and numbers are compared by their values: 1.0 comes back as 1.

/** What plugins do otherwise, with the reason; `ask` is left out everywhere, because a plugin calls no host. */
const DIFFERENT = {
  "more than the eight messages a batch may have here": "a plugin takes 1,024",
};

/** The methods that conformance/README.md describes, but `ask`. */
class Desk {
  #notes = [];
  #held = new Map();

  isMutating() {
    return false;
  }

  request({ method, params, call, notify }) {
    switch (method) {
      case "echo":
        return params ?? null;
      case "subtract":
        return Array.isArray(params) ? params[0] - params[1] : params.minuend - params.subtrahend;
      case "sum":
        if (!Array.isArray(params) || !params.every((one) => typeof one === "number")) {
          throw new Fault(-32602, "numbers are required");
        }
        return params.reduce((sum, one) => sum + one, 0);
      case "get_data":
        return ["tenon", 7];
      case "fail":
        throw new Fault(params.code, params.message, params.data);
      case "crash":
        throw new TypeError("it crashed");
      case "hold":
        return new Promise((resolve) => {
          this.#held.set(params[0], () => resolve(params[0]));
          call.signal.addEventListener("abort", () => resolve("too late"));
        });
      case "notes":
        return [...this.#notes];
      case "tell":
        notify(...params);
        return null;
      default:
        throw new Fault(-32601, `Method not found: ${method}`);
    }
  }

  event(method, params, calls) {
    if (method === "note") this.#notes.push(params);
    if (method === "release") this.#held.get(params?.[0])?.();
    if (method === "$/cancelRequest") calls.cancel(params?.id);
  }
}

/** The exchanges of a file: their names, and what happens in them. */
function exchangesOf(file) {
  const text = readFileSync(new URL(`../../../conformance/exchanges/${file}.txt`, import.meta.url), "utf8");
  const [head, ...all] = text.trim().split("\n\n");
  assert.equal(head, "dialect: json-rpc");
  return all.map((one) => {
    const [name, ...steps] = one.split("\n");
    return { name: name.slice(2), steps };
  });
}

/** What the plugin has done in answer to everything so far. */
const settled = async () => {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

function same(given, wanted, place) {
  const [found, expected] = [parseJson(given), parseJson(wanted)];
  const order = (all) => (Array.isArray(all) ? all.map((one, at) => [canonical(one.id ?? null), at, one]).sort().map(([, , one]) => one) : [all]);
  const [there, here] = [order(found), order(expected)];
  assert.deepEqual([Array.isArray(found), there.length], [Array.isArray(expected), here.length], `${place}: ${given}`);
  for (const [index, one] of here.entries()) {
    const answer = { ...there[index] };
    if (one.error !== undefined && answer.error !== undefined) {
      // Texts and data may differ.
      assert.deepEqual(answer.error.code, one.error.code, `${place}: ${given}`);
      assert.equal("data" in answer.error && one.error.message === "no such file", "data" in one.error, place);
      answer.error = one.error;
    }
    assert.equal(canonical(answer), canonical(one), `${place}: ${given}`);
  }
}

/** Whether an exchange uses nothing that a plugin does not have. */
const applies = ({ name, steps }) => DIFFERENT[name] === undefined && !steps.some((step) => step.includes('"ask"'));

for (const file of FILES) {
  test(`${file}: what applies to plugins is answered as in conformance/`, async () => {
    const exchanges = exchangesOf(file).filter(applies);
    assert.ok(exchanges.length >= 3, "the exchanges have moved");
    for (const { name, steps } of exchanges) {
      const place = `${file}: ${name}`;
      const received = [];
      const conversation = new JsonRpcConversation(new Desk(), { write: (frame) => received.push(String(frame)) });
      const send = (text) => conversation.receive(Buffer.from(text));
      for (const step of steps) {
        const text = step.slice(4);
        if (step.startsWith("--> ")) send(`${text}\n`);
        else if (step.startsWith("--+ ")) send(text);
        else if (step.startsWith("--% ")) conversation.receive(Buffer.from(text.replaceAll(" ", ""), "hex"));
        else if (step === "--x") await conversation.finish();
        else if (step.startsWith("<-- ")) {
          await settled();
          assert.ok(received.length > 0, `${place}: there is no answer like ${text}`);
          same(received.shift(), text, place);
        } else assert.equal(step, "<-x", place);
      }
      await settled();
      assert.deepEqual(received, [], place);
    }
  });
}

test("what is listed as different is there", () => {
  const names = FILES.flatMap((file) => exchangesOf(file).map(({ name }) => name));
  for (const name of Object.keys(DIFFERENT)) assert.ok(names.includes(name), name);
});
