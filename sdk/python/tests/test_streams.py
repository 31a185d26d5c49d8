"""stdin and stdout in unusual states, and messages that are not as they should be."""

from __future__ import annotations

import fcntl
import json
import os
import unittest
from typing import Any

from program import Program, call

EARLY = """
print("printed too early")
import asyncio, os
from tenon_plugin import Context, Failure, Plugin
plugin = Plugin("streams", "1.0.0")

@plugin.function
def health() -> str:
    return "own"

@plugin.function
def echo(value: str) -> str:
    return value

@plugin.function
def bad_name(how: str, context: Context) -> str:
    name = os.fsdecode(b"caf\\xe9")
    context.progress(f"reading {name}")
    if how == "cancelled":
        raise asyncio.CancelledError
    if how == "exit":
        raise GeneratorExit
    if how == "result":
        return name
    raise Failure(f"cannot open {name}", path="how", detail=name)

@plugin.action
def act() -> dict[str, str]:
    raise Failure(os.fsdecode(b"caf\\xe9"))

plugin.serve()
"""


class Output(unittest.TestCase):
    def test_a_pipe_that_does_not_block_gets_whole_frames(self) -> None:
        reader, writer = os.pipe()
        flags = fcntl.fcntl(writer, fcntl.F_GETFL)
        fcntl.fcntl(writer, fcntl.F_SETFL, flags | os.O_NONBLOCK)
        texts = ["x" * 300_000, "y" * 200_000]
        with Program(EARLY, stdout=writer) as program, os.fdopen(reader, "rb") as answers:
            os.close(writer)
            program.send(*(call(id, "echo", [text]) for id, text in enumerate(texts)))
            self.assertEqual([json.loads(answers.readline())["result"] for _ in texts], texts)

    def test_what_is_printed_before_serve_goes_to_stderr(self) -> None:
        with Program(EARLY) as program:
            program.send(call(1, "echo", ["a"]))
            self.assertEqual(program.line()["result"], "a")
            self.assertIn("printed too early", program.end()[1])
        with Program(EARLY, "schema") as program:
            self.assertEqual(program.line()["name"], "streams")
            self.assertIn("printed too early", program.end()[1])


class Texts(unittest.TestCase):
    def test_no_text_of_an_error_ends_the_plugin(self) -> None:
        start = call(0, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})
        tool = call(1, "tools/call", {"name": "bad_name", "arguments": {"how": "x"}})
        for messages, found in (
            ([call(1, "bad_name", ["x"])], lambda one: one["error"]["message"]),
            ([start, tool], lambda one: one["result"]["content"][0]["text"]),
            ([{"id": 1, "method": "configure"}, execute(1)], lambda one: one["error"]["message"]),
        ):
            with self.subTest(messages), Program(EARLY) as program:
                program.send(*messages, *messages[-1:])
                answers = [program.line() for _ in range(len(messages) + 1)]
                self.assertIn("caf?", found(answers[-2]))
                self.assertIn("caf?", found(answers[-1]))
        with Program(EARLY) as program:
            program.send([0, 1, "functions/call", [{"name": "bad_name", "arguments": {"how": "x"}}]])
            self.assertEqual(program.message(), [2, "progress", [{"message": "reading caf?"}]])
            self.assertIn("cannot open caf?", program.message()[2][1])
            program.send([0, 2, "ping", []])
            self.assertEqual(program.message()[1], 2)

    def test_other_exceptions_are_errors_of_the_call(self) -> None:
        for how, text in (("cancelled", "CancelledError"), ("exit", "GeneratorExit"), ("result", "cannot be written")):
            with self.subTest(how), Program(EARLY) as program:
                program.send(call(1, "bad_name", [how]), call(2, "echo", ["a"]))
                self.assertIn(text, program.line()["error"]["message"])
                self.assertEqual(program.line()["result"], "a")

    def test_names_and_ids_that_cannot_be_sent_back(self) -> None:
        with Program(EARLY) as program:
            program.send(call(1, "\ud800"), {**call(2, "echo", ["a"]), "id": "\ud800"}, call(3, "echo", ["a"]))
            self.assertEqual(program.line()["error"]["code"], -32601)
            self.assertEqual([program.line()["error"]["code"], program.line()["result"]], [-32600, "a"])


def execute(id: int) -> dict[str, Any]:
    return {"id": id, "method": "execute", "params": {"action": "act", "attrs": {}}}


class Detection(unittest.TestCase):
    def test_health_is_always_a_call_of_denobridge(self) -> None:
        with Program(EARLY) as program:
            program.send(call(1, "health"))
            self.assertEqual(program.line()["result"], {"ok": True})

    def test_a_method_that_denobridge_could_not_call_here_is_one_of_the_service(self) -> None:
        with Program(EARLY) as program:
            program.send(call(1, "create", {}))
            self.assertIn("unknown method `create`", program.line()["error"]["message"])

    def test_a_broken_first_line_of_json_rpc_is_answered_as_such(self) -> None:
        for line, error in (
            (b'{"jsonrpc":"2.0","id":1,"method":"echo"\n', {"code": -32700}),
            (b"provider ready\n", {"code": -32700}),
            (b'{"id":1,\n', {"code": "invalid_request"}),
        ):
            with self.subTest(line), Program(EARLY) as program:
                assert program.process.stdin is not None
                program.process.stdin.write(line)
                program.process.stdin.flush()
                self.assertEqual(program.line()["error"]["code"], error["code"])

    def test_a_line_of_orchard_has_a_limit(self) -> None:
        with Program(EARLY) as program:
            program.send({"id": 1, "method": "describe"})
            program.line()
            assert program.process.stdin is not None
            try:
                program.process.stdin.write(b"x" * (17 * 1024 * 1024))
            except BrokenPipeError:
                pass
            assert program.process.stderr is not None
            self.assertEqual(program.process.wait(), 1)
            self.assertIn("limit of 16777216 bytes", program.process.stderr.read().decode())


if __name__ == "__main__":
    unittest.main()
