"""A script that does as it is told: everything a script can be, in one.

Its objects are files in the folder `objects`, by the name in their props. Every call is noted in
calls.jsonl. moves.json may have a list of moves for a method, or for a method and a name
("create a"): they are made before the usual answer, or instead of it.
"""

import json
import os
import pathlib
import signal
import sys
import threading
import time

objects = pathlib.Path("objects")
turn = threading.RLock()


def main():
    objects.mkdir(exist_ok=True)
    make(moves_of("start"))
    for line in sys.stdin:
        message = json.loads(line)
        if message["method"] == "shutdown":
            make(moves_of("shutdown"))
            return
        threading.Thread(target=handle, args=[message], daemon=True).start()
    make(moves_of("end"))


def handle(message):
    method, params = message["method"], message.get("params", {})
    if method != "health":
        note({"process": os.getpid(), "method": method, "params": params})
    try:
        answer = answer_to(method, params)
    except Exception as error:
        answer = {"error": {"code": -32000, "message": repr(error)}}
    send({"jsonrpc": "2.0", "id": message["id"], **answer})


def answer_to(method, params):
    moves = moves_of(f"{method} {name_of(params)}") or moves_of(method)
    answer = make(moves)
    if answer is not None:
        return answer
    result = usual(method, params)
    if result is None:
        return {"error": {"code": -32601, "message": "Method not found"}}
    for move in moves:
        result.update(move.get("with", {}))
    return {"result": result}


def name_of(params):
    props = params.get("nextProps") or params.get("props") or {}
    kept = params.get("privateData") or {}
    return params.get("id") or props.get("name") or params.get("name") or kept.get("name")


def moves_of(step):
    try:
        with open("moves.json", encoding="utf-8") as file:
            return json.load(file).get(step, [])
    except FileNotFoundError:
        return []


def make(moves):
    """Makes the moves; the answer among them is given back."""
    for move in moves:
        if "deaf" in move:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        if "stderr" in move:
            print(move["stderr"], file=sys.stderr, flush=True)
        if "flood" in move:
            for _ in range(move["flood"] // 1024):
                sys.stderr.write("flood " * 170 + "end\n")
        if "print" in move:
            with turn:
                print(move["print"], flush=True)
        if "write" in move:
            with turn:
                sys.stdout.write(move["write"])
                sys.stdout.flush()
        if "print_bytes" in move:
            with turn:
                print("x" * move["print_bytes"], flush=True)
        if "progress" in move:
            params = {"message": move["progress"]}
            send({"jsonrpc": "2.0", "method": "invokeProgress", "params": params})
        if "sleep" in move:
            time.sleep(move["sleep"])
        if "until" in move:
            while not os.path.exists(move["until"]):
                time.sleep(0.02)
        if "touch" in move:
            pathlib.Path(move["touch"]).touch()
        if "exit" in move:
            os._exit(move["exit"])
        if "exit_once" in move and not os.path.exists("exited"):
            pathlib.Path("exited").touch()
            os._exit(move["exit_once"])
        if "answer" in move:
            return {"result": with_time(move["answer"])}
        if "error" in move:
            return {"error": move["error"]}
    return None


def with_time(answer):
    """A file cannot know when it will be read: "SOON" in it is two to three seconds from now."""
    soon = int(time.time()) + 3
    text = json.dumps(answer).replace('"SOON"', str(soon))
    return json.loads(text.replace('"SOON_IN_MILLISECONDS"', str(soon * 1000)))


def usual(method, params):
    if method == "health":
        return {"ok": True}
    if method == "create":
        return create(params["props"])
    if method == "read" and "id" in params:
        return read(params["id"])
    if method == "read":
        return {"result": params["props"]}
    if method == "update":
        return {"state": store(params["id"], params["nextProps"])}
    if method == "delete":
        file_of(params["id"]).unlink(missing_ok=True)
        return {"done": True}
    if method == "open":
        return {"result": params["props"]}
    if method == "invoke":
        return {"done": True}
    if method == "call":
        return {"result": params}
    return None


def create(props):
    return {"id": props["name"], "state": store(props["name"], props)}


def read(name):
    if not file_of(name).exists():
        return {"exists": False}
    kept = load(name)
    return {"props": kept["props"], "state": {"version": kept["version"]}}


def store(name, props):
    version = load(name)["version"] + 1 if file_of(name).exists() else 1
    file_of(name).write_text(json.dumps({"props": props, "version": version}))
    return {"version": version}


def load(name):
    return json.loads(file_of(name).read_text())


def file_of(name):
    return objects / f"{name}.json"


def note(call):
    with turn, open("calls.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps(call) + "\n")


def send(message):
    with turn:
        print(json.dumps(message), flush=True)


main()
