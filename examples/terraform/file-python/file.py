#!/usr/bin/env python3
"""A resource of Terraform in Python, without any library: a file with some content.

The provider starts this program once, writes one JSON object on a line for each call, and reads
one JSON object on a line for each answer. Whatever else there is to say goes to stderr.

Try it:

    echo '{"jsonrpc":"2.0","id":1,"method":"create","params":{"props":{"path":"a.txt","content":"hi"}}}' | ./file.py
"""

import json
import os
import sys


class Refusal(Exception):
    """An error that points at one of the props."""

    def __init__(self, summary, detail, path):
        super().__init__(summary)
        self.diagnostic = {
            "severity": "error",
            "summary": summary,
            "detail": detail,
            "propPath": path,
        }


def checked(props, root):
    """The path and the content, or a Refusal that points at what is wrong."""
    if not isinstance(props, dict):
        raise Refusal("wrong props", "an object is required", [root])
    for name in ("path", "content"):
        if name not in props:
            raise Refusal("wrong props", f"{name!r} is required", [root])
        if not isinstance(props[name], str):
            raise Refusal("wrong props", "a string is required", [root, name])
    return props["path"], props["content"]


def state_of(path):
    """What is known once the file is there."""
    status = os.stat(path)
    return {"mtime": int(status.st_mtime), "size": status.st_size}


def create(params):
    path, content = checked(params["props"], "props")
    try:
        # Not "w": a file that somebody else made is not ours to overwrite, nor to delete later.
        with open(path, "x", encoding="utf-8", newline="") as file:
            file.write(content)
    except FileExistsError as error:
        detail = f"{path} would be overwritten; import it, or choose another path"
        raise Refusal("the file is there already", detail, ["props", "path"]) from error
    # The path is also the id, by which the file is found again.
    return {"id": path, "state": state_of(path)}


def read(params):
    path = params["id"]  # After an import the id is all there is: the props are null.
    try:
        with open(path, encoding="utf-8", newline="") as file:
            content = file.read()
    except FileNotFoundError:
        return {"exists": False}
    return {"props": {"path": path, "content": content}, "state": state_of(path)}


def update(params):
    path, content = checked(params["nextProps"], "nextProps")
    if path != params["id"]:
        detail = f"it is {params['id']}; replace the resource"
        raise Refusal("a file cannot be moved", detail, ["nextProps", "path"])
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(content)
    return {"state": state_of(path)}


def delete(params):
    try:
        os.remove(params["id"])
    except FileNotFoundError:
        pass  # Gone is gone.
    return {"done": True}


def modify_plan(params):
    """A file cannot be moved: with another path it is another file.

    What is not known yet is empty in nextProps ("" for a text), and named in unknownProps. A path
    that is not known may be another one, and so it counts as one.
    """
    if params["planType"] == "update" and params["nextProps"].get("path") != params["id"]:
        return {"requiresReplacement": True}
    return {"noChanges": True}


METHODS = {
    "health": lambda params: {"ok": True},
    "create": create,
    "read": read,
    "update": update,
    "delete": delete,
    "modifyPlan": modify_plan,
    "shutdown": lambda params: {},
}


def answer(request):
    """What to answer: a result, or an error."""
    method = METHODS.get(request["method"])
    if method is None:
        return {"error": {"code": -32601, "message": "Method not found"}}
    try:
        return {"result": method(request.get("params") or {})}
    except Refusal as refusal:
        return {"result": {"diagnostics": [refusal.diagnostic]}}
    except Exception as error:  # A fault in one call must not end the others.
        return {"error": {"code": -32000, "message": str(error) or repr(error)}}


def main():
    wire = sys.stdout
    # From here on a stray print goes to stderr instead of breaking the protocol.
    sys.stdout = sys.stderr
    for line in sys.stdin.buffer:  # Ends when the provider closes our stdin.
        if not line.strip():
            continue
        request = json.loads(line)
        response = answer(request)
        # An event has no id and gets no answer.
        if "id" in request:
            response = {"jsonrpc": "2.0", "id": request["id"], **response}
            # One line, without line breaks inside, and flushed: the provider waits for it.
            wire.write(json.dumps(response) + "\n")
            wire.flush()
        if request["method"] == "shutdown":
            break


if __name__ == "__main__":
    try:
        main()
    except (BrokenPipeError, KeyboardInterrupt):
        pass  # The provider is gone.
