// What every script here begins with: requests from stdin, answers to stdout, a line each.

// deno-lint-ignore no-explicit-any
export type Params = any;
export type Methods = Record<string, (params: Params) => unknown>;

export class MethodError extends Error {
  constructor(readonly code: number, message: string) {
    super(message);
  }
}

const encoder = new TextEncoder();

function send(message: unknown) {
  Deno.stdout.writeSync(encoder.encode(JSON.stringify(message) + "\n"));
}

export function notify(method: string, params: unknown) {
  send({ jsonrpc: "2.0", method, params });
}

async function answer(methods: Methods, line: string) {
  const { id, method, params } = JSON.parse(line);
  if (method === "shutdown") Deno.exit(0);
  try {
    if (method === "health") return send({ jsonrpc: "2.0", id, result: { ok: true } });
    if (!methods[method]) throw new MethodError(-32601, "Method not found");
    send({ jsonrpc: "2.0", id, result: await methods[method](params) });
  } catch (error) {
    const code = error instanceof MethodError ? error.code : -32000;
    const message = error instanceof Error ? error.message : String(error);
    send({ jsonrpc: "2.0", id, error: { code, message } });
  }
}

export async function serve(methods: Methods) {
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) void answer(methods, line);
  }
}
