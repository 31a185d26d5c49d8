// A plugin with one of everything, for the tests of hosts. It keeps its notes in memory.

import {
  any,
  big,
  bigint,
  block,
  bool,
  Failure,
  integer,
  list,
  map,
  number,
  object,
  Plugin,
  set,
  string,
  tuple,
  Unknown,
} from "../dist/index.js";

export function notes() {
  const stored = new Map();
  const calls = [];
  let last = 0;
  const plugin = new Plugin({ name: "notes", version: "1.2.0" })
    .configure({ folder: string({ default: "notes" }), token: string({ secret: true, optional: true }) }, (config) => {
      if (config.folder === "missing") throw Failure.at("folder", "no such folder");
      return config;
    })
    .shutdown(() => void calls.push("shutdown"))
    .function("slug", {
      description: "Makes a short name of a text.",
      parameters: {
        text: string("The text."),
        separator: string({ default: "-" }),
        limit: integer({ optional: true }),
      },
      returns: string(),
    }, ({ text, separator, limit }) => {
      if (text === "") throw Failure.at("text", "the text is empty");
      if (text === "boom") throw new Error("it went boom", { cause: new Error("a spark") });
      return text.toLowerCase().split(/[^a-z0-9]+/).filter(Boolean).join(separator).slice(0, limit);
    })
    .function(
      "total",
      { variadic: { numbers: number() }, returns: number() },
      ({ numbers }) => numbers.reduce((sum, one) => sum + one, 0),
    )
    .function("same", { parameters: { value: any({ nullable: true }) }, returns: any() }, ({ value }) => value)
    .function(
      "exact",
      { parameters: { whole: bigint(), part: big() }, returns: tuple([bigint(), big()]) },
      ({ whole, part }) => [whole + 1n, part],
    )
    .function(
      "maybe",
      { parameters: { value: string({ allowUnknown: true }) }, returns: bool() },
      ({ value }) => value instanceof Unknown,
    )
    .function(
      "unique",
      { parameters: { all: set(string()) }, returns: set(string()) },
      ({ all }) => new Set([...all, "z", "a"]),
    )
    .action("wait", {
      description: "Waits.",
      parameters: { steps: integer({ default: 1 }) },
      outputs: { done: bool(), secret: string({ secret: true }) },
      idempotent: true,
    }, async ({ steps }, context) => {
      for (let step = 1; step <= steps; step += 1) context.progress(`step ${step}`, { done: step, total: steps });
      context.warn("it took a while");
      if (steps === 13) throw Failure.outcomeUnknown("the answer was lost");
      if (steps === 14) return { done: "yes" };
      return { done: true, secret: "s" };
    })
    .resource("note", {
      description: "A note.",
      version: 1,
      props: {
        title: string({ replaces: true }),
        text: string({ default: "(empty)" }),
        tags: map(string({ optional: true }), { optional: true }),
        author: object({ name: string(), is_shown: bool({ default: true }) }, { optional: true }),
        extra: any({ optional: true }),
        password: string({ writeOnly: true }),
        link: block({ url: string(), weight: number({ default: 0.1 }) }),
      },
      state: { words: integer(), key: string({ secret: true, stable: true }) },
      create(props, context) {
        if (props.title === "bad") throw Failure.at(["tags", "a"], "no such tag", { detail: "use another one" });
        if (props.title === "partly") return { id: "partly", state: { words: "many", key: "k" } };
        calls.push(["password", props.password?.reveal()]);
        last += 1;
        const id = `n${last}`;
        const { password: _, ...kept } = props;
        stored.set(id, kept);
        context.private = new TextEncoder().encode("mine");
        context.progress("written");
        return { id, state: { words: props.text.split(" ").length, key: `key-${id}` } };
      },
      read(id, props, context) {
        calls.push(["read", id, props?.title, context.private && new TextDecoder().decode(context.private)]);
        const found = stored.get(id);
        return found && { props: found, state: { words: found.text.split(" ").length } };
      },
      update(existing, props) {
        const { password: _, ...kept } = props;
        stored.set(existing.id, kept);
        calls.push(["update", existing.state?.key.reveal()]);
        return { state: { words: props.text.split(" ").length, key: existing.state?.key } };
      },
      delete(existing) {
        stored.delete(existing.id);
      },
      modifyPlan(plan, context) {
        if (plan.kind === "delete") return undefined;
        if (plan.props.text === "replace") return { replace: true };
        if (plan.props.text === "warn") context.warn("that is short", { path: "text" });
        if (plan.props.title === "refuse") throw Failure.at("title", "not this title");
        return undefined;
      },
      upgrade(version, old) {
        return { id: old.id, props: { title: old.title, text: old.body, link: [] }, state: { words: version } };
      },
    })
    .dataSource("count", {
      props: { prefix: string({ optional: true }) },
      result: { notes: integer(), titles: list(string()) },
    }, ({ prefix = "" }) => {
      const titles = [...stored.values()].map(({ title }) => title).filter((title) => title.startsWith(prefix));
      return { notes: titles.length, titles };
    })
    .ephemeral("token", {
      props: { length: integer({ default: 8 }) },
      result: { value: string({ secret: true }) },
      open: ({ length }) => ({
        result: { value: "x".repeat(length) },
        renewAt: new Date(60_000),
        private: { length, renewals: 0 },
      }),
      renew: (kept) => ({ private: { ...kept, renewals: kept.renewals + 1 } }),
      close: (kept) => void calls.push(["closed", kept.renewals]),
    })
    .postPlan(({ address, after }) => {
      if (after?.size === "large") {
        return { status: "fail", message: `${address} is too large`, metadata: { size: after.size } };
      }
      return undefined;
    })
    .storage({
      read: (path) => stored.get(`state:${path}`) ?? null,
      write: (path, state, lockId) => {
        if (lockId === "lost") throw Failure.locked({ id: "a", info: "{}" });
        stored.set(`state:${path}`, state);
      },
      lock: (_, wanted) => wanted.id,
    })
    .maxInFlight(4);
  return { plugin, stored, calls };
}
