// What `conformance/depot` is played against. `crates/plugin/examples/depot.rs` has the same plugin in Rust.

import { bool, Failure, integer, number, Plugin, string } from "../../../../sdk/typescript/dist/index.js";

const boxes = new Map();
const states = new Map();
const locks = new Map();
const stateOf = ({ amount }) => ({ weight: amount * 2 });

/** A change that a lock protects. A client without an id may make it. */
function check(path, lockId) {
  const held = locks.get(path);
  if (lockId !== undefined && held?.id !== lockId) throw Failure.locked(held);
}

const plugin = new Plugin({ name: "depot", version: "1.0.0" })
  .function("hold", {
    description: "Holds something, without an end.",
    parameters: { key: string("What is held.") },
    returns: string(),
  }, ({ key }, context) => {
    context.progress(`holding ${key}`);
    return new Promise((_, reject) => context.signal.addEventListener("abort", () => reject(context.signal.reason)));
  })
  .function("token", { description: "A secret.", returns: string({ secret: true }) }, () => "t0")
  .resource("box", {
    description: "A box.",
    version: 1,
    props: {
      label: string({ description: "What is written on it.", replaces: true }),
      amount: integer({ description: "How many things are in it.", default: 1 }),
    },
    state: { weight: number("In kilograms.") },
    create(props) {
      const id = `box-${props.label}`;
      boxes.set(id, props);
      return { id, state: stateOf(props) };
    },
    read(id) {
      const props = boxes.get(id);
      return props && { props, state: stateOf(props) };
    },
    update(existing, props) {
      boxes.set(existing.id, props);
      return { state: stateOf(props) };
    },
    delete: ({ id }) => void boxes.delete(id),
    upgrade(_, { id, name }) {
      const props = { label: name, amount: 1 };
      return { id, props, state: stateOf(props) };
    },
  })
  .dataSource("look", {
    description: "Whether there is a box.",
    props: { label: string("What is on the label.") },
    result: { is_there: bool() },
  }, ({ label }, context) => {
    context.progress("looking", { done: 1, total: 2 });
    return { is_there: [...boxes.values()].some((props) => props.label === label) };
  })
  .ephemeral("lease", {
    description: "A lease.",
    props: { seconds: integer({ description: "How long it lasts.", default: 60 }) },
    result: { token: string({ secret: true }) },
    open: ({ seconds }) => ({ result: { token: "t0" }, renewAt: new Date(seconds * 1000), private: { renewals: 0 } }),
    renew: ({ renewals }) => ({ private: { renewals: renewals + 1 } }),
    close: ({ renewals }, context) => context.warn(`renewed ${renewals} times`),
  })
  .preApply(({ address, resource_type }) =>
    resource_type === "depot_box" ? { status: "warn", message: `${address} is heavy` } : undefined
  )
  .initStageStart(() => undefined)
  .planStageCompleted(({ summary }) =>
    summary.add > 1 ? { status: "fail", message: `${summary.add} boxes are too many` } : undefined
  )
  .applyStageFailed(({ errors }) => ({ status: "warn", message: errors.join("; ") }))
  .storage({
    read: (path) => states.get(path),
    write(path, state, lockId) {
      check(path, lockId);
      states.set(path, state);
    },
    lock(path, wanted) {
      const held = locks.get(path) ?? wanted;
      if (held.id !== wanted.id) throw Failure.locked(held);
      locks.set(path, held);
      return held.id;
    },
    unlock(path, lockId) {
      const held = locks.get(path);
      if (held !== undefined && lockId !== undefined && held.id !== lockId) throw Failure.locked(held);
      locks.delete(path);
    },
    list: (prefix) => [...states.keys()].filter((path) => path.startsWith(prefix)).sort(),
    delete(path, lockId) {
      check(path, lockId);
      states.delete(path);
    },
  })
  .maxInFlight(2);

await plugin.serve();
