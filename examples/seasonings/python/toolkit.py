#!/usr/bin/env python3
"""Storage and functions in one plugin: `python3 toolkit.py folder FOLDER` or `python3 toolkit.py sqlite FILE`.

Its functions tell what its storage has:

    output "states" { value = provider::toolkit::list_states("team/") }
"""

import sys

from seasonings import Failure, serve, storage
from sqlite_store import SqliteStore
from store import FolderStore

FUNCTIONS = {
    "state_location": {
        "summary": "The URL of a state in this storage",
        "parameters": [{"name": "path", "type": "string", "description": "The name of the state"}],
        "returns": "string",
    },
    "list_states": {
        "summary": "The names of the states in this storage",
        "parameters": [
            {"name": "prefix", "type": "string", "default": "", "description": "What the names begin with"},
            {"name": "max", "type": "number", "default": 100, "description": "How many at most"},
        ],
        "returns": "list(string)",
    },
}


def call(params):
    arguments = params["arguments"]
    if params["name"] == "list_states":
        return {"result": store.list(arguments["prefix"])[: int(arguments["max"])]}
    if not arguments["path"]:
        raise Failure("the name of the state is empty", data={"argument": "path"})
    return {"result": store.location(arguments["path"])}


kind, place = sys.argv[1:]
store = {"folder": FolderStore, "sqlite": SqliteStore}[kind](place)
functions = {"functions/getSchema": lambda _: {"functions": FUNCTIONS}, "functions/call": call}
serve("toolkit", "1.0.0", storage(store) | functions)
