"""What both clients are made with."""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection
from dataclasses import dataclass, fields
from typing import Any, Callable

from .errors import IpcError

#: 16 MiB.
DEFAULT_LIMIT = 16 * 1024 * 1024

#: What the client has to say by itself, to take a call back or to refuse one, has to fit.
_SMALLEST_LIMIT = 512


@dataclass(eq=False)
class Settings:
    """The name of a socket, and how to talk to the server behind it.

    Both clients take these words: ``Client("myapp", reconnect=True)``.
    """

    #: The server's socket: a name, or a path if there is a ``/`` in it.
    name: str
    #: How messages are delimited: ``lines`` (a message on each) or ``headers`` (each behind a
    #: ``Content-Length``).
    framing: str = "lines"
    #: Seconds until an attempt to connect is given up.
    connect_timeout: float = 10.0
    #: Seconds until a call is given up that has no timeout of its own. ``math.inf``: never.
    request_timeout: float = 30.0
    #: The longest message that is sent or taken.
    max_message_bytes: int = DEFAULT_LIMIT
    #: The users whose servers are trusted beside our own and root's; ``"any"`` for all. Checked on
    #: Linux.
    allow_users: str | Collection[int] = ()
    #: Whether a lost connection is made again.
    reconnect: bool = False
    #: So many attempts in a row, then it is given up. None: never.
    max_reconnect_attempts: int | None = None
    #: Seconds before the first attempt. The pause doubles with each one, less up to half of it at
    #: random, so that the clients of a server that starts again do not all come at once.
    reconnect_delay: float = 0.1
    #: The longest pause.
    max_reconnect_delay: float = 30.0
    #: A connection has been made.
    on_connect: Callable[[], Any] | None = None
    #: A connection has ended: with the error, or None after ``close``.
    on_disconnect: Callable[[IpcError | None], Any] | None = None
    #: Something went wrong that belongs to no call: a line that is no message, an answer without
    #: an id, an attempt to reconnect, an exception in a callback or handler.
    on_error: Callable[[Exception], Any] | None = None
    #: An attempt to connect again comes next: its number, and the seconds until then.
    on_reconnecting: Callable[[int, float], Any] | None = None
    #: News from the server: method and params. They no longer go to ``notifications()`` then.
    on_notification: Callable[[str, Any], Any] | None = None
    #: Shows every message: True on stderr, a function is given the lines. They hold whatever is
    #: sent, secrets too.
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
                # Nobody would await it, and it would never run.
                raise TypeError(f"{field.name} must be a plain function, not a coroutine function")


def check_seconds(name: str, seconds: float) -> None:
    """Refuses what is no time to wait."""
    if math.isnan(seconds) or seconds < 0:
        raise ValueError(f"{name} is a number of seconds, not {seconds!r}")
