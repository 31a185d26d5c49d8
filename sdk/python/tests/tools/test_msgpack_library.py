"""The msgpack codec against the library ``msgpack``. Needs that library, so it is not with the other tests."""

from __future__ import annotations

import random
import unittest
from typing import Any

import msgpack  # type: ignore[import-not-found]

from tenon_plugin import Unknown
from tenon_plugin._msgpack import pack, unpack
from tenon_plugin._stream import Unpacker
from tenon_plugin._unknown import UnknownType

SEED = 20261119

#: On both sides of where the form changes.
TEXTS = (0, 1, 30, 31, 32, 33, 254, 255, 256, 257, 65534, 65535, 65536, 65537)
BINARIES = (0, 1, 254, 255, 256, 65535, 65536)
COUNTS = (0, 1, 14, 15, 16, 17, 65534, 65535, 65536)
INTEGERS = [sign * (2**bits + more) for bits in (0, 5, 7, 8, 15, 16, 31, 32, 53, 62) for more in (-1, 0, 1) for sign in (1, -1)]
INTEGERS += [2**63 - 1, 2**63, 2**64 - 1, -(2**63)]
#: Lengths of prefixes for which the refinement has each length around those that have a form of their own.
PREFIXES = (*range(1, 20), 26, 27, 28, 29, 248, 249, 250, 251, 252, 253, 254, 255, 256)


def refinement_of(data: bytes) -> dict[str, Any]:
    names = {1: "null", 2: "prefix", 3: "min", 4: "max", 5: "min_length", 6: "max_length"}
    read = msgpack.unpackb(data, strict_map_key=False)
    return {names[key]: tuple(one) if isinstance(one, list) else one for key, one in read.items()}


def ext(code: int, data: bytes) -> UnknownType:
    return UnknownType(refinement_of(data)) if code == 12 else Unknown


def by_library(data: bytes) -> Any:
    return msgpack.unpackb(data, ext_hook=ext, strict_map_key=False)


def written_by_library(value: Any) -> bytes:
    packed: bytes = msgpack.packb(value)
    return packed


def some_value(source: random.Random, depth: int = 0) -> Any:
    kind = source.randrange(9 if depth < 4 else 7)
    if kind == 0:
        return source.choice([None, True, False])
    if kind == 1:
        return source.choice(INTEGERS)
    if kind == 2:
        return source.choice([source.uniform(-1e9, 1e9), 1e300, -0.0, float("inf")])
    if kind < 5:
        return "".join(source.choice("aé日😀\0 ") for _ in range(source.choice([0, 1, 7, 8, 10, 11, 15, 16, 31, 32, 64, 70, 90])))
    if kind == 5:
        return source.randbytes(source.choice([0, 1, 5, 255, 256, 300]))
    if kind == 6:
        known = {"null": False, "prefix": "é" * source.randrange(1, 9), "min": (source.choice(INTEGERS), True), "max_length": 300}
        return UnknownType({name: one for name, one in known.items() if source.random() < 0.5})
    if kind == 7:
        return [some_value(source, depth + 1) for _ in range(source.choice([0, 2, 15, 16, 17]))]
    return {f"key{at}": some_value(source, depth + 1) for at in range(source.choice([0, 3, 15, 16]))}


class Library(unittest.TestCase):
    def check(self, value: Any) -> None:
        packed = pack(value)
        self.assertEqual(repr(by_library(packed)), repr(value))
        self.assertEqual(repr(unpack(packed)), repr(value))

    def test_random_values(self) -> None:
        source = random.Random(SEED)
        for _ in range(2000):
            self.check(some_value(source))

    def test_both_sides_of_each_form(self) -> None:
        for value in INTEGERS:
            self.check([value])
        for length in TEXTS:
            for letter in "aé日":
                text = letter * (length // len(letter.encode())) + "b" * (length % len(letter.encode()))
                self.check([text, 7])
        for length in BINARIES:
            self.check([bytes(length), 7])
        for count in COUNTS:
            self.check([[7] * count, 7])
            self.check([{f"{at}": 7 for at in range(count)}, 7])
        for length in PREFIXES:
            self.check([UnknownType({"prefix": "x" * length}), 7])

    def test_what_has_one_shortest_form_is_written_as_the_library_does(self) -> None:
        values = [*INTEGERS, *("x" * length for length in TEXTS), *(bytes(length) for length in BINARIES)]
        for value in [*values, *([7] * count for count in COUNTS)]:
            self.assertEqual(pack(value), written_by_library(value))

    def test_what_the_library_writes_is_read_whole_and_in_pieces(self) -> None:
        source = random.Random(SEED)
        for _ in range(300):
            value = [one for one in (some_value(source) for _ in range(4)) if is_common(one)]
            packed = written_by_library(value)
            self.assertEqual(repr(unpack(packed)), repr(value))
            stream, size = Unpacker(), source.randrange(1, 40)
            found = [one for at in range(0, len(packed), size) for one in stream.feed(packed[at : at + size])]
            self.assertEqual(repr(found), repr([value]))


def is_common(value: Any) -> bool:
    """Whether the library can write it."""
    if isinstance(value, (list, dict)):
        return all(is_common(one) for one in (value.values() if isinstance(value, dict) else value))
    return not isinstance(value, UnknownType)


if __name__ == "__main__":
    unittest.main()
