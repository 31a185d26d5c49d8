"""A store with faults: `python3 puppet_store.py EXAMPLES FOLDER`.

It writes every call to calls.jsonl, and `{"write": {"how": "error", "times": 2}}` in faults.json makes the next two
writes fail. Without `times`, all of them do.
"""

import json
import os
import resource
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, sys.argv[1])

import seasonings
from msgpack_lite import pack
from store import FolderStore

FAULTS = Path("faults.json")
if Path("broken").exists():
    sys.exit(f"the disk is gone: {os.environ.get('STORE_TOKEN')}")
store = FolderStore(sys.argv[2])


def fault(name):
    """How this call fails, if it does."""
    faults = json.loads(FAULTS.read_text()) if FAULTS.exists() else {}
    current = faults.get(name)
    if current is None:
        return None
    if "times" in current:
        current["times"] -= 1
        if current["times"] == 0:
            del faults[name]
        part = FAULTS.with_suffix(".part")
        part.write_text(json.dumps(faults))
        part.replace(FAULTS)
    return current["how"]


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def short_of_space(work, params):
    """The kernel lets no file grow beyond half of the state."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(params["state"]) // 2, hard))
    try:
        return work(params)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def puppet(name, work):
    def handle(params):
        line = {"call": name, **{key: value for key, value in params.items() if key != "state"}}
        if "state" in params:
            line["serial"] = json.loads(params["state"])["serial"]
        with open("calls.jsonl", "a") as calls:
            calls.write(json.dumps(line) + "\n")
        how = fault(name)
        seasonings.pack = (lambda message: pack(message) * 2) if how == "twice" else pack
        if how == "error":
            raise seasonings.Failure("the disk is on fire")
        if how == "tell":
            token = os.environ.get("STORE_TOKEN")
            os.write(1, pack([2, "log", [{"level": "warn", "message": f"uses {token}", "fields": {"free": 0}}]]))
            os.write(1, pack([2, "progress", {"message": "looks", "done": 1, "total": 2}]))
            print("cannot log in with", token, file=sys.stderr, flush=True)
            raise seasonings.Failure(f"no access for {token}")
        if how == "wait":
            Path("began").touch()
            while not Path("go").exists():
                time.sleep(0.01)
        if how == "refuse":
            return {"success": False}
        if how == "nothing":
            return {}
        if how == "hang":
            signal.pause()
        if how == "garbage":
            os.write(1, b"print to the wrong place\n")
        if how == "full":
            return short_of_space(work, params)
        if how == "die in the middle":
            part = store.file(params["path"], ".tfstate.part")
            part.write_bytes(params["state"][: len(params["state"]) // 2])
            die()
        result = work(params)
        if how == "die before the answer":
            die()
        return result

    return handle


def configure(config):
    Path("config.json").write_text(json.dumps(config))


handlers = {method: puppet(method.split("/")[1], work) for method, work in seasonings.storage(store).items()}
seasonings.serve("puppet", "1", handlers, configure=configure)
