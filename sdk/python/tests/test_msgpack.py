"""The msgpack codec: round trips, pieces, limits, and bad input."""

from __future__ import annotations

import enum
import random
import unittest
from typing import Any

from tenon_plugin import Unknown
from tenon_plugin._msgpack import MAX_DEPTH, MsgpackError, pack, unpack
from tenon_plugin._stream import Unpacker
from tenon_plugin._unknown import UnknownType

SEED = 20261117


def some_value(source: random.Random, depth: int = 0) -> Any:
    kind = source.randrange(12 if depth < 4 else 9)
    if kind < 2:
        return source.choice([0, 1, -1, 127, 128, 255, 256, -32, -33, 2**31, -(2**31), 2**63, -(2**63), 2**64 - 1])
    if kind == 2:
        return source.choice([None, True, False])
    if kind == 3:
        return source.uniform(-1e9, 1e9)
    if kind < 6:
        return "".join(source.choice("aé日😀\0 ") for _ in range(source.choice([0, 3, 31, 32, 70])))
    if kind == 6:
        return source.randbytes(source.choice([0, 5, 300]))
    if kind == 7:
        return Unknown
    if kind == 8:
        return UnknownType({"null": False, "prefix": "a" * source.randrange(20)})
    if kind < 11:
        return [some_value(source, depth + 1) for _ in range(source.choice([0, 2, 17]))]
    return {f"key{at}": some_value(source, depth + 1) for at in range(source.choice([0, 3, 16]))}


class RoundTrips(unittest.TestCase):
    """What is packed is unpacked as it was."""

    def test_values(self) -> None:
        source = random.Random(SEED)
        for _ in range(500):
            value = some_value(source)
            self.assertEqual(unpack(pack(value)), value)

    def test_streams_in_pieces_of_any_size(self) -> None:
        source = random.Random(SEED)
        values = [some_value(source) for _ in range(60)]
        stream = b"".join(map(pack, values))
        for size in (1, 2, 7, 100, len(stream)):
            unpacker = Unpacker()
            found: list[Any] = []
            for at in range(0, len(stream), size):
                found.extend(unpacker.feed(stream[at : at + size]))
            self.assertEqual(found, values)
            self.assertFalse(unpacker.is_inside)

    def test_a_long_message_in_pieces_is_decoded_once(self) -> None:
        value = [{"number": at, "text": "x" * 20} for at in range(20_000)]
        stream, unpacker = pack(value), Unpacker()
        found: list[Any] = []
        for at in range(0, len(stream), 4096):
            found.extend(unpacker.feed(stream[at : at + 4096]))
        self.assertEqual(found, [value])

    def test_what_is_a_text_or_a_number_besides(self) -> None:
        class Color(str, enum.Enum):
            RED = "red"

        class Size(enum.IntEnum):
            LARGE = 300

        self.assertEqual(unpack(pack({Color.RED: [Color.RED, Size.LARGE]})), {"red": ["red", 300]})

    def test_large_integers_are_text(self) -> None:
        self.assertEqual(unpack(pack(2**64)), str(2**64))


class Limits(unittest.TestCase):
    """Input that is too much is refused, without an allocation of its size."""

    def test_depth(self) -> None:
        with self.assertRaisesRegex(MsgpackError, "128 levels"):
            unpack(b"\x91" * (MAX_DEPTH + 1) + b"\xc0")
        nested: Any = None
        for _ in range(MAX_DEPTH + 1):
            nested = [nested]
        with self.assertRaisesRegex(MsgpackError, "128 levels"):
            pack(nested)

    def test_declared_lengths(self) -> None:
        for start in (b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff"):
            with self.assertRaisesRegex(MsgpackError, "values in a message"):
                unpack(start + b"\xc0" * 10)
        for start in (b"\xdb\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\xc9\xff\xff\xff\xff\x00"):
            with self.assertRaisesRegex(MsgpackError, "limit"):
                list(Unpacker().feed(start + b"aaa"))

    def test_refinements(self) -> None:
        with self.assertRaisesRegex(MsgpackError, "1024"):
            unpack(b"\xc8\x05\x00\x0c" + b"\x80" * 0x500)

    def test_values_that_have_no_form(self) -> None:
        for value in (object(), float("nan"), {1: 2}, "\ud800"):
            with self.assertRaises(MsgpackError):
                pack(value)


class BadInput(unittest.TestCase):
    """Bytes that are not msgpack are refused, with an error of the codec and no other."""

    def check(self, data: bytes) -> None:
        for read in (unpack, lambda data: list(Unpacker().feed(data))):
            try:
                read(data)
            except MsgpackError:
                pass

    def test_random_bytes(self) -> None:
        source = random.Random(SEED)
        for _ in range(4000):
            self.check(source.randbytes(source.randrange(1, 60)))

    def test_changed_messages(self) -> None:
        source = random.Random(SEED)
        for _ in range(2000):
            data = bytearray(pack(some_value(source)))
            for _ in range(source.randrange(1, 4)):
                data[source.randrange(len(data))] = source.randrange(256)
            self.check(bytes(data[: source.randrange(1, len(data) + 1)]))


if __name__ == "__main__":
    unittest.main()
