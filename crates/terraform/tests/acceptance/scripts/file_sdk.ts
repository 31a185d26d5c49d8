// The resource of examples/terraform/file-deno with the SDK, as scripts for denobridge's own library are written.

import { ResourceProvider } from "@tenon/sdk/denobridge";

interface Props {
  path: string;
  content: string;
}

interface State {
  /** In seconds since 1970. */
  mtime: number;
  size: number;
}

async function stateOf(path: string): Promise<State> {
  const { mtime, size } = await Deno.stat(path);
  return { mtime: Math.floor((mtime?.getTime() ?? 0) / 1000), size };
}

/** What a promise gives; undefined if the file is not there. */
async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

new ResourceProvider<Props, State>({
  async create({ path, content }) {
    if (content === "") throw new Error(`nothing to write into ${path}`);
    console.log("printed, and not a message");
    await Deno.writeTextFile(path, content, { createNew: true });
    return { id: path, state: await stateOf(path) };
  },
  async read(id) {
    const content = await ifThere(Deno.readTextFile(id));
    if (content === undefined) return { exists: false };
    return { props: { path: id, content }, state: await stateOf(id) };
  },
  async update(id, { content }) {
    await Deno.writeTextFile(id, content);
    return await stateOf(id);
  },
  async delete(id) {
    await ifThere(Deno.remove(id));
  },
  async modifyPlan(id, planType, nextProps) {
    if (planType === "update" && nextProps?.path !== id) return { requiresReplacement: true };
    return { noChanges: true };
  },
});
