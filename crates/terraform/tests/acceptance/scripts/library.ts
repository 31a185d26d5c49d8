// A resource of the shape that scripts with the TypeScript library of denobridge have: props are
// checked against a schema, nothing asks whether they are known, numbers are doubles, and whatever
// is thrown is an "Internal error" whose message stands on stderr alone.
import { MethodError, type Methods, type Params, serve } from "./serve.ts";

const schema: Record<string, (value: Params) => boolean> = {
  path: (value) => typeof value === "string",
  size: (value) => typeof value === "number",
  isPublic: (value) => typeof value === "boolean",
  tags: (value) => Array.isArray(value),
  owner: (value) => typeof value?.name === "string",
};

/// Calls the method if the props are as they should be.
function checked(props: Params, method: () => unknown) {
  const wrong = Object.keys(schema).filter((name) => name in props && !schema[name](props[name]));
  if (wrong.length === 0) return method();
  const diagnostics = wrong.map((name) => ({
    severity: "error",
    summary: "Validation Issue",
    detail: `${name} is ${JSON.stringify(props[name])}`,
    propPath: ["props", name],
  }));
  return { diagnostics };
}

/// An error that says as much as the library's.
function thrown(methods: Methods): Methods {
  const entries = Object.entries(methods).map(([name, method]) => {
    const wrapped = async (params: Params) => {
      try {
        return await method(params);
      } catch (error) {
        console.error("uncaught error", error);
        throw new MethodError(-32603, "Internal error");
      }
    };
    return [name, wrapped];
  });
  return Object.fromEntries(entries);
}

const ips = (props: Params) => ({ ips: props.ips ?? [], none: [], mixed: [1, "a"] });

await serve(thrown({
  create: ({ props }: Params) =>
    checked(props, () => {
      if (props.refuse) throw new Error(`the quota is used up: ${props.refuse}`);
      Deno.writeTextFileSync(props.path, JSON.stringify(props));
      return { id: props.path, state: ips(props) };
    }),

  read({ id, props }: Params) {
    if (id === undefined) return { result: ips(props) };
    const kept = JSON.parse(Deno.readTextFileSync(id));
    return { props: kept, state: ips(kept) };
  },

  update: ({ id, nextProps }: Params) =>
    checked(nextProps, () => {
      if (nextProps.path !== id) throw new Error("the path cannot be changed");
      Deno.writeTextFileSync(id, JSON.stringify(nextProps));
      return { state: ips(nextProps) };
    }),

  delete({ id, props }: Params) {
    if (props.keep) throw new Error("it is to be kept");
    Deno.removeSync(id);
    return { done: true };
  },

  modifyPlan: ({ planType, nextProps, currentProps }: Params) => {
    if (planType === "delete") return { noChanges: true };
    return checked(nextProps, () => {
      if (nextProps.owner) nextProps.owner.name.toLowerCase();
      if (nextProps.tags) nextProps.tags.map((tag: string) => tag.length);
      if (nextProps.size) nextProps.size.toFixed(2);
      // An empty text is not JSON, so this throws while it is not known.
      const kind = (props: Params) => "json" in props ? JSON.parse(props.json).kind : undefined;
      const next = kind(nextProps);
      if (planType === "create") return { noChanges: true };
      const moved = nextProps.path !== currentProps.path;
      return { requiresReplacement: moved || next !== kind(currentProps) };
    });
  },
}));
