#!/usr/bin/env python3
"""A resource of Terraform in Python with a secret that no state holds: an account with a password.

An account is a file with a salt and what the password and the salt make together. The password
itself comes as a write-only prop: it is here while the account is made or changed, and nowhere
after that.
"""

import hashlib
import json
import os
import secrets
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


def save(path, params, member, flags):
    """Writes the account, readable by its owner alone."""
    password = (params.get(member) or {}).get("password")
    if not isinstance(password, str) or len(password) < 8:
        # The message says what is required, and nothing about the current value.
        detail = "write_only_props.password must be a string of at least 8 letters"
        raise Refusal("wrong password", detail, [member, "password"])
    salt = secrets.token_bytes(16)
    derived = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, 600_000)
    account = {"salt": salt.hex(), "password": derived.hex()}
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | flags, 0o600), "w") as file:
        json.dump(account, file)


def create(params):
    props = params["props"]
    os.makedirs(props["folder"], exist_ok=True)
    path = os.path.join(props["folder"], props["user"] + ".json")
    # An account that somebody else made is not ours to overwrite.
    save(path, params, "writeOnlyProps", os.O_EXCL)
    return {"id": path, "state": {"changes": 0}}


def read(params):
    if not os.path.exists(params["id"]):
        return {"exists": False}
    # What is left out is as it was: neither the props nor the state can have changed.
    return {}


def update(params):
    save(params["id"], params, "nextWriteOnlyProps", os.O_TRUNC)
    return {"state": {"changes": params["currentState"]["changes"] + 1}}


def delete(params):
    try:
        os.remove(params["id"])
    except FileNotFoundError:
        pass  # Gone is gone.
    return {"done": True}


def modify_plan(params):
    """Another user, or another folder, is another account."""
    if params["planType"] == "update" and params["nextProps"] != params.get("currentProps"):
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
