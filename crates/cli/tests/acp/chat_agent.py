"""An agent for tests: each prompt says what it does. Arguments: stubborn (does not end with its input), login, plain, http (takes
MCP servers with a URL)."""

import json, os, signal, sys, time

last, cancelled = 0, False
session, servers = "s1", []


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def update(what, **members):
    send({"method": "session/update", "params": {"sessionId": session, "update": {"sessionUpdate": what, **members}}})


def text(what):
    return {"type": "text", "text": what}


def say(what):
    update("agent_message_chunk", content=text(what))


def receive():
    """The next message that is not an event."""
    global cancelled
    while line := sys.stdin.readline():
        message = json.loads(line)
        if message.get("method") == "session/cancel":
            cancelled = True
        if "id" in message or message.get("method") == "session/cancel":
            return message
    raise EOFError


def ask(method, **params):
    global last
    last += 1
    send({"id": f"q{last}", "method": method, "params": {"sessionId": session, **params}})
    while (answer := receive()).get("id") != f"q{last}" or "method" in answer:
        pass
    return answer


def start(method, **params):
    """A call whose answer is not waited for."""
    global last
    last += 1
    send({"id": f"q{last}", "method": method, "params": {"sessionId": session, **params}})


def withdraw(what):
    """Asks something, and withdraws it when the FIFO is opened."""
    if what == "form":
        schema = {"type": "object", "properties": {"name": {"type": "string", "title": "Your name"}}}
        start("elicitation/create", mode="form", message="Who are you?", requestedSchema=schema)
    else:
        diff = {"type": "diff", "path": "/notes.txt", "oldText": "one\n", "newText": "two\n" * 5}
        start("session/request_permission", **asked("w", "edit", "Edit notes.txt", content=[diff]))
    open("go").read()
    send({"method": "$/cancel_request", "params": {"requestId": f"q{last}"}})
    while (answer := receive()).get("id") != f"q{last}" or "method" in answer:
        pass
    say("never mind")


def asked(id, kind, title, **members):
    options = [("once", "Allow once", "allow_once"), ("ever", "Always allow", "allow_always"), ("no", "Reject", "reject_once")]
    options = [{"optionId": option, "name": name, "kind": what} for option, name, what in options]
    return {"toolCall": {"toolCallId": id, "kind": kind, "title": title, **members}, "options": options}


def permission(id, kind, title, **members):
    outcome = ask("session/request_permission", **asked(id, kind, title, **members))["result"]["outcome"]
    return outcome.get("optionId", outcome["outcome"])


def edit(name):
    path = os.path.join(os.getcwd(), name)
    diff = {"type": "diff", "path": path, "oldText": "one\ntwo\n", "newText": "one\n2\n"}
    update("tool_call", toolCallId="t", title=f"Edit {name}", kind="edit", status="pending")
    answer = permission("t", "edit", f"Edit {name}", content=[diff], rawInput={"path": path})
    if answer in ("once", "ever"):
        ask("fs/write_text_file", path=path, content="one\n2\n")
        update("tool_call_update", toolCallId="t", status="completed", content=[diff])
    else:
        update("tool_call_update", toolCallId="t", status="failed")
    say(f"answer: {answer}")


def run(line):
    answer = permission("r", "execute", line, rawInput={"command": line})
    if answer not in ("once", "ever"):
        return say(f"answer: {answer}")
    created = ask("terminal/create", command=line)
    if "error" in created:
        return say(f"error: {created['error']['message']}")
    terminal = created["result"]["terminalId"]
    update("tool_call", toolCallId="r", title=line, kind="execute", content=[{"type": "terminal", "terminalId": terminal}])
    status = ask("terminal/wait_for_exit", terminalId=terminal)["result"]
    output = ask("terminal/output", terminalId=terminal)["result"]["output"]
    ask("terminal/release", terminalId=terminal)
    update("tool_call_update", toolCallId="r", status="completed")
    say(f"{output}{json.dumps(status)}")


def turn(prompt):
    """Returns the reason why the turn ended."""
    global cancelled
    cancelled = False
    verb, _, rest = prompt[0]["text"].strip().partition(" ")
    match verb:
        case "say":
            for word in rest.split(" "):
                say(word + " ")
        case "think":
            update("agent_thought_chunk", content=text("let me see"))
            say("done")
        case "edit":
            edit(rest)
        case "slow":
            say("working\n")
            open("go").read()
            edit(rest)
        case "write":
            answer = ask("fs/write_text_file", path=os.path.join(os.getcwd(), rest), content="x")
            say("refused" if "error" in answer else "written")
        case "write-lines":
            lines = "".join(f"line {number}\n" for number in range(100))
            answer = ask("fs/write_text_file", path=os.path.join(os.getcwd(), rest), content=lines)
            say("refused" if "error" in answer else "written")
        case "run":
            run(rest)
        case "run-file":
            line = open(rest).read().removeprefix("run ")
            say(f"answer: {permission('r', 'execute', 'long', rawInput={'command': line})}")
        case "plan":
            for status in ("pending", "in_progress", "completed"):
                update("plan", entries=[{"content": "Think", "priority": "high", "status": status}])
        case "hang":
            say("working\n")
            while not cancelled:
                receive()
            return "cancelled"
        case "ignore":
            say("working\n")
            while True:
                receive()
        case "hide":
            # The input of a change names more than the change.
            diff = {"type": "diff", "path": os.path.join(os.getcwd(), "a.txt"), "oldText": "one\n", "newText": "two\n"}
            hidden = {"cmd": "touch evil", "path": "b.txt", "old_string": "one", "diff": "--- a/c.txt\n+++ b/c.txt\n"}
            permission("h", "edit", "Edit a.txt", content=[diff], rawInput=hidden)
            say("asked\n")
        case "replace":
            # What was said before the question is not what is asked.
            update("tool_call", toolCallId="p", title="List", kind="execute", rawInput={"command": "touch evil"})
            say(f"answer: {permission('p', 'execute', 'List', rawInput={'command': 'true'})}\n")
            say("refused" if "error" in ask("terminal/create", command="touch evil") else "started")
        case "start":
            say("refused" if "error" in ask("terminal/create", command=rest) else "started")
        case "ask-forever":
            answer = permission("f", "edit", "Edit forever")
            say(f"answer: {answer}")
            return "cancelled" if cancelled else "end_turn"
        case "die":
            say("half a sen")
            sys.exit("out of memory")
        case "evil":
            say("\x1b[2J\x1b]0;owned\x07a\rb\u202ec")
            update("tool_call", toolCallId="e", title="\x1b[31mred\nnext line", status="completed", kind="\x1b[1m")
        case "flood":
            for number in range(int(rest)):
                say(f"{number}\n")
        case "odd":
            update("hologram", x=1)
            update("tool_call_update", toolCallId="o", _meta={})
            update("tool_call", toolCallId="o", title="Twice", status="in_progress")
            update("tool_call", toolCallId="o", title="Twice", status="in_progress")
            print("not a message", flush=True)
            send({"error": {"code": -32700, "message": "Parse error"}})
            say("")
            say("still here")
        case "blocks":
            say(" ".join(block["type"] for block in prompt))
        case "form":
            schema = {"type": "object", "required": ["name"], "properties": {
                "name": {"type": "string", "title": "Your name"},
                "colour": {"type": "string", "enum": ["red", "green"], "title": "A colour"}}}
            answer = ask("elicitation/create", mode="form", message="Who are you?", requestedSchema=schema)
            say(json.dumps(answer.get("result", "refused")))
        case "long-form":
            schema = {"type": "object", "required": ["port", "mail"], "properties": {
                "port": {"type": "integer", "title": "Port", "minimum": 1, "maximum": 9, "default": 7},
                "mail": {"type": "string", "format": "email", "description": "Where to write to"},
                "tools": {"type": "array", "items": {"enum": ["a", "b", "c"]}, "maxItems": 2},
                "sure": {"type": "boolean"}}}
            answer = ask("elicitation/create", mode="form", message="Some questions", requestedSchema=schema)
            say(json.dumps(answer.get("result", "refused")))
        case "nested-form":
            schema = {"type": "object", "properties": {"x": {"type": "object"}}}
            answer = ask("elicitation/create", mode="form", message="Who are you?", requestedSchema=schema)
            say(answer["error"]["data"]["details"])
        case "withdraw":
            withdraw(rest)
        case "die-asking":
            start("session/request_permission", **asked("f", "edit", "Edit forever"))
            open("go").read()
            print("no more memory", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
        case "mcp":
            say(json.dumps(servers))
        case "refuse":
            return "refusal"
        case "tokens":
            return "max_tokens"
        case "fail":
            return None
        case "env":
            say(os.environ.get(rest, "not set"))
        case _:
            say(f"you said: {prompt[0]['text']}")
    return "end_turn"


def answer(message):
    global session
    id, params = message["id"], message.get("params") or {}
    match message["method"]:
        case "initialize":
            sessions = {} if "plain" in sys.argv else {"list": {}, "close": {}}
            result = {"protocolVersion": 1, "agentInfo": {"name": "test", "version": "1"}, "agentCapabilities": {
                "loadSession": True, "promptCapabilities": {"image": "plain" not in sys.argv}, "sessionCapabilities": sessions}}
            if "http" in sys.argv:
                result["agentCapabilities"]["mcpCapabilities"] = {"http": True}
            if "login" in sys.argv:
                result["authMethods"] = [{"id": "key", "name": "A key"}]
        case "authenticate":
            sys.argv.remove("login")
            result = {}
        case "session/new" if "login" in sys.argv:
            return send({"id": id, "error": {"code": -32000, "message": "Authentication required"}})
        case "session/new":
            servers.extend(params["mcpServers"])
            commands = [{"name": "review", "description": "Look at the changes"}, {"name": "init", "description": "Begin"}]
            update("available_commands_update", availableCommands=commands)
            result = {"sessionId": session, "modes": {"currentModeId": "ask", "availableModes": [
                {"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}]}}
        case "session/load" if params["sessionId"] == "old":
            session = "old"
            update("user_message_chunk", content=text("hello there"))
            say("hello yourself")
            result = None
        case "session/load":
            return send({"id": id, "error": {"code": -32603, "message": "Session not found"}})
        case "session/list":
            result = {"sessions": [
                {"sessionId": "older", "cwd": os.getcwd(), "updatedAt": "2026-01-01T00:00:00Z"},
                {"sessionId": "old", "cwd": os.getcwd(), "title": "Greetings", "updatedAt": "2026-01-02T00:00:00Z"},
                {"sessionId": "elsewhere", "cwd": "/", "updatedAt": "2026-01-03T00:00:00Z"}]}
        case "session/set_mode":
            update("current_mode_update", currentModeId=params["modeId"])
            result = {}
        case "session/prompt":
            reason = turn(params["prompt"])
            if reason is None:
                return send({"id": id, "error": {"code": -32603, "message": "the model is down"}})
            result = {"stopReason": reason}
        case "session/close":
            result = {}
        case method:
            return send({"id": id, "error": {"code": -32601, "message": f"no {method}"}})
    send({"id": id, "result": result})


try:
    while True:
        message = receive()
        if "id" in message and "method" in message:
            answer(message)
except EOFError:
    pass
if "stubborn" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(1)
