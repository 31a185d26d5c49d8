"""Plugins as programs, for tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from tenon_plugin._msgpack import pack
from tenon_plugin._stream import Unpacker

PLUGINS = Path(__file__).with_name("plugins.py")
SOURCES = Path(__file__).parents[1] / "src"
#: No conversation takes longer, also on a busy machine.
WATCHDOG_SECONDS = 60


class Program:
    """A plugin that runs: one of ``plugins.py``, or a text."""

    def __init__(self, name: str, *arguments: str, stdout: int = subprocess.PIPE, **environment: str) -> None:
        program = ["-c", name] if "\n" in name else [str(PLUGINS), name]
        self.process = subprocess.Popen(
            [sys.executable, *program, *arguments],
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONUNBUFFERED": "", **environment},
        )
        self._watchdog = threading.Timer(WATCHDOG_SECONDS, self.process.kill)
        self._watchdog.start()
        self._unpacker = Unpacker()
        self._messages: list[Any] = []
        self.stderr = ""

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self._watchdog.cancel()
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                if pipe is not None:
                    pipe.close()
            except BrokenPipeError:
                pass
        self.process.wait()
        self._watchdog.join()

    def send(self, *messages: Any) -> None:
        assert self.process.stdin is not None
        for message in messages:
            data = pack(message) if isinstance(message, list) else json.dumps(message).encode() + b"\n"
            self.process.stdin.write(data)
        self.process.stdin.flush()

    def line(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise EOFError(self.end()[1])
        return json.loads(line)

    def message(self) -> Any:
        assert self.process.stdout is not None
        while not self._messages:
            data = os.read(self.process.stdout.fileno(), 65536)
            if not data:
                raise EOFError(self.end()[1])
            self._messages.extend(self._unpacker.feed(data))
        return self._messages.pop(0)

    def end(self) -> tuple[int, str]:
        """Ends stdin; the exit code and what was written to stderr."""
        out, err = self.process.communicate()
        return self.process.returncode, err.decode()


def call(id: int, method: str, params: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
