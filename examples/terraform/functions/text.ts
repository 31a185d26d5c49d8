// Functions of Terraform in TypeScript. Deno gives them no permissions, so they are pure: the same
// arguments make the same result.
//
// Try it:
//
//     echo '{"jsonrpc":"2.0","id":1,"method":"call","params":{"name":"slug","arguments":["Crème brûlée!"]}}' |
//       deno run text.ts

/** An argument that is no good, by its place. */
class WrongArgument extends Error {
  constructor(readonly place: number, readonly detail: string) {
    super("wrong argument");
  }
}

function text(value: unknown, place: number): string {
  if (typeof value !== "string") throw new WrongArgument(place, "a string is required");
  return value;
}

const functions = new Map<string, (values: unknown[]) => unknown>([
  /** A name for URLs: slug("Crème brûlée!") is "creme-brulee". */
  ["slug", ([title]) =>
    text(title, 0)
      .normalize("NFD")
      .replace(/\p{Mark}/gu, "")
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "")],

  /** At most so many letters: shorten("a long story", 6) is "a lon…". */
  ["shorten", ([story, length]) => {
    const letters = [...text(story, 0)];
    if (!Number.isInteger(length) || (length as number) < 1) {
      throw new WrongArgument(1, "a whole number of at least 1 is required");
    }
    const limit = length as number;
    return letters.length <= limit ? story : letters.slice(0, limit - 1).join("") + "…";
  }],

  /** How often each word is there: words("b a b") is { a = 1, b = 2 }. */
  ["words", ([story]) => {
    const counts: Record<string, number> = Object.create(null);
    for (const word of text(story, 0).split(/\s+/).filter(Boolean)) {
      counts[word] = (counts[word] ?? 0) + 1;
    }
    return counts;
  }],
]);

function call(params: { name: string; arguments: unknown[] }) {
  const { name, arguments: values } = params;
  const apply = functions.get(name);
  if (!apply) {
    const names = [...functions.keys()].join(", ");
    throw new Error(`there is no function ${name}; there are ${names}`);
  }
  try {
    return { result: apply(values) };
  } catch (error) {
    if (!(error instanceof WrongArgument)) throw error;
    const { message: summary, detail, place } = error;
    const propPath = ["arguments", String(place)];
    return { diagnostics: [{ severity: "error", summary, detail, propPath }] };
  }
}

// deno-lint-ignore no-explicit-any -- the provider checks nothing, `call` does
function answer(method: string, params: any) {
  try {
    if (method === "health") return { result: { ok: true } };
    if (method === "shutdown") return { result: {} };
    if (method === "call") return { result: call(params) };
    return { error: { code: -32601, message: "Method not found" } };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: { code: -32000, message } };
  }
}

// A chunk of stdin is not a line: it may hold several, or the beginning of one.
let rest = "";
for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines.filter((line) => line.trim())) {
    const { id, method, params } = JSON.parse(line);
    const response = answer(method, params);
    // An event has no id and gets no answer.
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...response }));
    if (method === "shutdown") Deno.exit(0);
  }
}
