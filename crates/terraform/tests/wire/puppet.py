"""A script that answers as its orders say, and writes down what it hears.

Beside it lie `orders.json`, a table from a method to what is done about it, `heard`, every line it
has read, and `processes`, the numbers of all processes of it. An order is an object, or a list of
them for one call after the other, the last of which stays. A method without orders is answered as
a good script would.
"""

import json
import os
import re
import sys
import threading
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
with open(f"{FOLDER}/orders.json", encoding="utf-8") as file:
    ORDERS = json.load(file)

# No test waits longer, and no puppet outlives its test.
PATIENCE = 50
TURN = threading.Lock()
COUNTS = {}


def append(name, text):
    """One write, so that lines of several processes do not mix."""
    with open(f"{FOLDER}/{name}", "ab", buffering=0) as file:
        file.write(text)


def digits(text):
    """A number as it was written: Python's own would lose digits."""
    return f"\0{text}\0"


def read(line):
    return json.loads(line, parse_float=digits, parse_int=digits)


def write(message):
    text = re.sub(r'"\\u0000([^"\\]*)\\u0000"', r"\1", json.dumps(message, separators=(",", ":")))
    say(text.encode() + b"\n")


def say(line):
    with TURN:
        sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()


def usual(method, params):
    """What a good script answers; None for a method it has not."""
    props = params.get("props")
    if method == "create":
        return {"id": "one", "state": {"made": "yes"}}
    if method == "update":
        return {"state": {"made": "again"}}
    if method == "read":
        return {"exists": True, "props": props} if "id" in params else {"result": props}
    if method in ("delete", "close", "invoke"):
        return {"done": True}
    if method == "open":
        return {"result": props}
    if method == "call":
        return {"result": params}
    return {"ok": True} if method == "health" else None


def order(method):
    given = ORDERS.get(method, {})
    if isinstance(given, dict):
        return given
    with TURN:
        count = COUNTS[method] = COUNTS.get(method, -1) + 1
    return given[min(count, len(given) - 1)]


def wait_for(name):
    deadline = time.monotonic() + PATIENCE
    while not os.path.exists(f"{FOLDER}/{name}") and time.monotonic() < deadline:
        time.sleep(0.005)


def handle(message):
    method, params, number = message["method"], message.get("params", {}), message.get("id")
    given = order(method)
    for line in given.get("stderr", []):
        sys.stderr.write(line + "\n")
        sys.stderr.flush()
    if "write_stderr" in given:
        sys.stderr.write(given["write_stderr"])
        sys.stderr.flush()
    for line in given.get("print", []):
        say(line.encode() + b"\n")
    for text in given.get("progress", []):
        write({"jsonrpc": "2.0", "method": "invokeProgress", "params": {"message": text}})
    if "gate" in given:
        wait_for(given["gate"])
    if "exit" in given:
        os._exit(given["exit"])
    if given.get("hang"):
        time.sleep(PATIENCE)
    if "line" in given:
        say(given["line"].replace("$ID", str(number).strip("\0")).encode() + b"\n")
        return
    if "long" in given:
        given = {"result": {**usual(method, params), given["long"]: "x" * given["size"]}}
    if "echo" in given:
        # What it was given, under other names.
        result = {**usual(method, params), **{new: params.get(old) for new, old in given["echo"].items()}}
        given = {"result": result}
    if "with" in given:
        given = {"result": {**(usual(method, params) or {}), **given["with"]}}
    answer = {name: given[name] for name in ("result", "error") if name in given}
    if not answer:
        result = usual(method, params)
        missing = {"error": {"code": -32601, "message": "Method not found"}}
        answer = missing if result is None else {"result": result}
    write({"jsonrpc": "2.0", "id": number, **answer})


def main():
    append("processes", f"{os.getpid()}\n".encode())
    for line in sys.stdin.buffer:
        append("heard", line)
        message = read(line)
        if "method" not in message:
            # An answer to a question that it should not have asked.
            continue
        if message["method"] == "shutdown":
            return
        threading.Thread(target=handle, args=[message], daemon=True).start()


main()
