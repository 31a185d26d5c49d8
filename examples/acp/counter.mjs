// An agent with the official SDK for TypeScript, which counts the words of the files that a prompt names.
//
//     npm install @agentclientprotocol/sdk
//     tenon acp chat --prompt README.md -- tenon acp guard -- node counter.mjs
import { randomUUID } from "node:crypto";
import { resolve } from "node:path";
import { Readable, Writable } from "node:stream";

import * as acp from "@agentclientprotocol/sdk";

const { agent, client: editor } = acp.methods;
const folders = new Map();

const app = acp.agent({ name: "counter" })
  .onRequest(agent.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentInfo: { name: "counter", version: "1.0.0" },
    agentCapabilities: {},
  }))
  .onRequest(agent.session.new, ({ params }) => {
    const sessionId = randomUUID();
    folders.set(sessionId, params.cwd);
    return { sessionId };
  })
  .onRequest(agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    const names = prompt.flatMap((block) => (block.type === "text" ? block.text.split(/\s+/).filter(Boolean) : []));
    for (const name of names) {
      const path = resolve(folders.get(sessionId), name);
      // The editor reads the file, with what is not saved yet, and the guard sees it.
      const { content } = await client.request(editor.fs.readTextFile, { sessionId, path });
      const text = `${name}: ${content.split(/\s+/).filter(Boolean).length} words\n`;
      const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
      await client.notify(editor.session.update, { sessionId, update });
    }
    return { stopReason: "end_turn" };
  });

await app.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin))).closed;
