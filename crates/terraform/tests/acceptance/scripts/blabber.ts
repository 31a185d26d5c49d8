// A script that says its secrets in every spelling that JavaScript has; see blabber.py.
import { Buffer } from "node:buffer";
import { inspect } from "node:util";
import { type Params, serve } from "./serve.ts";

function spellings(secret: string): string[] {
  const data = Buffer.from(secret);
  const pair = Buffer.from(`user:${secret}`);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify({ secret })),
    inspect(secret).slice(1, -1),
    inspect({ secret }),
    Deno.inspect({ secret }),
    encodeURIComponent(secret),
    encodeURI(secret),
    new URLSearchParams({ secret }).toString().slice("secret=".length),
    data.toString("hex"),
    data.toString("base64"),
    data.toString("base64url"),
    pair.toString("base64"),
    pair.toString("base64url"),
  ];
}

const encoder = new TextEncoder();

await serve({
  create({ props, writeOnlyProps }: Params) {
    const { secret, header } = writeOnlyProps;
    const said = [secret, header.replace("Bearer ", "")].flatMap(spellings);
    Deno.writeTextFileSync("spellings.json", JSON.stringify(said));
    for (const spelling of said) {
      console.error("[WARN] it is", spelling);
      for (const length of [0, 100, 110]) {
        Deno.stdout.writeSync(encoder.encode(`${"x".repeat(length)} ${spelling}\n`));
      }
    }
    const all = said.join(" ");
    if (props.how === "exit") Deno.exit(3);
    if (props.how === "error") throw new Error(`refused: ${all}`);
    const warning = { severity: "warning", summary: "Said", detail: all };
    return { id: "a", state: {}, diagnostics: [warning] };
  },

  read() {
    return { props: { how: "answer" }, state: {} };
  },

  delete() {
    return { done: true };
  },
});
