"""stdin and stdout, which belong to the protocol alone."""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ._plugin import Plugin

CHUNK = 65536
_write = os.write


def take_over() -> tuple[int, int]:
    """The descriptors of the protocol.

    From then on what is printed goes to stderr, also by programs that are started, and nobody else
    reads stdin.
    """
    given, taken = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        os.dup2(2, 1)
    except OSError:
        # There is no stderr.
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.close(silence)
    try:
        # What was printed before, and waits in the buffer, goes to stderr as well. What comes is seen at once.
        sys.stdout.flush()
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    except (AttributeError, OSError, ValueError):
        pass
    return given, taken


class Output:
    """Where frames go: each in one write, and one after another."""

    def __init__(self, descriptor: int, show: Callable[[str, bytes], None] | None = None) -> None:
        self._descriptor = descriptor
        self._lock = allocate_lock()
        self.show = show
        #: Whether nobody reads any more.
        self.is_closed = False

    def send(self, frame: bytes) -> None:
        """Writes a frame."""
        if self.show is not None:
            self.show("-->", frame)
        with self._lock:
            try:
                sent = self._some(frame)
                # Without a copy of the rest for each piece of it.
                rest = memoryview(frame)
                while sent < len(frame):
                    sent += self._some(rest[sent:])
            except OSError:
                # The host is gone. The end of stdin ends the plugin.
                self.is_closed = True

    def _some(self, data: bytes | memoryview) -> int:
        """Writes the beginning of the data. Returns how many bytes that was."""
        try:
            return _write(self._descriptor, data)
        except BlockingIOError:
            # Whoever started us made the pipe non-blocking.
            from select import select

            select([], [self._descriptor], [])
            return 0


def debug_log(plugin: Plugin) -> Callable[[str, bytes], None] | None:
    """Shows each frame, if TENON_DEBUG is set."""
    place = os.environ.get("TENON_DEBUG", "")
    if place in ("", "0"):
        return None
    from ._debug import FrameLog

    return FrameLog(place, plugin)
