#!/usr/bin/env python3
"""plugname: a plugin. README.md says how each host runs it."""

#: resource storage
from __future__ import annotations

#: end
#: storage
import fcntl
import os
#: end
#: resource storage
from pathlib import Path
#: storage
from typing import IO
#: end

#: end
import tenon_plugin as tenon

plugin = tenon.Plugin("plugname", "0.1.0")

#: function

@plugin.function
def greet(name: str, greeting: str = "hello") -> str:
    """Greets somebody."""
    return f"{greeting}, {name}"

#: end
#: action

class Appended(tenon.Attributes):
    lines: int = tenon.attribute("How many lines the file has now.")


@plugin.action
def append(file: str, line: str) -> Appended:
    """Appends a line to a file."""
    with open(file, "a", encoding="utf-8") as opened:
        opened.write(line + "\n")
    with open(file, encoding="utf-8") as opened:
        return Appended(lines=len(opened.readlines()))

#: end
#: resource

@plugin.resource("note")
class Note:
    """A file with some text. Its id is its path."""

    class Props(tenon.Attributes):
        path: str = tenon.attribute("Where the file is.", replaces=True)
        text: str = tenon.attribute("What is in it.")

    class State(tenon.Attributes):
        words: int = tenon.attribute("How many words are in it.")

    def create(self, props: Props) -> tenon.Created[State]:
        # A file that somebody else made is not ours to overwrite.
        with open(props.path, "x", encoding="utf-8") as file:
            file.write(props.text)
        return tenon.Created(props.path, self.state(props.text))

    def read(self, id: str, props: Props | None) -> tenon.Found[Props, State] | None:
        if not Path(id).exists():
            return None
        text = Path(id).read_text(encoding="utf-8")
        return tenon.Found(Note.Props(path=id, text=text), self.state(text))

    def update(self, existing: tenon.Existing[Props, State], props: Props) -> State:
        Path(existing.id).write_text(props.text, encoding="utf-8")
        return self.state(props.text)

    def delete(self, existing: tenon.Existing[Props, State]) -> None:
        Path(existing.id).unlink(missing_ok=True)

    @staticmethod
    def state(text: str) -> State:
        return Note.State(words=len(text.split()))

#: end
#: storage

class Store:
    """Keeps the states of Terraform as files in a folder.

    A state is written to another file first and then renamed, so that there is always the old one
    or the new one. A lock is a file as well: its id, and what its owner says about itself.
    """

    def __init__(self, folder: str = "states") -> None:
        self.folder = Path(folder)

    def read(self, path: str) -> bytes | None:
        file = self.file(path, "tfstate")
        return file.read_bytes() if file.exists() else None

    def write(self, path: str, state: bytes, lock_id: str | None) -> None:
        with self.guard():
            tenon.Lock.check(self.held(path), lock_id)
            self.replace(self.file(path, "tfstate"), state)

    def lock(self, path: str, lock: tenon.Lock) -> str:
        with self.guard():
            held = self.held(path)
            if held is not None and held.id != lock.id:
                raise tenon.Failure.locked(held)
            self.replace(self.file(path, "lock"), f"{lock.id}\n{lock.info}".encode())
            return lock.id

    def unlock(self, path: str, lock_id: str | None) -> None:
        with self.guard():
            held = self.held(path)
            if held is not None:
                tenon.Lock.check(held, lock_id)
                self.file(path, "lock").unlink()

    def list(self, prefix: str) -> list[str]:
        found = self.folder.rglob("*.tfstate")
        paths = [str(file.relative_to(self.folder).with_suffix("")) for file in found]
        return sorted(path for path in paths if path.startswith(prefix))

    def delete(self, path: str, lock_id: str | None) -> None:
        with self.guard():
            tenon.Lock.check(self.held(path), lock_id)
            self.file(path, "tfstate").unlink(missing_ok=True)

    def file(self, path: str, ending: str) -> Path:
        return self.folder / f"{path}.{ending}"

    def held(self, path: str) -> tenon.Lock | None:
        file = self.file(path, "lock")
        if not file.exists():
            return None
        id, _, info = file.read_text(encoding="utf-8").partition("\n")
        return tenon.Lock(id, info)

    def guard(self) -> IO[str]:
        """Until it is closed, other processes that use the folder wait."""
        self.folder.mkdir(parents=True, exist_ok=True)
        guard = open(self.folder / ".guard", "w")
        fcntl.flock(guard, fcntl.LOCK_EX)
        return guard

    def replace(self, file: Path, data: bytes) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(file.name + ".part")
        with open(part, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        part.rename(file)
        # The new name is on disk when its folder is.
        folder = os.open(file.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


plugin.storage(Store)

#: end
#: hook

@plugin.post_plan
def warn_about_deletion(change: tenon.Change) -> tenon.Verdict | None:
    """Called for each resource that Terraform plans."""
    if change.action in ("Delete", "Replace"):
        return tenon.Verdict.warn(f"{change.address} will be destroyed")
    return None

#: end

if __name__ == "__main__":
    plugin.serve()
