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

#: The most handlers of calls from the server that run at once; further calls are queued.
_HANDLER_THREADS = 16


class Client(Settings):
    """A client for JSON-RPC 2.0 on a local socket, for any number of threads.

    ``with`` connects and closes. The arguments are those of :class:`Settings`. Callbacks run one
    after the other in a thread of the client, handlers in other threads; both may make calls.
    A ``debug`` function may not.
    """

    # A wrapper of an AsyncClient that runs in a thread, so that both clients behave the same.

    def __post_init__(self) -> None:
        super().__post_init__()
        self._events = Events(self)
        self._callbacks = Callbacks()
        self._handlers = ThreadPoolExecutor(_HANDLER_THREADS, "tenon-ipc-handler")
        self._inner = AsyncClient(**self._inner_words())
        # Guards the three below: work for a loop that has stopped would wait forever.
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._is_closed = False

    @property
    def path(self) -> str:
        """The path of the socket that was tried last."""
        return self._inner.path

    @property
    def state(self) -> str:
        """``disconnected``, ``connecting``, ``connected``, ``reconnecting`` or ``closed``."""
        return "closed" if self._is_closed else self._inner.state

    @property
    def dropped(self) -> int:
        """How many notifications, or calls of callbacks, were dropped because a queue was full."""
        return self._inner.dropped + self._callbacks.dropped

    def connect(self) -> None:
        """Connects; does nothing if there is a connection, and waits for one in progress.

        Raises :class:`ConnectionFailed`; the text says what to do.
        """
        self._start()
        self._run(self._inner.connect())

    def close(self) -> None:
        """Closes the client for good. Pending calls, in other threads, fail at once."""
        with self._lock:
            self._is_closed = True
            loop, self._loop = self._loop, None
            thread = self._thread
        if loop is not None:
            try:
                asyncio.run_coroutine_threadsafe(self._inner.close(), loop).result()
            finally:
                # Also after Ctrl-C: otherwise the thread would stay, and the next close() wait for it.
                loop.call_soon_threadsafe(self._stop.set)
        if thread is not None:
            thread.join()
        # Running handlers are not waited for: one may never return, or be the caller of close().
        self._handlers.shutdown(wait=False, cancel_futures=True)
        self._callbacks.stop()

    def wait_closed(self) -> None:
        """Waits until there is no connection and no further attempt to connect."""
        with contextlib.suppress(NotConnected, ConnectionLost):
            self._run(self._inner.wait_closed())

    def request(self, method: str, params: Any = None, *, timeout: float | None = None) -> Any:
        """Calls a method and returns its result.

        Raises :class:`RpcError` if the answer is an error, :class:`RequestTimeout` after ``timeout``
        seconds (``math.inf``: never), :class:`ConnectionLost`, :class:`NotConnected`,
        :class:`MessageTooLarge`, and :class:`InvalidMessage` for params that have no JSON form.
        """
        return self._run(self._inner.request(method, params, timeout=timeout))

    def batch(self, calls: Sequence[tuple[str, Any]], *, timeout: float | None = None) -> list[Any]:
        """Sends calls, each a method and its params, as one message.

        Returns the outcomes in the order of the calls: a result, or the error that :meth:`request`
        would have raised. The server has to support batches.
        """
        return self._run(self._inner.batch(calls, timeout=timeout))

    def notify(self, method: str, params: Any = None, *, timeout: float | None = None) -> None:
        """Sends a notification, which is not answered. Waits while the server does not read."""
        self._run(self._inner.notify(method, params, timeout=timeout))

    def notifications(self, timeout: float | None = None) -> Iterator[tuple[str, Any]]:
        """The method and params of each notification, including those received before.

        Ends with the connection (unless the client reconnects), or when none arrived for ``timeout``
        seconds. Beyond 1,024 unread ones the oldest is dropped, and counted in ``dropped``.
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
        """Answers calls of the server with the result of ``handler(params)``, in a thread.

        It may raise :class:`RpcError`. Any other exception is passed to ``on_error``, and is not
        sent to the server.
        """

        async def answer(params: Any) -> Any:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._handlers, handler, params)

        self._inner.on_request(method, answer)

    def __enter__(self) -> Client:
        try:
            self.connect()
        except BaseException:
            # __exit__ is not called if __enter__ fails.
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
        """Our own settings, with callbacks that are run by the thread for callbacks."""
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
        """Runs a coroutine in the loop, and waits for it."""
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
            # For example after Ctrl-C: the call is cancelled at the server.
            future.cancel()
