#!/usr/bin/env python3
"""Keeps Terraform's state in a folder: `python3 store.py FOLDER`.

A state is written to another file first and then renamed, so that at any moment there is the old one or the new one,
never half of one. A lock is a file as well, and outlives this process.
"""

import fcntl
import json
import os
import sys
import uuid
from contextlib import contextmanager
from pathlib import Path

from seasonings import locked, owner, serve, storage


class FolderStore:
    def __init__(self, folder):
        self.folder = Path(folder).resolve()

    def read(self, path):
        try:
            return self.file(path, ".tfstate").read_bytes()
        except FileNotFoundError:
            return None

    def write(self, path, state, lock_id):
        with self.changing():
            self.check(path, lock_id)
            self.replace(self.file(path, ".tfstate"), state)

    def lock(self, path, info):
        with self.changing():
            held = self.held(path)
            if held and owner(held["info"]) != owner(info):
                raise locked(held["lockId"], held["info"])
            if not held:
                held = {"lockId": str(uuid.uuid4()), "info": info}
                self.replace(self.file(path, ".lock"), json.dumps(held).encode())
            return held["lockId"]

    def unlock(self, path, lock_id):
        with self.changing():
            # One that is released already may be asked for again, by a client that did not get the answer.
            if self.held(path):
                self.check(path, lock_id)
                self.remove(self.file(path, ".lock"))

    def list(self, prefix):
        files = self.folder.rglob("*.tfstate")
        paths = (str(file.relative_to(self.folder)).removesuffix(".tfstate") for file in files)
        return sorted(path for path in paths if path.startswith(prefix))

    def delete(self, path, lock_id):
        with self.changing():
            self.check(path, lock_id)
            self.remove(self.file(path, ".tfstate"))

    def location(self, path):
        return self.file(path, ".tfstate").as_uri()

    def file(self, path, ending):
        return self.folder / (path + ending)

    def held(self, path):
        """The lock on a state, if there is one."""
        try:
            return json.loads(self.file(path, ".lock").read_text())
        except FileNotFoundError:
            return None

    def check(self, path, lock_id):
        """Refuses a lock that is no longer held. A client without a lock has chosen to use none."""
        held = self.held(path)
        if lock_id and (held is None or held["lockId"] != lock_id):
            raise locked(held and held["lockId"], held and held["info"])

    @contextmanager
    def changing(self):
        """Other processes that use the folder wait meanwhile. The kernel ends this if the process is killed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        guard = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(guard, fcntl.LOCK_EX)
            yield
        finally:
            os.close(guard)

    def replace(self, file, data):
        """Writes a file that is there as a whole or not at all."""
        file.parent.mkdir(parents=True, exist_ok=True)
        part = file.with_name(file.name + ".part")
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        os.replace(part, file)
        self.sync(file.parent)

    def remove(self, file):
        if file.exists():
            file.unlink()
            self.sync(file.parent)

    def sync(self, folder):
        """What was renamed or removed is on disk when its folder is; so are folders that were made for it."""
        while folder.is_relative_to(self.folder):
            entries = os.open(folder, os.O_RDONLY)
            os.fsync(entries)
            os.close(entries)
            folder = folder.parent


if __name__ == "__main__":
    serve("store", "1.0.0", storage(FolderStore(sys.argv[1] if len(sys.argv) > 1 else "states")))
