#!/usr/bin/env python3
"""Keeps Terraform's state in a SQLite database: `python3 sqlite_store.py FILE`.

A change is one transaction, which is there as a whole or not at all, whenever the process is killed.
"""

import os
import sqlite3
import sys
import uuid
from contextlib import contextmanager
from pathlib import Path

from seasonings import locked, owner, serve, storage

TABLES = """
CREATE TABLE IF NOT EXISTS states (path TEXT PRIMARY KEY, state BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS locks (path TEXT PRIMARY KEY, id TEXT NOT NULL, info TEXT NOT NULL);
"""


class SqliteStore:
    def __init__(self, file):
        self.file = Path(file).resolve()
        # States have secrets in them; SQLite would make a file that everybody can read.
        os.close(os.open(self.file, os.O_RDWR | os.O_CREAT, 0o600))
        self.database = sqlite3.connect(self.file, timeout=60, isolation_level=None)
        # What is committed is on disk, even if the power fails.
        self.database.execute("PRAGMA synchronous = EXTRA")
        self.database.executescript(TABLES)

    def read(self, path):
        row = self.database.execute("SELECT state FROM states WHERE path = ?", [path]).fetchone()
        return row and row[0]

    def write(self, path, state, lock_id):
        with self.changing():
            self.check(path, lock_id)
            self.database.execute("INSERT OR REPLACE INTO states VALUES (?, ?)", [path, state])

    def lock(self, path, info):
        with self.changing():
            held = self.held(path)
            if held and owner(held[1]) != owner(info):
                raise locked(*held)
            if not held:
                held = str(uuid.uuid4()), info
                self.database.execute("INSERT INTO locks VALUES (?, ?, ?)", [path, *held])
            return held[0]

    def unlock(self, path, lock_id):
        with self.changing():
            # One that is released already may be asked for again, by a client that did not get the answer.
            if self.held(path):
                self.check(path, lock_id)
                self.database.execute("DELETE FROM locks WHERE path = ?", [path])

    def list(self, prefix):
        query = "SELECT path FROM states WHERE substr(path, 1, length(?1)) = ?1 ORDER BY path"
        return [path for (path,) in self.database.execute(query, [prefix])]

    def delete(self, path, lock_id):
        with self.changing():
            self.check(path, lock_id)
            self.database.execute("DELETE FROM states WHERE path = ?", [path])

    def location(self, path):
        return f"{self.file.as_uri()}#{path}"

    def held(self, path):
        """The id and the info of the lock on a state, if there is one."""
        return self.database.execute("SELECT id, info FROM locks WHERE path = ?", [path]).fetchone()

    def check(self, path, lock_id):
        """Refuses a lock that is no longer held. A client without a lock has chosen to use none."""
        held = self.held(path)
        if lock_id and (held is None or held[0] != lock_id):
            raise locked(*(held or (None, None)))

    @contextmanager
    def changing(self):
        """A transaction, which other processes wait for."""
        self.database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.database.execute("COMMIT")
        except BaseException:
            if self.database.in_transaction:
                self.database.execute("ROLLBACK")
            raise


if __name__ == "__main__":
    serve("sqlite-store", "1.0.0", storage(SqliteStore(sys.argv[1] if len(sys.argv) > 1 else "states.db")))
