"""The ways to run a plugin."""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, get_ident, start_new_thread

from ._detect import First
from ._runner import Runner
from ._session import Session
from ._stdio import CHUNK, Output, debug_log, take_over

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ._host import Host
    from ._plugin import Plugin

_read = os.read
#: How long running calls may take after a signal or a goodbye.
GOODBYE_SECONDS = 5.0


def serve(plugin: Plugin, arguments: Sequence[str] | None) -> int:
    """Serves a host on stdin and stdout; or prints the schema. Returns the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given == ["schema"]:
        return _print_schema(plugin)
    if given:
        sys.stderr.write(
            f"usage: {plugin.name}           speak to a host on stdin and stdout\n"
            f"       {plugin.name} schema    print what the plugin offers to scenarios\n"
        )
        return 2
    return _Served(plugin).run()


def _print_schema(plugin: Plugin) -> int:
    from . import _text
    from ._schema import orchard_schema

    _, output = take_over()
    try:
        text = _text.dumps(orchard_schema(plugin))
    except ValueError as error:
        sys.stderr.write(f"{plugin.name}: {error}\n")
        return 1
    # Whoever has closed it, as `head` does, has read enough.
    Output(output).send(text + b"\n")
    return 0


def _wake_up_pipe(signal: Any) -> int:
    """Where the number of each signal can be read as soon as it comes."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    # It is ignored otherwise, and ignored signals interrupt nothing.
    signal.signal(signal.SIGURG, lambda number, frame: None)
    return reader


class _Stop(BaseException):
    """A signal has ended the plugin while it ran nothing."""


class _Served:
    """A plugin on stdin and stdout."""

    def __init__(self, plugin: Plugin) -> None:
        self.session = Session(plugin)
        self._input, output = take_over()
        show = debug_log(plugin)
        self._show = show
        self._output = Output(output, show)
        self._host: Host | None = None
        self._first = First(plugin)
        self._main = get_ident()
        self.problem = ""
        #: Whether the host is gone, or has said goodbye.
        self._has_ended = False
        #: Whether the main thread has seen a signal.
        self._has_seen_signal = False
        #: Held once the time of what runs is measured.
        self._leaving = allocate_lock()
        #: Held by the thread that ends the process.
        self._last = allocate_lock()
        self.runner = Runner(self._pump, plugin.max_in_flight or 1, self._is_ended)

    def run(self) -> int:
        self._catch_signals()
        try:
            self.runner.run()
        except _Stop:
            pass
        except SystemExit as error:
            # The host sees only that the plugin is gone.
            name = self.session.plugin.name
            text = f"a call ended the plugin with sys.exit({error.code!r}); raise Failure to report an error"
            sys.stderr.write(f"{name}: {text}\n")
            raise
        if self.runner.is_stopped:
            self._wait_for_running()
        # If another thread has begun to end the process, this waits for it.
        self._last.acquire()
        return self._end()

    def _end(self) -> int:
        """Calls the author's shutdown. Returns the exit code."""
        try:
            self.session.shut_down()
        except Exception as error:
            sys.stderr.write(f"{self.session.plugin.name}: shutdown: {error}\n")
        if self.problem:
            sys.stderr.write(f"{self.session.plugin.name}: {self.problem}\n")
            return 1
        return 0

    def _leave(self) -> None:
        """What runs has a few seconds left, whichever thread it is in."""
        if self._leaving.acquire(False):
            if self.runner.is_running or self.runner.queue or self.session.plugin.stop is not None:
                start_new_thread(self._end_in_time, ())

    def _end_in_time(self) -> None:
        """Ends the process if the main thread does not: it may run a call that blocks."""
        from time import monotonic, sleep

        limit = monotonic() + GOODBYE_SECONDS
        while monotonic() < limit and (self._is_awaited() or not self.runner.is_running):
            sleep(0.01)
        code = 0
        if self._last.acquire(False):
            if self._is_awaited():
                name = self.session.plugin.name
                text = f"a call that still ran {GOODBYE_SECONDS:g} seconds after the end of the conversation was ended"
                sys.stderr.write(f"{name}: {text}\n")
            done = allocate_lock()
            done.acquire()
            codes: list[int] = []

            def end() -> None:
                codes.append(self._end())
                done.release()

            start_new_thread(end, ())
            done.acquire(timeout=GOODBYE_SECONDS)
            code = sum(codes)
        elif monotonic() < limit:
            # The main thread has got so far meanwhile.
            sleep(limit - monotonic())
        sys.stderr.flush()
        os._exit(code)

    def _is_awaited(self) -> bool:
        """Whether the host still gets an answer: not to a call that it has cancelled."""
        return self._host is not None and self._host.is_waiting

    def _is_ended(self) -> bool:
        return self._output.is_closed or (self._host is not None and self._host.is_over)

    def _pump(self) -> bool:
        """Reads a piece and passes it on. False at the end."""
        if self._take():
            return True
        self._has_ended = not self.runner.is_stopped
        self._leave()
        return False

    def _take(self) -> bool:
        host = self._host
        if host is not None and (host.is_over or self._output.is_closed):
            return False
        data = self._receive()
        try:
            if host is None:
                return not self.runner.is_stopped and self._begin(data)
            if not data:
                host.finish()
                return False
            if self._show is not None:
                self._show("<--", data)
            host.feed(data)
        except ValueError as error:
            self.problem = f"what the host sent cannot be read: {error}"
            return False
        return True

    def _receive(self) -> bytes:
        """A piece of stdin. A signal may end the main thread in this function, and in no other."""
        return b"" if self.runner.is_stopped else _read(self._input, CHUNK)

    def _begin(self, data: bytes) -> bool:
        make = self._first.feed(data, is_over=not data)
        if make is None:
            return bool(data)
        self._host = make(self.session, self._output.send, self.runner.queue.append)
        early = self._first.taken()
        self._first = First(self.session.plugin)
        if self._show is not None:
            self._show("<--", early)
        self._host.feed(early)
        if not data:
            self._host.finish()
        return bool(data) and not self._is_ended()

    def _catch_signals(self) -> None:
        # The module signal imports enum, which takes longer than all of this.
        signal: Any = __import__("_signal")
        receive = _Served._receive.__code__

        def ended(number: int, frame: Any) -> None:
            if self._has_seen_signal or self._has_ended:
                os._exit(128 + number)
            self._has_seen_signal = self.runner.is_stopped = True
            self._leave()
            if self.runner.is_idle or frame.f_code is receive:
                raise _Stop

        # A host on Windows sends Ctrl-Break.
        names = ("SIGTERM", "SIGINT", "SIGBREAK")
        numbers = tuple(getattr(signal, name) for name in names if hasattr(signal, name))
        try:
            for number in numbers:
                signal.signal(number, ended)
            if hasattr(signal, "pthread_kill"):
                start_new_thread(self._watch, (signal, numbers, ended, _wake_up_pipe(signal)))
        except ValueError:
            # Not the main thread: signals are the business of whoever started this one.
            return

    def _watch(self, signal: Any, numbers: tuple[int, ...], handler: Any, pipe: int) -> None:
        """Sees signals also while the main thread runs a call that blocks, and does not handle them."""
        has_come = False
        while number := os.read(pipe, 1)[0]:
            # The author may have replaced the handler.
            if number in numbers and signal.getsignal(number) is handler:
                if has_come or self._has_ended:
                    os._exit(128 + number)
                has_come = self.runner.is_stopped = True
                self._leave()
                start_new_thread(self._repeat, (signal,))

    def _repeat(self, signal: Any) -> None:
        """Wakes the main thread until it has seen a signal.

        Python handles a signal between two steps of the program. One that comes after the last step before a read is
        pending, and the read does not know of it; another signal interrupts the read, and both are handled.
        """
        from time import sleep

        while not self._has_seen_signal:
            sleep(0.01)
            signal.pthread_kill(self._main, signal.SIGURG)

    def _wait_for_running(self) -> None:
        from time import monotonic, sleep

        limit = monotonic() + GOODBYE_SECONDS
        while self.runner.is_running and self._is_awaited() and monotonic() < limit:
            sleep(0.01)
