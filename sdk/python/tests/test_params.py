"""Params of another type than the protocol says: the error names the member."""

from __future__ import annotations

import random
import unittest
from typing import Any

from program import call

from tenon_plugin import Attributes, Created, Existing, Lock, Opened, Plugin, _msgpack, _text
from tenon_plugin._denobridge import Denobridge
from tenon_plugin._host import Job
from tenon_plugin._seasonings import Seasonings
from tenon_plugin._session import Session
from tenon_plugin._stream import Unpacker


def made() -> Plugin:
    plugin = Plugin("params", "1.0.0")

    @plugin.function
    def join(separator: str, *parts: str) -> str:
        return separator.join(parts)

    @plugin.action
    def act(text: str) -> dict[str, str]:
        return {"text": text}

    @plugin.resource("thing")
    class Thing:
        class Props(Attributes):
            name: str = "x"

        class State(Attributes):
            size: int

        def create(self, props: Props) -> Created[State]:
            return Created(props.name, self.State(size=1))

        def update(self, existing: Existing[Props, State], props: Props) -> State:
            return self.State(size=2)

        def delete(self, existing: Existing[Props, State]) -> None: ...

    class Token(Attributes):
        value: str

    @plugin.ephemeral("token")
    class Tokens:
        def open(self) -> Opened[Token]:
            return Opened(Token(value="x"))

        def renew(self, private: Any) -> None: ...
        def close(self, private: Any) -> None: ...

    @plugin.storage
    class Memory:
        def read(self, path: str) -> bytes | None:
            return b"x"

        def write(self, path: str, state: bytes, lock_id: str | None) -> None: ...
        def lock(self, path: str, wanted: Lock) -> str:
            return wanted.id

        def unlock(self, path: str, lock_id: str | None) -> None: ...
        def list(self, prefix: str) -> list[str]:
            return [prefix + "x"]

    return plugin


class Talk:
    """A conversation with a host in memory."""

    def __init__(self, adapter: Any) -> None:
        self.sent: list[bytes] = []
        self.jobs: list[Job] = []
        self.host = adapter(Session(made()), self.sent.append, self.jobs.append)

    def ask(self, method: str, params: Any) -> tuple[Any, Any]:
        """The error and the result."""
        if isinstance(self.host, Seasonings):
            self.host.feed(_msgpack.pack([0, 1, method, params]))
        else:
            self.host.feed(_text.dumps(call(1, method, params)) + b"\n")
        while self.jobs:
            self.host.run(self.jobs.pop())
        frame = self.sent.pop()
        if isinstance(self.host, Seasonings):
            return tuple(next(iter(Unpacker().feed(frame)))[2:4])  # type: ignore[return-value]
        answer = _text.loads(frame.decode())
        return answer.get("error"), answer.get("result")


#: What Python says of a mistake in a program.
MISTAKES = ("has no attribute", "unhashable", "subscriptable", "not iterable", "positional", "not a mapping", "Unfit")
VALUES: list[Any] = [None, 0, -1, 1.5, "", "x", [], [1], [[]], {}, {"a": 1}, {"a": None}, True, 2**63]


class Params(unittest.TestCase):
    def test_the_member_is_named(self) -> None:
        for adapter, method, params, text in (
            (Seasonings, "functions/call", {"name": ["join"]}, "`name` must be a string"),
            (Seasonings, "functions/call", {"name": "join", "arguments": 5}, "`arguments` must be a map"),
            (
                Seasonings,
                "functions/call",
                {"name": "join", "arguments": {"separator": "", "parts": 5}},
                "`parts` must be an array",
            ),
            (Seasonings, "resources/read", {"type": "thing", "private": 1.5}, "`private` must be binary"),
            (Seasonings, "resources/renew", {"type": "token", "private": {"a": 1}}, "`private` must be binary"),
            (Seasonings, "storage/list", {"prefix": 5}, "`prefix` must be a string"),
            (Seasonings, "storage/write", {"path": "x", "state": b"", "lockId": 5}, "`lockId` must be a string"),
            (
                Seasonings,
                "storage/unlock",
                {"path": "x"},
                "lockId in the params of storage/unlock: it is missing",
            ),
            (
                Seasonings,
                "storage/unlock",
                {"path": "x", "lockId": None, "force": False},
                "lockId in the params of storage/unlock: it is missing",
            ),
            (Seasonings, "storage/unlock", {"path": "x", "force": 1}, "`force` must be a bool"),
            (Denobridge, "call", {"name": "join", "arguments": 5}, "`arguments` must be an array"),
            (Denobridge, "call", {"name": 5}, "`name` must be a string"),
            (Denobridge, "delete", {"id": "x", "state": [1]}, "`state` must be an object"),
            (Denobridge, "modifyPlan", {"planType": "create", "unknownProps": 5}, "`unknownProps` must be an array"),
        ):
            with self.subTest(method, params=params):
                error, _ = Talk(adapter).ask(method, params)
                code, message = (error["code"], error["message"]) if isinstance(error, dict) else error[:2]
                self.assertEqual([code, message], [-32602, text])

    def test_no_params_are_a_mistake_of_the_sdk(self) -> None:
        chance = random.Random(1)
        names = (
            "name arguments type config prior planned proposed state private id path lockId info prefix kind version "
            "props nextProps currentProps currentState sensitiveState writeOnlyProps unknownProps planType privateData"
        ).split()
        good = {"name": "join", "kind": "resource", "path": "a/b", "info": '{"ID":"1"}', "planType": "update"}
        resources = "validate planChange applyChange read import upgrade open renew close".split()
        talks = [
            (Talk(Seasonings), [f"resources/{name}" for name in resources]),
            (Talk(Seasonings), "functions/call storage/read storage/write storage/lock storage/unlock storage/list".split()),
            (Talk(Denobridge), "create read update delete modifyPlan open renew close invoke call".split()),
        ]
        for talk, methods in talks:
            for _ in range(1500):
                params: dict[str, Any] = {name: chance.choice(VALUES) for name in chance.sample(names, 6)}
                params.update({name: one for name, one in good.items() if chance.random() < 0.5})
                method = chance.choice(methods)
                if chance.random() < 0.8:
                    params["type"] = "token" if method[10:] in ("open", "renew", "close") else "thing"
                said = str(talk.ask(method, params))
                found = [words for words in MISTAKES if words in said]
                self.assertEqual(found, [], f"{method} {params}: {said}")


if __name__ == "__main__":
    unittest.main()
