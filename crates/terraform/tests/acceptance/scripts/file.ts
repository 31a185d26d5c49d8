// A file as a resource: state, sensitive state, a plan that replaces, write-only props.
import { type Params, serve } from "./serve.ts";

async function state(path: string) {
  const { mtime } = await Deno.stat(path);
  return { mtime: mtime?.getTime() };
}

const sensitiveState = { secret: "resource-secret" };

await serve({
  async create({ props, writeOnlyProps }: Params) {
    await Deno.writeTextFile(props.path, props.content);
    // Only a test can want to see what it was given.
    if (writeOnlyProps) await Deno.writeTextFile("special-id", writeOnlyProps.specialId);
    return { id: props.path, state: await state(props.path), sensitiveState };
  },

  async read({ id }: Params) {
    try {
      const content = await Deno.readTextFile(id);
      return { props: { path: id, content }, state: await state(id), sensitiveState };
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return { exists: false };
      throw error;
    }
  },

  async update({ id, nextProps }: Params) {
    await Deno.writeTextFile(id, nextProps.content);
    return { state: await state(id), sensitiveState };
  },

  async delete({ id }: Params) {
    await Deno.remove(id);
    return { done: true };
  },

  modifyPlan({ planType, nextProps, currentProps }: Params) {
    if (planType === "update" && nextProps.path !== currentProps.path) {
      return { requiresReplacement: true };
    }
    return { noChanges: true };
  },
});
