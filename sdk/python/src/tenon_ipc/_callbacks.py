"""A thread that calls callbacks."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any, Callable

#: The most calls that are queued; beyond that the oldest is dropped.
CALLBACK_LIMIT = 1024

#: How long ``stop`` waits for a callback that does not return.
_JOIN_SECONDS = 5.0


class Callbacks:
    """Calls functions one after the other, in a separate thread.

    Not in the thread that reads: a callback may make a call, whose answer that thread has to read.
    """

    def __init__(self) -> None:
        self._waiting: deque[tuple[Callable[..., Any], tuple[Any, ...]]] = deque()
        self._changed = threading.Condition()
        self._is_stopped = False
        self._thread: threading.Thread | None = None
        #: How many calls were dropped because a callback took too long.
        self.dropped = 0

    def call(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Queues a call of a function. Does not wait for it."""
        with self._changed:
            if self._is_stopped:
                return
            if len(self._waiting) >= CALLBACK_LIMIT:
                self._waiting.popleft()
                self.dropped += 1
            self._waiting.append((function, arguments))
            if self._thread is None:
                # Started at the first call: most clients have no callbacks.
                self._thread = threading.Thread(
                    target=self._run, name="tenon-ipc-callbacks", daemon=True
                )
                self._thread.start()
            self._changed.notify()

    def stop(self) -> None:
        """Ends the thread after the calls that are queued."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify()
            thread = self._thread
        # A callback may close its client; it cannot wait for itself.
        if thread is not None and thread is not threading.current_thread():
            thread.join(_JOIN_SECONDS)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    if self._is_stopped:
                        return
                    self._changed.wait()
                function, arguments = self._waiting.popleft()
            function(*arguments)
