"""A file as a resource, straight from the protocol's page."""

import json
import os
import sys


def create(params):
    write(params["props"])
    return {"id": params["props"]["path"], "state": state(params["props"]["path"])}


def read(params):
    path = params["id"]
    if not os.path.exists(path):
        return {"exists": False}
    with open(path, encoding="utf-8") as file:
        return {"props": {"path": path, "content": file.read()}, "state": state(path)}


def update(params):
    write(params["nextProps"])
    return {"state": state(params["id"])}


def delete(params):
    os.remove(params["id"])
    return {"done": True}


def modify_plan(params):
    if params["planType"] != "update":
        return {"noChanges": True}
    is_other = params["nextProps"]["path"] != params["currentProps"]["path"]
    return {"requiresReplacement": True} if is_other else {"noChanges": True}


def write(props):
    with open(props["path"], "w", encoding="utf-8") as file:
        file.write(props["content"])


def state(path):
    return {"mtime": int(os.stat(path).st_mtime), "size": os.stat(path).st_size}


methods = {
    "health": lambda _: {"ok": True},
    "create": create,
    "read": read,
    "update": update,
    "delete": delete,
    "modifyPlan": modify_plan,
}

for line in sys.stdin:
    message = json.loads(line)
    if message["method"] == "shutdown":
        break
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    try:
        answer["result"] = methods[message["method"]](message.get("params"))
    except Exception as error:
        answer["error"] = {"code": -32000, "message": str(error)}
    print(json.dumps(answer), flush=True)
