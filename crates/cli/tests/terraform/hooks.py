"""A plugin with hooks that writes what it is called with to calls.jsonl, and answers as its config says.

`config = { answers = { postPlan = { status = "fail", message = "no" } }, dies_in = "preApply" }`
"""

import json
import os
import sys

sys.path.insert(0, os.environ["EXAMPLES"])

from msgpack_lite import UNKNOWN
from seasonings import serve

config = {}


def plain(value):
    if value is UNKNOWN:
        return "(unknown)"
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def hook(name):
    def handle(params):
        with open("calls.jsonl", "a") as calls:
            calls.write(json.dumps({"hook": name, **plain(params)}) + "\n")
        if config.get("dies_in") == name:
            os._exit(3)
        return config.get("answers", {}).get(name, {})

    return handle


NAMES = ["prePlan", "postPlan", "preApply", "postApply", "preRefresh", "postRefresh"]
NAMES += [f"{stage}Stage{moment}" for stage in ("init", "plan", "apply") for moment in ("Start", "Completed", "Failed")]
serve("puppet", "1", {f"middleware/{name}": hook(name) for name in NAMES}, configure=config.update)
