"""A Seasonings plugin on the package msgpack, which is the second implementation of the wire.

`same` returns what it gets, unpacked and packed again. `made` returns what this side makes of its own. `seen` says
in Python's words what arrived.
"""

import sys

import msgpack
from msgpack import ExtType

UNKNOWN = ExtType(0, b"\x00")


def refined(known):
    return ExtType(12, msgpack.packb(known))


OBJECT = "object({ a = string, b = list(number) })"

# What this side makes of each type: in every form that the protocol allows.
MADE = {
    "text": ("string", "é😀"),
    "text_of_bytes": ("string", b"bytes"),
    "text_of_300": ("string", "x" * 300),
    "yes": ("bool", True),
    "integer": ("number", 7),
    "negative": ("number", -(2**63)),
    "largest": ("number", 2**64 - 1),
    "float": ("number", 0.1),
    "whole_float": ("number", 3.0),
    "number_as_text": ("number", "123456789012345678901234567890.5"),
    "infinity": ("number", float("inf")),
    "list": ("list(string)", ["b", "a", None]),
    "list_of_300": ("list(number)", list(range(300))),
    "set": ("set(number)", [2, 1, 2.0, "1"]),
    "tuple": ("tuple([string, number])", ["a", 1]),
    "map": ("map(bool)", {"b": True, "a": None}),
    "object": (OBJECT, {"b": [1], "a": "x"}),
    "object_with_a_gap": (OBJECT, {"a": "x"}),
    "null": ("string", None),
    "unknown": ("number", UNKNOWN),
    "other_ext": ("string", ExtType(42, b"whatever")),
    "not_null": ("string", refined({1: False})),
    "prefix": ("string", refined({1: False, 2: "ami-"})),
    "bounds": ("number", refined({3: [0, True], 4: ["0.5", False]})),
    "lengths": ("list(string)", refined({5: 1, 6: 3})),
    "later_refinement": ("string", refined({99: {"a": [1]}, 1: False})),
    "any_typed": ("any", [b'["list","string"]', ["a"]]),
    "any_implied": ("any", {"a": [1, "x", None]}),
    "any_null": ("any", None),
    "any_unknown": ("any", UNKNOWN),
    "any_typed_unknown": ("any", [b'"string"', UNKNOWN]),
    "nan": ("number", float("nan")),
    "contradiction": ("number", refined({3: [2, True], 4: [1, True]})),
    "extra_attribute": (OBJECT, {"a": "x", "c": 1}),
    "wrong_type": ("bool", "true"),
}

SAME = {"parameters": [{"name": "value", "type": "any", "allow_null": True, "allow_unknown": True}], "returns": "any"}
FUNCTIONS = {
    "same": SAME,
    "seen": {**SAME, "returns": "string"},
    **{f"made_{name}": {"returns": ty} for name, (ty, _) in MADE.items()},
}


def call(params):
    name, arguments = params["name"], params["arguments"]
    if name == "same":
        return {"result": arguments["value"]}
    if name == "seen":
        return {"result": repr(arguments["value"])}
    return {"result": MADE[name.removeprefix("made_")][1]}


METHODS = {
    "init": lambda _: {"name": "second", "version": "1", "protocol_version": "1.0", "capabilities": ["functions"]},
    "functions/getSchema": lambda _: {"functions": FUNCTIONS},
    "functions/call": call,
    # Any value, outside of any schema.
    "echo": lambda params: {"value": params.get("value")},
    "shutdown": lambda _: {},
}


def main():
    # Texts that are not UTF-8 come and go as they are.
    unpacker = msgpack.Unpacker(unicode_errors="surrogateescape", strict_map_key=True)
    packer = msgpack.Packer(unicode_errors="surrogateescape")
    while data := sys.stdin.buffer.read1():
        unpacker.feed(data)
        for kind, *rest in unpacker:
            if kind != 0:
                continue
            number, method, params = rest
            assert isinstance(params, list) and len(params) <= 1, params
            if method in METHODS:
                answer = [1, number, None, METHODS[method](params[0] if params else {})]
            else:
                answer = [1, number, [-32601, "Method not found"], None]
            sys.stdout.buffer.write(packer.pack(answer))
            sys.stdout.buffer.flush()
            if method == "shutdown":
                return


main()
