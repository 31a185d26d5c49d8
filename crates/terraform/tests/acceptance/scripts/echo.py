"""A resource whose state is a document in its props, or what a JSON text in them says. Numbers
stay the texts that they are, so that nothing is lost here."""

import json
import pathlib
import sys

kept = pathlib.Path("kept")
kept.mkdir(exist_ok=True)


class Raw(str):
    """A JSON text that is taken as it is."""


def encode(value):
    if isinstance(value, Raw):
        return str(value)
    if isinstance(value, dict):
        members = (f"{json.dumps(key)}:{encode(item)}" for key, item in value.items())
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(encode(item) for item in value) + "]"
    return json.dumps(value)


def answer(method, params):
    if method == "create":
        name = params["props"]["name"]
        (kept / name).write_text(encode(params["props"]))
        return {"id": name, "state": state(params["props"])}
    if method == "read":
        props = decode((kept / params["id"]).read_text())
        return {"props": props, "state": state(props)}
    if method == "delete":
        (kept / params["id"]).unlink()
        return {"done": True}
    return {"ok": True}


def state(props):
    return Raw(props["json"]) if "json" in props else props["document"]


def decode(text):
    return json.loads(text, parse_float=Raw, parse_int=Raw)


for line in sys.stdin:
    message = decode(line)
    if message["method"] == "shutdown":
        break
    if message["method"] == "modifyPlan":
        member = {"error": {"code": -32601, "message": "Method not found"}}
    else:
        member = {"result": answer(message["method"], message.get("params"))}
    print(encode({"jsonrpc": "2.0", "id": message["id"], **member}), flush=True)
