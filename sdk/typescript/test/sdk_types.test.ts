// What the compiler infers. Nothing here runs: it compiles, or a line below `@ts-expect-error` does not.

import {
  any,
  type Big,
  big,
  bigint,
  block,
  bool,
  type Context,
  Failure,
  integer,
  list,
  map,
  number,
  object,
  Plugin,
  type Secret,
  set,
  string,
  tuple,
  type Unknown,
  type WriteOnly,
} from "../dist/index.js";
import { ResourceProvider } from "../dist/denobridge.js";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Equal<A, B>): void {}

class Client {
  readonly url: string = "";
}

const plugin = new Plugin({ name: "p", version: "1.0.0" })
  .configure({ url: string(), retries: integer({ default: 3 }) }, (config) => {
    same<typeof config, { url: string; retries: number }>(true);
    return new Client();
  });

plugin
  .function("f", {
    parameters: {
      text: string("A text."),
      size: number({ default: 1 }),
      note: string({ optional: true }),
      token: string({ secret: true }),
      maybe: string({ allowUnknown: true }),
      nothing: bool({ nullable: true }),
      chained: number().describe("A number.").optional(),
    },
    variadic: { rest: list(string()) },
    returns: list(string()),
  }, (given, context) => {
    same<typeof context, Context<Client>>(true);
    same<typeof given.text, string>(true);
    same<typeof given.size, number>(true);
    same<typeof given.note, string | undefined>(true);
    same<typeof given.token, Secret<string>>(true);
    same<typeof given.maybe, string | Unknown>(true);
    same<typeof given.nothing, boolean | null>(true);
    same<typeof given.chained, number | undefined>(true);
    same<typeof given.rest, string[][]>(true);
    return [given.text];
  })
  .function("collections", {
    parameters: {
      words: set(string()),
      table: map(number()),
      pair: tuple([string(), bool()]),
      inner: object({ a: string(), b: number({ optional: true }) }),
      whole: bigint(),
      exact: big(),
      anything: any(),
      holes: list(string({ optional: true })),
    },
    returns: set(string()),
  }, ({ words, table, pair, inner, whole, exact, anything, holes }) => {
    same<typeof words, Set<string>>(true);
    same<typeof table, Record<string, number>>(true);
    same<typeof pair, [string, boolean]>(true);
    same<typeof inner, { a: string; b?: number | undefined }>(true);
    same<typeof whole, bigint>(true);
    same<typeof exact, number | bigint | Big>(true);
    same<typeof anything, unknown>(true);
    same<typeof holes, (string | null)[]>(true);
    return ["an array is an iterable, too"];
  })
  // @ts-expect-error the result is not a text
  .function("wrong", { returns: string() }, () => 1)
  .action(
    "a",
    { parameters: { n: integer() }, outputs: { done: bool(), secret: string({ secret: true }) } },
    ({ n }) => ({ done: n > 0 }),
  )
  // @ts-expect-error an output is missing
  .action("b", { outputs: { done: bool() } }, () => ({}))
  .action("c", { parameters: { n: integer() } }, () => undefined)
  .resource("r", {
    props: {
      name: string({ replaces: true }),
      password: string({ writeOnly: true }),
      link: block({ url: string() }),
      one: block({ url: string() }, { nesting: "single" }),
    },
    state: { words: integer(), key: string({ secret: true }) },
    create(props, { state }) {
      same<typeof state, Client>(true);
      same<typeof props.password, WriteOnly<string> | undefined>(true);
      same<typeof props.link, { url: string }[]>(true);
      same<typeof props.one, { url: string } | undefined>(true);
      return { id: props.name, state: { words: 1, key: "k" } };
    },
    read(id, props) {
      same<
        typeof props,
        {
          name: string;
          link: { url: string }[];
          one?: { url: string } | undefined;
          password?: WriteOnly<string> | undefined;
        } | undefined
      >(true);
      return props && { props, state: { words: id.length } };
    },
    update(existing) {
      same<typeof existing.state, { words: number; key: Secret<string> } | undefined>(true);
      return { state: { words: 1, key: existing.state?.key } };
    },
    delete() {},
    modifyPlan(plan) {
      if (plan.kind === "delete") return undefined;
      same<typeof plan.props.name, string | Unknown>(true);
      return plan.props.name === "x" ? { replace: true } : undefined;
    },
  })
  .dataSource("d", { props: { a: string() }, result: { b: number() } }, ({ a }) => ({ b: a.length }))
  .ephemeral("e", {
    result: { token: string({ secret: true }) },
    open: () => ({ result: { token: "t" }, renewAt: new Date() }),
  })
  .postPlan(({ address }) => ({ status: "warn", message: address }))
  // @ts-expect-error there is no such status
  .postPlan(() => ({ status: "maybe" }))
  .storage({ read: () => null, write: () => undefined });

// @ts-expect-error the default is not a number
number({ default: "1" });

throwing(Failure.at(["a", 0], "no"));
function throwing(_: Error): void {}

new ResourceProvider<{ path: string }, { mtime: number }>({
  create: async ({ path }) => ({ id: path, state: { mtime: 1 } }),
  read: async (id) => ({ props: { path: id }, state: { mtime: 1 } }),
  update: async (_id, next, current, state) => ({ mtime: state.mtime + next.path.length + current.path.length }),
  delete: async () => undefined,
});
