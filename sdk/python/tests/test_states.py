"""Functions and what ``configure`` returned: in every host, whichever call comes first."""

from __future__ import annotations

import contextlib
import io
import unittest
from typing import Any

from program import call

from tenon_plugin import Context, Failure, Plugin, Secret, _msgpack, _text
from tenon_plugin._denobridge import Denobridge
from tenon_plugin._host import Host as Adapter
from tenon_plugin._host import Job
from tenon_plugin._ipc import Service
from tenon_plugin._mcp import Mcp
from tenon_plugin._seasonings import Seasonings
from tenon_plugin._session import Session
from tenon_plugin.testing import Host


def made(default: int | None = 1, fails: bool = False) -> tuple[Plugin, list[int]]:
    """A plugin whose functions need the state, or not; and how often it was configured."""
    plugin = Plugin("counting", "1.0.0")
    started: list[int] = []

    def start(x: int) -> int:
        started.append(x)
        if fails:
            raise Failure("no server")
        return x

    if default is None:

        @plugin.configure
        def configure(x: int) -> int:
            return start(x)
    else:

        @plugin.configure
        async def configure_later(x: int = default) -> int:
            return start(x)

    @plugin.function
    def stateful(context: Context) -> int:
        return int(context.state)

    @plugin.function
    async def later(context: Context) -> int:
        return int(context.state)

    @plugin.function
    def pure() -> int:
        return 2

    @plugin.function
    def careful(context: Context) -> int:
        return 0 if context.cancelled else 3

    @plugin.function
    def weak(key: Secret[str], context: Context) -> int:
        context.warn(f"{key.reveal()} is weak", path="key")
        return 4

    @plugin.function
    def missing(kind: str) -> int:
        raise Failure.not_found("it is gone") if kind == "found" else Failure.not_supported("not here")

    return plugin, started


class Talk:
    """A conversation in memory."""

    def __init__(self, adapter: Any, plugin: Plugin) -> None:
        self.sent: list[bytes] = []
        self.jobs: list[Job] = []
        self.host: Adapter = adapter(Session(plugin), self.sent.append, self.jobs.append)

    def ask(self, data: bytes) -> bytes:
        self.host.feed(data)
        while self.jobs:
            self.host.run(self.jobs.pop(0))
        return self.sent.pop()

    def json(self, method: str, params: Any) -> dict[str, Any]:
        answer = _text.loads(self.ask(_text.dumps(call(1, method, params)) + b"\n").decode())
        found: dict[str, Any] = answer.get("error") or {"result": answer["result"]}
        return found

    def msgpack(self, method: str, params: Any) -> Any:
        _, _, error, result = _msgpack.unpack(self.ask(_msgpack.pack([0, 1, method, [params]])))
        return error or result


def service(plugin: Plugin, name: str) -> Any:
    answer = Talk(Service, plugin).json(name, {})
    return answer["result"] if "result" in answer else answer["message"]


def mcp(plugin: Plugin, name: str) -> Any:
    result = Talk(Mcp, plugin).json("tools/call", {"name": name})["result"]
    return result["content"][0]["text"] if "isError" in result else result["structuredContent"]["result"]


def denobridge(plugin: Plugin, name: str) -> Any:
    answer = Talk(Denobridge, plugin).json("call", {"name": name, "arguments": []})
    return answer["result"]["result"] if "result" in answer else answer["message"]


HOSTS = (service, mcp, denobridge)
#: What a host gets that cannot configure a plugin.
NEEDED = 'the plugin needs a configuration, which this host cannot provide: the attribute "x" is required'


class States(unittest.TestCase):
    def test_the_defaults_are_there_at_the_first_call(self) -> None:
        for host in HOSTS:
            for name in ("stateful", "later"):
                with self.subTest(host.__name__, name=name):
                    self.assertEqual(host(made()[0], name), 1)

    def test_a_configuration_that_is_missing_fails_only_what_needs_it(self) -> None:
        for host in HOSTS:
            with self.subTest(host.__name__):
                for name in ("stateful", "later"):
                    self.assertEqual(host(made(None)[0], name), NEEDED)
                    self.assertEqual(host(made(fails=True)[0], name), "no server")
                self.assertEqual(host(made(None)[0], "pure"), 2)
                self.assertEqual(host(made(None)[0], "careful"), 3)

    def test_a_function_without_a_context_configures_nothing(self) -> None:
        for host in HOSTS:
            plugin, started = made()
            self.assertEqual(host(plugin, "pure"), 2)
            self.assertEqual(started, [], host.__name__)

    def test_in_seasonings_it_is_the_state_of_configure(self) -> None:
        talk = Talk(Seasonings, made()[0])

        def ask(name: str) -> Any:
            return talk.msgpack("functions/call", {"name": name, "arguments": {}})

        self.assertEqual(ask("stateful"), [-32000, "the plugin needs a configuration, and is not configured yet"])
        self.assertEqual(ask("careful"), {"result": 3})
        self.assertEqual(talk.msgpack("resources/configure", {"config": {"x": 7}}), {})
        self.assertEqual(ask("stateful"), {"result": 7})

    def test_the_host_of_tests_uses_the_defaults(self) -> None:
        self.assertEqual(Host(made()[0]).call_function("stateful"), 1)
        self.assertEqual(Host(made()[0], x=5).call_function("stateful"), 5)
        late = Host(made()[0])
        self.assertEqual(late.call_function("pure"), 2)
        late.configure(x=6)
        self.assertEqual(late.call_function("stateful"), 6)

    def test_without_configure_there_is_none(self) -> None:
        plugin = Plugin("plain", "1.0.0")

        @plugin.function
        def state(context: Context) -> bool:
            return context.state is None

        for host in HOSTS:
            self.assertTrue(host(plugin, "state"), host.__name__)


class Warnings(unittest.TestCase):
    def test_those_of_functions_are_shown_without_secrets(self) -> None:
        given = {"name": "weak", "arguments": {"key": "hunter2"}}
        talks = (
            lambda: Talk(Service, made()[0]).json("weak", {"key": "hunter2"}),
            lambda: Talk(Service, made()[0]).json("weak", ["hunter2"]),
            lambda: Talk(Mcp, made()[0]).json("tools/call", given),
            lambda: Talk(Seasonings, made()[0]).msgpack("functions/call", given),
        )
        for talk in talks:
            printed = io.StringIO()
            with contextlib.redirect_stderr(printed):
                talk()
            self.assertEqual(printed.getvalue(), "[WARN] key: (sensitive) is weak\n")

    def test_in_denobridge_they_are_beside_the_result(self) -> None:
        answer = Talk(Denobridge, made()[0]).json("call", {"name": "weak", "arguments": ["hunter2"]})
        warning = {"severity": "warning", "summary": "(sensitive) is weak", "detail": ""}
        warning_at: dict[str, Any] = {**warning, "propPath": ["arguments", "0"]}
        self.assertEqual(answer["result"], {"result": 4, "diagnostics": [warning_at]})


class Codes(unittest.TestCase):
    def test_what_is_not_there_has_a_code_of_its_own(self) -> None:
        talk = Talk(Seasonings, made()[0])
        for kind, error in (("found", [-32002, "it is gone"]), ("supported", [-32003, "not here"])):
            given = {"name": "missing", "arguments": {"kind": kind}}
            self.assertEqual(talk.msgpack("functions/call", given), error)


if __name__ == "__main__":
    unittest.main()
