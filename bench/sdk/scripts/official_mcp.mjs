// The service as an MCP server with the official SDK for Node. NODE_MODULES_MCP is the folder that it is installed in.

import { createRequire } from "node:module";

const require = createRequire(`${process.env.NODE_MODULES_MCP}/`);
const { McpServer } = require("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = require("@modelcontextprotocol/sdk/server/stdio.js");
const { z } = require("zod");

const fields = { a: z.number().int(), b: z.number().int(), s: z.string() };
const server = new McpServer({ name: "bench", version: "1.0.0" });
server.registerTool(
  "echo",
  { description: "Sends back what it got.", inputSchema: fields, outputSchema: fields },
  (given) => ({ content: [{ type: "text", text: JSON.stringify(given) }], structuredContent: given }),
);
await server.connect(new StdioServerTransport());
