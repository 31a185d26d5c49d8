"""What plugins read and answer in JSON: the golden frames and the exchanges of ``conformance``."""

from __future__ import annotations

import json
import re
import unittest
from contextlib import redirect_stderr
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

from tenon_plugin import Plugin, _text
from tenon_plugin._failure import Unfit
from tenon_plugin._host import Job, Refused
from tenon_plugin._ipc import unfit
from tenon_plugin._jsonrpc import METHOD_NOT_FOUND, JsonRpc
from tenon_plugin._orchard import Orchard
from tenon_plugin._session import Session

CONFORMANCE = Path(__file__).parents[3] / "conformance"
METHODS = ("echo", "subtract", "sum", "get_data", "fail", "crash")
#: Methods and events that need calls at the same time, or calls back.
ELSEWHERE = re.compile(r'"(hold|release|note|notes|ask|tell)"')

#: Exchanges that go differently, and why.
EXCHANGES = {
    "more than the eight messages": "the limit is 1024, and not an option",
    "an exponent": "1e3 is written as 1000.0",
    "minus zero": "an int has no sign of zero",
}


class Desk:
    """The methods that the exchanges call, on the conversation of a plugin."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        self.sent: list[bytes] = []
        self.jobs: list[Job] = []
        #: What was read.
        self.read: list[dict[str, Any]] = []
        super().__init__(Session(Plugin("desk")), self.sent.append, self.jobs.append, **more)  # type: ignore[call-arg]

    def request(self: Any, id: Any, method: str, params: Any) -> None:
        self.read.append({"request": given(id=id, method=method, params=params)})
        if method in METHODS:
            self.start(id, method, params)
        elif isinstance(self, Orchard):
            super().request(id, method, params)  # type: ignore[misc]
        else:
            self.refuse(id, Refused(METHOD_NOT_FOUND, f"Method not found: {method}"))

    def event(self, method: str, params: Any) -> None:
        self.read.append({"event": given(method=method, params=params)})

    def handle(self, job: Job) -> Any:
        params = job.params
        if job.method == "fail":
            raise Refused(params["code"], params["message"], params.get("data"))
        if job.method == "crash":
            raise AssertionError("as asked")
        if job.method == "subtract":
            first, second = [params["minuend"], params["subtrahend"]] if isinstance(params, dict) else params
            return first - second
        if job.method == "sum":
            if not isinstance(params, list) or not all(type(one) is int for one in params):
                raise Unfit("not a list of numbers")
            return sum(params)
        return ["tenon", 7] if job.method == "get_data" else params

    def explain(self, job: Job, error: Exception) -> Refused:
        if isinstance(error, Unfit):
            return Refused("validation_failed", str(error)) if isinstance(self, Orchard) else unfit(error)
        return Refused("internal_error" if isinstance(self, Orchard) else -32603, str(error))


class JsonRpcDesk(Desk, JsonRpc):
    pass


class OrchardDesk(Desk, Orchard):
    pass


def given(**members: Any) -> dict[str, Any]:
    return {name: one for name, one in members.items() if one is not None or name != "params"}


def desk(dialect: str) -> Any:
    if dialect == "orchard":
        return OrchardDesk()
    return JsonRpcDesk(framing="headers" if dialect == "json-rpc-headers" else "lines")


def expected(means: dict[str, Any], dialect: str) -> tuple[list[Any], list[Any]]:
    """What is read, and the errors that are sent at once: their ids and codes."""
    ((kind, one),) = means.items()
    if kind == "batch":
        parts = [expected(part, dialect) for part in one]
        return sum((read for read, _ in parts), []), sum((errors for _, errors in parts), [])
    if kind == "malformed" and one["kind"] != "response":
        return [], [(one.get("id", 0 if dialect == "orchard" else None), one["code"])]
    if kind == "request" or (kind == "event" and dialect != "orchard"):
        return [means], []
    return [], []


class Frames(unittest.TestCase):
    def check(self, dialect: str) -> None:
        lines = (CONFORMANCE / "dialects" / f"{dialect}.jsonl").read_text(encoding="utf-8").splitlines()
        self.assertGreater(len(lines), 20)
        for frame in map(_text.loads, lines):
            data = bytes.fromhex(frame["hex"]) if "hex" in frame else frame["text"].encode()
            for step in (len(data), 1):
                with self.subTest(frame["name"], step=step):
                    self.check_frame(dialect, data, frame["means"], step)

    def check_frame(self, dialect: str, data: bytes, means: dict[str, Any], step: int) -> None:
        host = desk(dialect)

        def feed() -> None:
            for at in range(0, len(data), step):
                host.feed(data[at : at + step])
            host.finish()

        if "broken" in means:
            with self.assertRaises(ValueError):
                feed()
            return
        feed()
        read, errors = expected(means, dialect)
        # Requests that a plugin does not know are refused, which says that they were read.
        self.assertEqual(host.read, read)
        if "batch" not in means and not read:
            sent = [answer(frame) for frame in host.sent]
            self.assertEqual([(one.get("id"), one["error"]["code"]) for one in sent], errors)

    def test_lines_of_json_rpc(self) -> None:
        self.check("json-rpc")

    def test_json_rpc_behind_headers(self) -> None:
        self.check("json-rpc-headers")

    def test_lines_of_orchard(self) -> None:
        self.check("orchard")


def answer(frame: bytes) -> Any:
    return _text.loads(frame.partition(b"\r\n\r\n")[2].decode() if frame[:1] == b"C" else frame.decode())


def matches(wanted: Any, found: Any) -> bool:
    """As the README of ``conformance`` says: in an error only what is shown is compared."""
    if isinstance(wanted, list) and isinstance(found, list):
        rest = list(found)
        for one in wanted:
            like = next((other for other in rest if matches(one, other)), None)
            if like is None:
                return False
            rest.remove(like)
        return not rest
    if isinstance(wanted, dict) and isinstance(found, dict) and "error" in wanted and "error" in found:
        names = [name for name in wanted["error"] if name not in ("message", "detail", "data")]
        shown = {name: found["error"].get(name) for name in names}
        kept = {name: wanted["error"][name] for name in shown}
        return shown == kept and wanted.get("id") == found.get("id")
    return bool(wanted == found) and spelled(wanted) == spelled(found)


def spelled(value: Any) -> str:
    """1, 1.0 and True are equal in Python."""
    return json.dumps(value, sort_keys=True, default=lambda one: f"Decimal {Decimal(one)}")


class Exchanges(unittest.TestCase):
    def test_they_go_as_written(self) -> None:
        count = 0
        for file in sorted((CONFORMANCE / "exchanges").glob("*.txt")):
            first, *exchanges = re.split(r"\n(?=# )", file.read_text(encoding="utf-8"))
            dialect = first.partition("dialect: ")[2].strip()
            for exchange in exchanges:
                name, *steps = exchange.strip("\n").split("\n")
                is_exception = any(name[2:].startswith(start) for start in EXCHANGES)
                if ELSEWHERE.search(exchange) or "$/cancelRequest" in exchange or is_exception:
                    continue
                count += 1
                with self.subTest(f"{file.name}: {name}"):
                    self.play(dialect, steps)
        self.assertGreater(count, 50)

    def play(self, dialect: str, steps: list[str]) -> None:
        host = desk(dialect)
        for step in steps:
            mark, rest = step[:3], step[4:]
            if mark == "-->":
                host.feed(rest.encode() + b"\n")
            elif mark == "--+":
                host.feed(rest.encode())
            elif mark == "--%":
                host.feed(bytes.fromhex(rest))
            elif mark == "--x":
                host.finish()
            while host.jobs:
                # Where it crashes is shown to the author.
                with redirect_stderr(StringIO()):
                    host.run(host.jobs.pop(0))
            if mark == "<--":
                self.assertTrue(host.sent, f"nothing was sent: {step}")
                found = answer(host.sent.pop(0))
                self.assertTrue(matches(_text.loads(rest), found), f"{found}, not {rest}")
        self.assertEqual(host.sent, [])


if __name__ == "__main__":
    unittest.main()
