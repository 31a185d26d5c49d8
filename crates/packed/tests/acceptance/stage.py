"""A plugin that logs its calls to the file `calls`, and does what the file `behaviour` says.

A behaviour is a method and what becomes of its answer (`read nan`), or one word. What it is configured with
(`--config`) says how many calls it takes at a time, and how many creations have to be under way at once.
"""

import datetime
import json
import os
import sys
import threading
import time

sys.path.insert(0, os.environ["EXAMPLES"])
from msgpack_lite import UNKNOWN, pack, unpack  # noqa: E402

REFINED = "in its place: an unknown number of at least 5 and at most 1"
CONTRADICTION = b"\xc7\x09\x0c\x82\x03\x92\x05\xc3\x04\x92\x01\xc3"

COMPUTED = {"type": "string", "computed": True, "stable": True}
ATTRIBUTES = {
    "name": {"type": "string", "optional": True},
    "id": COMPUTED,
    "size": {"type": "number", "computed": True, "stable": True},
}
NESTED = "object({ a = string, b = optional(number), inner = optional(object({ c = optional(bool) })) })"
FUNCTIONS = {
    "options": {"parameters": [{"name": "options", "type": NESTED}], "returns": "string"},
    "more": {"parameters": [{"name": "text", "type": "string"},
                            {"name": "options", "type": NESTED, "optional": True}], "returns": "string"},
    "several": {"variadic": {"name": "options", "type": ["list", ["object", {"a": "string"}, ["a"]]]},
                "returns": "string"},
    "measure": {"parameters": [{"name": "text", "type": "string"}], "returns": "object({ size = number })"},
}
SCHEMA = {
    "provider": {"attributes": {"name": ATTRIBUTES["name"]}},
    "resources": {"thing": {"attributes": dict(
        ATTRIBUTES, secret={"type": "string", "optional": True, "write_only": True, "sensitive": True})}},
    "data_sources": {"look": {"attributes": ATTRIBUTES}},
    "ephemeral": {"key": {"attributes": ATTRIBUTES}},
}

config, cancelled, lock, running = {}, {}, threading.Lock(), set()


class Failed(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.answer = [code, message]


def behaviour():
    try:
        with open("behaviour") as file:
            return file.read().split()
    except FileNotFoundError:
        return []


def log(*words):
    with open("calls", "a") as file:
        file.write(" ".join(map(str, (os.getpid(), *words))) + "\n")


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.005)


def logged(text):
    with open("calls") as file:
        return file.read().count(text)


def complete(value, kind):
    """With what is computed."""
    for name, computed in (("id", f"{kind}-{value.get('name')}"), ("size", 3)):
        if value.get(name) in (None, UNKNOWN):
            value[name] = computed
    return value


def apply(number, params):
    prior, planned, todo = params["prior"], params["planned"], behaviour()
    if planned is None:
        return {}
    state = complete(dict(planned), "thing")
    if config.get("barrier"):
        log("begin")
        wait_for(lambda: logged(" begin\n") >= config["barrier"])
    if todo == ["renewal"]:
        wait_for(lambda: logged(" resources/renew "))
    if todo == ["further"]:
        wait_for(lambda: logged(f" configured by {os.getppid()}\n") > 1)
    if planned["name"] != "b" or not todo or todo[0] not in ("wait", "hang"):
        return {"state": state}
    log("waiting")
    if todo == ["hang"]:
        threading.Event().wait()
    cancelled[number].wait()
    if todo == ["wait", "refuse"]:
        raise Failed(-32800, "cancelled, nothing was created")
    return {"state": state}


def answer(number, method, params):
    if method == "init":
        config.update(params["config"])
        return {"name": "stage", "version": "0.1.0", "capabilities": ["functions", "resources"],
                "max_in_flight": config.get("max_in_flight")}
    if method == "functions/getSchema":
        return {"functions": FUNCTIONS}
    if method == "functions/call":
        if params["name"] == "measure":
            return {"result": {"size": len(params["arguments"]["text"])}}
        if behaviour() == ["config"]:
            return {"result": json.dumps(config)}
        return {"result": json.dumps(params["arguments"], sort_keys=True)}
    if method == "resources/getSchema":
        return SCHEMA
    if method == "resources/configure":
        log("configured by", os.getppid())
        # Every process of a provider but the first.
        is_further = logged(f" configured by {os.getppid()}\n") > 1
        return [7] if behaviour() == ["further"] and is_further else {}
    if method == "resources/validate":
        log("validates", params["kind"], params.get("type") or "-")
        if params["config"]["name"] == "invalid":
            return {"diagnostics": [{"severity": "error", "summary": f"Invalid {params['kind']}",
                                     "path": ["name"]}]}
        return {}
    if method == "resources/planChange":
        planned = dict(params["proposed"])
        if params["prior"] is None:
            planned.update(id=UNKNOWN, size=UNKNOWN)
        return {"planned": planned}
    if method == "resources/applyChange":
        return apply(number, params)
    if method == "resources/read":
        if behaviour() == ["read", "gone"]:
            raise Failed(-32002, "there is no such thing")
        return {"state": params["state"]}
    if method == "resources/import":
        return {"state": complete({"name": params["id"]}, "thing")}
    if method == "resources/readData":
        if behaviour() == ["hang", "data"]:
            threading.Event().wait()
        return {"state": complete(dict(params["config"]), "look")}
    if method == "resources/open":
        if behaviour() == ["wait", "open"]:
            log("waiting")
            cancelled[number].wait()
        result = {"result": complete(dict(params["config"]), "key"), "private": b"opened"}
        if behaviour() == ["renewal"]:
            soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=1)
            result["renew_at"] = soon.isoformat()
        return result
    if method == "resources/renew":
        log("resources/renew", params["private"].decode())
        return {"private": b"renewed"}
    if method == "resources/close":
        log("resources/close", params["private"].decode())
        return {}
    if method == "shutdown":
        return {}
    raise Failed(-32601, "no such method")


def spoil(result, how, params):
    """Makes the answer wrong."""
    key = next(key for key in ("planned", "state", "result") if key in result)
    value = result[key] = dict(result[key])
    secret = (params.get("config") or {}).get("secret")
    changes = {"nan": {"size": float("nan")}, "misfit": {"size": secret or "many"}, "extra": {"extra": 1},
               "unknown": {"size": UNKNOWN}, "refined": {"size": REFINED}, "another": {"name": "another"}}
    value.update(changes.get(how, {}))
    if how == "missing":
        del result[key]
    if how == "nil":
        result[key] = None
    if how in ("complain", "warn"):
        severity = "error" if how == "complain" else "warning"
        told = {"severity": severity, "summary": "No key today", "detail": "come back tomorrow", "path": ["text"]}
        result["diagnostics"] = [told]
    return [secret] if how == "list" else result


def respond(number, method, params):
    todo = behaviour()
    try:
        result = answer(number, method, params)
        if len(todo) == 2 and method.endswith("/" + todo[0]) and params.get("planned", 1) is not None:
            result = spoil(result, todo[1], params)
        response = [1, number, None, result]
    except Failed as failed:
        response = [1, number, failed.answer, None]
    except Exception as error:
        response = [1, number, [-32603, repr(error)], None]
    if todo == ["say"] and "/" in method:
        said = {"level": "warn", "message": "the disk is full", "fields": {"disk": "sda1", "free": 0}}
        with lock:
            sys.stdout.buffer.write(pack([2, "log", [said]]))
            sys.stdout.buffer.write(pack([2, "progress", {"message": "looks", "done": 1, "total": 2}]))
    data = pack(response).replace(pack(REFINED), CONTRADICTION)
    if len(todo) == 2 and method.endswith("/" + todo[0]):
        if todo[1] == "print":
            data = b"debugging\n" + data
        if todo[1] in ("truncate", "die"):
            with lock:
                sys.stdout.buffer.write(data[: len(data) // 2] if todo[1] == "truncate" else b"")
                sys.stdout.buffer.flush()
                os._exit(3)
    with lock:
        running.discard(number)
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def main():
    def read(length):
        data = sys.stdin.buffer.read(length)
        if len(data) < length:
            os._exit(0)
        return data

    log("starts")
    while True:
        message = unpack(read)
        if message[0] == 2 and message[1] == "$/cancel":
            number = message[2][0]["id"]
            log("cancelled")
            cancelled.setdefault(number, threading.Event()).set()
        if message[0] != 0:
            continue
        _, number, method, params = message
        with lock:
            running.add(number)
            if len(running) > (config.get("max_in_flight") or 1):
                log("has too many calls")
        cancelled.setdefault(number, threading.Event())
        threading.Thread(target=respond, args=(number, method, params[0] if params else {}), daemon=True).start()


main()
