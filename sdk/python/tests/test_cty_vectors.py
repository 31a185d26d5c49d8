"""The codec and the values against go-cty: the lists ``encode`` and ``decode`` of its vectors.

What is different on purpose, and what Python's values do not hold, is listed here with its reason. A
vector that begins or ceases to be different fails the test.
"""

from __future__ import annotations

import json
import pathlib
import unittest
from typing import Any

from tenon_plugin import _msgpack
from tenon_plugin._failure import Unfit
from tenon_plugin._types import from_notation
from tenon_plugin._values import decode, encode

FILE = pathlib.Path(__file__).parents[3] / "crates/values/tests/data/cty_vectors.json"
VECTORS = json.loads(FILE.read_text())

#: Vectors whose values are read, and written in another way that means the same.
WRITTEN_OTHERWISE = {
    "a number is a float64 if that has the same shortest decimal, an integer up to 2^64, and otherwise text": [
        "bigint-001",
        "bigint-002",
        "bigint-004",
        "bigint-029",
        "bigint-030",
        "dec-number_str-012",
        "dec-number_str-041",
        "dec-number_str-042",
        "decimal-005",
        "decimal-006",
        "decimal-007",
        "decimal-011",
        "decimal-014",
        "decimal-015",
        "decimal-016",
        "decimal-018",
        "decimal-022",
        "decimal-048",
        "dynamic-004",
        "float-026",
        "random_dynamic-014",
        "random_dynamic-057",
        "random_known-014",
        "random_known-015",
        "random_known-077",
        "random_known-078",
        "random_known-105",
        "random_known-108",
        "random_known-118",
        "random_known-127",
        "random_unknown-010",
        "random_unknown-016",
        "random_unknown-041",
        "random_unknown-057",
        "random_unknown-070",
        "random_unknown-071",
        "random_unknown-096",
        "random_unknown-135",
        "random_unknown-139",
        "random_unknown-192",
        "random_unknown-198",
        "set-015",
    ],
    "a number has all its digits, where go-cty has 512 bits": ["dec-number_str-043", "dec-number_str-044"],
    "the text of a type has no escapes that JSON does not need": ["dynamic-024"],
    "the host brings texts into normal form C, orders sets and removes what is in them twice": [
        "dec-refinement-002",
        "dec-set-002",
        "dec-set-003",
        "dec-set-005",
        "dec-string_alt-021",
    ],
    "what is known of an unknown value is kept as it was sent": [
        "dec-refinement-008",
        "dec-refinement-016",
        "dec-refinement-034",
        "dec-refinement-060",
        "dec-unknown-017",
        "dec-unknown_dynamic-003",
    ],
    "two texts are two texts, and a type inside `any` stays there": [
        "dec-dynamic-002",
        "dec-dynamic-009",
        "dec-dynamic-010",
    ],
}

#: Vectors that go-cty reads and this codec refuses.
REFUSED = {
    "texts are UTF-8": ["dec-string_alt-017", "dec-string_alt-019", "dec-string_alt-020"],
    "a number has no binary exponent": ["dec-number_str-027"],
    "keys are texts": ["dec-map-007", "dec-map-008"],
    "a tuple has all its elements": ["dec-tuple-004"],
    "a refinement is a map": ["dec-unknown-006"],
    "nothing follows a value": ["dec-trailing-001", "dec-trailing-002"],
}

#: Vectors that go-cty refuses and this codec reads: a host checks what it gets, a plugin believes its host.
READ = {
    "a missing attribute is null, as docs/reference/seasonings.md says": ["dec-object-003"],
    "every ext is unknown, as docs/reference/seasonings.md says": [
        "dec-unknown-008",
        "dec-unknown-010",
        "dec-unknown-011",
    ],
    "a value of the type any has the type that it implies": [
        "dec-dynamic-012",
        "dec-dynamic-013",
        "dec-dynamic-014",
        "dec-dynamic-023",
        "dec-dynamic-026",
        "dec-dynamic-028",
    ],
    "keys are not brought into normal form C": ["dec-map-006"],
    "what is known of an unknown value is not checked against its type": [
        "dec-refinement-007",
        "dec-refinement-010",
        "dec-refinement-015",
        "dec-refinement-020",
        "dec-refinement-022",
        "dec-refinement-023",
        "dec-refinement-024",
        "dec-refinement-028",
        "dec-refinement-029",
        "dec-refinement-032",
        "dec-refinement-041",
        "dec-refinement-042",
        "dec-refinement-043",
        "dec-refinement-045",
        "dec-refinement-055",
        "dec-unknown-020",
    ],
}


def listed(table: dict[str, list[str]]) -> set[str]:
    return {id for ids in table.values() for id in ids}


class CtyVectors(unittest.TestCase):
    """Every vector, or its place in the lists above."""

    def test_encode(self) -> None:
        different = set()
        for vector in VECTORS["encode"]:
            if "hex" not in vector:
                continue
            kind = from_notation(vector["type"])
            value = decode(kind, _msgpack.unpack(bytes.fromhex(vector["hex"])))
            if _msgpack.pack(encode(kind, value)).hex() != vector["hex"]:
                different.add(vector["id"])
                # It means the same.
                again = decode(kind, _msgpack.unpack(_msgpack.pack(encode(kind, value))))
                self.assertEqual(again, value, vector["id"])
        self.assertEqual(different, {id for id in listed(WRITTEN_OTHERWISE) if not id.startswith("dec-")})

    def test_lengths(self) -> None:
        import hashlib

        for vector in VECTORS["encode"]:
            if "sha256" in vector and vector["value"]["k"] in ("string", "list"):
                repeated, count = vector["value"]["rep"]
                is_text = vector["value"]["k"] == "string"
                value: Any = repeated * count if is_text else [int(repeated["v"])] * count
                packed = _msgpack.pack(encode(from_notation(vector["type"]), value))
                self.assertEqual(hashlib.sha256(packed).hexdigest(), vector["sha256"], vector["id"])
                self.assertEqual(_msgpack.unpack(packed), value)

    def test_decode(self) -> None:
        different, refused, read = set(), set(), set()
        for vector in VECTORS["decode"]:
            kind = from_notation(vector["type"])
            try:
                value = decode(kind, _msgpack.unpack(bytes.fromhex(vector["hex"])))
            except (_msgpack.MsgpackError, Unfit):
                if vector["ok"]:
                    refused.add(vector["id"])
                continue
            if not vector["ok"]:
                read.add(vector["id"])
                continue
            packed = _msgpack.pack(encode(kind, value)).hex()
            if packed != vector.get("reencoded", packed):
                different.add(vector["id"])
        self.assertEqual(refused, listed(REFUSED))
        self.assertEqual(read, listed(READ))
        self.assertEqual(different, {id for id in listed(WRITTEN_OTHERWISE) if id.startswith("dec-")})


if __name__ == "__main__":
    unittest.main()
