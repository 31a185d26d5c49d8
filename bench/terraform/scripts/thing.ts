// The resource that is measured, for Deno and without a library. It answers at once and keeps
// nothing, so what is measured beside it is the work of everybody else.

// deno-lint-ignore no-explicit-any -- the benchmark knows what it sends
type Params = any;

const known = (name: string) => ({ address: `${name}.example`, ready: true });

const methods = new Map<string, (params: Params) => unknown>([
  ["health", () => ({ ok: true })],
  ["create", ({ props }) => ({ id: props.name, state: known(props.name) })],
  ["read", ({ id, props }) => ({ props, state: known(id) })],
  ["update", ({ id }) => ({ state: known(id) })],
  ["delete", () => ({ done: true })],
  ["modifyPlan", () => ({ noChanges: true })],
]);

const encoder = new TextEncoder();

async function handle(line: string) {
  const { id, method, params } = JSON.parse(line);
  if (method === "shutdown") Deno.exit(0);
  const call = methods.get(method);
  const answer = call
    ? { result: call(params) }
    : { error: { code: -32601, message: "Method not found" } };
  const response = encoder.encode(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\n");
  for (let sent = 0; sent < response.length;) {
    sent += await Deno.stdout.write(response.subarray(sent));
  }
}

let rest = "";
for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) await handle(line);
}
