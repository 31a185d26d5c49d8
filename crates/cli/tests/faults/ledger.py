"""A provider that writes down what it does, in a file that outlives every fault."""

import json
import os
import sys

SCHEMA = {
    "name": "ledger",
    "version": "1.0.0",
    "protocol": "1",
    "actions": {
        "put": {
            "attrs": {
                "name": {"type": "string", "required": True},
                "after": {"type": "any"},
                "is_removed": {"type": "bool", "default": False},
            },
            "outputs": {"type": "object({name=string, filler=string})"},
        }
    },
}


def execute(attrs):
    line = ("-" if attrs.get("is_removed") else "+") + attrs["name"] + "\n"
    ledger = os.open(LEDGER, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(ledger, line.encode())
    os.close(ledger)
    # Some weight, so that a small disk is full sooner or later.
    return {"outputs": {"name": attrs["name"], "filler": "x" * 1000}}


def answer(request):
    if request["method"] == "describe":
        return {"schema": SCHEMA}
    if request["method"] == "execute":
        return execute(request["params"]["attrs"])
    return {}


# Beside the program, and so never on the disk that is full.
LEDGER = os.path.abspath(__file__) + ".ledger"
if sys.argv[1:] == ["schema"]:
    print(json.dumps(SCHEMA))
    sys.exit()
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"id": request["id"], "result": answer(request)}), flush=True)
    if request["method"] == "shutdown":
        break
