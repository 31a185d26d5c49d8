// An agent with the official SDK for TypeScript: node agent.mjs NODE_MODULES
// A prompt with "everything" makes it use all that a client offers; one with "wait" waits until it is cancelled.
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const sdk = join(process.argv[2], "@agentclientprotocol/sdk/dist/v1/stable/acp.js");
const acp = await import(pathToFileURL(sdk));
const { agent: own, client: theirs } = acp.methods;

const sessions = new Map();
const text = (text) => ({ type: "text", text });
const options = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

class Session {
  said = [];
  cancelled = () => {};

  constructor(id, folder, client) {
    Object.assign(this, { id, folder, client });
  }

  update(update) {
    return this.client.notify(theirs.session.update, { sessionId: this.id, update });
  }

  async say(words) {
    this.said.push(words);
    await this.update({ sessionUpdate: "agent_message_chunk", content: text(words) });
  }

  plan(status) {
    const entries = [{ content: "Change the notes", priority: "high", status }];
    return this.update({ sessionUpdate: "plan", entries });
  }

  step(toolCallId, fields) {
    return this.update({ sessionUpdate: "tool_call_update", toolCallId, ...fields });
  }

  async mayI(toolCall) {
    const params = { sessionId: this.id, toolCall, options };
    const { outcome } = await this.client.request(theirs.session.requestPermission, params);
    return outcome.outcome === "selected" && outcome.optionId === "yes";
  }

  async read(path) {
    const call = { toolCallId: "read-1", title: "Read the notes", kind: "read", locations: [{ path }] };
    await this.update({ sessionUpdate: "tool_call", ...call, status: "in_progress" });
    const { content } = await this.client.request(theirs.fs.readTextFile, { sessionId: this.id, path });
    await this.step("read-1", { status: "completed", content: [{ type: "content", content: text(content) }] });
    return content;
  }

  async edit(path, oldText, newText) {
    const toolCallId = "edit-1";
    const content = [{ type: "diff", path, oldText, newText }];
    const call = { toolCallId, title: "Change the notes", kind: "edit", locations: [{ path }], content };
    await this.update({ sessionUpdate: "tool_call", ...call, status: "pending" });
    if (!(await this.mayI(call))) return this.step(toolCallId, { status: "failed" });
    await this.client.request(theirs.fs.writeTextFile, { sessionId: this.id, path, content: newText });
    await this.step(toolCallId, { status: "completed" });
  }

  async run(command, args) {
    const toolCallId = "run-1";
    const rawInput = { command: [command, ...args].join(" ") };
    const call = { toolCallId, title: "Count the notes", kind: "execute", rawInput };
    await this.update({ sessionUpdate: "tool_call", ...call, status: "pending" });
    if (!(await this.mayI(call))) return this.step(toolCallId, { status: "failed" });
    const place = { sessionId: this.id, cwd: this.folder };
    const terminal = await this.client.createTerminal({ ...place, command, args, outputByteLimit: 1000 });
    const content = [{ type: "terminal", terminalId: terminal.id }];
    await this.step(toolCallId, { status: "in_progress", content });
    const { exitCode } = await terminal.waitForExit();
    const { output } = await terminal.currentOutput();
    await terminal.release();
    await this.step(toolCallId, { status: "completed", rawOutput: { exitCode, output } });
  }

  async everything() {
    await this.update({ sessionUpdate: "agent_thought_chunk", content: text("Where are the notes?") });
    await this.plan("in_progress");
    await this.say("I read ");
    await this.say("the notes. ");
    const notes = join(this.folder, "notes.txt");
    const content = await this.read(notes);
    await this.edit(notes, content, `${content}changed by the agent\n`);
    await this.run("wc", ["-l", "notes.txt"]);
    await this.plan("completed");
    await this.say("Done.");
    return { stopReason: "end_turn" };
  }

  async wait() {
    const cancelled = new Promise((resolve) => (this.cancelled = resolve));
    await this.say("Waiting. ");
    await cancelled;
    return { stopReason: "cancelled" };
  }
}

function session(id) {
  const found = sessions.get(id);
  if (!found) throw acp.RequestError.resourceNotFound(id);
  return found;
}

const app = acp
  .agent({ name: "everything" })
  .onRequest(own.initialize, () => ({
    protocolVersion: acp.PROTOCOL_VERSION,
    agentInfo: { name: "everything", version: "1.0.0" },
    agentCapabilities: { loadSession: true, sessionCapabilities: { close: {} } },
  }))
  .onRequest(own.session.new, async ({ params, client }) => {
    const made = new Session(randomUUID(), params.cwd, client);
    sessions.set(made.id, made);
    return { sessionId: made.id };
  })
  .onRequest(own.session.load, async ({ params }) => {
    const found = session(params.sessionId);
    for (const words of found.said) {
      await found.update({ sessionUpdate: "agent_message_chunk", content: text(words) });
    }
    return {};
  })
  .onRequest(own.session.close, ({ params }) => {
    sessions.delete(params.sessionId);
    return {};
  })
  .onRequest(own.session.prompt, ({ params }) => {
    const words = params.prompt.map((block) => block.text ?? "").join("");
    const found = session(params.sessionId);
    return words.includes("wait") ? found.wait() : found.everything();
  })
  .onNotification(own.session.cancel, ({ params }) => session(params.sessionId).cancelled());

const connection = app.connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
await connection.closed;
