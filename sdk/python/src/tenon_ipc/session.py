"""One client of a server."""

from __future__ import annotations

import asyncio
import functools
import itertools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from . import _wire as wire
from ._framing import Framing, framing
from ._socket import user_of
from .errors import ConnectionLost, InvalidMessage, IpcError, MessageTooLarge, RequestTimeout, RpcError

if TYPE_CHECKING:
    from .server import Server

#: The most calls of a client that run at once; at the limit, reading pauses.
_MOST_RUNNING = 1024
#: The most messages in a batch.
_MOST_IN_BATCH = 1024
_PARSE_ERROR = -32700


class Session(asyncio.Protocol):
    """A connected client. The server can call its methods and send it notifications."""

    def __init__(self, server: Server, id: int) -> None:
        #: The number of the client, unique for the server.
        self.id = id
        #: The user that the client runs as, on systems that report it.
        self.user: int | None = None
        #: State that the handlers of the server keep for this client.
        self.data: dict[str, Any] = {}
        self._server = server
        self._framing: Framing | None = None
        self._ids = itertools.count(1)
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._running: dict[asyncio.Task[bytes], wire.Id] = {}
        self._has_ended = False
        self._is_open = False
        #: Whether the client does not read what it is sent.
        self._is_full = False

    @property
    def is_open(self) -> bool:
        """Whether the client is connected."""
        return self._is_open

    async def request(self, method: str, params: Any = None, *, timeout: float = 30.0) -> Any:
        """Calls a method of the client."""
        id = next(self._ids)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        message = wire.request(id, wire.members(method, params))
        if not self._is_open:
            raise ConnectionLost("the client has disconnected")
        self._pending[id] = future
        try:
            self._write(message)
            outcome = await asyncio.wait_for(future, timeout)
        except asyncio.TimeoutError:
            self._write(wire.cancellation(id))
            raise RequestTimeout(f"no answer to {method!r} within {timeout:g} s") from None
        finally:
            self._pending.pop(id, None)
        if isinstance(outcome, IpcError):
            raise outcome
        return outcome

    def notify(self, method: str, params: Any = None) -> bool:
        """Sends a notification. False if the client does not read; the notification is dropped then."""
        message = wire.notification(wire.members(method, params))
        if not self._is_open or self._transport.get_write_buffer_size() > self._server.max_queued_bytes:
            return False
        self._write(message)
        return True

    def close(self) -> None:
        """Closes the connection once everything written has been sent."""
        self._transport.close()

    # What asyncio calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client connects."""
        self._transport = cast(asyncio.Transport, transport)
        self._transport.set_write_buffer_limits(high=self._server.max_queued_bytes)
        connection = transport.get_extra_info("socket")
        self.user = user_of(connection) if connection is not None else None
        problem = self._server._refusal(self)
        if problem is not None:
            self._framing = framing("lines", self._server.max_message_bytes)
            self._write(wire.answer(None, RpcError(wire.SERVER_ERROR, problem)))
            self._transport.close()
            return
        self._is_open = True
        self._server._joined(self)

    def is_allowed(self) -> bool:
        """Whether the user of the client may connect."""
        allowed = self._server.allow_users
        own = (None, os.getuid())
        return isinstance(allowed, str) or self.user in own or self.user in allowed

    def data_received(self, data: bytes) -> None:
        """Bytes were received."""
        if self._framing is None:
            start = data.lstrip(b" \t\r\n")
            if not start:
                return
            kind = "headers" if start[:1] in b"Cc" else "lines"
            self._framing = framing(kind, self._server.max_message_bytes)
        self._understand(lambda framing: framing.feed(data))
        self._measure()

    def pause_writing(self) -> None:
        """The client does not read as fast as it asks. Answers that wait for it would fill our memory."""
        self._is_full = True
        self._measure()

    def resume_writing(self) -> None:
        """There is room again."""
        self._is_full = False
        self._measure()

    def eof_received(self) -> bool:
        """The client has closed its side. The calls it made before are still answered."""
        self._has_ended = True
        if self._framing is not None:
            self._understand(lambda framing: framing.finish())
        self._lose("the client closed its side before it answered")
        return bool(self._running)

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._has_ended = True
        for task in list(self._running):
            task.cancel()
        self._lose("the client disconnected before it answered")
        if self._is_open:
            self._is_open = False
            self._server._left(self)

    # In.

    def _understand(self, frames: Callable[[Framing], Any]) -> None:
        assert self._framing is not None
        try:
            for frame in frames(self._framing):
                self._take(frame)
        except (InvalidMessage, MessageTooLarge) as error:
            # The start of the next message is unknown.
            self._write(wire.answer(None, RpcError(wire.INVALID_REQUEST, "Invalid Request", str(error))))
            self._transport.close()

    def _take(self, frame: bytes) -> None:
        messages, is_batch = wire.read_batch(frame)
        if len(messages) > _MOST_IN_BATCH:
            limit = f"a batch has at most {_MOST_IN_BATCH} messages"
            self._write(wire.answer(None, RpcError(wire.INVALID_REQUEST, "Invalid Request", limit)))
            return
        asked: list[wire.Request | wire.Malformed] = []
        for message in messages:
            if isinstance(message, wire.Response):
                self._answered(message.id, message.outcome)
            elif isinstance(message, wire.Notification):
                self._heard(message)
            elif isinstance(message, wire.Request) or not self._is_answer(message):
                asked.append(message)
        answers = _Answers(len(asked), is_batch)
        for place, one in enumerate(asked):
            task = asyncio.ensure_future(self._one(one))
            self._running[task] = one.id
            task.add_done_callback(functools.partial(self._done, answers, place))

    def _is_answer(self, message: wire.Malformed) -> bool:
        """Whether it is an invalid answer. These are not answered, or two peers could exchange errors forever."""
        if message.kind == "response":
            self._answered(message.id, message.error)
            return True
        # Only an id is an answer without its result, if a call with that id is pending.
        return message.kind == "bare" and self._answered(message.id, None)

    def _answered(self, id: wire.Id, outcome: Any) -> bool:
        """Settles a call. False if none was pending."""
        future = self._pending.get(id) if type(id) is int else None
        if future is None or future.done():
            return False
        future.set_result(outcome)
        return True

    def _lose(self, problem: str) -> None:
        """Fails the calls that the client has not answered."""
        for future in self._pending.values():
            if not future.done():
                future.set_result(ConnectionLost(problem))

    def _heard(self, message: wire.Notification) -> None:
        if message.method == wire.CANCEL:
            id = message.params.get("id") if isinstance(message.params, dict) else None
            for task, running in list(self._running.items()):
                # The type is checked too: in Python 1.0 equals 1.
                if id is not None and type(id) is type(running) and id == running:
                    task.cancel()
        else:
            self._server._heard(self, message.method, message.params)

    async def _one(self, message: wire.Request | wire.Malformed) -> bytes:
        if isinstance(message, wire.Malformed):
            is_stray = message.kind == "stray"
            code, text = (_PARSE_ERROR, "Parse error") if is_stray else (wire.INVALID_REQUEST, "Invalid Request")
            return wire.answer(message.id, RpcError(code, text, str(message.error)))
        try:
            outcome = await self._server._call(self, message.method, message.params)
        except asyncio.CancelledError:
            if not self._is_open:
                raise
            outcome = RpcError(wire.CANCELLED, "the call was cancelled")
        try:
            answer = wire.answer(message.id, outcome)
        except InvalidMessage as error:
            self._server._failed(error)
            return wire.answer(message.id, RpcError(wire.INTERNAL_ERROR, "Internal error"))
        if len(answer) > self._server.max_message_bytes:
            return wire.answer(message.id, RpcError(wire.INTERNAL_ERROR, "Internal error", "the answer is too large"))
        return answer

    def _done(self, answers: _Answers, place: int, task: asyncio.Task[bytes]) -> None:
        id = self._running.pop(task)
        if task.cancelled():
            # It was cancelled before its first step.
            answer = wire.answer(id, RpcError(wire.CANCELLED, "the call was cancelled"))
        elif task.exception() is not None:
            self._server._failed(cast(Exception, task.exception()))
            answer = wire.answer(id, RpcError(wire.INTERNAL_ERROR, "Internal error"))
        else:
            answer = task.result()
        whole = answers.put(place, answer)
        if whole is not None and self._is_open:
            self._write(whole)
        if self._has_ended and not self._running:
            self._transport.close()
        else:
            self._measure()

    def _measure(self) -> None:
        """Reads no more calls while too many run, or too many answers wait to be read."""
        if not self._is_open:
            return
        if self._is_full or len(self._running) >= _MOST_RUNNING:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _write(self, message: bytes) -> None:
        if not self._transport.is_closing():
            kind = self._framing or framing("lines", self._server.max_message_bytes)
            self._transport.write(kind.frame(message))


class _Answers:
    """The answers to the calls of one message, sent together when all are complete."""

    def __init__(self, count: int, is_batch: bool) -> None:
        self._texts = [b""] * count
        self._missing = count
        self._is_batch = is_batch

    def put(self, place: int, text: bytes) -> bytes | None:
        """Adds an answer. Returns the message with all answers once they are complete."""
        self._texts[place] = text
        self._missing -= 1
        if self._missing > 0:
            return None
        return wire.batch(self._texts) if self._is_batch else text
