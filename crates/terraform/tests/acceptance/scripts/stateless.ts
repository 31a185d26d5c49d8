// A file as a resource that keeps no state: only what has to be there.
import { type Params, serve } from "./serve.ts";

await serve({
  create({ props }: Params) {
    Deno.writeTextFileSync(props.path, props.content);
    return { id: props.path };
  },

  read({ id }: Params) {
    try {
      return { props: { path: id, content: Deno.readTextFileSync(id) } };
    } catch {
      return { exists: false };
    }
  },

  update({ id, nextProps }: Params) {
    Deno.writeTextFileSync(id, nextProps.content);
    return {};
  },

  delete({ id }: Params) {
    Deno.removeSync(id);
    return { done: true };
  },

  modifyPlan({ nextProps, currentProps }: Params) {
    if (!nextProps || !currentProps) return { noChanges: true };
    return { requiresReplacement: nextProps.path !== currentProps.path };
  },
});
