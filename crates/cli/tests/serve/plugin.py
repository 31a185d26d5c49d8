"""A plugin that can do what `tenon echo` cannot: hold calls until all have come, tell of progress,
ask by itself, and remember what came."""

import json
import os
import sys
import time

gathered, came, answers = [], [], []
notes = {}


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
    if method is None and str(id).startswith("quiz "):
        send(id=int(id[5:]), result=message.get("error", message.get("result")))
    elif method is None:
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
        print("this is not a message", flush=True)
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
    elif method == "pause":
        while not os.path.exists(params["until"]):
            time.sleep(0.01)
        if id is not None:
            send(id=id, result=None)
    elif method == "note_from":
        notes.setdefault(params["who"], []).append(params["number"])
    elif method == "notes":
        send(id=id, result=notes.get(params["who"], []))
    elif method == "quiz":
        send(id=f"quiz {id}", method="question", params=params)
    elif method == "withdraw":
        send(id="mine", method="question", params={})
        send(method="notifications/cancelled", params={"requestId": "mine", "reason": "no more"})
        send(id=id, result=None)
    elif method == "work":
        token = params["_meta"]["progressToken"]
        for step in range(2):
            send(method="notifications/progress", params={"progressToken": token, "progress": step})
        send(id=id, result=token)
    elif method == "long":
        # The id comes last, behind what is too long.
        text = json.dumps("x" * params["length"])
        print('{"jsonrpc":"2.0","result":%s,"id":%d}' % (text, id), flush=True)
    elif method == "session/new":
        send(id=id, result={"sessionId": params["name"]})
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
