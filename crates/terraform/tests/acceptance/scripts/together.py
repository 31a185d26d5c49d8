"""The same as together.ts: a script that works on one call and reads the next one afterwards."""

import json
import os
import sys
import time


def wait_for(name):
    while not os.path.exists(name):
        time.sleep(0.01)


def create(number, count, stray=None):
    open(f"begun-{number}", "w").close()
    for other in range(count):
        wait_for(f"begun-{other}")
    if number == stray:
        open("dying", "w").close()
        raise RuntimeError("a stray rejection")
    if stray is not None:
        wait_for("dying")
    return {"id": f"object-{number}"}


for line in sys.stdin:
    request = json.loads(line)
    match request["method"]:
        case "shutdown":
            break
        case "create":
            result = create(**request["params"]["props"])
        case "modifyPlan":
            result = None
        case "delete":
            result = {"done": True}
        case _:
            result = {"ok": True}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
