// A resource of Terraform in TypeScript, without any library: a file with some content.
//
// The provider starts this program once, writes one JSON object on a line for each call, and reads
// one JSON object on a line for each answer. Whatever else there is to say goes to stderr:
// console.error, never console.log.
//
// Try it:
//
//     echo '{"jsonrpc":"2.0","id":1,"method":"create","params":{"props":{"path":"a.txt","content":"hi"}}}' |
//       deno run --allow-read=. --allow-write=. file.ts

interface Props {
  path: string;
  content: string;
}

interface State {
  /** In seconds since 1970. */
  mtime: number;
  size: number;
}

// deno-lint-ignore no-explicit-any -- what arrives is checked where it is used
type Params = any;

/** An error that points at one of the props. */
class Refusal extends Error {
  constructor(summary: string, readonly detail: string, readonly path: string[]) {
    super(summary);
  }

  diagnostic() {
    const { message: summary, detail, path: propPath } = this;
    return { severity: "error", summary, detail, propPath };
  }
}

/** The props, or a Refusal that points at what is wrong. */
function checked(props: Params, root: string): Props {
  if (typeof props !== "object" || props === null) {
    throw new Refusal("wrong props", "an object is required", [root]);
  }
  for (const name of ["path", "content"]) {
    if (!(name in props)) {
      throw new Refusal("wrong props", `${name} is required`, [root]);
    }
    if (typeof props[name] !== "string") {
      throw new Refusal("wrong props", "a string is required", [root, name]);
    }
  }
  return props;
}

/** What is known once the file is there. */
async function stateOf(path: string): Promise<State> {
  const { mtime, size } = await Deno.stat(path);
  return { mtime: Math.floor((mtime?.getTime() ?? 0) / 1000), size };
}

async function create(params: Params) {
  const { path, content } = checked(params.props, "props");
  try {
    // A file that somebody else made is not ours to overwrite, nor to delete later.
    await Deno.writeTextFile(path, content, { createNew: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    const detail = `${path} would be overwritten; import it, or choose another path`;
    throw new Refusal("the file is there already", detail, ["props", "path"]);
  }
  // The path is also the id, by which the file is found again.
  return { id: path, state: await stateOf(path) };
}

async function read(params: Params) {
  const path = params.id; // After an import the id is all there is: the props are null.
  try {
    const content = await Deno.readTextFile(path);
    return { props: { path, content }, state: await stateOf(path) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { exists: false };
    throw error;
  }
}

async function update(params: Params) {
  const { path, content } = checked(params.nextProps, "nextProps");
  if (path !== params.id) {
    const detail = `it is ${params.id}; replace the resource`;
    throw new Refusal("a file cannot be moved", detail, ["nextProps", "path"]);
  }
  await Deno.writeTextFile(path, content);
  return { state: await stateOf(path) };
}

async function remove(params: Params) {
  try {
    await Deno.remove(params.id);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error; // Gone is gone.
  }
  return { done: true };
}

/**
 * A file cannot be moved: with another path it is another file.
 *
 * What is not known yet is empty in nextProps ("" for a text), and named in unknownProps. A path
 * that is not known may be another one, and so it counts as one.
 */
function modifyPlan(params: Params) {
  if (params.planType === "update" && params.nextProps?.path !== params.id) {
    return { requiresReplacement: true };
  }
  return { noChanges: true };
}

// A map, since an object would have methods such as "toString" that nobody wrote.
const methods = new Map<string, (params: Params) => unknown>([
  ["health", () => ({ ok: true })],
  ["create", create],
  ["read", read],
  ["update", update],
  ["delete", remove],
  ["modifyPlan", modifyPlan],
  ["shutdown", () => ({})],
]);

/** What to answer: a result, or an error. */
async function answer(method: string, params: Params) {
  const call = methods.get(method);
  if (!call) return { error: { code: -32601, message: "Method not found" } };
  try {
    return { result: await call(params ?? {}) };
  } catch (error) {
    if (error instanceof Refusal) return { result: { diagnostics: [error.diagnostic()] } };
    const message = error instanceof Error ? error.message : String(error);
    return { error: { code: -32000, message } };
  }
}

async function handle(line: string) {
  const { id, method, params } = JSON.parse(line);
  const response = await answer(method, params);
  // An event has no id and gets no answer.
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...response }));
  if (method === "shutdown") Deno.exit(0);
}

// A chunk of stdin is not a line: it may hold several, or the beginning of one.
let rest = "";
for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) {
    // Not awaited: calls for other files are handled meanwhile.
    if (line.trim()) handle(line);
  }
}
