// A client with the official SDK for TypeScript: node client.mjs SETTINGS
// SETTINGS is JSON: { modules, folder, answer, steps, agent }. It prints each message that passes, and how the agent
// ended, as one line of JSON each.
import { spawn } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const settings = JSON.parse(process.argv[2]);
const sdk = join(settings.modules, "@agentclientprotocol/sdk/dist/v1/stable/acp.js");
const acp = await import(pathToFileURL(sdk));
const { agent: theirs, client: own } = acp.methods;

const print = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

// Its own process group, so that agents that ignore the end of their input can be ended with their children.
const [program, ...args] = settings.agent;
const child = spawn(program, args, { cwd: settings.folder, stdio: ["pipe", "pipe", "inherit"], detached: true });
const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));

const terminals = new Map();

function createTerminal({ command, args, cwd, outputByteLimit }) {
  const folder = cwd ?? settings.folder;
  const process = args?.length ? spawn(command, args, { cwd: folder }) : spawn("sh", ["-c", command], { cwd: folder });
  const terminal = { process, output: "" };
  for (const stream of [process.stdout, process.stderr]) {
    stream.setEncoding("utf8").on("data", (data) => (terminal.output += data));
  }
  terminal.exit = new Promise((resolve) => {
    process.once("close", (exitCode, signal) => resolve((terminal.status = { exitCode, signal })));
  });
  terminal.limit = outputByteLimit ?? 100_000;
  const terminalId = `terminal-${terminals.size}`;
  terminals.set(terminalId, terminal);
  return { terminalId };
}

// What the current step waits for before it cancels.
let cancelAt = {};

async function permission({ options }) {
  if (cancelAt.kind === "permission") {
    // The agent has to know first that the turn is cancelled, or it takes this for a rejection.
    cancelAt.now();
    await cancelAt.sent;
    return { outcome: { outcome: "cancelled" } };
  }
  const option = options.find(({ kind }) => kind === settings.answer);
  return { outcome: { outcome: "selected", optionId: option.optionId } };
}

const app = acp
  .client({ name: "peer" })
  .onNotification(own.session.update, ({ params }) => {
    if (params.update.sessionUpdate === cancelAt.kind) cancelAt.now();
  })
  .onRequest(own.session.requestPermission, ({ params }) => permission(params))
  .onRequest(own.fs.readTextFile, async ({ params }) => {
    // What an agent that creates a file expects of one that does not exist.
    const content = await readFile(params.path, "utf8").catch(() => {
      throw acp.RequestError.resourceNotFound(params.path);
    });
    return { content };
  })
  .onRequest(own.fs.writeTextFile, async ({ params }) => {
    await mkdir(dirname(params.path), { recursive: true });
    await writeFile(params.path, params.content);
    return {};
  })
  .onRequest(own.terminal.create, ({ params }) => createTerminal(params))
  .onRequest(own.terminal.output, ({ params }) => {
    const { output, limit, status } = terminals.get(params.terminalId);
    return { output: output.slice(-limit), truncated: output.length > limit, exitStatus: status };
  })
  .onRequest(own.terminal.waitForExit, ({ params }) => terminals.get(params.terminalId).exit)
  .onRequest(own.terminal.kill, ({ params }) => {
    terminals.get(params.terminalId).process.kill();
    return {};
  })
  .onRequest(own.terminal.release, ({ params }) => {
    terminals.get(params.terminalId).process.kill();
    return {};
  });

// The messages as they are on the wire, seen between the SDK and its stream.
function tapped({ readable, writable }) {
  const seen = (to) =>
    new TransformStream({
      transform(message, controller) {
        print({ to, message });
        controller.enqueue(message);
      },
    });
  const outgoing = seen("agent");
  outgoing.readable.pipeTo(writable).catch(() => {});
  return { readable: readable.pipeThrough(seen("client")), writable: outgoing.writable };
}

async function prompt(agent, sessionId, { prompt, cancel }) {
  let isSent;
  const sent = new Promise((resolve) => (isSent = resolve));
  const reached = new Promise((resolve) => (cancelAt = { kind: cancel, now: resolve, sent }));
  const answer = agent.request(theirs.session.prompt, { sessionId, prompt: [{ type: "text", text: prompt }] });
  if (cancel) {
    await Promise.race([reached, answer]);
    await agent.notify(theirs.session.cancel, { sessionId });
    isSent();
  }
  await answer;
}

const stream = acp.ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
await app.connectWith(tapped(stream), async (agent) => {
  const clientCapabilities = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
  const clientInfo = { name: "peer", version: "1.0.0" };
  await agent.request(theirs.initialize, { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities, clientInfo });
  let sessionId;
  for (const step of settings.steps) {
    const place = { cwd: settings.folder, mcpServers: [] };
    try {
      if (step === "new") ({ sessionId } = await agent.request(theirs.session.new, place));
      else if (step === "load") await agent.request(theirs.session.load, { sessionId, ...place });
      else if (step.prompt) await prompt(agent, sessionId, step);
      else await agent.request(step.call, { sessionId, ...step.params });
    } catch {
      // An error is an answer as well: the test finds it among the messages.
    }
  }
});

child.stdin.end();
const patience = setTimeout(() => {
  print({ ignored: "end of input" });
  process.kill(-child.pid, "SIGTERM");
}, settings.patience ?? 30_000);
const exit = await ended;
clearTimeout(patience);
print({ exit });
process.exit();
