"""Frames and messages, without a socket; the golden ones of conformance/dialects first of all."""

import json
import unittest
from pathlib import Path

from tenon_ipc import InvalidMessage, MessageTooLarge, RpcError
from tenon_ipc import _wire as wire
from tenon_ipc._framing import Headers, Lines, framing

GOLDEN = Path(__file__).parents[3] / "conformance" / "dialects"
LIMIT = 16 * 1024 * 1024

#: Golden frames that we read or write differently, and why.
EXCEPTIONS = {
    "error with data that is null": "None is the same as no data in Python",
}


def golden(name):
    lines = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    frames = [json.loads(line) for line in lines]
    assert len(frames) > 20, "an empty run is not a pass"
    for frame in frames:
        text = frame.get("text")
        data = bytes.fromhex(frame["hex"]) if text is None else text.encode()
        yield frame["name"], data, frame["means"], frame.get("canonical", False)


def meanings(dialect, data, step):
    """What a stream means that arrives in pieces of the given length."""
    stream = framing("lines" if dialect == "json-rpc" else "headers", LIMIT)
    found = []
    try:
        for at in range(0, len(data), step):
            found += [meaning(frame) for frame in stream.feed(data[at : at + step])]
        found += [meaning(frame) for frame in stream.finish()]
    except (InvalidMessage, MessageTooLarge):
        found.append({"broken": True})
    return found


def meaning(frame):
    messages = wire.read(frame)
    said = [spelled(message) for message in messages]
    is_array = frame.lstrip().startswith(b"[") and frame != b"[]"
    is_json = not isinstance(messages[0], wire.Malformed) or messages[0].kind != "stray"
    return {"batch": said} if is_array and is_json else said[0]


def spelled(message):
    if isinstance(message, wire.Request):
        return {"request": given(id=message.id, method=message.method, params=message.params)}
    if isinstance(message, wire.Notification):
        return {"event": given(method=message.method, params=message.params)}
    if isinstance(message, wire.Malformed):
        code = -32700 if message.kind == "stray" else -32600
        id = {} if message.id is None else {"id": message.id}
        return {"malformed": {"kind": message.kind, **id, "code": code}}
    outcome = message.outcome
    if isinstance(outcome, RpcError):
        error = given(code=outcome.code, message=outcome.message, data=outcome.data)
        return {"response": {"id": message.id, "error": error}}
    return {"response": {"id": message.id, "result": outcome}}


def given(**members):
    optional = ("params", "data")
    return {k: v for k, v in members.items() if v is not None or k not in optional}


def written(means):
    ((kind, said),) = means.items()
    if kind == "batch":
        return wire.batch([written(item) for item in said])
    if kind == "response":
        error = said.get("error")
        return wire.answer(said["id"], said.get("result") if error is None else RpcError(**error))
    members = wire.members(said["method"], said.get("params"))
    if kind == "event":
        return wire.notification(members)
    if type(said["id"]) is int:
        return wire.request(said["id"], members)
    # Our own ids are numbers; those of others we only read.
    return None


class GoldenFrames(unittest.TestCase):
    def test_each_means_what_it_should_however_it_arrives(self):
        for dialect in ("json-rpc", "json-rpc-headers"):
            for name, data, means, _ in golden(dialect):
                if name in EXCEPTIONS:
                    continue
                for step in (1, 7, LIMIT):
                    with self.subTest(dialect=dialect, name=name, step=step):
                        self.assertEqual(meanings(dialect, data, step), [means])

    def test_all_of_them_are_one_stream(self):
        for dialect in ("json-rpc", "json-rpc-headers"):
            whole = [
                (data, means)
                for name, data, means, _ in golden(dialect)
                if "broken" not in means and name not in EXCEPTIONS
                if dialect == "json-rpc-headers" or data.endswith(b"\n")
            ]
            stream = b"".join(data for data, _ in whole)
            self.assertEqual(meanings(dialect, stream, 1), [means for _, means in whole])

    def test_canonical_ones_are_written_byte_for_byte(self):
        count = 0
        for dialect, stream in (("json-rpc", Lines), ("json-rpc-headers", Headers)):
            for name, data, means, is_canonical in golden(dialect):
                message = written(means) if is_canonical and name not in EXCEPTIONS else None
                if message is not None:
                    with self.subTest(dialect=dialect, name=name):
                        self.assertEqual(stream.frame(message), data)
                        count += 1
        self.assertGreater(count, 40)


class Limits(unittest.TestCase):
    def test_a_message_of_the_limit_passes_and_one_more_does_not(self):
        self.assertEqual(list(Lines(5).feed(b"12345\n")), [b"12345"])
        for data in (b"123456\n", b"123456"):
            with self.assertRaisesRegex(MessageTooLarge, "limit of 5 bytes.*max_message_bytes"):
                list(Lines(5).feed(data))
        self.assertEqual(list(Headers(5).feed(b"Content-Length: 5\r\n\r\n12345")), [b"12345"])
        with self.assertRaisesRegex(MessageTooLarge, "6 bytes is longer than the limit of 5"):
            list(Headers(5).feed(b"Content-Length: 6\r\n\r\n"))

    def test_what_came_before_a_line_that_is_too_long_is_there(self):
        lines = Lines(5).feed(b"1\n2\n123456")
        self.assertEqual([next(lines), next(lines)], [b"1", b"2"])
        self.assertRaises(MessageTooLarge, next, lines)

    def test_a_header_ends_somewhere(self):
        with self.assertRaisesRegex(InvalidMessage, "more than 8192 bytes"):
            list(Headers(LIMIT).feed(b"X-Long: " + b"x" * 9000))

    def test_a_long_line_in_small_pieces_is_searched_once(self):
        # Quadratic work would take hours here, and the watchdogs of whoever runs this would bark.
        stream = Lines(LIMIT)
        piece = b"x" * 16
        for _ in range(LIMIT // 16):
            self.assertEqual(list(stream.feed(piece)), [])
        self.assertEqual([len(line) for line in stream.feed(b"\n")], [LIMIT])


class Refusals(unittest.TestCase):
    def test_what_json_has_no_form_for(self):
        recursive = []
        recursive.append(recursive)
        deep = []
        for _ in range(100_000):
            deep = [deep]
        for params in (
            [float("nan")],
            [float("inf")],
            [{1, 2}],
            ["\ud800"],
            [b"x"],
            recursive,
            deep,
        ):
            with self.assertRaisesRegex(InvalidMessage, "the params of 'm' cannot be sent as JSON"):
                wire.members("m", params)

    def test_method_names(self):
        for name in ("", None, 5):
            with self.assertRaisesRegex(InvalidMessage, "the name of a method must be a non-empty string"):
                wire.members(name, None)

    def test_an_error_does_not_show_its_data(self):
        error = RpcError(7, "no", {"password": "hunter2"})
        self.assertEqual(str(error), "no (code 7)")
        self.assertNotIn("hunter2", repr(error))
