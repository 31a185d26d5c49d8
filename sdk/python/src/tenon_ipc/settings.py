"""The settings of both clients."""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any, Callable

from .errors import IpcError

#: 16 MiB.
DEFAULT_LIMIT = 16 * 1024 * 1024

#: The client's own messages, which cancel or refuse a call, have to fit.
_SMALLEST_LIMIT = 512


@dataclass(eq=False)
class Settings:
    """The name of a socket, and how to communicate with its server.

    Both clients take these as arguments: ``Client("myapp", reconnect=True)``.
    """

    #: The server's socket: a name, or a path if there is a ``/`` in it.
    name: str
    #: How messages are delimited: ``lines`` (one message per line) or ``headers`` (each after a
    #: ``Content-Length`` header).
    framing: str = "lines"
    #: Seconds until an attempt to connect fails.
    connect_timeout: float = 10.0
    #: The default timeout of a call in seconds. ``math.inf``: no timeout.
    request_timeout: float = 30.0
    #: The longest message that is sent or accepted.
    max_message_bytes: int = DEFAULT_LIMIT
    #: The users whose servers are trusted beside our own and root's; ``"any"`` for all. Checked on
    #: Linux.
    allow_users: str | Collection[int] = ()
    #: Whether the client reconnects after it has lost the connection.
    reconnect: bool = False
    #: The most failed attempts in a row; then the client gives up. None: no limit.
    max_reconnect_attempts: int | None = None
    #: Seconds before the first attempt. The pause doubles with each one and is shortened by
    #: up to half at random, so that the clients of a restarted server do not all connect at once.
    reconnect_delay: float = 0.1
    #: The longest pause.
    max_reconnect_delay: float = 30.0
    #: A connection has been made.
    on_connect: Callable[[], Any] | None = None
    #: A connection has ended: with the error, or None after ``close``.
    on_disconnect: Callable[[IpcError | None], Any] | None = None
    #: An error that belongs to no call: an invalid message, an error without an id, a failed attempt
    #: to reconnect, an exception in a callback or handler.
    on_error: Callable[[Exception], Any] | None = None
    #: The client will try to reconnect: the number of the attempt, and the seconds until then.
    on_reconnecting: Callable[[int, float], Any] | None = None
    #: A notification of the server: method and params. With it, ``notifications()`` raises an error.
    on_notification: Callable[[str, Any], Any] | None = None
    #: Shows every message: True prints to stderr, a function is called with each line. The lines
    #: hold everything that is sent, including secrets.
    debug: bool | Callable[[str], Any] = False

    def __post_init__(self) -> None:
        if self.framing not in ("lines", "headers"):
            raise ValueError(f"framing is 'lines' or 'headers', not {self.framing!r}")
        if isinstance(self.allow_users, str) and self.allow_users != "any":
            raise ValueError(f"allow_users is 'any' or user ids, not {self.allow_users!r}")
        for name in (
            "connect_timeout",
            "request_timeout",
            "reconnect_delay",
            "max_reconnect_delay",
        ):
            check_seconds(name, getattr(self, name))
        if self.max_message_bytes < _SMALLEST_LIMIT:
            raise ValueError(
                f"max_message_bytes is at least {_SMALLEST_LIMIT}, not {self.max_message_bytes}"
            )
        for field in fields(Settings):
            if field.name.startswith("on_") and inspect.iscoroutinefunction(
                getattr(self, field.name)
            ):
                # It would not be awaited, and so would never run.
                raise TypeError(f"{field.name} must be a plain function, not a coroutine function")


def check_seconds(name: str, seconds: float) -> None:
    """Raises ValueError unless it is a valid number of seconds."""
    if math.isnan(seconds) or seconds < 0:
        raise ValueError(f"{name} is a number of seconds, not {seconds!r}")
