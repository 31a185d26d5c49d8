"""A plugin that puts hostile text wherever a plugin may put text.

    hostile.py provider ROLE    a provider of Orchard; ROLE is what it does with an action
    hostile.py peer             a JSON-RPC peer: the method says where the text goes
    hostile.py mcp              a server of the Model Context Protocol

The text is in `hostile.txt` beside it.
"""

import json
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(FOLDER, "hostile.txt"), encoding="utf-8", newline="") as file:
    TEXT = file.read()

SCHEMA = {
    "name": "hostile",
    "version": TEXT,
    "protocol": "1",
    "actions": {
        "act": {
            "description": TEXT,
            "attrs": {
                "text": {"type": "string", "default": TEXT, "description": TEXT},
                "texts": {"type": "list(string)", "default": [TEXT]},
                "named": {"type": "map(string)", "default": {TEXT: TEXT}},
            },
            "outputs": {"type": "object({ text = string })"},
        }
    },
}


def send(message):
    # Not in ASCII: what JSON may hold as it is, is sent as it is.
    data = json.dumps(message, ensure_ascii=False) + "\n"
    sys.stdout.buffer.write(data.encode())
    sys.stdout.buffer.flush()


def say():
    sys.stderr.buffer.write(TEXT.encode() + b"\xff\xfe\n")
    sys.stderr.buffer.flush()


def requests():
    for line in sys.stdin.buffer:
        yield json.loads(line)


def provider(role):
    for request in requests():
        method, answer = request["method"], {"id": request["id"]}
        if method == "describe":
            answer["result"] = {"schema": SCHEMA}
        elif method != "execute":
            answer["result"] = {}
        else:
            say()
            if role == "fails":
                answer["error"] = {"code": "execute_failed", "message": TEXT, "detail": TEXT}
            elif role == "dies":
                sys.exit(3)
            elif role == "prints":
                sys.stdout.buffer.write(b"starting: " + TEXT.encode() + b"\n")
                sys.exit(3)
            else:
                answer["result"] = {"outputs": {"text": TEXT}}
        send(answer)


def peer():
    for request in requests():
        method, answer = request["method"], {"jsonrpc": "2.0", "id": request.get("id")}
        say()
        if method == "error":
            answer["error"] = {"code": 7, "message": TEXT, "data": {TEXT: TEXT}}
        elif method == "prints":
            sys.stdout.buffer.write(b"starting: " + TEXT.encode() + b"\n")
            sys.exit(3)
        else:
            if method == "tells":
                send({"jsonrpc": "2.0", "method": TEXT, "params": {TEXT: TEXT}})
                send({"jsonrpc": "2.0", "id": 1, "method": TEXT, "params": {TEXT: TEXT}})
            answer["result"] = {"text": TEXT, TEXT: [TEXT]}
        if "id" in request:
            send(answer)


def mcp():
    tool = {
        "name": TEXT,
        "description": TEXT,
        "inputSchema": {
            "type": "object",
            "properties": {TEXT: {"type": "string", "description": TEXT, "default": TEXT}},
        },
    }
    for request in requests():
        if "id" not in request:
            continue
        answers = {
            "initialize": {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": TEXT, "version": TEXT},
            },
            "tools/list": {"tools": [tool]},
        }
        result = answers.get(request["method"], {})
        send({"jsonrpc": "2.0", "id": request["id"], "result": result})


if sys.argv[-1] == "schema":
    print(json.dumps(SCHEMA))
elif sys.argv[1] == "peer":
    peer()
elif sys.argv[1] == "mcp":
    mcp()
else:
    provider(sys.argv[2])
