"""Null as an argument, in each host."""

from __future__ import annotations

import unittest
from typing import Any, Optional

from program import Program, call

from tenon_plugin import Plugin, Secret
from tenon_plugin.testing import Host

PLUGIN = """
from typing import Any
from tenon_plugin import Plugin
plugin = Plugin("nulls", "1.0.0")

@plugin.function
def shown(value: int | None, more: Any) -> str:
    return repr([value, more])

plugin.serve()
"""


class Nulls(unittest.TestCase):
    def test_a_nullable_parameter_takes_null_in_every_host(self) -> None:
        named = {"value": None, "more": None}
        start = call(0, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})
        for messages, result in (
            ([call(1, "shown", named)], "[None, None]"),
            ([call(1, "shown", [None, None])], "[None, None]"),
            ([call(1, "shown", [None, 2])], "[None, 2]"),
            ([call(1, "call", {"name": "shown", "arguments": [None, None]})], {"result": "[None, None]"}),
        ):
            with self.subTest(messages), Program(PLUGIN) as program:
                program.send(*messages)
                self.assertEqual(program.line().get("result"), result)
        with Program(PLUGIN) as program:
            program.send([0, 1, "functions/call", [{"name": "shown", "arguments": named}]])
            self.assertEqual(program.message(), [1, 1, None, {"result": "[None, None]"}])
        with Program(PLUGIN) as program:
            program.send(start, call(1, "tools/list"), call(2, "tools/call", {"name": "shown", "arguments": named}))
            program.line()
            schema = program.line()["result"]["tools"][0]["inputSchema"]
            self.assertEqual(schema["properties"]["value"], {"type": ["number", "null"]})
            self.assertEqual(schema["required"], ["more", "value"])
            self.assertEqual(program.line()["result"]["structuredContent"], {"result": "[None, None]"})

    def test_another_parameter_refuses_null(self) -> None:
        plugin = Plugin("nulls", "1.0.0")

        @plugin.function
        def both(first: Optional[int], second: int) -> Any:
            return [first, second]

        self.assertEqual(Host(plugin).call_function("both", None, 2), [None, 2])
        with self.assertRaisesRegex(Exception, "required"):
            Host(plugin).call_function("both", 1, None)

    def test_null_inside_a_wrapper_stays_inside(self) -> None:
        plugin = Plugin("nulls", "1.0.0")

        @plugin.function
        def reveal(token: Secret[str | None]) -> str:
            return repr(token.reveal())

        self.assertEqual(Host(plugin).call_function("reveal", None), "None")


if __name__ == "__main__":
    unittest.main()
