"""Calls from the server."""

from __future__ import annotations

import asyncio
import inspect
from collections import deque
from collections.abc import Mapping
from typing import Any, Callable

from . import _wire as wire
from .errors import InvalidMessage, MessageTooLarge, RpcError

#: Takes the params of a call and gives its result, or something to await for it.
Handler = Callable[[Any], Any]

#: The most calls of the server that are handled at once; more are refused.
LIMIT = 1024


class Handlers:
    """The calls of one connection that have not been answered yet.

    Each is answered exactly once, whatever its handler does.
    """

    def __init__(
        self,
        functions: Mapping[str, Handler],
        frame: Callable[[bytes], bytes],
        write: Callable[[bytes], None],
        report: Callable[[Exception], None],
    ) -> None:
        self._functions = functions
        self._frame = frame
        self._write = write
        self._report = report
        self._running: dict[asyncio.Future[Any], wire.Id] = {}
        # Answers that could not be written yet. They count as running; otherwise a server that calls and never
        # reads would fill our memory.
        self._held: deque[bytes] = deque()
        self.has_room = True

    @property
    def is_busy(self) -> bool:
        """Whether the limit of calls is reached."""
        return len(self._running) + len(self._held) >= LIMIT

    def start(self, request: wire.Request) -> None:
        """Handles a call."""
        function = self._functions.get(request.method)
        if self.is_busy:
            refusal = RpcError(wire.SERVER_ERROR, f"{LIMIT} calls are being handled already")
            self._write(self._frame(wire.answer(request.id, refusal)))
        elif function is None:
            data = {"method": request.method}
            self.answer(request.id, RpcError(wire.METHOD_NOT_FOUND, "Method not found", data))
        else:
            self._call(function, request)

    def cancel(self, id: Any) -> None:
        """Cancels a call, at the request of the server."""
        for task, own in list(self._running.items()):
            if type(own) is type(id) and own == id:
                task.cancel()

    def flush(self) -> None:
        """Writes the answers that could not be written before."""
        while self._held and self.has_room:
            self._write(self._held.popleft())

    def stop(self) -> None:
        """Cancels all calls: the connection has ended."""
        self._held.clear()
        self.has_room = True
        for task in list(self._running):
            task.cancel()

    def _call(self, function: Handler, request: wire.Request) -> None:
        try:
            result = function(request.params)
        except Exception as error:
            self.answer(request.id, self._failure(error))
            return
        if not inspect.isawaitable(result):
            self.answer(request.id, result)
            return
        task = asyncio.ensure_future(result)
        self._running[task] = request.id
        # A callback, not the last line of the task: a task that is cancelled before its first step
        # never gets to that line.
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Future[Any]) -> None:
        id = self._running.pop(task)
        if task.cancelled():
            self.answer(id, RpcError(wire.CANCELLED, "cancelled"))
            return
        error = task.exception()
        self.answer(id, task.result() if error is None else self._failure(error))

    def _failure(self, error: BaseException) -> RpcError:
        """The answer for an exception. Only an RpcError is sent: the text of another may hold secrets."""
        if isinstance(error, RpcError):
            return error
        if isinstance(error, Exception):
            self._report(error)
        return RpcError(wire.INTERNAL_ERROR, "Internal error")

    def answer(self, id: wire.Id, outcome: Any) -> None:
        """Answers a call with a result or an RpcError, as soon as it can be written."""
        try:
            frame = self._frame(wire.answer(id, outcome))
        except (InvalidMessage, MessageTooLarge) as error:
            frame = self._frame(wire.answer(id, self._failure(error)))
        if self.has_room:
            self._write(frame)
        else:
            self._held.append(frame)
