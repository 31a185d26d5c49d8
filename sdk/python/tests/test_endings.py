"""The end of a conversation: what runs has a few seconds, and nothing keeps the process longer."""

from __future__ import annotations

import signal
import tempfile
import unittest
from pathlib import Path
from time import sleep

from program import WATCHDOG_SECONDS, Program, call

PLUGIN = """
import asyncio, os, sys, time
from tenon_plugin import Context, Plugin, _serve
if {limit}:
    _serve.GOODBYE_SECONDS = {limit}
plugin = Plugin("endings", "1.0.0", max_in_flight={max_in_flight})

@plugin.shutdown
def shutdown() -> None:
    print("shut down", file=sys.stderr)

def begin(folder):
    open(os.path.join(folder, "begun"), "w").close()

@plugin.function
def wait(folder: str, file: str) -> str:
    begin(folder)
    while not os.path.exists(os.path.join(folder, file)):
        time.sleep(0.005)
    return "found"

@plugin.function
async def wait_later(folder: str, file: str) -> str:
    begin(folder)
    while not os.path.exists(os.path.join(folder, file)):
        await asyncio.sleep(0.005)
    return "found"

@plugin.function
def block(folder: str, file: str) -> str:
    begin(folder)
    # A step of the program that signals do not interrupt.
    import _thread
    lock = _thread.allocate_lock()
    lock.acquire()
    lock.acquire()
    return "never"

plugin.serve()
"""
#: Nothing waits as long.
HOUR = 3600


class Ending:
    """A plugin that runs a call."""

    def __init__(self, test: unittest.TestCase, method: str, limit: float, max_in_flight: int | None) -> None:
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.folder = folder.name
        text = PLUGIN.format(limit=limit, max_in_flight=max_in_flight)
        self.program = Program(text)
        test.addCleanup(self.program.__exit__)
        self.program.send(call(1, method, [self.folder, "file"]))
        begun = Path(self.folder, "begun")
        while not begun.exists() and self.program.process.poll() is None:
            sleep(0.005)

    def close(self) -> None:
        assert self.program.process.stdin is not None
        self.program.process.stdin.close()

    def wait(self) -> int:
        return self.program.process.wait(WATCHDOG_SECONDS)

    def stderr(self) -> str:
        assert self.program.process.stderr is not None
        return self.program.process.stderr.read().decode()


KINDS = [(method, limit) for method in ("wait", "wait_later", "block") for limit in (None, 2)]


class Endings(unittest.TestCase):
    def test_what_runs_is_answered_after_the_end_of_stdin(self) -> None:
        for method, limit in KINDS[:4]:
            with self.subTest(method, limit=limit):
                ending = Ending(self, method, HOUR, limit)
                ending.close()
                Path(ending.folder, "file").touch()
                self.assertEqual(ending.program.line()["result"], "found")
                self.assertEqual(ending.wait(), 0)
                self.assertEqual(ending.stderr(), "shut down\n")

    def test_what_takes_too_long_is_ended(self) -> None:
        for method, limit in KINDS:
            with self.subTest(method, limit=limit):
                ending = Ending(self, method, 0.05, limit)
                ending.close()
                self.assertEqual(ending.wait(), 0)
                stderr = ending.stderr()
                self.assertIn("endings: a call that still ran 0.05 seconds after the end of the conversation", stderr)
                self.assertIn("shut down", stderr)

    def test_a_call_that_was_cancelled_is_not_waited_for(self) -> None:
        for method, limit in KINDS:
            with self.subTest(method, limit=limit):
                ending = Ending(self, method, HOUR, limit)
                ending.program.send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}})
                self.assertEqual(ending.program.line()["error"]["code"], -32800)
                ending.close()
                self.assertEqual(ending.wait(), 0)
                self.assertEqual(ending.stderr(), "shut down\n")

    def test_a_signal_after_the_end_of_stdin_ends_it_at_once(self) -> None:
        for method, limit in KINDS:
            with self.subTest(method, limit=limit):
                ending = Ending(self, method, HOUR, limit)
                # It reads on: otherwise the end of stdin could come after the signal.
                ending.program.send(call(2, "nothing"))
                ending.program.line()
                ending.close()
                while ending.program.process.poll() is None:
                    ending.program.process.send_signal(signal.SIGTERM)
                self.assertEqual(ending.wait(), 128 + signal.SIGTERM)

    def test_a_signal_ends_a_call_that_blocks_in_time(self) -> None:
        for method, limit in KINDS:
            with self.subTest(method, limit=limit):
                ending = Ending(self, method, 0.05, limit)
                ending.program.process.send_signal(signal.SIGTERM)
                self.assertEqual(ending.wait(), 0)
                self.assertIn("shut down", ending.stderr())

    def test_a_stream_that_ends_inside_a_message_is_an_error(self) -> None:
        for data in (b"Content-Length: 100\r\n\r\n{", b"\x94\x00\x01\xa4pi"):
            with self.subTest(data), Program("everything") as program:
                assert program.process.stdin is not None
                program.process.stdin.write(data)
                code, stderr = program.end()
                self.assertEqual(code, 1)
                self.assertIn("the stream ended inside a message", stderr)


if __name__ == "__main__":
    unittest.main()
