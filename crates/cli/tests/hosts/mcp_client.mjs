// The official MCP client, which starts a server and prints what it saw as one line of JSON.
//
//     node mcp_client.mjs SDK COMMAND [ARGUMENT...]

import { pathToFileURL } from "node:url";

const [sdk, command, ...args] = process.argv.slice(2);
const load = (file) => import(pathToFileURL(`${sdk}/dist/esm/${file}`).href);
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");

const client = new Client({ name: "test", version: "1.0.0" });
const env = { ...process.env };
await client.connect(new StdioClientTransport({ command, args, env, stderr: "inherit" }));
await client.ping();

// The client checks results against the schemas that it has listed.
const { tools } = await client.listTools();
const call = (name, given) => client.callTool({ name, arguments: given });
const refusal = (name, given) =>
  call(name, given).then(
    (result) => ({ result }),
    ({ code, message }) => ({ code, message }),
  );

// No progress here: this client forgets a call as soon as the answer is read, and drops progress that came with it in
// one piece. The transcripts have it.
const seen = {
  server: client.getServerVersion(),
  tools,
  forecast: await call("forecast", { city: "Oslo" }),
  failed: await call("forecast", { city: "Atlantis" }),
  wrong: await refusal("forecast", { city: "Oslo", days: "many" }),
  unknown: await refusal("forcast", {}),
  none: await call("outlook", { city: null }),
  published: await call("publish", { city: "Oslo", days: 2, file: "f" }),
};
await client.close();
console.log(JSON.stringify(seen));
