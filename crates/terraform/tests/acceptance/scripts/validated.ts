// A resource that checks all that it is given, the way a schema library does: what is wrong is told
// with its path, and a secret part of the state that is null is as wrong as a number.
import { type Params, serve } from "./serve.ts";

type Issue = { severity: "error"; summary: string; detail: string; propPath: string[] };

function issue(detail: string, ...propPath: string[]): Issue {
  return { severity: "error", summary: "Validation Issue", detail, propPath };
}

function check(props: Params, sensitive: unknown): Issue[] {
  const issues: Issue[] = [];
  if (typeof props?.path !== "string") {
    issues.push(issue("expected string, received " + typeof props?.path, "props", "path"));
  }
  if (typeof props?.owner?.name !== "string") {
    const received = typeof props?.owner?.name;
    issues.push(issue("expected string, received " + received, "props", "owner", "name"));
  }
  if (sensitive === null) {
    issues.push(issue("expected object, received null", "state", "sensitive"));
  }
  return issues;
}

function checked(props: Params, sensitive: unknown, work: () => unknown) {
  const diagnostics = check(props, sensitive);
  return diagnostics.length > 0 ? { diagnostics } : work();
}

await serve({
  create: ({ props }: Params) =>
    checked(props, undefined, () => {
      Deno.writeTextFileSync(props.path, JSON.stringify(props));
      return { id: props.path, state: { size: 1 } };
    }),

  read({ id }: Params) {
    try {
      return { props: JSON.parse(Deno.readTextFileSync(id)), state: { size: 1 } };
    } catch {
      return { exists: false };
    }
  },

  update: ({ nextProps, currentSensitiveState }: Params) =>
    checked(nextProps, currentSensitiveState, () => {
      Deno.writeTextFileSync(nextProps.path, JSON.stringify(nextProps));
      return { state: { size: 2 } };
    }),

  delete: ({ id, props, sensitiveState }: Params) =>
    checked(props, sensitiveState, () => {
      Deno.removeSync(id);
      return { done: true };
    }),
});
