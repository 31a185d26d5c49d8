"""The loop of a Seasonings plugin in plain Python, without a library.

    from seasonings import Failure, serve

    def forecast(params):
        return {"result": "sunny in " + params["arguments"]["city"]}

    serve("weather", "1.0.0", {"functions/call": forecast, ...})

Each handler gets the params of a call as a dictionary and returns the result as one. Binary data is `bytes`, and
Terraform's unknown values are `UNKNOWN`.
"""

import json
import sys
import traceback

from msgpack_lite import pack, unpack


class Failure(Exception):
    """An error that the user is to read."""

    def __init__(self, message, code=-32000, data=None):
        super().__init__(message)
        self.message, self.code, self.data = message, code, data


def locked(lock_id, info):
    """The error for a state that another lock is held on."""
    return Failure("the state is locked", -32001, {"lockId": lock_id, "info": info})


def storage(store):
    """The handlers of a store, which has the methods read, write, lock, unlock, list and delete."""

    def path(params):
        path = params["path"]
        if any(part in ("", ".", "..") for part in path.split("/")):
            raise Failure(f"{path!r} is not the path of a state")
        return path

    def write(params):
        store.write(path(params), params["state"], params.get("lockId"))
        return {"success": True}

    def unlock(params):
        # Without an id, a user has asked to release any lock.
        store.unlock(path(params), None if params.get("force") else params["lockId"])
        return {"success": True}

    def delete(params):
        store.delete(path(params), params.get("lockId"))
        return {"success": True}

    return {
        "storage/read": lambda params: {"state": store.read(path(params))},
        "storage/write": write,
        "storage/lock": lambda params: {"lockId": store.lock(path(params), params["info"])},
        "storage/unlock": unlock,
        "storage/list": lambda params: {"paths": store.list(params.get("prefix") or "")},
        "storage/delete": delete,
    }


def owner(info):
    """Who asks for a lock. A client that repeats its request has the same id."""
    return json.loads(info)["ID"]


def serve(name, version, handlers, configure=lambda config: None):
    """Answers calls until stdin ends. Capabilities follow from the names of the handlers.

    `configure` gets what the user configured for this plugin, before any other call.
    """
    stdout, sys.stdout = sys.stdout.buffer, sys.stderr  # what is printed must not get between messages
    capabilities = sorted(method.replace("middleware/", "hooks/").replace("/", ".") for method in handlers)
    welcome = {"name": name, "version": version, "protocol_version": 1, "capabilities": capabilities}

    def init(params):
        configure(params.get("config") or {})
        return welcome

    every = {
        "init": init,
        "initialize": init,
        "ping": lambda _: {"status": "ok"},
        "shutdown": lambda _: {},
        **handlers,
    }
    while (message := receive(sys.stdin.buffer)) is not None:
        kind, *rest = message
        if kind == 2:
            if rest[0] == "shutdown":
                return
            continue
        if kind != 0:
            continue
        number, method, params = rest
        stdout.write(pack([1, number, *answer(every, method, params)]))
        stdout.flush()
        if method == "shutdown":
            return


def receive(stream):
    """The next message; None at the end of the stream."""

    def read(length):
        data = stream.read(length)
        if len(data) < length:
            raise EOFError
        return data

    try:
        return unpack(read)
    except EOFError:
        return None


def answer(handlers, method, params):
    """The error and the result of one call."""
    if isinstance(params, list):
        params = params[0] if params else {}
    handler = handlers.get(method.replace(".", "/"))  # `functions.call` is another spelling
    if handler is None:
        return [-32601, f"there is no method {method!r}", None], None
    try:
        return None, handler(params or {})
    except Failure as failure:
        return [failure.code, failure.message, failure.data], None
    except Exception as error:
        traceback.print_exc()
        return [-32603, f"{type(error).__name__}: {error}", None], None
