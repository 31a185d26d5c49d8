"""Tools of MCP: the schemas of what they take and return. The official client checks results with them."""

from __future__ import annotations

import threading
import unittest
from decimal import Decimal
from typing import Any, Literal

from program import call

from tenon_plugin import Attributes, Cancelled, Plugin, _text
from tenon_plugin._host import Job
from tenon_plugin._mcp import VERSIONS, Mcp
from tenon_plugin._session import Session


class Place(Attributes):
    name: str
    height: int | None = None


plugin = Plugin("tools", "1.0.0")


@plugin.function
def place(is_known: bool) -> Place | None:
    return Place(name="a") if is_known else None


@plugin.function
def prices(is_known: bool) -> dict[str, int] | None:
    return {"a": 1} if is_known else None


@plugin.function
def stock(is_known: bool) -> dict[str, int | None]:
    return {"a": 1 if is_known else None}


@plugin.function
def numbers(values: list[int | None], kind: Literal["odd", "even"] | None = None) -> list[int | None]:
    return values


@plugin.action
def find(is_known: bool) -> Place | None:
    return Place(name="b") if is_known else None


@plugin.function
def far(limit: float = float("inf")) -> float:
    return limit


@plugin.action
def reach() -> dict[str, Any]:
    return {"distance": [Decimal("inf"), float("nan")]}


STOPPED = threading.Event()


@plugin.function
def wait() -> str:
    STOPPED.wait()
    raise Cancelled


class Talk:
    """A conversation with an agent."""

    def __init__(self) -> None:
        self.answers: list[bytes] = []
        self.jobs: list[Job] = []
        self.host = Mcp(Session(plugin), self.answers.append, self.jobs.append)

    def ask(self, method: str, params: Any) -> Any:
        self.host.feed(_text.dumps(call(1, method, params)) + b"\n")
        while self.jobs:
            self.host.run(self.jobs.pop())
        return _text.loads(self.answers.pop().decode())["result"]

    def content(self, name: str, arguments: Any) -> Any:
        return self.ask("tools/call", {"name": name, "arguments": arguments})["structuredContent"]


class Tools(unittest.TestCase):
    def setUp(self) -> None:
        self.talk = Talk()
        self.tools = {one["name"]: one for one in self.talk.ask("tools/list", {})["tools"]}

    def test_an_object_that_may_be_null_is_wrapped(self) -> None:
        properties = {"name": {"type": "string"}, "height": {"type": ["number", "null"]}}
        inner = {"properties": properties, "required": ["height", "name"], "additionalProperties": False}
        for name in ("place", "find"):
            schema = self.tools[name]["outputSchema"]
            self.assertEqual(schema["properties"]["result"], {"type": ["object", "null"], **inner})
            self.assertEqual([schema["type"], schema["required"]], ["object", ["result"]])
            self.assertEqual(self.talk.content(name, {"is_known": False}), {"result": None})
            found = self.talk.content(name, {"is_known": True})["result"]
            self.assertEqual(sorted(found), ["height", "name"])

    def test_a_map_is_wrapped_only_if_it_may_be_null(self) -> None:
        result = self.tools["prices"]["outputSchema"]["properties"]["result"]
        self.assertEqual(result, {"type": ["object", "null"], "additionalProperties": {"type": "number"}})
        self.assertEqual(self.talk.content("prices", {"is_known": False}), {"result": None})
        self.assertEqual(self.talk.content("prices", {"is_known": True}), {"result": {"a": 1}})
        schema = self.tools["stock"]["outputSchema"]
        self.assertEqual(schema, {"type": "object", "additionalProperties": {"type": ["number", "null"]}})
        self.assertEqual(self.talk.content("stock", {"is_known": False}), {"a": None})

    def test_elements_and_choices_may_be_null(self) -> None:
        schema = self.tools["numbers"]["inputSchema"]["properties"]
        items = {"type": "array", "items": {"type": ["number", "null"]}}
        self.assertEqual(schema["values"], items)
        self.assertEqual(schema["kind"], {"type": ["string", "null"], "enum": ["odd", "even", None]})
        self.assertEqual(self.tools["numbers"]["outputSchema"]["properties"]["result"], items)
        self.assertEqual(self.talk.content("numbers", {"values": [1, None]}), {"result": [1, None]})

    def test_numbers_that_json_cannot_say_are_an_error_in_words(self) -> None:
        for name in ("far", "reach"):
            result = self.talk.ask("tools/call", {"name": name})
            self.assertTrue(result["isError"])
            self.assertRegex(result["content"][0]["text"], "^the result cannot be written: an infinite number, or NaN")
        self.assertEqual(self.tools["far"]["inputSchema"]["properties"], {"limit": {"type": "number"}})
        self.assertNotIn("required", self.tools["far"]["inputSchema"])

    def test_all_versions_are_known(self) -> None:
        for version in VERSIONS:
            answer = self.talk.ask("initialize", {"protocolVersion": version})
            self.assertEqual(answer["protocolVersion"], version)
        self.assertEqual([VERSIONS[0], VERSIONS[-1]], ["2024-10-07", "2025-11-25"])

    def test_a_cancelled_call_is_not_answered_also_if_it_ends_while_it_is_cancelled(self) -> None:
        talk = self.talk
        talk.host.feed(_text.dumps(call(7, "tools/call", {"name": "wait"})) + b"\n")
        job = talk.jobs.pop()
        thread = threading.Thread(target=talk.host.run, args=(job,))

        def stop() -> None:
            STOPPED.set()
            thread.join()

        job.context._cancel = (stop,)
        thread.start()
        notification = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
        talk.host.feed(_text.dumps(notification) + b"\n")
        self.assertFalse(thread.is_alive())
        self.assertEqual(talk.answers, [])


if __name__ == "__main__":
    unittest.main()
