// Objects that are made at the same time: a create waits, without letting anything else of its
// process run, until all others have begun. Making the object called `stray` leaves a rejection
// that nobody handles, and the others wait for that.
import { type Params, serve } from "./serve.ts";

function isThere(name: string): boolean {
  try {
    Deno.statSync(name);
    return true;
  } catch {
    return false;
  }
}

function waitFor(name: string) {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while (!isThere(name)) Atomics.wait(pause, 0, 0, 10);
}

await serve({
  create({ props: { number, count, stray } }: Params) {
    Deno.writeTextFileSync(`begun-${number}`, "");
    for (let other = 0; other < count; other++) waitFor(`begun-${other}`);
    if (number === stray) {
      Deno.writeTextFileSync("dying", "");
      Promise.reject(new Error("a stray rejection"));
      return new Promise(() => {});
    }
    if (stray !== undefined) waitFor("dying");
    return { id: `object-${number}` };
  },

  read: () => ({}),
  delete: () => ({ done: true }),
});
