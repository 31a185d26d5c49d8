"""A server for many clients on a local socket."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import logging
from collections.abc import Callable, Collection, Mapping
from types import TracebackType
from typing import Any, TypeVar

from . import _wire as wire
from ._listen import Listener
from .errors import IpcError, RpcError
from .names import socket_path
from .session import Session
from .settings import DEFAULT_LIMIT

#: Takes the params of a call, and if it has a second parameter the :class:`Session` of the client.
Method = Callable[..., Any]

F = TypeVar("F", bound=Method)

_LOGGER = logging.getLogger("tenon_ipc")


class Server:
    """Answers JSON-RPC 2.0 on a local socket.

    ::

        server = Server("calc", {"add": lambda params: sum(params)})
        server.run()

    A method is a coroutine function, which runs in the event loop, or a plain function, which runs in
    a thread. It raises :class:`RpcError` to answer with an error.
    """

    def __init__(
        self,
        name: str,
        methods: Mapping[str, Method] | None = None,
        *,
        mode: int = 0o600,
        allow_users: str | Collection[int] = (),
        max_clients: int = 4096,
        max_message_bytes: int = DEFAULT_LIMIT,
        max_queued_bytes: int = 8 * 1024 * 1024,
        on_connect: Callable[[Session], Any] | None = None,
        on_disconnect: Callable[[Session], Any] | None = None,
        on_notification: Callable[[Session, str, Any], Any] | None = None,
        on_error: Callable[[Exception], Any] | None = None,
    ) -> None:
        #: Where the server listens.
        self.path = socket_path(name)
        self.mode = mode
        self.allow_users = allow_users
        self.max_clients = max_clients
        self.max_message_bytes = max_message_bytes
        #: The most unsent bytes for a client that does not read; beyond that notifications to it are dropped, and its
        #: calls wait.
        self.max_queued_bytes = max_queued_bytes
        self.on_connect = on_connect
        self.on_disconnect = on_disconnect
        self.on_notification = on_notification
        self.on_error = on_error
        self._methods: dict[str, Method] = dict(methods or {})
        self._sessions: dict[int, Session] = {}
        self._ids = itertools.count(1)
        self._listener: Listener | None = None
        self._server: asyncio.AbstractServer | None = None
        self._stopped: asyncio.Event | None = None

    @property
    def sessions(self) -> list[Session]:
        """The clients that are connected."""
        return list(self._sessions.values())

    def method(self, name: str) -> Callable[[F], F]:
        """Adds a method: ``@server.method("add")``."""

        def add(function: F) -> F:
            self._methods[name] = function
            return function

        return add

    async def start(self) -> None:
        """Listens. Raises :class:`ListenFailed`; the text says what to do."""
        self._listener = Listener(self.path, self.mode, self.allow_users)
        self._stopped = asyncio.Event()
        loop = asyncio.get_running_loop()
        make = lambda: Session(self, next(self._ids))  # noqa: E731 - asyncio calls it for each client
        self._server = await loop.create_unix_server(make, sock=self._listener.socket)

    async def close(self) -> None:
        """Stops listening, and ends all connections."""
        if self._server is not None:
            self._server.close()
        for session in self.sessions:
            session.close()
        if self._listener is not None:
            self._listener.close()
        if self._stopped is not None:
            self._stopped.set()

    async def serve_forever(self) -> None:
        """Serves until :meth:`close` is called, or the task is cancelled."""
        if self._server is None:
            await self.start()
        assert self._stopped is not None
        try:
            await self._stopped.wait()
        finally:
            await self.close()

    def run(self) -> None:
        """Serves until Ctrl-C or SIGTERM, for programs without an event loop."""

        async def main() -> None:
            import signal

            await self.start()
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, lambda: asyncio.ensure_future(self.close()))
            await self.serve_forever()

        asyncio.run(main())

    def broadcast(self, method: str, params: Any = None) -> int:
        """Sends a notification to all clients. Returns the number of clients that it was sent to."""
        return sum(session.notify(method, params) for session in self.sessions)

    async def __aenter__(self) -> Server:
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    # What sessions call.

    def _refusal(self, session: Session) -> str | None:
        if not session.is_allowed():
            return f"user {session.user} may not use this server"
        if len(self._sessions) >= self.max_clients:
            return f"too many clients: there are {self.max_clients} already"
        return None

    def _joined(self, session: Session) -> None:
        self._sessions[session.id] = session
        self._tell(self.on_connect, session)

    def _left(self, session: Session) -> None:
        self._sessions.pop(session.id, None)
        self._tell(self.on_disconnect, session)

    def _heard(self, session: Session, method: str, params: Any) -> None:
        self._tell(self.on_notification, session, method, params)

    def _tell(self, callback: Callable[..., Any] | None, *arguments: Any) -> None:
        if callback is None:
            return
        try:
            callback(*arguments)
        except Exception as error:
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        """Reports an error that is not sent to a client."""
        if self.on_error is not None:
            self.on_error(error)
        else:
            _LOGGER.error("a method or callback failed", exc_info=error)

    async def _call(self, session: Session, method: str, params: Any) -> Any:
        function = self._methods.get(method)
        if function is None:
            return RpcError(wire.METHOD_NOT_FOUND, "Method not found", {"method": method})
        arguments = (params, session) if _takes_session(function) else (params,)
        try:
            if inspect.iscoroutinefunction(function):
                return await function(*arguments)
            result = await asyncio.to_thread(function, *arguments)
            return await result if inspect.isawaitable(result) else result
        except IpcError as error:
            if isinstance(error, RpcError):
                return error
            self._failed(error)
        except Exception as error:
            self._failed(error)
        # The text of any other exception may hold secrets.
        return RpcError(wire.INTERNAL_ERROR, "Internal error")


def _takes_session(function: Method) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    required = [one for one in positional if one.default is one.empty]
    return len(required) >= 2
