#!/usr/bin/env python3
"""Keeps Terraform's state in a folder: `python3 store.py FOLDER`.

A state is written to another file first and then renamed, so that there is the old one or the new one at any moment,
never half of one. A lock is a file as well, and survives this process.
"""

import json
import os
import sys
import uuid
from pathlib import Path

from seasonings import Failure, locked, serve

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else "states").resolve()


def place(params, ending):
    path = params["path"]
    if any(part in ("", ".", "..") for part in path.split("/")):
        raise Failure(f"{path!r} is not the path of a state")
    return FOLDER / (path + ending)


def replace(file, data):
    """Writes a file that is there as a whole or not at all."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(file.name + ".part")
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    os.replace(part, file)
    folder = os.open(file.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def held(params):
    """The lock on a state, if there is one."""
    try:
        return json.loads(place(params, ".lock").read_text())
    except FileNotFoundError:
        return None


def check(params):
    """Refuses what another lock protects."""
    lock = held(params)
    if params.get("lockId") and (lock is None or lock["lockId"] != params["lockId"]):
        raise locked(lock and lock["lockId"], lock and lock["info"])


def read(params):
    try:
        return {"state": place(params, ".tfstate").read_bytes()}
    except FileNotFoundError:
        return {"state": None}


def write(params):
    check(params)
    replace(place(params, ".tfstate"), params["state"])
    return {"success": True}


def lock(params):
    info, current = params["info"], held(params)
    if current is not None:
        if json.loads(current["info"]).get("ID") == json.loads(info).get("ID"):
            return {"lockId": current["lockId"]}
        raise locked(current["lockId"], current["info"])
    taken = {"lockId": str(uuid.uuid4()), "info": info}
    replace(place(params, ".lock"), json.dumps(taken).encode())
    return {"lockId": taken["lockId"]}


def unlock(params):
    if not params.get("force"):
        check(params)
    place(params, ".lock").unlink(missing_ok=True)
    return {"success": True}


def list_states(params):
    files = FOLDER.rglob("*.tfstate")
    paths = (str(file.relative_to(FOLDER)).removesuffix(".tfstate") for file in files)
    return {"paths": sorted(path for path in paths if path.startswith(params.get("prefix") or ""))}


def delete(params):
    check(params)
    place(params, ".tfstate").unlink(missing_ok=True)
    return {"success": True}


serve(
    "store",
    "1.0.0",
    {
        "storage/read": read,
        "storage/write": write,
        "storage/lock": lock,
        "storage/unlock": unlock,
        "storage/list": list_states,
        "storage/delete": delete,
    },
)
