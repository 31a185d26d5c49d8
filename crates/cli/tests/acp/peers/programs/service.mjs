// Runs an agent with a stand-in for its model service: node service.mjs opencode|claude HOME PROGRAM...
// The stand-in listens on the loopback address and speaks the streaming protocols of OpenAI and Anthropic. What it
// says is in the prompt: TOOL:name:{arguments} is one call of a tool, SLOW a text that does not end.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";

const [kind, home, ...command] = process.argv.slice(2);
// Messages and calls of tools need ids of their own: agents join what has the same one.
let lastId = 0;
const id = (kind) => `${kind}_${(lastId += 1)}`;

// What the model says, as text and calls of tools. `isResult` is set if the last message is what a tool returned.
function reply(prompt, isResult, tools) {
  if (isResult) return [{ text: "All done." }];
  const tool = /TOOL:(\w+):(\{.*\})$/m.exec(prompt);
  if (tool && tools.includes(tool[1])) {
    return [{ text: "Working. " }, { id: id("call"), name: tool[1], arguments: tool[2] }];
  }
  // Titles of sessions are written by the model as well, without tools.
  if (tools.length && prompt.includes("SLOW")) return [{ text: "Slowly. " }, { isEndless: true }];
  return [{ text: "Hello." }];
}

const textOf = (content) =>
  typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? "").join("\n");

function openai(body, send) {
  const messages = body.messages ?? [];
  const prompt = textOf(messages.findLast(({ role }) => role === "user")?.content);
  const tools = (body.tools ?? []).map((tool) => tool.function.name);
  const parts = reply(prompt, messages.at(-1)?.role === "tool", tools);
  const base = { id: id("chat"), object: "chat.completion.chunk", created: 1, model: "test-model" };
  const chunk = (delta, finish_reason = null, more = {}) =>
    send(null, { ...base, choices: [{ index: 0, delta, finish_reason }], ...more });
  chunk({ role: "assistant" });
  for (const part of parts) {
    if (part.isEndless) return false;
    if (part.text) chunk({ content: part.text });
    else {
      const { id, name, arguments: args } = part;
      chunk({ tool_calls: [{ index: 0, id, type: "function", function: { name, arguments: args } }] });
    }
  }
  const usage = { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 };
  chunk({}, parts.some(({ name }) => name) ? "tool_calls" : "stop", { usage });
  send(null, "[DONE]");
  return true;
}

function anthropic(body, send) {
  const last = body.messages?.at(-1);
  const isResult = Array.isArray(last?.content) && last.content.some(({ type }) => type === "tool_result");
  const tools = (body.tools ?? []).map(({ name }) => name);
  const parts = reply(textOf(last?.content), isResult, tools);
  const event = (type, fields) => send(type, { type, ...fields });
  const usage = { input_tokens: 5, output_tokens: 3 };
  const message = { id: id("msg"), type: "message", role: "assistant", model: body.model, content: [] };
  event("message_start", { message: { ...message, stop_reason: null, stop_sequence: null, usage } });
  for (const [index, part] of parts.entries()) {
    if (part.isEndless) return false;
    const { text, id, name } = part;
    const content_block = text ? { type: "text", text: "" } : { type: "tool_use", id, name, input: {} };
    const delta = text ? { type: "text_delta", text } : { type: "input_json_delta", partial_json: part.arguments };
    event("content_block_start", { index, content_block });
    event("content_block_delta", { index, delta });
    event("content_block_stop", { index });
  }
  const stop_reason = parts.some(({ name }) => name) ? "tool_use" : "end_turn";
  event("message_delta", { delta: { stop_reason, stop_sequence: null }, usage });
  event("message_stop", {});
  return true;
}

const server = createServer(async (request, response) => {
  let text = "";
  for await (const piece of request.setEncoding("utf8")) text += piece;
  const body = text ? JSON.parse(text) : {};
  const isChat = request.url.includes("/chat/completions");
  const isMessages = /\/v1\/messages(\?|$)/.test(request.url);
  if (!body.stream || !(isChat || isMessages)) {
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ input_tokens: 5, data: [], content: [{ type: "text", text: "ok" }] }));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (type, data) => {
    const value = typeof data === "string" ? data : JSON.stringify(data);
    response.write(`${type ? `event: ${type}\n` : ""}data: ${value}\n\n`);
  };
  // A text that does not end stays open until the agent hangs up.
  if ((isChat ? openai : anthropic)(body, send)) response.end();
});

function opencode(url) {
  const model = { name: "test", tool_call: true, limit: { context: 100_000, output: 10_000 } };
  const config = {
    formatter: false,
    lsp: false,
    share: "disabled",
    autoupdate: false,
    model: "test/test-model",
    permission: { edit: "ask", bash: "ask" },
    provider: {
      test: {
        npm: "@ai-sdk/openai-compatible",
        options: { apiKey: "none", baseURL: `${url}/v1` },
        models: { "test-model": model },
      },
    },
  };
  return {
    XDG_DATA_HOME: join(home, "data"),
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    XDG_CACHE_HOME: join(home, "cache"),
    OPENCODE_TEST_HOME: home,
    OPENCODE_DISABLE_PROJECT_CONFIG: "1",
    OPENCODE_PURE: "1",
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_AUTOCOMPACT: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_AUTH_CONTENT: "{}",
    OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
  };
}

const claude = (url) => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: "none",
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
});

// Nothing but the loopback address can be reached: nobody listens on the port of this proxy.
const loopback = { HTTP_PROXY: "http://127.0.0.1:9", HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: "127.0.0.1" };
for (const name of Object.keys(loopback)) loopback[name.toLowerCase()] = loopback[name];

// Agents look into many variables: they get none of ours but these.
const inherited = Object.entries(process.env).filter(([name]) => name === "PATH" || name.startsWith("LC_"));

mkdirSync(home, { recursive: true });
server.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  const variables = { opencode, claude }[kind](url);
  // The agent inherits standard input and output. It is ended with this process, whose group it is in.
  const child = spawn(command[0], command.slice(1), {
    stdio: "inherit",
    env: { ...Object.fromEntries(inherited), HOME: home, ...loopback, ...variables },
  });
  child.once("exit", (code) => process.exit(code ?? 1));
  process.once("SIGTERM", () => child.kill("SIGTERM"));
});
