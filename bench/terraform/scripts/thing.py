"""The resource that is measured, in Python. It does what thing.ts does."""

import json
import sys


def known(name):
    return {"address": f"{name}.example", "ready": True}


METHODS = {
    "health": lambda params: {"ok": True},
    "create": lambda params: {"id": params["props"]["name"], "state": known(params["props"]["name"])},
    "read": lambda params: {"props": params["props"], "state": known(params["id"])},
    "update": lambda params: {"state": known(params["id"])},
    "delete": lambda params: {"done": True},
    "modifyPlan": lambda params: {"noChanges": True},
}

for line in sys.stdin.buffer:
    request = json.loads(line)
    if request["method"] == "shutdown":
        break
    method = METHODS.get(request["method"])
    if method is None:
        answer = {"error": {"code": -32601, "message": "Method not found"}}
    else:
        answer = {"result": method(request.get("params"))}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **answer}), flush=True)
