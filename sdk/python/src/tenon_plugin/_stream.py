"""Streams of msgpack: bytes in any pieces to values."""

from __future__ import annotations

from ._msgpack import (
    ARRAYS,
    BINARIES,
    EXTS,
    FIXED_EXTS,
    INTEGERS,
    MAPS,
    MAX_BYTES,
    MAX_VALUES,
    TEXTS,
    Incomplete,
    MsgpackError,
    Reader,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


class Unpacker:
    """Cuts a stream of bytes into values."""

    def __init__(self) -> None:
        self._buffer = b""
        #: The parts of a message that is longer than what has arrived.
        self._scan: _Scan | None = None

    def feed(self, data: bytes) -> Iterator[Any]:
        """The values that are complete now. Take all of them before the next call."""
        if self._scan is None:
            self._buffer = self._buffer + data if self._buffer else data
        else:
            self._scan.add(data)
            if not self._scan.is_complete():
                return
            self._buffer, self._scan = self._scan.whole(), None
        at = 0
        while at < len(self._buffer):
            try:
                value, at = Reader(self._buffer).value(at, 0)
            except Incomplete:
                # A long message is not decoded again for each piece of it: only its end is looked for.
                self._scan = _Scan(self._buffer[at:])
                self._buffer = b""
                self._scan.is_complete()
                return
            yield value
        self._buffer = b""

    @property
    def is_inside(self) -> bool:
        """Whether the stream ends inside a message."""
        return bool(self._buffer) or self._scan is not None


class _Scan:
    """Finds the end of a message that arrives in pieces, looking at each byte once."""

    def __init__(self, start: bytes) -> None:
        self._data = bytearray(start)
        self._at = 0
        #: How many values are still missing.
        self._missing = 1
        self._values = 0

    def add(self, data: bytes) -> None:
        self._data += data

    def whole(self) -> bytes:
        """All bytes, of this message and behind it."""
        return bytes(self._data)

    def is_complete(self) -> bool:
        data, at = self._data, self._at
        while self._missing:
            if at >= len(data):
                break
            first = data[at]
            size, extra, children = 1, 0, 0
            if 0x80 <= first < 0x90:
                children = 2 * (first & 15)
            elif 0x90 <= first < 0xA0:
                children = first & 15
            elif 0xA0 <= first < 0xC0:
                extra = first & 31
            elif first in INTEGERS:
                extra = INTEGERS[first]
            elif first in (0xCA, 0xCB):
                extra = 4 if first == 0xCA else 8
            elif first in FIXED_EXTS:
                extra = 1 + FIXED_EXTS[first]
            else:
                tables = (TEXTS, BINARIES, ARRAYS, MAPS, EXTS)
                table = next((one for one in tables if first in one), None)
                if table is not None:
                    size += table[first]
                    if at + size > len(data):
                        break
                    length = int.from_bytes(data[at + 1 : at + size], "big")
                    if table is ARRAYS:
                        children = length
                    elif table is MAPS:
                        children = 2 * length
                    else:
                        extra = length + (1 if table is EXTS else 0)
            end = at + size + extra
            self._values += children
            if self._values > MAX_VALUES:
                raise MsgpackError(f"there are more than {MAX_VALUES} values in a message")
            if end > MAX_BYTES:
                raise MsgpackError(f"a message is longer than the limit of {MAX_BYTES} bytes")
            if end > len(data):
                break
            at = end
            self._missing += children - 1
        self._at = at
        return self._missing == 0
