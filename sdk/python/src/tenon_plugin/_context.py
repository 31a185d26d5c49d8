"""What a handler has besides its arguments."""

from __future__ import annotations

import sys

from ._failure import Cancelled, Diagnostic, Failure, readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

LEVELS = ("trace", "debug", "info", "warn", "error")


class Context:
    """What a handler has besides its arguments: a parameter with this type gets it.

    ::

        @plugin.action
        def copy(source: str, context: Context) -> None:
            context.progress("copying")
    """

    #: The private data of a resource, which the host keeps in its state and shows to nobody.
    #: Assign bytes to keep them if the call succeeds, or None to remove them.
    private: bytes | None = None
    _is_cancelled = False
    #: Whether a coroutine has to be stopped, also one that begins later.
    _is_stopped = False
    #: Sends progress, while the call runs.
    _say: Callable[[str, float | None, float | None], None] | None = None
    _log: Callable[[str, str, dict[str, Any]], None] | None = None
    #: Why there is no state, if there is none.
    _without_state: Failure | None = None
    #: They are replaced, because most calls have none.
    _warnings: tuple[Diagnostic, ...] = ()
    _cancel: tuple[Callable[[], object], ...] = ()

    def __init__(self, host: str = "test", state: Any = None) -> None:
        #: Who is calling: ``orchard``, ``denobridge``, ``seasonings``, ``mcp``, ``ipc`` or ``test``.
        self.host = host
        self._state = state

    @property
    def state(self) -> Any:
        """What the function of ``@plugin.configure`` returned. In a function it raises a :class:`Failure` if the
        plugin is not configured: Terraform may call functions before."""
        if self._without_state is not None:
            raise self._without_state
        return self._state

    @state.setter
    def state(self, state: Any) -> None:
        self._state = state

    @property
    def cancelled(self) -> bool:
        """Whether the host does not wait for the call any more. A call that changes something
        should be finished or undone all the same; its answer counts."""
        return self._is_cancelled

    def raise_if_cancelled(self) -> None:
        """Raises :class:`Cancelled` if the host does not wait any more."""
        if self._is_cancelled:
            raise Cancelled

    def progress(self, message: str, done: float | None = None, total: float | None = None) -> None:
        """Shows the user how far the call is, if the host can. After the call it does nothing."""
        say = self._say
        if say is not None:
            say(readable(message), done, total)

    def log(self, message: str, level: str = "info", **fields: Any) -> None:
        """Writes to the host's log; to stderr if the host has none."""
        if level not in LEVELS:
            raise ValueError(f"level is one of {', '.join(LEVELS)}, not {level!r}")
        if self._log is not None:
            self._log(level, readable(message), readable(fields))
            return
        words = "".join(f" {name}={value!r}" for name, value in fields.items())
        print(f"[{level.upper()}] {message}{words}", file=sys.stderr, flush=True)

    def warn(self, summary: str, detail: str = "", path: Sequence[str | int] | str | None = None) -> None:
        """A warning beside the result, which may name the attribute that it is about."""
        self._warnings += (Diagnostic("warning", summary, detail, path),)

    def cancel(self, is_stopped: bool = True) -> None:
        """What a host does when it does not wait any more; for tests. A coroutine that changes
        nothing is stopped."""
        self._is_cancelled = True
        if is_stopped:
            self._is_stopped = True
            for stop in self._cancel:
                stop()
