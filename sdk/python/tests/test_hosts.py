"""What hosts are told that is easily left out: in memory, byte by byte."""

from __future__ import annotations

import sys
import unittest
from datetime import datetime, timedelta, timezone
from typing import Annotated, Any

from program import call

from tenon_plugin import Attributes, Opened, Plugin, _text, attribute, block
from tenon_plugin._bodies import body_of
from tenon_plugin._debug import FrameLog
from tenon_plugin._denobridge import Denobridge
from tenon_plugin._detect import First
from tenon_plugin._host import Host, Job
from tenon_plugin._ipc import Service
from tenon_plugin._lines import FrameError
from tenon_plugin._orchard import Orchard
from tenon_plugin._schema import resource_schemas, resources_answer
from tenon_plugin._secret import Secret
from tenon_plugin._session import Session


class Written(Attributes):
    lines: int


class Node(Attributes):
    inner: object


acting = Plugin("acting", "1.0.0")


@acting.action
def write(how: str) -> Written:
    if how == "mistake":
        raise KeyError(how)
    return Written(lines="many" if how == "misfit" else 1)  # type: ignore[arg-type]


calling = Plugin("calling", "1.0.0")


@calling.function
def endless(kind: str) -> object:
    found: Any = []
    found.append(Node(inner=found) if kind == "object" else found)
    return {"all": found} if kind == "map" else found


@calling.function
def endless_text() -> str:
    found: Any = []
    found.append(found)
    return found  # type: ignore[no-any-return]


@calling.function
def later(time: datetime, has_zone: bool = True) -> datetime:
    found = time + timedelta(hours=1)
    return found if has_zone else found.replace(tzinfo=None)


@calling.function
def log_in(user: str, password: Secret[str], attempts: int, patience: float) -> str:
    return user


class Talk:
    """A conversation with a host."""

    def __init__(self, kind: type[Host], plugin: Plugin) -> None:
        self.answers: list[bytes] = []
        self.jobs: list[Job] = []
        self.host = kind(Session(plugin), self.answers.append, self.jobs.append)

    def ask(self, message: dict[str, Any]) -> Any:
        self.host.feed(_text.dumps(message) + b"\n")
        while self.jobs:
            self.host.run(self.jobs.pop())
        return _text.loads(self.answers.pop().decode())


class Actions(unittest.TestCase):
    def test_outputs_that_do_not_fit_are_an_error_of_a_script(self) -> None:
        talk = Talk(Denobridge, acting)
        answer = talk.ask(call(1, "invoke", {"props": {"how": "misfit"}}))
        self.assertEqual(answer["error"]["code"], -32000)
        self.assertRegex(answer["error"]["message"], "^the action was run, but the outputs cannot be written: at .lines: ")
        self.assertEqual(talk.ask(call(2, "invoke", {"props": {"how": "well"}}))["result"], {"done": True})

    def test_a_mistake_in_an_action_leaves_its_outcome_unknown(self) -> None:
        with self.assertLogs_of_stderr():
            answer = Talk(Service, acting).ask(call(1, "write", {"how": "mistake"}))
            self.assertEqual(answer["error"]["data"], {"code": "outcome_unknown"})
            talk = Talk(Orchard, acting)
            talk.ask({"id": 1, "method": "configure", "params": {"config": {}}})
            given = {"action": "write", "attrs": {"how": "mistake"}}
            error = talk.ask({"id": 2, "method": "execute", "params": given})["error"]
            self.assertEqual(error, {"code": "outcome_unknown", "message": "KeyError: 'mistake'"})

    def assertLogs_of_stderr(self) -> Any:
        """The traceback belongs to the author."""
        import contextlib
        import io

        return contextlib.redirect_stderr(io.StringIO())


class Results(unittest.TestCase):
    def setUp(self) -> None:
        self.talk = Talk(Service, calling)

    def test_a_value_that_contains_itself_is_refused(self) -> None:
        for kind in ("list", "map", "object"):
            message = self.talk.ask(call(1, "endless", [kind]))["error"]["message"]
            self.assertIn("the value is nested more than 128 levels deep, or contains itself", message)
        message = self.talk.ask(call(1, "endless_text", []))["error"]["message"]
        self.assertEqual(message, "the result cannot be written: a string is required, but this is a tuple")

    def test_times_have_a_zone(self) -> None:
        answer = self.talk.ask(call(1, "later", ["2030-01-31T12:30:00Z"]))
        self.assertEqual(answer["result"], "2030-01-31T13:30:00Z")
        answer = self.talk.ask(call(1, "later", ["2030-01-31T12:30:00"]))
        self.assertEqual(answer["error"]["message"], "time: a time such as 2030-01-31T12:30:00Z is required")
        answer = self.talk.ask(call(1, "later", ["2030-01-31T12:30:00Z", False]))
        problem = "a time with a zone is required, such as datetime.now(timezone.utc)"
        self.assertEqual(answer["error"]["message"], f"the result cannot be written: {problem}")
        self.assertEqual(datetime(2030, 1, 31, tzinfo=timezone.utc).isoformat(), "2030-01-31T00:00:00+00:00")


class Rule(Attributes):
    port: int


class Schemas(unittest.TestCase):
    def test_blocks_have_bounds_and_a_nesting(self) -> None:
        plugin = Plugin("walls", "1.0.0")

        @plugin.resource("wall", deprecated="use fences")
        class Wall:
            class Props(Attributes):
                rule: Annotated[list[Rule], block(min=1, max=3)]
                log: Annotated[Rule, block(nesting="group")]
                exit: list[Rule] = attribute("Ways out.", max=2)

            def create(self, props: Props) -> str:
                return "w"

            def delete(self, existing: Any) -> None: ...

        @plugin.data_source(deprecated="use walls")
        def fence() -> Rule:
            return Rule(port=1)

        @plugin.ephemeral("gate", deprecated="it is open")
        class Gate:
            def open(self) -> Opened[Rule]:
                return Opened(Rule(port=1))

        found = resources_answer(resource_schemas(plugin))
        attributes = {"port": {"type": "number", "required": True}}
        wall = found["resources"]["wall"]
        self.assertEqual(
            wall["blocks"],
            {
                "rule": {"nesting": "list", "min": 1, "max": 3, "attributes": attributes},
                "log": {"nesting": "group", "attributes": attributes},
                "exit": {"nesting": "list", "max": 2, "description": "Ways out.", "attributes": attributes},
            },
        )
        texts = [wall, found["data_sources"]["fence"], found["ephemeral"]["gate"]]
        self.assertEqual([one["deprecation"] for one in texts], ["use fences", "use walls", "it is open"])

    def test_impossible_blocks_are_refused(self) -> None:
        for hint, problem in (
            (Annotated[Rule, block(min=1)], "min and max are for blocks that are a list or a set"),
            (Annotated[list[Rule], block(nesting="group")], "a block with the nesting 'group' cannot be list"),
            (Annotated[list[Rule], block(min=3, max=1)], "there cannot be 3 to 1 blocks"),
        ):
            with self.subTest(problem), self.assertRaisesRegex(TypeError, problem):
                body_of(type("Props", (Attributes,), {"__annotations__": {"rule": hint}}))


class Frames(unittest.TestCase):
    def test_masked_frames_have_numbers_as_they_came(self) -> None:
        log = FrameLog("1", calling)
        params = '{"user":"ada","password":"hunter2","attempts":3,"patience":1.50,"all":[1,{"two":2e0},null,true]}'
        message = f'{{"jsonrpc":"2.0","id":1,"method":"log_in","params":{params}}}\n'
        (text,) = log._texts("<--", message.encode())
        masked = '"password": "(sensitive)", "attempts": 3, "patience": 1.50, "all": [1, {"two": 2e0}, null, true]'
        self.assertIn(masked, text)
        self.assertIn('"id": 1', text)

    def test_a_first_line_in_pieces_is_not_searched_again_for_each_piece(self) -> None:
        piece, pieces = b" " * 99 + b"x", 2000
        first = First(calling)
        looked_at = 0

        def count(frame: object, event: str, called: Any) -> None:
            nonlocal looked_at
            owner = getattr(called, "__self__", None)
            if event == "c_call" and isinstance(owner, bytes):
                looked_at += len(owner)

        sys.setprofile(count)
        try:
            self.assertIsNone(first.feed(b'{"jsonrpc":"2.0","id":1,"method":"'))
            for _ in range(pieces):
                self.assertIsNone(first.feed(piece))
            self.assertIsNotNone(first.feed(b'"}\n'))
        finally:
            sys.setprofile(None)
        self.assertEqual(len(first.taken()), 34 + len(piece) * pieces + 3)
        self.assertLess(looked_at, 10 * len(piece) * pieces)

    def test_a_first_line_has_the_limit_of_all_lines(self) -> None:
        first = First(calling, most=100)
        self.assertIsNone(first.feed(b'{"jsonrpc":' + b" " * 80))
        with self.assertRaisesRegex(FrameError, "a line is longer than the limit of 100 bytes"):
            first.feed(b" " * 20)


if __name__ == "__main__":
    unittest.main()
