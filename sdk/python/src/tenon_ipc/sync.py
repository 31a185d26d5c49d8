"""The client for programs without asyncio."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from types import TracebackType
from typing import Any, Callable, TypeVar

from ._callbacks import Callbacks
from ._events import Events
from .aio import AsyncClient
from .errors import ConnectionLost, NotConnected
from .settings import Settings

_T = TypeVar("_T")

#: So many handlers of calls from the server run at once; the others wait for their turn.
_HANDLER_THREADS = 16


class Client(Settings):
    """A client for JSON-RPC 2.0 on a local socket, for any number of threads.

    ``with`` connects and closes. The words it is made with are those of :class:`Settings`.
    Callbacks run one after the other in a thread of the client, and handlers in others: all of
    them may make calls. (A ``debug`` function may not.)
    """

    # An AsyncClient in the event loop of a thread does the work, so that there is one behaviour.

    def __post_init__(self) -> None:
        super().__post_init__()
        self._events = Events(self)
        self._callbacks = Callbacks()
        self._handlers = ThreadPoolExecutor(_HANDLER_THREADS, "tenon-ipc-handler")
        self._inner = AsyncClient(**self._inner_words())
        # Guards the three below: what is handed to a loop that has stopped would wait forever.
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._is_closed = False

    @property
    def path(self) -> str:
        """The path of the socket: where it was last looked for."""
        return self._inner.path

    @property
    def state(self) -> str:
        """``disconnected``, ``connecting``, ``connected``, ``reconnecting`` or ``closed``."""
        return "closed" if self._is_closed else self._inner.state

    @property
    def dropped(self) -> int:
        """How many notifications, or calls of callbacks, were dropped for being too many."""
        return self._inner.dropped + self._callbacks.dropped

    def connect(self) -> None:
        """Connects; does nothing if there is a connection, and waits for one under way.

        Raises :class:`ConnectionFailed`; the text says what to do.
        """
        self._start()
        self._run(self._inner.connect())

    def close(self) -> None:
        """Ends the connection for good. Calls that wait, in other threads, fail at once."""
        with self._lock:
            self._is_closed = True
            loop, self._loop = self._loop, None
            thread = self._thread
        if loop is not None:
            try:
                asyncio.run_coroutine_threadsafe(self._inner.close(), loop).result()
            finally:
                # After Ctrl-C as well, or the thread would stay and the next close wait for it.
                loop.call_soon_threadsafe(self._stop.set)
        if thread is not None:
            thread.join()
        # A handler that runs on is not waited for: it may never come back, or be our caller.
        self._handlers.shutdown(wait=False, cancel_futures=True)
        self._callbacks.stop()

    def wait_closed(self) -> None:
        """Waits until there is no connection and no more attempts to make one."""
        with contextlib.suppress(NotConnected, ConnectionLost):
            self._run(self._inner.wait_closed())

    def request(self, method: str, params: Any = None, *, timeout: float | None = None) -> Any:
        """Calls a method and gives its result.

        Raises :class:`RpcError` if that is the answer, :class:`RequestTimeout` after ``timeout``
        seconds (``math.inf``: never), :class:`ConnectionLost`, :class:`NotConnected`,
        :class:`MessageTooLarge`, and :class:`InvalidMessage` for params that have no form in JSON.
        """
        return self._run(self._inner.request(method, params, timeout=timeout))

    def batch(self, calls: Sequence[tuple[str, Any]], *, timeout: float | None = None) -> list[Any]:
        """Sends calls, each a method and its params, as one message.

        Gives what came of each, in their order: a result, or the error that :meth:`request` would
        have raised. The server has to know batches.
        """
        return self._run(self._inner.batch(calls, timeout=timeout))

    def notify(self, method: str, params: Any = None, *, timeout: float | None = None) -> None:
        """Sends a notification, which is not answered. Waits while the server does not read."""
        self._run(self._inner.notify(method, params, timeout=timeout))

    def notifications(self, timeout: float | None = None) -> Iterator[tuple[str, Any]]:
        """The method and params of each notification, those included that came before.

        Ends with the connection (unless it is made again), or when none came for ``timeout``
        seconds. If 1,024 wait the oldest is dropped, and counted in ``dropped``.
        """
        while True:
            try:
                found = self._run(self._inner._next_notification(timeout))
            except (NotConnected, ConnectionLost):
                return
            if found is None:
                return
            yield found

    def on_request(self, method: str, handler: Callable[[Any], Any]) -> None:
        """Answers calls of the server with what ``handler(params)`` gives, in a thread.

        It may raise :class:`RpcError`. Any other exception is told to ``on_error``, not to the
        server.
        """

        async def answer(params: Any) -> Any:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._handlers, handler, params)

        self._inner.on_request(method, answer)

    def __enter__(self) -> Client:
        try:
            self.connect()
        except BaseException:
            # Nobody else will: __exit__ is not called.
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _inner_words(self) -> dict[str, Any]:
        """Our own settings, with callbacks that hand over to the thread for them."""
        words = {field.name: getattr(self, field.name) for field in fields(Settings)}
        for name, callback in words.items():
            if name.startswith("on_") and callback is not None:
                words[name] = self._handed_over(callback)
        return words

    def _handed_over(self, callback: Callable[..., Any]) -> Callable[..., None]:
        def hand_over(*arguments: Any) -> None:
            self._callbacks.call(self._events.tell, callback, *arguments)

        return hand_over

    def _start(self) -> None:
        with self._lock:
            if self._is_closed:
                raise NotConnected("the client is closed; make a new one")
            if self._loop is None:
                ready: concurrent.futures.Future[asyncio.AbstractEventLoop]
                ready = concurrent.futures.Future()
                self._thread = threading.Thread(
                    target=lambda: asyncio.run(self._serve(ready)), name="tenon-ipc", daemon=True
                )
                self._thread.start()
                self._loop = ready.result()

    async def _serve(self, ready: concurrent.futures.Future[asyncio.AbstractEventLoop]) -> None:
        self._stop = asyncio.Event()
        ready.set_result(asyncio.get_running_loop())
        await self._stop.wait()

    def _run(self, work: Coroutine[Any, Any, _T]) -> _T:
        """Does work in the loop, and waits for it."""
        with self._lock:
            if self._loop is None or threading.current_thread() is self._thread:
                work.close()
                if self._loop is not None:
                    raise RuntimeError("a debug function cannot use its client")
                if self._is_closed:
                    raise NotConnected("not connected: the client is closed; make a new one")
                raise NotConnected(f"not connected to {self.path}; call connect() first")
            future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except concurrent.futures.CancelledError:
            raise ConnectionLost("the client was closed") from None
        finally:
            # Ctrl-C, for one: the server is told that nobody waits any more.
            future.cancel()
