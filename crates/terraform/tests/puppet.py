"""A script that follows orders, and writes down what it hears.

This is the puppet of denobridge. That of Orchard, crates/cli/tests/scenario/puppet.py, has other methods,
another envelope and other faults to play; both share only a few lines, so each stays one file that a test
copies into its folder.

Next to it are `orders.json`, `heard` (a line for each message: the process that read it, and the
message as it came) and `processes` (the ids of all its processes).

Orders are a table from a step to an order. A step is a method, a method and the name in its params
("create a"), "start", "shutdown" or "end" (of stdin). An order is an object, or a list of them for
one call after the other, the last of which stays. {"moves": [...]} is several orders for one call,
carried out in turn. Without an order, or if an order has no answer, the script answers as a good
script would; with "store" in the table, a good one that keeps its objects in the folder `objects`.
"""

import json
import os
import pathlib
import re
import signal
import sys
import threading
import time

FOLDER = pathlib.Path(__file__).resolve().parent
OBJECTS = FOLDER / "objects"

# No test waits longer, and no puppet outlives its test.
PATIENCE = 50
TURN = threading.RLock()
COUNTS = {}


def main():
    append("processes", f"{os.getpid()}\n")
    if "store" in orders():
        OBJECTS.mkdir(exist_ok=True)
    carry_out(order("start"), "start", {})
    for line in sys.stdin.buffer:
        append("heard", f'{{"process":{os.getpid()},"message":{line.decode().strip()}}}\n')
        message = read(line)
        if "method" not in message:
            # An answer to a question that it should not have asked.
            continue
        if message["method"] == "shutdown":
            carry_out(order("shutdown"), "shutdown", {})
            return
        threading.Thread(target=handle, args=[message], daemon=True).start()
    carry_out(order("end"), "end", {})


def handle(message):
    method, params, number = message["method"], message.get("params") or {}, message.get("id")
    try:
        answer = answer_to(method, params, number)
    except Exception as error:
        answer = {"error": {"code": -32000, "message": repr(error)}}
    if answer:
        write({"jsonrpc": "2.0", "id": number, **answer})


def answer_to(method, params, number):
    given = order(method, name_of(params))
    answer = carry_out(given, method, params, number)
    if answer is not None:
        return answer
    result = usual(method, params)
    if result is None:
        return {"error": {"code": -32601, "message": "Method not found"}}
    for move in given.get("moves", [given]):
        result |= move.get("with", {})
    return {"result": result}


def carry_out(given, method, params, number=0):
    """Does what an order says. Its answer, if it has one; {} if it has been sent already."""
    for move in given.get("moves", [given]):
        answer = make(move, method, params, number)
        if answer is not None:
            return answer
    return None


def make(move, method, params, number):
    if "deaf" in move:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in listed(move, "stderr"):
        print(line, file=sys.stderr, flush=True)
    if "write_stderr" in move:
        sys.stderr.write(move["write_stderr"])
        sys.stderr.flush()
    for _ in range(move.get("flood", 0) // 1024):
        sys.stderr.write("flood " * 170 + "end\n")
    for line in listed(move, "print"):
        say(line + "\n")
    if "write" in move:
        say(move["write"])
    if "print_bytes" in move:
        say("x" * move["print_bytes"] + "\n")
    for text in listed(move, "progress"):
        write({"jsonrpc": "2.0", "method": "invokeProgress", "params": {"message": text}})
    if "sleep" in move:
        time.sleep(move["sleep"])
    if "gate" in move:
        wait_for(move["gate"])
    if "touch" in move:
        (FOLDER / move["touch"]).touch()
    if "exit" in move:
        os._exit(move["exit"])
    if "exit_once" in move and not (FOLDER / "exited").exists():
        (FOLDER / "exited").touch()
        os._exit(move["exit_once"])
    if move.get("hang"):
        time.sleep(PATIENCE)
    if "line" in move:
        say(move["line"].replace("$ID", str(number).strip("\0")) + "\n")
        return {}
    if "long" in move:
        return {"result": usual(method, params) | {move["long"]: "x" * move["size"]}}
    if "echo" in move:
        # What it was given, under other names.
        return {"result": usual(method, params) | {new: params.get(old) for new, old in move["echo"].items()}}
    if "result" in move:
        return {"result": with_time(move["result"])}
    if "error" in move:
        return {"error": move["error"]}
    return None


def listed(move, name):
    given = move.get(name, [])
    return given if isinstance(given, list) else [given]


def orders():
    """Read each time: a test may change them."""
    with open(FOLDER / "orders.json", encoding="utf-8") as file:
        return json.load(file)


def order(method, name=None):
    table = orders()
    step = next((step for step in (f"{method} {name}", method) if step in table), None)
    given = table.get(step, {})
    if isinstance(given, dict):
        return given
    with TURN:
        count = COUNTS[step] = COUNTS.get(step, -1) + 1
    return given[min(count, len(given) - 1)]


def name_of(params):
    props = params.get("nextProps") or params.get("props") or {}
    kept = params.get("privateData") or {}
    names = (part.get("name") for part in (props, params, kept) if isinstance(part, dict))
    return params.get("id") or next(filter(None, names), None)


def with_time(answer):
    """A file cannot know when it will be read: "SOON" in it is two to three seconds from now."""
    soon = int(time.time()) + 3
    text = json.dumps(answer).replace('"SOON"', str(soon))
    return json.loads(text.replace('"SOON_IN_MILLISECONDS"', str(soon * 1000)))


def usual(method, params):
    """What a good script answers; None for a method it has not."""
    if method in ("create", "update", "delete") or method == "read" and "id" in params:
        return stored(method, params) if OBJECTS.exists() else stateless(method, params)
    if method in ("read", "open"):
        return {"result": params.get("props")}
    if method in ("close", "invoke"):
        return {"done": True}
    if method == "call":
        return {"result": params}
    return {"ok": True} if method == "health" else None


def stateless(method, params):
    return {
        "create": {"id": "one", "state": {"made": "yes"}},
        "read": {"exists": True, "props": params.get("props")},
        "update": {"state": {"made": "again"}},
        "delete": {"done": True},
    }[method]


def stored(method, params):
    """The same for objects that are files."""
    name = params["props"]["name"] if method == "create" else params["id"]
    file = OBJECTS / f"{name}.json"
    if method == "delete":
        file.unlink(missing_ok=True)
        return {"done": True}
    kept = read(file.read_text()) if file.exists() else None
    if method == "read":
        if kept is None:
            return {"exists": False}
        return {"props": kept["props"], "state": {"version": kept["version"]}}
    version = int(kept["version"].strip("\0")) + 1 if kept else 1
    props = params["props" if method == "create" else "nextProps"]
    file.write_text(text_of({"props": props, "version": version}))
    state = {"state": {"version": version}}
    return {"id": name, **state} if method == "create" else state


def wait_for(name):
    deadline = time.monotonic() + PATIENCE
    while not (FOLDER / name).exists() and time.monotonic() < deadline:
        time.sleep(0.005)


def append(name, text):
    """One write, so that lines of several processes do not mix."""
    with open(FOLDER / name, "ab", buffering=0) as file:
        file.write(text.encode())


def digits(text):
    """A number as it was written: Python's own would lose digits."""
    return f"\0{text}\0"


def read(text):
    return json.loads(text, parse_float=digits, parse_int=digits)


def text_of(value):
    return re.sub(r'"\\u0000([^"\\]*)\\u0000"', r"\1", json.dumps(value, separators=(",", ":")))


def write(message):
    say(text_of(message) + "\n")


def say(text):
    with TURN:
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()


main()
