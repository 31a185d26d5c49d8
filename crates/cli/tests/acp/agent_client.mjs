// Drives `tenon acp agent` with the client of the official SDK. Run as
//   node agent_client.mjs MODULES TENON FOLDER PART
// Every message of the agent is checked with the JSON Schema of the SDK.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const [modules, tenon, folder, part] = process.argv.slice(2);
const require = createRequire(join(modules, "package.json"));
const sdk = join(modules, "node_modules/@agentclientprotocol/sdk");
const acp = await import(pathToFileURL(join(sdk, "dist/v1/stable/acp.js")));
const Ajv = require("ajv/dist/2020").default;
const schema = JSON.parse(readFileSync(join(sdk, "schema/v1/schema.json"), "utf8"));
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema(schema, "acp");
const definitions = new Map();
for (const [name, definition] of Object.entries(schema.$defs)) {
  if (definition["x-method"] === undefined) continue;
  const side = name.endsWith("Response") ? "result" : "params";
  definitions.set(`${definition["x-method"]} ${side}`, name);
}

const work = realpathSync(folder) + "/work";
mkdirSync(work, { recursive: true });
const store = realpathSync(folder) + "/sessions";

function check(method, side, value) {
  const name = definitions.get(`${method} ${side}`);
  assert.ok(name, `the schema has no ${side} of ${method}`);
  const validate = ajv.getSchema(`acp#/$defs/${name}`);
  assert.ok(validate(value), `${name}: ${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`);
}

// A running agent, the client that is connected to it, and what the client has seen.
class Agent {
  constructor(capabilities = { fs: { readTextFile: true, writeTextFile: true } }) {
    this.updates = [];
    this.asked = [];
    this.answer = "allow_once";
    this.waiting = [];
    this.child = spawn(tenon, ["acp", "agent", "--store", store], { stdio: ["pipe", "pipe", "inherit"] });
    this.exited = new Promise((done) => this.child.once("exit", (code) => done(code)));
    const methods = new Map();
    const lines = (stream, see) => {
      let rest = "";
      return new TransformStream({
        transform(chunk, controller) {
          rest += new TextDecoder().decode(chunk);
          const parts = rest.split("\n");
          rest = parts.pop();
          parts.forEach((line) => see(JSON.parse(line)));
          controller.enqueue(chunk);
        },
      });
    };
    const sent = lines("sent", (message) => {
      if (message.method && message.id !== undefined) methods.set(message.id, message.method);
    });
    sent.readable.pipeTo(Writable.toWeb(this.child.stdin)).catch(() => {});
    const received = lines("received", (message) => {
      if (message.method) check(message.method, "params", message.params);
      else if (message.result !== undefined) check(methods.get(message.id), "result", message.result);
    });
    const input = Readable.toWeb(this.child.stdout).pipeThrough(received);
    const stream = acp.ndJsonStream(sent.writable, input);
    const { methods: names } = acp;
    this.connection = acp
      .client({ name: "test" })
      .onNotification(names.client.session.update, ({ params }) => this.see(params.update))
      .onRequest(names.client.session.requestPermission, ({ params }) => {
        this.asked.push(params);
        if (this.answer === "cancelled") return { outcome: { outcome: "cancelled" } };
        const option = params.options.find((one) => one.kind === this.answer);
        return { outcome: { outcome: "selected", optionId: option.optionId } };
      })
      .onRequest(names.client.fs.writeTextFile, ({ params }) => {
        mkdirSync(dirname(params.path), { recursive: true });
        writeFileSync(params.path, params.content);
        return {};
      })
      .connect(stream);
    this.capabilities = capabilities;
  }

  see(update) {
    this.updates.push(update);
    this.waiting = this.waiting.filter(({ is, done }) => !(is(update) && (done(), true)));
  }

  until(is) {
    return new Promise((done) => this.waiting.push({ is, done }));
  }

  call(method, params) {
    return this.connection.agent.request(method, params);
  }

  async initialize() {
    const result = await this.call("initialize", { protocolVersion: 1, clientCapabilities: this.capabilities });
    assert.equal(result.protocolVersion, 1);
    assert.equal(result.agentInfo.name, "tenon");
    return result;
  }

  async open() {
    await this.initialize();
    const commands = this.until((update) => update.sessionUpdate === "available_commands_update");
    this.session = await this.call("session/new", { cwd: work, mcpServers: [] });
    this.id = this.session.sessionId;
    await commands;
  }

  async prompt(text) {
    this.updates = [];
    this.asked = [];
    const { stopReason } = await this.call("session/prompt", { sessionId: this.id, prompt: [{ type: "text", text }] });
    return stopReason;
  }

  text(kind = "agent_message_chunk") {
    const chunks = this.updates.filter((update) => update.sessionUpdate === kind);
    return chunks.map((update) => update.content.text).join("");
  }

  // The last state of the only tool call, and all its output.
  tool() {
    const calls = this.updates.filter((update) => update.sessionUpdate.startsWith("tool_call"));
    const [first, ...rest] = calls;
    for (const update of rest) Object.assign(first, update);
    first.output = (first.content ?? []).map((one) => one.content?.text ?? "").join("");
    return first;
  }

  async end() {
    this.child.stdin.end();
    assert.equal(await this.exited, 0);
  }
}

const records = () => readdirSync(work).filter((name) => name.startsWith("orchard_") && name.endsWith(".json"));
const slow = `scenario "slow" {
  required_providers {
    exec = { source = "builtin/exec" }
  }
  action "exec_run" "first" {
    command = "true"
    lifecycle {
      teardown {
        command = "touch"
        args    = ["${work}/undone"]
      }
    }
  }
  action "exec_run" "wait" {
    command    = "sleep"
    args       = ["1000"]
    depends_on = [action.exec_run.first]
  }
}
`;

const parts = {
  async scenarios() {
    const agent = new Agent();
    await agent.open();
    assert.deepEqual(agent.session.modes.availableModes.map((mode) => mode.id), ["ask", "plan"]);

    assert.equal(await agent.prompt("/init"), "end_turn");
    assert.equal(agent.asked.length, 2);
    assert.equal(agent.asked[0].toolCall.kind, "edit");
    assert.equal(agent.asked[0].toolCall.content[0].type, "diff");
    assert.equal(agent.asked[0].toolCall.locations[0].path, `${work}/scenarios/hello.hcl`);
    assert.ok(existsSync(`${work}/components/merchant.hcl`));

    await agent.prompt("/scenarios");
    assert.match(agent.text(), /`hello` in `scenarios\/hello.hcl`/);

    // Planning starts nothing but Tenon's own providers, so nobody is asked.
    await agent.prompt("/plan scenarios/hello.hcl city=Lier");
    assert.equal(agent.asked.length, 0);
    assert.equal(agent.tool().status, "completed");
    assert.match(agent.tool().output, /Lier/);
    assert.match(agent.text(), /\/run scenarios\/hello.hcl/);

    assert.equal(await agent.prompt("/run scenarios/hello.hcl city=Lier"), "end_turn");
    assert.equal(agent.asked.length, 1);
    const { rawInput, kind, locations } = agent.asked[0].toolCall;
    assert.equal(kind, "execute");
    assert.equal(rawInput.command, "tenon run scenarios/hello.hcl --var city=...");
    assert.equal(locations[0].path, `${work}/scenarios/hello.hcl`);
    assert.equal(agent.tool().status, "completed", agent.tool().output);
    assert.match(agent.tool().output, /ok action.sqlite_script.schema/);
    assert.match(agent.tool().output, /greeting = merchant 1 has 2 customers/);
    const plans = agent.updates.filter((update) => update.sessionUpdate === "plan");
    assert.ok(plans.length > 0);
    assert.ok(plans.at(-1).entries.every((entry) => entry.status === "completed"), JSON.stringify(plans.at(-1)));
    assert.ok(plans.at(-1).entries.some((entry) => entry.content === "action.sqlite_script.schema"));

    const [record] = records();
    assert.match(agent.text(), new RegExp(`/teardown ${record}`));
    await agent.prompt(`/teardown ${record}`);
    assert.equal(agent.tool().status, "completed", agent.tool().output);
    assert.match(agent.text(), /is undone/);
    await agent.end();
  },

  async refusals() {
    const agent = new Agent({});
    await agent.open();
    writeFileSync(`${work}/slow.hcl`, slow);
    for (const [text, expected] of [
      ["what can you do?", /\/scenarios/],
      ["/rum slow.hcl", /did you mean `\/run`/],
      ["/run", /a scenario file is required/],
      ["/run missing.hcl", /No such file/],
      ["/run ../outside.hcl", /No such file|outside/],
      ["/run /etc/hostname", /outside the folder/],
      ["/teardown slow.hcl x", /RECORD/],
      ["/call x", /after `--`/],
    ]) {
      assert.equal(await agent.prompt(text), "end_turn");
      assert.match(agent.text(), expected, text);
      assert.equal(agent.asked.length, 0, text);
    }
    agent.answer = "reject_once";
    await agent.prompt("/run slow.hcl");
    assert.equal(agent.asked.length, 1);
    assert.equal(agent.tool().status, "failed");
    assert.match(agent.text(), /nothing was done/);
    await agent.prompt("/init");
    assert.ok(!existsSync(`${work}/scenarios`));
    await agent.prompt("/call x -- touch started");
    assert.ok(!existsSync(`${work}/started`));
    // A rule that allows `touch *` must not allow `touch a; git push`.
    await agent.prompt("/call x -- touch 'a; b'");
    assert.equal(agent.asked[0].toolCall.rawInput.command, "touch 'a; b'");
    agent.answer = "cancelled";
    assert.equal(await agent.prompt("/run slow.hcl"), "cancelled");
    agent.answer = "allow_once";

    await agent.call("session/set_mode", { sessionId: agent.id, modeId: "plan" });
    for (const text of ["/run slow.hcl", "/init", "/call x -- touch started", "/teardown slow.hcl"]) {
      await assert.rejects(agent.prompt(text), { code: -31801 }, text);
      assert.match(agent.text(), /Plan only/, text);
      assert.equal(agent.asked.length, 0);
    }
    await agent.prompt("/plan slow.hcl");
    assert.equal(agent.tool().status, "completed");
    const changed = await agent.call("session/set_config_option", { sessionId: agent.id, configId: "mode", value: "ask" });
    assert.equal(changed.configOptions[0].currentValue, "ask");
    // Without the client's files, the agent writes its own.
    await agent.prompt("/init");
    assert.ok(existsSync(`${work}/scenarios/hello.hcl`));
    writeFileSync(`${work}/broken.hcl`, 'scenario "x" {\n  nonsense = \n}\n');
    await agent.prompt("/run broken.hcl");
    assert.match(agent.text(), /broken.hcl/);
    await assert.rejects(agent.call("session/new", { cwd: `${work}/nowhere`, mcpServers: [] }), (error) => error.code === -32602);
    await agent.end();
    assert.deepEqual(records(), []);
  },

  async calls() {
    writeFileSync(`${work}/plugin.py`, `import json, sys
for line in sys.stdin:
    request = json.loads(line)
    name = request["params"]["name"]
    if name == "nobody":
        answer = {"error": {"code": 7, "message": "there is nobody"}}
    elif name == "forever":
        continue
    else:
        answer = {"result": f"hello, {name}"}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
`);
    const agent = new Agent();
    await agent.open();
    await agent.prompt(`/call greet {"name": "you"} -- python3 plugin.py`);
    assert.equal(agent.asked[0].toolCall.kind, "execute");
    assert.equal(agent.asked[0].toolCall.rawInput.command, "python3 plugin.py");
    assert.equal(agent.tool().status, "completed", agent.tool().output);
    assert.match(agent.text(), /"hello, you"/);
    agent.answer = "allow_always";
    await agent.prompt(`/call greet {"name": "nobody"} -- python3 plugin.py`);
    assert.equal(agent.tool().status, "failed");
    assert.match(agent.tool().output, /there is nobody/);
    await agent.prompt(`/call greet {"name": "you"} -- python3 plugin.py`);
    assert.equal(agent.asked.length, 0, "it need not be asked for again");
    for (const [text, code] of [
      ["/call greet {} -- ./no-such-program", -31800],
      ["/call --protocol mcp tools/list -- ./no-such-program", -31601],
      ["/call --protocol mcp tools/list -- python3 -c 'print(1)'", -31600],
    ]) {
      await assert.rejects(agent.prompt(text), (error) => error.code === code && error.data.details.length > 0, text);
      assert.equal(agent.tool().status, "failed", text);
    }
    const started = agent.until((update) => update.status === "in_progress");
    const turn = agent.prompt(`/call greet {"name": "forever"} -- python3 plugin.py`);
    await started;
    await agent.connection.agent.notify("session/cancel", { sessionId: agent.id });
    assert.equal(await turn, "cancelled");
    assert.equal(agent.tool().status, "failed");
    await agent.end();
  },

  async cancel() {
    writeFileSync(`${work}/slow.hcl`, slow);
    const agent = new Agent();
    await agent.open();
    const waits = (update) =>
      update.sessionUpdate === "plan" &&
      update.entries.some((entry) => entry.content === "action.exec_run.wait" && entry.status === "in_progress");
    const waiting = agent.until(waits);
    const turn = agent.prompt("/run slow.hcl");
    await waiting;
    await agent.connection.agent.notify("session/cancel", { sessionId: agent.id });
    assert.equal(await turn, "cancelled");
    assert.equal(agent.tool().status, "failed");
    assert.match(agent.tool().output, /interrupted/);
    const [record] = records();
    assert.ok(record, "there is a record");
    await agent.prompt(`/teardown ${record}`);
    assert.ok(existsSync(`${work}/undone`), agent.tool().output);
    // An editor that goes away stops the run too.
    const again = agent.until(waits);
    const left = agent.prompt("/run slow.hcl").catch(() => "gone");
    await again;
    agent.child.stdin.end();
    assert.equal(await agent.exited, 0);
    await left;
  },

  async killed() {
    writeFileSync(`${work}/slow.hcl`, slow);
    const agent = new Agent();
    await agent.open();
    await agent.prompt("/help");
    const help = agent.text();
    const started = agent.until((update) => update.status === "in_progress");
    const turn = agent.prompt("/run slow.hcl").catch(() => "gone");
    await started;
    agent.child.kill("SIGKILL");
    await agent.exited;
    await turn;

    const next = new Agent();
    const { agentCapabilities } = await next.initialize();
    assert.equal(agentCapabilities.loadSession, true);
    const { sessions } = await next.call("session/list", { cwd: work });
    assert.equal(sessions[0].sessionId, agent.id);
    assert.equal(sessions[0].title, "/help");
    await next.call("session/load", { sessionId: agent.id, cwd: work, mcpServers: [] });
    assert.equal(next.text("user_message_chunk"), "/help/run slow.hcl");
    assert.equal(next.text(), help);
    assert.equal(next.tool().status, "failed", "it was stopped");
    // The same session is open once.
    const third = new Agent();
    await third.initialize();
    const load = third.call("session/load", { sessionId: agent.id, cwd: work, mcpServers: [] });
    await assert.rejects(load, (error) => error.code === -31902);
    const unknown = { sessionId: "00000000-0000-4000-8000-000000000000", cwd: work, mcpServers: [] };
    await assert.rejects(third.call("session/load", unknown), (error) => error.code === -31900);
    await third.end();
    next.id = agent.id;
    assert.equal(await next.prompt("/scenarios"), "end_turn");
    await next.call("session/delete", { sessionId: agent.id });
    await next.end();
  },
};

await parts[part]();
