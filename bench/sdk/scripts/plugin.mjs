// The service with our SDK, for every host.

import { integer, object, Plugin, string } from "../../../sdk/typescript/dist/index.js";

const fields = { a: integer(), b: integer(), s: string() };

await new Plugin({ name: "bench", version: "1.0.0" })
  .function("echo", { description: "Sends back what it got.", parameters: fields, returns: object(fields) }, (given) => given)
  .serve();
