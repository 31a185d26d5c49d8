"""A plugin that can do what `tenon echo` cannot: hold calls until all have come, tell of progress,
ask by itself, and remember what came."""

import json
import sys

gathered, came, answers = [], [], []


def send(**message):
    print(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False), flush=True)


def gather(id, params):
    gathered.append((id, params.get("workDoneToken")))
    if len(gathered) < params["count"]:
        return
    for step in range(3):
        for _, token in gathered:
            send(method="$/progress", params={"token": token, "value": step})
    send(method="gathered", params={"count": len(gathered)})
    # The last first: who gets which answer does not depend on the order.
    while gathered:
        id, token = gathered.pop()
        send(id=id, result=token)


def handle(message):
    method, params, id = message.get("method"), message.get("params"), message.get("id")
    if method is None:
        answers.append(message.get("error", message.get("result")))
    elif method == "echo":
        send(id=id, result=params)
    elif method == "fail":
        send(id=id, error=params)
    elif method == "gather":
        gather(id, params)
    elif method == "came":
        send(id=id, result=came)
    elif method == "answers":
        send(id=id, result=answers)
    elif method == "babble":
        print("this is no message", flush=True)
        print("and this is for people", file=sys.stderr, flush=True)
        send(id=id, result="said")
    elif method == "announce":
        send(method="announced", params=params)
    elif method == "flood":
        tick = '{"jsonrpc":"2.0","method":"tick","params":{"number":%d}}\n'
        sys.stdout.write("".join(tick % number for number in range(params["count"])))
        send(id=id, result=params["count"])
    elif method == "wonder":
        send(id="mine", method="question", params=params)
    elif method == "leave":
        sys.exit(params["code"])
    elif method in ("mark", "note"):
        came.append([method, params])
        if id is not None:
            send(id=id, result=None)
    elif id is not None and method != "hold":
        send(id=id, error={"code": -32601, "message": "Method not found", "data": {"method": method}})


for line in sys.stdin:
    handle(json.loads(line))
