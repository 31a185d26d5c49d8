// A data source, an ephemeral resource and functions, which need no permission, and an action, which
// does.
import { notify, type Params, serve } from "./serve.ts";

async function sha256(text: string) {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

await serve({
  async read({ props }: Params) {
    const result = { hashedValue: await sha256(props.value) };
    return { result, sensitiveResult: { secret: "datasource-secret" } };
  },

  open() {
    const result = { uuid: crypto.randomUUID() };
    return { result, sensitiveResult: { secret: "ephemeral-secret" } };
  },

  async call({ name, arguments: [argument] }: Params) {
    if (name === "sha256") return { result: await sha256(argument) };
    return { result: await Deno.readTextFile(argument) };
  },

  async invoke({ props }: Params) {
    for (const argument of props.args ?? []) {
      notify("invokeProgress", { message: `argument ${argument}` });
    }
    await Deno.writeTextFile(props.path, props.content);
    if (props.args) notify("invokeProgress", { message: "written" });
    return { done: true };
  },
});
