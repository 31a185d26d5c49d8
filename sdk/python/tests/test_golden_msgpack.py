"""The golden frames of msgpack-rpc: ``conformance/dialects/msgpack-rpc.jsonl``."""

from __future__ import annotations

import base64
import json
import unittest
from pathlib import Path
from typing import Any

from tenon_plugin import Plugin, Unknown
from tenon_plugin._host import Job
from tenon_plugin._msgpack import MsgpackError, pack, unpack
from tenon_plugin._seasonings import Seasonings
from tenon_plugin._session import Session
from tenon_plugin._stream import Unpacker

FILE = Path(__file__).parents[3] / "conformance/dialects/msgpack-rpc.jsonl"
FRAMES = [json.loads(line) for line in FILE.read_text().splitlines()]

#: What the codec reads and does not write, or reads as something else.
UNWRITABLE = {
    "response with no number": "NaN is not a number of Terraform",
    "response with an ext value of 1 byte": "every ext is unknown",
    "response with an ext value of 3 bytes": "every ext is unknown",
    "response with an ext value of 16 bytes": "every ext is unknown",
    "response with a map with numbers as keys": "keys are texts",
}


def value(written: Any) -> Any:
    """A value as the codec has it."""
    if isinstance(written, dict):
        if len(written) == 1:
            ((key, inner),) = written.items()
            if key == "$binary":
                return base64.b64decode(inner)
            if key in ("$unknown", "$ext"):
                return Unknown
            if key == "$float":
                return float(inner)
            if key == "$map":
                return {one: value(other) for one, other in inner}
        return {key: value(one) for key, one in written.items()}
    return [value(one) for one in written] if isinstance(written, list) else written


def message(means: dict[str, Any]) -> list[Any]:
    """The array of a request, an event or a response."""
    ((kind, one),) = means.items()
    if kind == "request":
        return [0, one["id"], one["method"], value(one.get("params"))]
    if kind == "event":
        return [2, one["method"], value(one.get("params"))]
    if "error" not in one:
        return [1, one["id"], None, value(one["result"])]
    error = one["error"]
    return [1, one["id"], [value(error[key]) for key in ("code", "message", "data") if key in error], None]


def written(value: Any) -> bytes | None:
    """What is written; None if that is refused."""
    try:
        return pack(value)
    except MsgpackError:
        return None


class Golden(unittest.TestCase):
    def test_frames_are_read_and_written(self) -> None:
        seen = 0
        for frame in FRAMES:
            data = bytes.fromhex(frame["hex"])
            if frame.get("canonical"):
                expected = message(frame["means"])
                with self.subTest(frame["name"]):
                    # As text, in which NaN is NaN, and 2.0 is not 2.
                    self.assertEqual(repr(unpack(data)), repr(expected))
                    self.assertEqual(written(expected) != data, frame["name"] in UNWRITABLE)
                seen += 1
        self.assertGreater(seen, 50)

    def test_a_stream_of_all_of_them_byte_by_byte(self) -> None:
        sound = [bytes.fromhex(one["hex"]) for one in FRAMES if "broken" not in one["means"]]
        unpacker, found = Unpacker(), []
        for byte in b"".join(sound):
            found.extend(unpacker.feed(bytes([byte])))
        self.assertEqual(repr(found), repr([unpack(one) for one in sound]))

    def test_what_is_broken_ends_the_stream(self) -> None:
        for frame in FRAMES:
            if "broken" in frame["means"]:
                with self.subTest(frame["name"]), self.assertRaises(ValueError):
                    host = Seasonings(Session(Plugin("p")), lambda frame: None, lambda job: None)
                    host.feed(bytes.fromhex(frame["hex"]))
                    host.finish()

    def test_what_is_malformed_is_answered_if_it_has_an_id(self) -> None:
        for frame in FRAMES:
            means = frame["means"].get("malformed")
            if means is None:
                continue
            with self.subTest(frame["name"]):
                sent: list[bytes] = []
                jobs: list[Job] = []
                Seasonings(Session(Plugin("p")), sent.append, jobs.append).feed(bytes.fromhex(frame["hex"]))
                answers = [unpack(one) for one in sent]
                if means["kind"] == "request" and "id" in means:
                    self.assertEqual([(one[1], one[2][0]) for one in answers], [(means["id"], -32600)])
                else:
                    self.assertEqual(answers, [])
                self.assertEqual(jobs, [])

    def test_keys_that_are_arrays(self) -> None:
        with self.assertRaises(MsgpackError):
            unpack(b"\x81\x90\x01")


if __name__ == "__main__":
    unittest.main()
