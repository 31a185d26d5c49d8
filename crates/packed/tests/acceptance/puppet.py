"""A plugin that does what the file `behaviour` in the current folder says."""

import os
import sys
import time

sys.path.insert(0, os.environ["EXAMPLES"])
from msgpack_lite import UNKNOWN, pack, unpack  # noqa: E402


def behaviour():
    try:
        with open("behaviour") as file:
            return file.read().strip()
    except FileNotFoundError:
        return ""


def schema():
    optional = lambda ty: {"type": ty, "optional": True}
    attributes = {
        "name": {"type": "string", "required": True},
        "id": {"type": "string", "computed": True, "stable": True},
        "secret": {"type": "string", "optional": True, "computed": True, "sensitive": True},
        "plain": optional("any"),
        "kept": optional("any"),
        "n": optional("number"),
        "s": optional("string"),
        "l": optional("list(string)"),
        "st": optional("set(number)"),
        "m": optional("map(bool)"),
        "o": optional("object({ a = string, b = optional(number) })"),
        "lo": optional("list(object({ a = string, b = optional(list(number)) }))"),
        "t": optional("tuple([string, bool])"),
    }
    if behaviour() == "schema":
        attributes["later"] = optional("string")
    inner = {"attributes": {"a": optional("string"), "x": optional("any"),
                            "c": {"type": "string", "computed": True}}}
    plain = {"attributes": {"a": optional("string"), "d": {"type": "number", "default": 7}}}
    login = {"nesting": "single", "attributes": {"user": optional("string")}}
    provider = {"attributes": {}, "blocks": {"login": login} if behaviour() == "login" else {}}
    return {"provider": provider, "resources": {"thing": {"version": 1, "attributes": attributes, "blocks": {
        "list": dict(nesting="list", **inner),
        "set": dict(nesting="set", **plain),
        "items": {"nesting": "set", "attributes": dict(plain["attributes"], **{
            "c": {"type": "string", "computed": True}, "o": dict(optional("string"), computed=True)}),
            "blocks": {"part": {"nesting": "set", "attributes": dict(plain["attributes"], c={
                "type": "string", "computed": True})}}},
        "map": dict(nesting="map", **plain),
        "single": dict(nesting="single", **plain),
        "group": dict(nesting="group", **plain),
    }}}}


def unwrapped(value):
    """The value without the type that it came with."""
    return value[1] if isinstance(value, list) and isinstance(value[0], bytes) else value


def completed(item):
    """An element of a set with what is computed in it."""
    item["c"] = f"{item['a']}-{item['d']}"
    if item.get("o", "") in (None, UNKNOWN):
        item["o"] = f"o-{item['d']}"
    for part in item.get("part", []):
        completed(part)
    return item


def planned(params):
    """What the host would plan without this method."""
    result = params["proposed"]
    if result != params["prior"]:
        result = dict(result, id=UNKNOWN if params["prior"] is None else result["id"])
        if result["secret"] is None and params["prior"] is None:
            result["secret"] = UNKNOWN
        for block in result["list"]:
            block["c"] = UNKNOWN if block["c"] is None else block["c"]
        for item in result["items"]:
            # What is computed for an element that was there is known.
            for one in (item, *item["part"]):
                for name in ("c", "o"):
                    if name in one and one[name] is None:
                        one[name] = UNKNOWN
    return {"planned": result}


def computed(state):
    for item in state["items"]:
        completed(item)
    state["plain"] = unwrapped(state["plain"])
    if state["id"] is UNKNOWN:
        state["id"] = "1"
    if state["secret"] is UNKNOWN:
        state["secret"] = None
    for block in state["list"]:
        block["c"] = "computed"
        block["x"] = unwrapped(block["x"])
    return state


def apply(params):
    planned, todo = params["planned"], behaviour()
    if planned is None:
        return {"state": params["prior"]} if todo == "undead" else {}
    state = computed(dict(planned))
    if todo == "crash":
        print("about to fail with", params["config"]["secret"], file=sys.stderr, flush=True)
        os._exit(3)
    if todo == "print":
        print("debugging", flush=True)
    if todo == "refuse":
        raise RuntimeError(f"no place for {params['config']['secret']}")
    if todo == "wrong":
        state["name"] = "another"
    if todo == "extra":
        state["extra"] = 1
    if todo == "nil":
        return {"state": None}
    if todo == "missing":
        return {}
    if todo == "unknown":
        state["id"] = UNKNOWN
    if todo == "private":
        return {"state": state, "private": 7}
    if todo == "tell":
        state["secret"] = "made-by-the-plugin"
        told = {"severity": "warning", "summary": "Created", "detail": "with made-by-the-plugin"}
        return {"state": state, "diagnostics": [told]}
    if todo == "half":
        return {"state": state, "diagnostics": [{"severity": "error", "summary": "Half done"}]}
    return {"state": state}


def answer(method, params):
    if method == "init":
        return {"name": "puppet", "capabilities": ["resources"]}
    if method == "resources/getSchema":
        if behaviour() == "trace":
            print("Traceback: cannot log in with", os.environ.get("PUPPET_TOKEN"), file=sys.stderr, flush=True)
            os._exit(3)
        if behaviour() == "hang at schema":
            open("asked", "w").close()
            time.sleep(1000)
        return schema()
    if method == "resources/validate" and behaviour() == "login" and params["kind"] == "provider":
        return {"diagnostics": [{"severity": "error", "summary": f"Nobody is called {params['config']['login']['user']}"}]}
    if method == "resources/upgrade" and behaviour() == "forget":
        return {"state": None}
    if method == "resources/upgrade" and behaviour() == "quote":
        raise RuntimeError(f"cannot upgrade {params['state']['secret']}")
    if method == "resources/planChange" and behaviour() == "replace nothing":
        return {"planned": params["proposed"], "replace": [["nothing"]]}
    if method == "resources/planChange" and behaviour() == "plan":
        return planned(params)
    if method == "resources/applyChange":
        return apply(params)
    if method == "resources/read":
        return {"state": computed(dict(params["state"]))}
    if method == "shutdown":
        return {}
    raise NotImplementedError


def main():
    def read(length):
        data = sys.stdin.buffer.read(length)
        if len(data) < length:
            sys.exit()
        return data

    while True:
        message = unpack(read)
        if message[0] != 0:
            continue
        _, number, method, params = message
        try:
            response = [1, number, None, answer(method, params[0] if params else {})]
        except NotImplementedError:
            response = [1, number, [-32601, "no such method"], None]
        except Exception as error:
            response = [1, number, str(error), None]
        sys.stdout.buffer.write(pack(response))
        sys.stdout.buffer.flush()


main()
