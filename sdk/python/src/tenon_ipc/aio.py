"""The client for asyncio."""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import Any

from . import _wire as wire
from ._connection import Call, Connection
from ._events import Events
from ._handlers import Handler
from ._signal import Signal
from ._socket import try_connect_first
from .errors import ConnectionFailed, ConnectionLost, IpcError, NotConnected, RequestTimeout
from .names import socket_path, socket_paths
from .settings import Settings, check_seconds


class AsyncClient(Settings):
    """A client for JSON-RPC 2.0 on a local socket, to be used within one event loop.

    ``async with`` connects and closes. The arguments are those of :class:`Settings`.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        #: The path of the socket that was tried last.
        self.path = socket_path(self.name)
        self._state = "disconnected"
        self._changed = Signal()
        self._hurry = Signal()
        self._events = Events(self)
        self._functions: dict[str, Handler] = {}
        self._ids = itertools.count(1)
        self._connection: Connection | None = None
        self._connected_at = 0.0
        self._attempts = 0
        self._reconnecting: asyncio.Task[None] | None = None
        # Why there is no connection.
        self._reason: IpcError | None = None

    @property
    def state(self) -> str:
        """``disconnected``, ``connecting``, ``connected``, ``reconnecting`` or ``closed``."""
        return self._state

    @property
    def dropped(self) -> int:
        """How many notifications were dropped because they were not read in time."""
        return self._events.dropped

    async def connect(self) -> None:
        """Connects; does nothing if there is a connection, and waits for one in progress.

        While the client reconnects, the next attempt is made at once instead of after its pause.
        Raises :class:`ConnectionFailed`; the text says what to do.
        """
        if self._state == "closed":
            raise NotConnected("the client is closed; make a new one")
        if self._state == "disconnected":
            self._turn("connecting")
            try:
                await self._open()
            except BaseException as error:
                if self._state == "connecting":
                    self._reason = error if isinstance(error, ConnectionFailed) else None
                    self._turn("disconnected")
                raise
            return
        deadline = asyncio.get_running_loop().time() + self.connect_timeout
        self._hurry.wake()
        if not await self._settled(deadline):
            raise ConnectionFailed(f"no connection to {self.path} {_within(self.connect_timeout)}")
        if self._state != "connected":
            why = "" if self._reason is None else f": {self._reason}"
            raise ConnectionFailed(f"no connection to {self.path}{why}")

    async def close(self) -> None:
        """Closes the client for good. Pending calls fail at once."""
        self._reason = ConnectionLost("the client was closed")
        self._turn("closed")
        if self._reconnecting is not None:
            self._reconnecting.cancel()
            await asyncio.wait([self._reconnecting])
        if self._connection is not None:
            await self._connection.close()

    async def wait_closed(self) -> None:
        """Waits until there is no connection and no further attempt to connect."""
        while self._state not in ("disconnected", "closed"):
            await self._changed.wait(float("inf"))

    async def request(
        self, method: str, params: Any = None, *, timeout: float | None = None
    ) -> Any:
        """Calls a method and returns its result.

        Raises :class:`RpcError` if the answer is an error, :class:`RequestTimeout` after ``timeout``
        seconds (``math.inf``: never), :class:`ConnectionLost`, :class:`NotConnected`,
        :class:`MessageTooLarge`, and :class:`InvalidMessage` for params that have no JSON form.
        """
        (outcome,) = await self._exchange([(method, params)], False, timeout)
        if isinstance(outcome, IpcError):
            raise outcome
        return outcome

    async def batch(
        self, calls: Sequence[tuple[str, Any]], *, timeout: float | None = None
    ) -> list[Any]:
        """Sends calls, each a method and its params, as one message.

        Returns the outcomes in the order of the calls: a result, or the error that :meth:`request`
        would have raised. The server has to support batches.
        """
        return await self._exchange(calls, True, timeout) if calls else []

    async def notify(
        self, method: str, params: Any = None, *, timeout: float | None = None
    ) -> None:
        """Sends a notification, which is not answered. Waits while the server does not read."""
        members = wire.members(method, params)
        deadline, timeout = self._deadline(timeout)
        connection = await self._ready(method, deadline, timeout)
        await connection.notify(method, members, deadline, timeout)

    async def notifications(self, timeout: float | None = None) -> AsyncIterator[tuple[str, Any]]:
        """The method and params of each notification, including those received before.

        Ends with the connection (unless the client reconnects), or when none arrived for ``timeout``
        seconds. Beyond 1,024 unread ones the oldest is dropped, and counted in ``dropped``.
        """
        while True:
            found = await self._next_notification(timeout)
            if found is None:
                return
            yield found

    def on_request(self, method: str, handler: Handler) -> None:
        """Answers calls of the server with the result of ``handler(params)``, which may be awaitable.

        It may raise :class:`RpcError`. Any other exception is passed to ``on_error``, and is not
        sent to the server.
        """
        self._functions[method] = handler

    async def __aenter__(self) -> AsyncClient:
        await self.connect()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    # Calls.

    async def _exchange(
        self, calls: Sequence[tuple[str, Any]], is_batch: bool, timeout: float | None
    ) -> list[Any]:
        prepared = [Call(method, wire.members(method, params)) for method, params in calls]
        deadline, timeout = self._deadline(timeout)
        connection = await self._ready(prepared[0].method, deadline, timeout)
        return await connection.exchange(prepared, is_batch, deadline, timeout)

    def _deadline(self, timeout: float | None) -> tuple[float, float]:
        timeout = self.request_timeout if timeout is None else timeout
        check_seconds("timeout", timeout)
        return asyncio.get_running_loop().time() + timeout, timeout

    async def _ready(self, method: str, deadline: float, timeout: float) -> Connection:
        """Waits for a connection and returns it."""
        was_connecting = self._state in ("connecting", "reconnecting")
        if not await self._settled(deadline):
            why = "" if self._reason is None else f": {self._reason}"
            raise RequestTimeout(
                f"{method!r} was not sent {_within(timeout)}: there is no connection{why}"
            )
        if self._state == "connected" and self._connection is not None:
            return self._connection
        if was_connecting and self._reason is not None:
            raise type(self._reason)(str(self._reason))
        why = "" if self._reason is None else f" ({self._reason})"
        if self._state == "closed":
            raise NotConnected("not connected: the client is closed; make a new one")
        raise NotConnected(f"not connected to {self.path}{why}; call connect() first")

    async def _settled(self, deadline: float) -> bool:
        """Waits while a connection is being made. False if that takes too long."""
        while self._state in ("connecting", "reconnecting"):
            if not await self._changed.wait(deadline):
                return False
        return True

    async def _next_notification(self, timeout: float | None) -> tuple[str, Any] | None:
        seconds = float("inf") if timeout is None else timeout
        deadline = asyncio.get_running_loop().time() + seconds
        return await self._events.next(deadline, lambda: self._state in ("disconnected", "closed"))

    # Connections.

    async def _open(self) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.connect_timeout
        pause = 0.001
        while True:
            socket, self.path = try_connect_first(socket_paths(self.name), self.allow_users)
            if socket is not None:
                break
            if loop.time() >= deadline:
                raise ConnectionFailed(
                    f"the server at {self.path} accepted no connection "
                    f"{_within(self.connect_timeout)}; is it stuck?"
                )
            await asyncio.sleep(pause)
            pause = min(pause * 2, 0.05)
        connection = Connection(self, self._ids, self._functions, self._events, self._ended)
        await loop.create_unix_connection(lambda: connection, sock=socket)
        if self._state == "closed":
            await connection.close()
            raise ConnectionFailed("the client was closed while it connected")
        if connection.over is not None:
            raise ConnectionFailed(f"{self.path}: {connection.over}")
        self._connection = connection
        self._connected_at = loop.time()
        self._reason = None
        self._turn("connected")
        self._events.tell(self.on_connect)

    def _ended(self, connection: Connection, error: IpcError | None) -> None:
        if connection is not self._connection:
            return
        lasted = asyncio.get_running_loop().time() - self._connected_at
        if connection.has_heard or lasted > self.max_reconnect_delay:
            # A server that accepts connections and drops them at once is not back yet.
            self._attempts = 0
        if self._state == "connected":
            self._reason = error
            self._turn("reconnecting" if self.reconnect else "disconnected")
        self._events.tell(self.on_disconnect, error)
        if self._state == "reconnecting":
            self._reconnecting = asyncio.ensure_future(self._reconnect())

    async def _reconnect(self) -> None:
        while self.max_reconnect_attempts is None or self._attempts < self.max_reconnect_attempts:
            # The exponent is bounded too: 2.0 ** 1024 is an OverflowError.
            longest = self.reconnect_delay * 2 ** min(self._attempts, 60)
            pause = min(longest, self.max_reconnect_delay) * random.uniform(0.5, 1.0)
            self._attempts += 1
            self._events.tell(self.on_reconnecting, self._attempts, pause)
            await self._hurry.wait(asyncio.get_running_loop().time() + pause)
            try:
                await self._open()
                return
            except (ConnectionFailed, OSError) as error:
                self._reason = ConnectionFailed(str(error))
                self._events.failed(error)
        self._attempts = 0
        self._turn("disconnected")

    def _turn(self, state: str) -> None:
        self._state = state
        self._changed.wake()
        self._events.wake()


def _within(seconds: float) -> str:
    return f"within {seconds:g} s"
