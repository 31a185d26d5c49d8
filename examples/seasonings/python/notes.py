"""A Seasonings plugin without a library: notes in a folder, as a Terraform provider.

    tenon provider pack notes -- python3 notes.py

It has two functions (slug, total), a resource (note), a data source (count) and an ephemeral
resource (token).
"""

import json
import os
import re
import secrets
import sys

from msgpack_lite import UNKNOWN, pack, unpack

FUNCTIONS = {
    "slug": {
        "summary": "Makes a short name of a text.",
        "parameters": [
            {"name": "text", "type": "string"},
            {"name": "separator", "type": "string", "default": "-"},
            {"name": "limit", "type": "number", "optional": True},
        ],
        "returns": "string",
    },
    "total": {
        "summary": "Adds numbers.",
        "variadic": {"name": "numbers", "type": "number"},
        "returns": "number",
    },
}

RESOURCES = {
    "provider": {"attributes": {
        "folder": {"type": "string", "required": True, "description": "Where the notes are."},
    }},
    "resources": {"note": {
        "version": 1,
        "description": "A note, in a file.",
        "attributes": {
            "title": {"type": "string", "required": True, "replace": True},
            "text": {"type": "string", "default": "(empty)"},
            "tags": {"type": "map(string)", "optional": True},
            "extra": {"type": "any", "optional": True},
            "password": {"type": "string", "optional": True, "write_only": True},
            "id": {"type": "string", "computed": True, "stable": True},
            "words": {"type": "number", "computed": True},
        },
        "blocks": {
            "link": {"nesting": "list", "attributes": {
                "url": {"type": "string", "required": True},
                "weight": {"type": "number", "default": 0.1},
            }},
        },
    }},
    "data_sources": {"count": {"attributes": {
        "prefix": {"type": "string", "optional": True},
        "notes": {"type": "number", "computed": True},
    }}},
    "ephemeral": {"token": {"attributes": {
        "length": {"type": "number", "default": 8},
        "value": {"type": "string", "computed": True, "sensitive": True},
    }}},
}


class Failed(Exception):
    def __init__(self, message, code=-32000, data=None):
        super().__init__(message)
        self.answer = [code, message, data]


class Notes:
    folder = None

    def file(self, number):
        return os.path.join(self.folder, number + ".json")

    def load(self, number):
        try:
            with open(self.file(number)) as file:
                return json.load(file)
        except FileNotFoundError:
            return None

    def save(self, note):
        part = self.file(note["id"]) + ".part"
        with open(part, "w") as file:
            json.dump(note, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, self.file(note["id"]))

    # Each method gets its params as a dictionary and returns its result as one.

    def init(self, params):
        return {"name": "notes", "version": "1.2.0", "protocol_version": 1,
                "capabilities": ["functions", "resources"]}

    def ping(self, params):
        return {"status": "ok"}

    def functions_getSchema(self, params):
        return {"functions": FUNCTIONS}

    def functions_call(self, params):
        arguments = params["arguments"]
        if params["name"] == "total":
            return {"result": sum(float(number) for number in arguments["numbers"])}
        text, separator = arguments["text"], arguments["separator"]
        if not text:
            raise Failed("the text is empty", data={"argument": "text"})
        slug = re.sub(r"[^a-z0-9]+", separator, text.lower()).strip(separator)
        return {"result": slug[: arguments.get("limit")]}

    def resources_getSchema(self, params):
        return RESOURCES

    def resources_configure(self, params):
        folder = params["config"]["folder"]
        if folder is not UNKNOWN:
            if not os.path.isdir(folder):
                return {"diagnostics": [{"severity": "error", "summary": "No such folder",
                                         "detail": folder, "path": ["folder"]}]}
            self.folder = folder
        return {}

    def resources_validate(self, params):
        title = params["config"].get("title")
        if params["kind"] == "resource" and title == "":
            return {"diagnostics": [{"severity": "error", "summary": "A note needs a title",
                                     "path": ["title"]}]}
        return {}

    def resources_applyChange(self, params):
        prior, planned = params["prior"], params["planned"]
        if planned is None:
            try:
                os.remove(self.file(prior["id"]))
            except FileNotFoundError:
                pass
            return {}
        note = dict(planned)
        note["id"] = prior["id"] if prior else secrets.token_hex(4)
        note["words"] = len(note["text"].split())
        if isinstance(note["extra"], list):
            # A value of the type any comes with its type; it may go back without.
            note["extra"] = note["extra"][1]
        self.save(note)
        return {"state": note, "private": b"seen"}

    def resources_read(self, params):
        return {"state": self.load(params["state"]["id"])}

    def resources_import(self, params):
        note = self.load(params["id"])
        if note is None:
            raise Failed(f"there is no note {params['id']}", code=-32002)
        return {"state": {"id": note["id"]}}

    def resources_upgrade(self, params):
        state = dict(params["state"])
        state["text"] = state.pop("body", None)
        if state.get("extra"):
            # A value of the type any is in a state with its type, and goes back with it.
            ty, value = state["extra"]["type"], state["extra"]["value"]
            state["extra"] = [json.dumps(ty).encode(), value]
        return {"state": state}

    def resources_readData(self, params):
        prefix = params["config"]["prefix"] or ""
        notes = [self.load(name[: -len(".json")]) for name in os.listdir(self.folder)
                 if name.endswith(".json")]
        return {"state": {"notes": sum(note["title"].startswith(prefix) for note in notes)}}

    def resources_open(self, params):
        length = int(params["config"]["length"])
        return {"result": {"value": secrets.token_hex(length)[:length]}, "private": b"open"}

    def resources_close(self, params):
        print("[INFO] the token is closed", file=sys.stderr, flush=True)
        return {}


def main():
    stdin, stdout, notes = sys.stdin.buffer, sys.stdout.buffer, Notes()

    def read(length):
        data = stdin.read(length)
        if len(data) < length:
            raise EOFError
        return data

    while True:
        try:
            message = unpack(read)
        except EOFError:
            return
        if message[0] != 0:
            continue  # An event, such as $/cancel.
        _, number, method, params = message
        if isinstance(params, list):
            params = params[0] if params else {}
        try:
            if method == "shutdown":
                answer = [1, number, None, {}]
            elif handler := getattr(notes, method.replace("/", "_"), None):
                answer = [1, number, None, handler(params)]
            else:
                answer = [1, number, [-32601, "Method not found"], None]
        except Failed as failed:
            answer = [1, number, failed.answer, None]
        except Exception as error:
            answer = [1, number, [-32603, f"{type(error).__name__}: {error}"], None]
        stdout.write(pack(answer))
        stdout.flush()
        if method == "shutdown":
            return


if __name__ == "__main__":
    main()
