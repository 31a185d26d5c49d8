// Checks values against the JSON Schema of the official TypeScript SDK. Run as
//   node validate.mjs FOLDER
// where FOLDER has node_modules with the SDK and ajv. Standard input has one line for each value:
//   {"method": "...", "part": "params" | "result" | "error", "value": ...}
// Prints one line for each: "ok", or "unknown" if the schema has no such message, or what is wrong.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const folder = process.argv[2];
const require = createRequire(join(folder, "package.json"));
const Ajv = require("ajv/dist/2020").default;
const file = join(folder, "node_modules/@agentclientprotocol/sdk/schema/v1/schema.json");
const schema = JSON.parse(readFileSync(file, "utf8"));

// The schema has annotations and formats of its own (`x-method`, `uint16`), which do not restrict values.
const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: false });
ajv.addSchema(schema, "acp");

const names = new Map();
for (const [name, definition] of Object.entries(schema.$defs)) {
  if (definition["x-method"] === undefined) continue;
  const part = name.endsWith("Response") ? "result" : "params";
  names.set(`${definition["x-method"]} ${part}`, name);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { method, part, value } = JSON.parse(line);
  const name = part === "error" ? "Error" : names.get(`${method} ${part}`);
  if (name === undefined) {
    console.log("unknown");
    continue;
  }
  const validate = ajv.getSchema(`acp#/$defs/${name}`);
  console.log(validate(value) ? "ok" : `${name}: ${ajv.errorsText(validate.errors)}`);
}
