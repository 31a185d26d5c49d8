"""Frames of JSON in pieces of any size."""

from __future__ import annotations

import unittest
from typing import Any

from tenon_plugin._lines import FrameError, Headers, Lines

BODIES = [b'{"a":1}', b'"' + b"x" * 1000 + b'"', b"[]", b'"\\r\\n\\r\\n"', b"[1,\r\n\r\n2]"]


def taken(framing: Any, data: bytes, size: int) -> list[bytes]:
    found: list[bytes] = []
    for at in range(0, len(data), size):
        found.extend(framing.feed(data[at : at + size]))
    found.extend(framing.finish())
    return found


class Frames(unittest.TestCase):
    def test_headers_in_pieces_of_any_size(self) -> None:
        whole = b"".join(map(Headers.frame, BODIES))
        for size in (1, 2, 7, 19, 20, 21, 25, 500, len(whole)):
            with self.subTest(size=size):
                self.assertEqual(taken(Headers(), whole, size), BODIES)

    def test_other_headers_and_other_cases(self) -> None:
        data = b"content-type: x\r\nCONTENT-LENGTH:2\r\n\r\n[]Content-Length: 2\r\nX: y\r\n\r\n{}"
        for size in (1, 5, len(data)):
            self.assertEqual(taken(Headers(), data, size), [b"[]", b"{}"])

    def test_invalid_headers(self) -> None:
        for header in (b"Content-Length: -1", b"Content-Length: 1_0", b"X: 1", b"Content-Length: 99999999999"):
            with self.assertRaises(FrameError):
                taken(Headers(), header + b"\r\n\r\n{}", 100)
        with self.assertRaises(FrameError):
            taken(Headers(), b"x" * 10_000, 1000)

    def test_what_comes_before_an_invalid_header_is_taken(self) -> None:
        found: list[bytes] = []
        with self.assertRaises(FrameError):
            found.extend(Headers().feed(Headers.frame(b"[]")))
            for frame in Headers().feed(Headers.frame(b"{}") + b"X: 1\r\n\r\n"):
                found.append(frame)
        self.assertEqual(found, [b"[]", b"{}"])

    def test_lines_in_pieces_of_any_size(self) -> None:
        lines = [b'{"a":1}', b'"' + b"x" * 1000 + b'"', b"[]"]
        whole = b" \n" + b"\n\n".join(lines)
        for size in (1, 2, 7, 500, len(whole)):
            with self.subTest(size=size):
                found = [line.strip() for line in taken(Lines(), whole, size)]
                self.assertEqual(found, lines)


if __name__ == "__main__":
    unittest.main()
