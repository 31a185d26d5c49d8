"""Frames of JSON: one message in each line, or each behind a Content-Length header."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: The longest message.
MAX_BYTES = 64 * 1024 * 1024
_MAX_HEADER = 8 * 1024


class FrameError(ValueError):
    """A stream in which the next message cannot be found."""


class Lines:
    """A message in each line."""

    def __init__(self, most: int = MAX_BYTES) -> None:
        self._most = most
        self._parts: list[bytes] = []
        self._length = 0

    def feed(self, data: bytes) -> Iterable[bytes]:
        """The lines that are complete now."""
        if b"\n" not in data:
            # A long line is not joined again for each piece of it.
            self._length += len(data)
            if self._length > self._most:
                raise FrameError(f"a line is longer than the limit of {self._most} bytes")
            self._parts.append(data)
            return ()
        if self._parts:
            data = b"".join([*self._parts, data])
            self._parts.clear()
            self._length = 0
        if data.find(b"\n") == len(data) - 1 and not data.isspace():
            # One message, as almost always.
            return (data,)
        *lines, rest = data.split(b"\n")
        if rest:
            self._parts.append(rest)
            self._length = len(rest)
        return [line for line in lines if line and not line.isspace()]

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


def _is_utf8(content_type: bytes) -> bool:
    charset = content_type.lower().partition(b"charset=")[2].partition(b";")[0].strip(b' "')
    return charset in (b"", b"utf-8", b"utf8")


class Headers:
    """A message behind a ``Content-Length`` header."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        #: How many bytes are missing at least until the next message is complete.
        self._missing = 0

    def feed(self, data: bytes) -> Iterable[bytes]:
        """The messages that are complete now. Take all of them before the next call."""
        if not self._parts:
            end = data.find(b"\r\n\r\n") + 4
            if end > 20 and data[:16] == b"Content-Length: ":
                length = data[16 : end - 4]
                if length.isdigit() and int(length) == len(data) - end:
                    # One message, as almost always.
                    return (data[end:],)
        elif self._missing > len(data):
            # A long message is not joined again for each piece of it.
            self._missing -= len(data)
            self._parts.append(data)
            return ()
        else:
            data = b"".join([*self._parts, data])
            self._parts.clear()
        return self._cut(data)

    def _cut(self, data: bytes) -> Iterator[bytes]:
        at = self._missing = 0
        while at < len(data):
            if data[at] in b"\r\n":
                # Some peers write a newline behind a message.
                at += 1
                continue
            end = data.find(b"\r\n\r\n", at)
            if end < 0:
                if len(data) - at > _MAX_HEADER:
                    raise FrameError(f"a header is longer than {_MAX_HEADER} bytes")
                break
            start = end + 4
            end = start + self._length(data[at : end])
            if end > len(data):
                self._missing = end - len(data)
                break
            yield data[start:end]
            at = end
        if at < len(data):
            self._parts.append(data[at:])

    @staticmethod
    def _length(header: bytes) -> int:
        """How long the message behind a header is."""
        length = None
        for line in header.rstrip().split(b"\r\n"):
            name, colon, value = line.partition(b":")
            if not colon:
                raise FrameError("a line of a header has no colon")
            if name.strip().lower() == b"content-type" and not _is_utf8(value):
                raise FrameError("the charset of a message is not UTF-8")
            if name.strip().lower() == b"content-length":
                text = value.strip()
                if not text.isdigit() or len(text) > 12 or int(text) > MAX_BYTES:
                    raise FrameError(f"Content-Length is not a number up to {MAX_BYTES}")
                length = int(text)
        if length is None:
            raise FrameError("a header has no Content-Length")
        return length

    def finish(self) -> Iterator[bytes]:
        """Nothing: a message is complete when it is long enough."""
        if self._parts:
            raise FrameError("the stream ended inside a message")
        yield from ()

    @staticmethod
    def frame(message: bytes) -> bytes:
        """The bytes of a message."""
        return b"Content-Length: %d\r\n\r\n%b" % (len(message), message)
