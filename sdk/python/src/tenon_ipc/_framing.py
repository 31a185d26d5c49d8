"""Framing: splits received bytes into messages. Does no input or output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Union

from .errors import InvalidMessage, MessageTooLarge

#: The longest header block. Real ones are far shorter.
_HEADER_LIMIT = 8 * 1024


def quoted(data: bytes | bytearray) -> str:
    """The first bytes of invalid input, to quote in an error."""
    start = bytes(data[:60]).decode("utf-8", "backslashreplace")
    return repr(start) + (" .." if len(data) > 60 else "")


class Lines:
    """One message per line."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()
        # Searching from the start for each piece of a long line would take quadratic time.
        self._scanned = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The lines that are complete now, without blank ones. Consume the iterator before the next call."""
        self._buffer += data
        while True:
            end = self._buffer.find(b"\n", self._scanned)
            length = len(self._buffer) if end < 0 else end
            if length > self._limit:
                raise MessageTooLarge(
                    f"a line is longer than the limit of {self._limit} bytes for one message; "
                    f"raise max_message_bytes if that is right. It begins {quoted(self._buffer)}"
                )
            if end < 0:
                self._scanned = length
                return
            line = bytes(self._buffer[:end]).strip(b" \t\r")
            del self._buffer[: end + 1]
            self._scanned = 0
            if line:
                yield line

    def finish(self) -> Iterator[bytes]:
        """The last line: the end of the stream ends it too."""
        line = bytes(self._buffer).strip(b" \t\r")
        self._buffer.clear()
        if line:
            yield line

    @staticmethod
    def frame(message: bytes) -> bytes:
        """The bytes to write for a message."""
        return message + b"\n"


class Headers:
    """Messages with a ``Content-Length`` header, as in the Language Server Protocol."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._buffer = bytearray()
        # The length in the header, once that has been read.
        self._length: int | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The bodies that are complete now. Consume the iterator before the next call."""
        self._buffer += data
        while True:
            if self._length is None:
                self._length = self._read_header()
            # The declared length is compared; nothing is allocated for it.
            if self._length is None or len(self._buffer) < self._length:
                return
            body = bytes(self._buffer[: self._length])
            del self._buffer[: self._length]
            self._length = None
            yield body

    def finish(self) -> Iterator[bytes]:
        """Yields nothing: a body ends by its length, not with the stream."""
        if self._length is not None or self._buffer.strip():
            raise InvalidMessage(f"the stream ended inside a message: {quoted(self._buffer)}")
        yield from ()

    @staticmethod
    def frame(message: bytes) -> bytes:
        """The bytes to write for a message."""
        return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)

    def _read_header(self) -> int | None:
        """The length, once the header is complete. Each line is checked as soon as it is complete."""
        blanks = len(self._buffer) - len(self._buffer.lstrip(b"\r\n"))
        del self._buffer[:blanks]
        window = bytes(self._buffer[:_HEADER_LIMIT])
        length = None
        *lines, _ = window.split(b"\n")
        at = 0
        for line in lines:
            at += len(line) + 1
            if line == b"\r":
                if length is None:
                    raise InvalidMessage("the header has no Content-Length")
                del self._buffer[:at]
                return length
            name, value = self._header(line)
            if name == "content-length":
                length = self._content_length(value)
            elif name == "content-type":
                _check_charset(value)
        if len(window) == _HEADER_LIMIT:
            raise InvalidMessage(f"a header has more than {_HEADER_LIMIT} bytes: {quoted(window)}")
        return None

    def _header(self, line: bytes) -> tuple[str, str]:
        name, colon, value = line.partition(b":")
        if not colon or not line.endswith(b"\r") or not line.isascii():
            raise InvalidMessage(
                f"expected a header such as 'Content-Length: 42', not {quoted(line)}; "
                "a server that sends lines needs framing='lines'"
            )
        return name.decode("ascii").lower(), value.decode("ascii").strip()

    def _content_length(self, value: str) -> int:
        # Not int() alone: it accepts "-2" and "1_000" too, and is slow for very many digits.
        if not value.isdigit() or len(value) > 20:
            raise InvalidMessage(f"Content-Length is {value[:60]!r}, not a number of bytes")
        length = int(value)
        if length > self._limit:
            raise MessageTooLarge(
                f"a message of {length} bytes is longer than the limit of {self._limit} bytes; "
                "raise max_message_bytes if that is right"
            )
        return length


def _check_charset(content_type: str) -> None:
    for part in content_type.split(";"):
        name, _, charset = part.strip().partition("=")
        if name == "charset" and charset.strip('"').lower() not in ("utf-8", "utf8"):
            raise InvalidMessage(f"the charset {charset[:60]!r} is not supported; send UTF-8")


#: The two ways to delimit messages.
Framing = Union[Lines, Headers]


def framing(name: str, limit: int) -> Framing:
    """The framing with this name, ``lines`` or ``headers``."""
    return Lines(limit) if name == "lines" else Headers(limit)
