"""Frames of JSON: one message in each line, or each behind a Content-Length header."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: The longest message.
MAX_BYTES = 64 * 1024 * 1024
_MAX_HEADER = 8 * 1024


class FrameError(ValueError):
    """A stream in which the next message cannot be found."""


class Lines:
    """A message in each line."""

    def __init__(self) -> None:
        self._rest = b""
        self._parts: list[bytes] = []
        self._length = 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The lines that are complete now."""
        if b"\n" not in data:
            # A long line is not joined again for each piece of it.
            self._length += len(data)
            if self._length > MAX_BYTES:
                raise FrameError(f"a line is longer than the limit of {MAX_BYTES} bytes")
            self._parts.append(data)
            return
        if self._parts:
            data = b"".join([*self._parts, data])
            self._parts.clear()
            self._length = 0
        if data.find(b"\n") == len(data) - 1 and not data.isspace():
            # One message, as almost always.
            yield data
            return
        *lines, rest = data.split(b"\n")
        if rest:
            self._parts.append(rest)
            self._length = len(rest)
        for line in lines:
            if line and not line.isspace():
                yield line

    def finish(self) -> Iterator[bytes]:
        """The last line, which the end of the stream ends as well."""
        line = b"".join(self._parts).strip()
        self._parts.clear()
        if line:
            yield line

    @staticmethod
    def frame(message: bytes) -> bytes:
        """The bytes of a message."""
        return message + b"\n"


class Headers:
    """A message behind a ``Content-Length`` header."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length: int | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The messages that are complete now."""
        self._buffer += data
        while True:
            if self._length is None:
                self._length = self._header()
            if self._length is None or len(self._buffer) < self._length:
                return
            body = bytes(self._buffer[: self._length])
            del self._buffer[: self._length]
            self._length = None
            yield body

    def _header(self) -> int | None:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > _MAX_HEADER:
                raise FrameError(f"a header is longer than {_MAX_HEADER} bytes")
            return None
        length = None
        for line in bytes(self._buffer[:end]).split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length":
                text = value.strip()
                if not text.isdigit() or len(text) > 12 or int(text) > MAX_BYTES:
                    raise FrameError(f"Content-Length is not a number up to {MAX_BYTES}")
                length = int(text)
        if length is None:
            raise FrameError("a header has no Content-Length")
        del self._buffer[: end + 4]
        return length

    def finish(self) -> Iterator[bytes]:
        """Nothing: a message is complete when it is long enough."""
        yield from ()

    @staticmethod
    def frame(message: bytes) -> bytes:
        """The bytes of a message."""
        return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)
