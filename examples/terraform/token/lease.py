#!/usr/bin/env python3
"""An ephemeral resource of Terraform in Python, without any library: a token for a while.

Each token is a file in a folder, with the time until which it is good; whoever is shown a token
looks there. It is made when Terraform begins, renewed while it runs, and gone when it is done.
"""

import json
import os
import secrets
import sys
import time


def write(path, lease):
    """Whole or not at all, and readable by its owner alone."""
    new = path + ".new"
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(lease, file)
    os.replace(new, path)


def open_lease(params):
    props = params["props"]
    seconds = props.get("seconds", 600)
    if not isinstance(seconds, int) or seconds < 2:
        diagnostic = {
            "severity": "error",
            "summary": "wrong props",
            "detail": "a whole number of at least 2 is required",
            "propPath": ["props", "seconds"],
        }
        return {"diagnostics": [diagnostic]}
    token = secrets.token_urlsafe(24)
    os.makedirs(props["folder"], exist_ok=True)
    path = os.path.join(props["folder"], secrets.token_hex(8) + ".json")
    until = int(time.time()) + seconds
    write(path, {"token": token, "until": until})
    return {
        "result": {"until": until},
        # What Terraform is not to print.
        "sensitiveResult": {"token": token},
        # In seconds since 1970, and well before it is too late.
        "renewAt": until - seconds // 2,
        # What renew and close are given: it is all that they know.
        "privateData": {"path": path, "seconds": seconds},
    }


def renew(params):
    private = params["privateData"]
    with open(private["path"], encoding="utf-8") as file:
        lease = json.load(file)
    lease["until"] = int(time.time()) + private["seconds"]
    write(private["path"], lease)
    return {"renewAt": lease["until"] - private["seconds"] // 2, "privateData": private}


def close(params):
    try:
        os.remove(params["privateData"]["path"])
    except FileNotFoundError:
        pass  # Gone is gone.
    return {"done": True}


METHODS = {
    "health": lambda params: {"ok": True},
    "open": open_lease,
    "renew": renew,
    "close": close,
    "shutdown": lambda params: {},
}


def answer(request):
    """What to answer: a result, or an error."""
    method = METHODS.get(request["method"])
    if method is None:
        return {"error": {"code": -32601, "message": "Method not found"}}
    try:
        return {"result": method(request.get("params") or {})}
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
