"""The real server: `tenon echo --socket`. The variable TENON names the command."""

import os
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

#: The shell outlives a test that its watchdog ends, and kills the server then.
GUARDED = '"$0" echo --socket "$1" & read line; kill -9 $!; wait'

#: A server that takes longer to listen does not work.
START_SECONDS = 30


class EchoServer:
    """A process that listens at a socket."""

    def __init__(self, folder):
        self.folder = folder
        self.path = str(Path(folder) / "echo.sock")
        self.run()

    @classmethod
    def start(cls, test):
        """A server that ends with the test, which is skipped if there is none."""
        if "TENON" not in os.environ:
            raise unittest.SkipTest("the variable TENON has to name the command tenon")
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        server = cls(folder.name)
        test.addCleanup(server.kill)
        return server

    def run(self):
        """Starts the process, and waits until it listens."""
        command = ["sh", "-c", GUARDED, os.environ["TENON"], self.path]
        self.guardian = subprocess.Popen(command, stdin=subprocess.PIPE)
        deadline = time.monotonic() + START_SECONDS
        while True:
            with socket.socket(socket.AF_UNIX) as attempt:
                try:
                    attempt.connect(self.path)
                    return
                except OSError:
                    if time.monotonic() > deadline:
                        self.kill()
                        raise
            time.sleep(0.01)

    def kill(self):
        """Ends the process at once."""
        self.guardian.stdin.close()
        self.guardian.wait()
