"""Warnings of a call that has no place for them: on stderr, without secrets, and also if it fails."""

from __future__ import annotations

import contextlib
import io
import unittest
from typing import Any

from test_states import Talk

from tenon_plugin import Context, Failure, Plugin, Secret, _text
from tenon_plugin._denobridge import Denobridge
from tenon_plugin._ipc import Service
from tenon_plugin._mcp import Mcp
from tenon_plugin._orchard import Orchard
from tenon_plugin._seasonings import Seasonings

WARNING = "[WARN] key: (sensitive) is weak\n"




def made() -> Plugin:
    plugin = Plugin("careful", "1.0.0")

    def open_it(key: Secret[str], context: Context, ends: str = "well") -> dict[str, Any]:
        context.warn(f"{key.reveal()} is weak", path="key")
        if ends == "badly":
            raise Failure("it does not open")
        return {"way": float("inf") if ends == "unwritable" else 1}

    plugin.function(open_it)

    @plugin.action(name="use")
    def use(key: Secret[str], context: Context, ends: str = "well") -> dict[str, Any]:
        return open_it(key, context, ends)

    return plugin


def orchard(method: str, params: Any) -> None:
    talk = Talk(Orchard, made())
    for name, given in (("configure", {}), (method, params)):
        talk.ask(_text.dumps({"id": 1, "method": name, "params": given}) + b"\n")


class Told(unittest.TestCase):
    def check(self, ends: str) -> None:
        given = {"key": "hunter2", "ends": ends}
        talks = {
            "service": lambda: Talk(Service, made()).json("open_it", given),
            "service, by position": lambda: Talk(Service, made()).json("use", ["hunter2", ends]),
            "mcp": lambda: Talk(Mcp, made()).json("tools/call", {"name": "use", "arguments": given}),
            "orchard": lambda: orchard("execute", {"action": "use", "attrs": given}),
        }
        if ends == "badly":
            # Otherwise the first has an infinite number, and the others have a place beside the result.
            function = {"name": "open_it", "arguments": given}
            talks["seasonings"] = lambda: Talk(Seasonings, made()).msgpack("functions/call", function)
            call = {"name": "open_it", "arguments": ["hunter2", ends]}
            talks["denobridge"] = lambda: Talk(Denobridge, made()).json("call", call)
            talks["denobridge, action"] = lambda: Talk(Denobridge, made()).json("invoke", {"props": given})
        for name, talk in talks.items():
            printed = io.StringIO()
            with self.subTest(name), contextlib.redirect_stderr(printed):
                talk()
            self.assertEqual(printed.getvalue(), WARNING, name)

    def test_beside_a_result(self) -> None:
        self.check("well")

    def test_beside_an_error(self) -> None:
        self.check("badly")

    def test_beside_a_result_that_cannot_be_written(self) -> None:
        self.check("unwritable")

    def test_a_call_is_answered_although_nobody_reads_stderr(self) -> None:
        closed = io.StringIO()
        closed.close()
        with contextlib.redirect_stderr(closed):
            answer = Talk(Service, made()).json("open_it", {"key": "hunter2", "ends": "badly"})
        self.assertEqual(answer["message"], "it does not open")


if __name__ == "__main__":
    unittest.main()
