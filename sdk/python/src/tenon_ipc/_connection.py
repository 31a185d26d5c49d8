"""One connection: calls and their answers, notifications, and calls from the server."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, NamedTuple, cast

from . import _wire as wire
from ._events import Events
from ._framing import framing
from ._handlers import Handler, Handlers
from ._signal import Signal
from .errors import (
    InvalidMessage,
    ConnectionLost,
    IpcError,
    MessageTooLarge,
    Refused,
    RequestTimeout,
    RpcError,
)
from .settings import Settings

#: The error code of a server that refuses a connection.
_REFUSED = -32000

#: How long ``close`` waits for a server that does not read the remaining output.
_FLUSH_SECONDS = 1.0


class Call(NamedTuple):
    """A call that can be sent."""

    method: str
    members: bytes


class Connection(asyncio.Protocol):
    """The reader and writer of one socket.

    It is never half closed: some servers answer the end of their input with a flood of errors.
    """

    def __init__(
        self,
        settings: Settings,
        ids: Iterator[int],
        functions: Mapping[str, Handler],
        events: Events,
        on_end: Callable[[Connection, IpcError | None], None],
    ) -> None:
        self._limit = settings.max_message_bytes
        self._framing = framing(settings.framing, self._limit)
        self._ids = ids
        self._events = events
        self._on_end = on_end
        self._handlers = Handlers(functions, self._frame, self._write, events.failed)
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._room = Signal()
        self._gone = Signal()
        self._is_gone = False
        #: Whether the server has sent anything other than an error without an id.
        self.has_heard = False
        # The last message of the server, if it is an error without an id.
        self._complaint: RpcError | None = None
        #: Why the connection ended; None while it is open.
        self.over: IpcError | None = None

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket can be used."""
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        """Bytes were received."""
        self._understand(self._framing.feed(data))
        if self._handlers.is_busy and not self._handlers.has_room and self.over is None:
            # The server keeps calling and does not read our answers.
            self._transport.pause_reading()

    def eof_received(self) -> None:
        """The server has closed its side of the connection."""
        self._understand(self._framing.finish())
        self.end(self._left("the server closed the connection"))

    def connection_lost(self, exc: Exception | None) -> None:
        """The socket is closed."""
        self._is_gone = True
        why = "the server closed the connection" if exc is None else str(exc)
        self.end(self._left(f"the connection was lost: {why}"))
        self._gone.wake()

    def pause_writing(self) -> None:
        """The server does not read as fast as we write."""
        self._handlers.has_room = False

    def resume_writing(self) -> None:
        """There is room again."""
        self._handlers.has_room = True
        self._handlers.flush()
        self._room.wake()
        if self.over is None:
            self._transport.resume_reading()

    # What the client calls.

    async def exchange(
        self, calls: Sequence[Call], is_batch: bool, deadline: float, timeout: float
    ) -> list[Any]:
        """Sends calls at once and waits for all answers: results, and errors as values.

        A call that passes its deadline, or whose task is cancelled, is cancelled at the server too.
        """
        await self._wait_for_room(calls[0].method, deadline, timeout)
        loop = asyncio.get_running_loop()
        waiting = {next(self._ids): call for call in calls}
        texts = [wire.request(id, call.members) for id, call in waiting.items()]
        frame = self._frame(wire.batch(texts) if is_batch else texts[0])
        futures = {id: loop.create_future() for id in waiting}
        self._pending.update(futures)
        timer = None
        if deadline < math.inf:
            timer = loop.call_at(deadline, self._expire, waiting, timeout)
        try:
            self._write(frame)
            return [await future for future in futures.values()]
        finally:
            if timer is not None:
                timer.cancel()
            self._take_back(waiting)

    async def notify(self, method: str, members: bytes, deadline: float, timeout: float) -> None:
        """Sends a notification."""
        await self._wait_for_room(method, deadline, timeout)
        self._write(self._frame(wire.notification(members)))

    def end(self, error: IpcError | None) -> None:
        """Fails all pending calls and closes the socket. ``error`` is None if the client ends it."""
        if self.over is not None:
            return
        self.over = error or ConnectionLost("the client was closed")
        pending, self._pending = self._pending, {}
        for future in pending.values():
            self._settle(future, self._lost())
        self._handlers.stop()
        self._room.wake()
        if error is None:
            # The server still gets what has been written already.
            self._transport.close()
        else:
            self._transport.abort()
        self._on_end(self, error)

    async def close(self) -> None:
        """Ends the connection and waits until the socket is closed."""
        self.end(None)
        deadline = asyncio.get_running_loop().time() + _FLUSH_SECONDS
        while not self._is_gone:
            if not await self._gone.wait(deadline):
                self._transport.abort()
                deadline = math.inf

    # Out.

    def _frame(self, message: bytes) -> bytes:
        if len(message) > self._limit:
            raise MessageTooLarge(
                f"a message of {len(message)} bytes is longer than the limit of {self._limit} "
                "bytes and was not sent; raise max_message_bytes here and at the server"
            )
        self._events.show("-->", message)
        return self._framing.frame(message)

    def _write(self, frame: bytes) -> None:
        if self.over is None:
            self._transport.write(frame)

    async def _wait_for_room(self, method: str, deadline: float, timeout: float) -> None:
        while not self._handlers.has_room and self.over is None:
            if not await self._room.wait(deadline):
                raise RequestTimeout(
                    f"{method!r} could not be sent within {timeout:g} s: the server does not read"
                )
        if self.over is not None:
            raise self._lost()

    def _expire(self, waiting: Mapping[int, Call], timeout: float) -> None:
        for id, future in self._take_back(waiting).items():
            method = waiting[id].method
            error = RequestTimeout(
                f"no answer to {method!r} within {timeout:g} s; give it a longer timeout, or look "
                "at what the server is doing"
            )
            self._settle(future, error)

    def _take_back(self, ids: Mapping[int, Call]) -> dict[int, asyncio.Future[Any]]:
        """Removes the calls that have no answer yet, and cancels them at the server."""
        left = {id: self._pending.pop(id) for id in ids if id in self._pending}
        for id in left:
            self._write(self._frame(wire.cancellation(id)))
        return left

    # In.

    def _understand(self, frames: Iterator[bytes]) -> None:
        try:
            for frame in frames:
                self._events.show("<--", frame)
                for message in wire.read(frame):
                    # A callback for the previous message may have closed the connection.
                    if self.over is None:
                        self._take(message)
        except (InvalidMessage, MessageTooLarge) as error:
            # The start of the next message is unknown.
            self._events.failed(error)
            lost = ConnectionLost(f"the connection was given up: {error}")
            lost.__cause__ = error
            self.end(lost)

    def _take(self, message: wire.Message) -> None:
        self._complaint = None
        if isinstance(message, wire.Response) and message.id is None:
            outcome = message.outcome
            self._complaint = outcome if isinstance(outcome, RpcError) else None
        self.has_heard = self.has_heard or self._complaint is None
        if isinstance(message, wire.Response):
            self._answered(message.id, message.outcome)
        elif isinstance(message, wire.Request):
            self._handlers.start(message)
        elif isinstance(message, wire.Malformed):
            self._take_malformed(message)
        elif message.method == wire.CANCEL:
            params = message.params
            self._handlers.cancel(params.get("id") if isinstance(params, dict) else None)
        else:
            self._events.notified(message)

    def _take_malformed(self, message: wire.Malformed) -> None:
        if message.kind == "bare" and self._answered(message.id, None):
            return
        if message.kind == "response":
            self._answered(message.id, message.error)
        self._events.failed(message.error)
        if message.kind == "request" and message.id is not None:
            self._handlers.answer(message.id, RpcError(wire.INVALID_REQUEST, "Invalid Request"))

    def _answered(self, id: wire.Id, outcome: Any) -> bool:
        """Settles a call. False if none was pending: the answer is late, or a duplicate."""
        # The type is checked too: in Python 1.0 and 1 are the same key.
        future = self._pending.pop(id, None) if type(id) is int else None
        if future is not None:
            self._settle(future, outcome)
        elif id is None and isinstance(outcome, RpcError):
            self._events.failed(outcome)
        return future is not None

    def _left(self, problem: str) -> ConnectionLost:
        """Why the connection ended: with the server's last error, if that was without an id."""
        complaint = self._complaint
        if complaint is None:
            return ConnectionLost(problem)
        is_refused = not self.has_heard and complaint.code == _REFUSED
        kind = Refused if is_refused else ConnectionLost
        left = kind(f"{problem}: {complaint.message} ({complaint.code})")
        left.__cause__ = complaint
        return left

    def _lost(self) -> ConnectionLost:
        # A new one for each call: a traceback grows each time the same error is raised.
        kind = Refused if isinstance(self.over, Refused) else ConnectionLost
        lost = kind(str(self.over))
        lost.__cause__ = self.over
        return lost

    @staticmethod
    def _settle(future: asyncio.Future[Any], outcome: Any) -> None:
        # The task and its future may have been cancelled without having run since.
        if not future.done():
            future.set_result(outcome)
