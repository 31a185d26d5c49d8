"""A plugin with hooks that writes what it is called with to calls.jsonl, and behaves as its config says.

    config = {
      answers = { postPlan = { status = "fail", message = "no" } }   # what hooks answer
      acts    = { preApply = ["say", "waiting", "die"] }              # what they do before
      name    = "second"                                              # whose calls these are
    }
"""

import json
import os
import socket
import sys
import time

sys.path.insert(0, os.environ["EXAMPLES"])

from msgpack_lite import UNKNOWN, pack
from seasonings import Failure, serve

config = {}
stdout = os.dup(1)


def plain(value):
    if value is UNKNOWN:
        return "(unknown)"
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def attempt(what):
    """What comes of something that may be forbidden."""
    try:
        return f"done: {what()}"
    except Exception as error:
        return f"refused: {type(error).__name__}"


def break_out():
    return {
        "read": attempt(lambda: open("/etc/hostname").read()),
        "write": attempt(lambda: open("stolen", "w").write("x")),
        "connect": attempt(lambda: socket.create_connection(("127.0.0.1", 9), 1)),
        "run": attempt(lambda: os.posix_spawn("/bin/true", ["true"], {})),
        "environment": attempt(lambda: os.environ["SECRET_TOKEN"]),
        "memory": attempt(lambda: len(bytearray(1 << 30))),
    }


def act(deed, name):
    kind, _, rest = deed.partition("=")
    if kind == "say":
        print(f"{name} has something to say \x1b[31m", file=sys.stderr, flush=True)
    elif kind == "die":
        os._exit(3)
    elif kind == "hang":
        time.sleep(1000)
    elif kind == "wait":  # until the test says so
        open(f"waiting-{name}", "w").close()
        while not os.path.exists("go"):
            time.sleep(0.01)
    elif kind == "log":  # in events
        said = {"level": "warn", "message": "the disk is full", "fields": {"disk": "sda1", "free": 0}}
        os.write(stdout, pack([2, "log", [said]]))
        os.write(stdout, pack([2, "progress", {"message": "looks", "done": 1, "total": 2}]))
    elif kind == "print":
        os.write(stdout, b"Traceback: this is not a message\n")
    elif kind == "rubbish":
        os.write(stdout, b"\x94\x01\xc1\xc1\xc1")
    elif kind == "cut":  # half of a message, and the end
        os.write(stdout, b"\x94\x01\x05\xc0\x81\xa6stat")
        os._exit(0)
    elif kind == "fail":
        raise Failure("it is against the rules")
    elif kind == "raise":
        raise KeyError("no such thing")
    elif kind == "overwrite":
        with open(rest, "r+b") as file:
            file.seek(-1, 2)
            file.write(b"!")


def hook(name):
    def handle(params):
        with open(config.get("log", "calls.jsonl"), "a") as calls:
            calls.write(json.dumps({"plugin": config.get("name"), "hook": name, **plain(params)}) + "\n")
        for deed in config.get("acts", {}).get(name, []):
            if deed == "quote":
                seen = json.dumps(plain(params["after"]))
                print("seen:", seen, file=sys.stderr, flush=True)
                return {"status": "warn", "message": f"seen: {seen}", "metadata": {"seen": seen}}
            if deed == "break out":
                return {"metadata": break_out()}
            act(deed, name)
        return config.get("answers", {}).get(name, {})

    return handle


NAMES = ["prePlan", "postPlan", "preApply", "postApply", "preRefresh", "postRefresh"]
NAMES += [f"{stage}Stage{moment}" for stage in ("init", "plan", "apply") for moment in ("Start", "Completed", "Failed")]


def configure(given):
    config.update(given)
    for name in config.get("without", []):
        handlers.pop(f"middleware/{name}")


handlers = {f"middleware/{name}": hook(name) for name in NAMES}
serve("puppet", "1", handlers, configure=configure)
