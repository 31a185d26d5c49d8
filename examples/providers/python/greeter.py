#!/usr/bin/env python3
"""A provider in Python, without any library: one action that greets somebody.

A host starts this program, writes one JSON object on a line for each request, and reads one JSON
object on a line for each answer. Whatever else there is to say goes to stderr.

Try it:

    ./greeter.py schema
    echo '{"id":1,"method":"execute","params":{"action":"greet","attrs":{"name":"you"}}}' | ./greeter.py
"""

import json
import sys

# What the provider offers. Hosts check scenarios against it before they run anything.
SCHEMA = {
    "name": "greeter",
    "version": "1.0.0",
    "protocol": "1",
    "config": {},
    "actions": {
        "greet": {
            "description": "Greets somebody",
            "attrs": {
                "name": {"type": "string", "required": True, "description": "Whom to greet."},
                "greeting": {
                    "type": "string",
                    "required": False,
                    "default": "hello",
                    "description": "The words before the name.",
                },
                "loud": {"type": "bool", "required": False, "description": "Whether to shout."},
            },
            "outputs": {"type": "object({ text = string })"},
        }
    },
}

# The types of our attributes, as the json module reads them.
TYPES = {"string": str, "bool": bool}


class Failure(Exception):
    """An error for the host. The codes are the protocol's, or your own."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def validated(attrs, schema):
    """The attributes with their defaults, or a Failure that names the wrong one.

    Null means the same as absent.
    """
    if not isinstance(attrs, dict):
        raise Failure("invalid_request", "`attrs` must be an object")
    for name in attrs:
        if name not in schema:
            raise Failure("validation_failed", f"the attribute {name!r} is not supported")
    values = {}
    for name, attribute in schema.items():
        value = attrs.get(name)
        if value is None:
            if attribute["required"]:
                raise Failure("validation_failed", f"the attribute {name!r} is required")
            value = attribute.get("default")
        elif not isinstance(value, TYPES[attribute["type"]]):
            raise Failure("validation_failed", f"{name!r} must be a {attribute['type']}")
        values[name] = value
    return values


def greet(attrs):
    """The action itself: attributes in, outputs out."""
    text = f"{attrs['greeting']}, {attrs['name']}"
    return {"text": text.upper() if attrs["loud"] else text}


ACTIONS = {"greet": greet}


def handle(method, params):
    """The result of one request."""
    if method == "describe":
        return {"schema": SCHEMA}
    if method in ("configure", "shutdown"):
        return {}
    if method == "execute":
        action = params.get("action")
        if not isinstance(action, str):
            raise Failure("invalid_request", "`action` must be a string")
        if action not in ACTIONS:
            raise Failure("unknown_action", f"unknown action `{action}`")
        attrs = params.get("attrs")
        attrs = validated({} if attrs is None else attrs, SCHEMA["actions"][action]["attrs"])
        return {"outputs": ACTIONS[action](attrs)}
    raise Failure("unknown_method", f"unknown method `{method}`")


def answer(line):
    """The answer to one line, and the method that was called."""
    request_id, method = 0, None  # What cannot be read has no id to answer to.
    try:
        try:
            request = json.loads(line)
        except ValueError as error:
            raise Failure("invalid_request", f"this is not JSON: {error}") from error
        if not isinstance(request, dict) or not isinstance(request.get("id"), int):
            raise Failure("invalid_request", "a request is an object with an id")
        request_id, method = request["id"], request.get("method")
        if not isinstance(method, str):
            raise Failure("invalid_request", "a request has a method")
        params = request.get("params") or {}
        if not isinstance(params, dict):
            raise Failure("invalid_request", "`params` must be an object")
        return {"id": request_id, "result": handle(method, params)}, method
    except Failure as failure:
        error = {"code": failure.code, "message": str(failure)}
    except Exception as fault:  # A fault in one action must not end the others.
        print(f"greeter: {fault!r}", file=sys.stderr)
        error = {"code": "internal_error", "message": "the provider has a fault; see its stderr"}
    return {"id": request_id, "error": error}, method


def main():
    if sys.argv[1:] == ["schema"]:
        print(json.dumps(SCHEMA))
        return 0
    if sys.argv[1:]:
        print("usage: greeter.py [schema]", file=sys.stderr)
        return 2
    wire = sys.stdout
    # From here on a stray print goes to stderr instead of breaking the protocol.
    sys.stdout = sys.stderr
    for line in sys.stdin.buffer:  # Ends when the host closes our stdin.
        if not line.strip():
            continue
        response, method = answer(line)
        # One line, without line breaks inside, and flushed: the host waits for it.
        wire.write(json.dumps(response) + "\n")
        wire.flush()
        if method == "shutdown":
            break
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BrokenPipeError, KeyboardInterrupt):
        pass  # The host is gone.
