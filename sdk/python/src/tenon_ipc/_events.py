"""Callbacks, notifications and debug output of a client."""

from __future__ import annotations

import logging
import sys
from collections import deque
from typing import Any, Callable

from . import _wire as wire
from ._signal import Signal
from .errors import IpcError
from .settings import Settings

#: The most notifications that are queued; beyond that the oldest is dropped.
NOTIFICATION_LIMIT = 1024

#: The longest text that ``debug`` shows of one message.
_SHOWN = 1000

_LOGGER = logging.getLogger("tenon_ipc")


class Events:
    """Calls the callbacks of a client, and keeps the notifications that have none."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._notifications: deque[tuple[str, Any]] = deque()
        self._arrived = Signal()
        #: How many notifications were dropped because they were not read in time.
        self.dropped = 0

    def tell(self, callback: Callable[..., Any] | None, *arguments: Any) -> None:
        """Calls a callback. An exception of it is passed to ``on_error``, and nothing else stops."""
        if callback is None:
            return
        try:
            callback(*arguments)
        except Exception as error:
            if callback is self._settings.on_error:
                _LOGGER.exception("on_error itself failed")
            else:
                self.failed(error)

    def failed(self, error: Exception) -> None:
        """Reports an error that belongs to no call."""
        if self._settings.on_error is not None:
            self.tell(self._settings.on_error, error)
        elif not isinstance(error, IpcError):
            # A mistake in a callback or handler, which would be hard to find otherwise.
            _LOGGER.error("a callback or handler failed", exc_info=error)

    def notified(self, notification: wire.Notification) -> None:
        """A notification was received."""
        if self._settings.on_notification is not None:
            self.tell(self._settings.on_notification, *notification)
            return
        if len(self._notifications) >= NOTIFICATION_LIMIT:
            self._notifications.popleft()
            self.dropped += 1
        self._notifications.append((notification.method, notification.params))
        self._arrived.wake()

    async def next(self, deadline: float, is_over: Callable[[], bool]) -> tuple[str, Any] | None:
        """The oldest notification. None after the deadline, or if no more can arrive."""
        if self._settings.on_notification is not None:
            raise RuntimeError("on_notification takes the notifications; use one or the other")
        while not self._notifications:
            if is_over() or not await self._arrived.wait(deadline):
                return None
        return self._notifications.popleft()

    def wake(self) -> None:
        """Makes readers of notifications check whether more can arrive."""
        self._arrived.wake()

    def show(self, direction: str, message: bytes) -> None:
        """Shows a message if ``debug`` is set."""
        debug = self._settings.debug
        if not debug:
            return
        text = message.decode("utf-8", "backslashreplace")
        line = f"{direction} {text[:_SHOWN]}{' ..' if len(text) > _SHOWN else ''}"
        if callable(debug):
            self.tell(debug, line)
        else:
            sys.stderr.write(f"tenon_ipc: {line}\n")
