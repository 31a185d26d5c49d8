"""The ways to run a plugin, and how it finds out who is calling."""

from __future__ import annotations

import os
import sys
from _thread import get_ident, start_new_thread

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
#: The methods of denobridge.
_DENOBRIDGE = frozenset(
    "health create read update delete modifyPlan open renew close invoke call shutdown".split()
)


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

    try:
        text = _text.dumps(orchard_schema(plugin))
    except ValueError as error:
        sys.stderr.write(f"{plugin.name}: {error}\n")
        return 1
    try:
        sys.stdout.buffer.write(text + b"\n")
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
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
        self._early = b""
        self._main = get_ident()
        self.problem = ""
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
        try:
            self.session.shut_down()
        except Exception as error:
            sys.stderr.write(f"{self.session.plugin.name}: shutdown: {error}\n")
        if self.problem:
            sys.stderr.write(f"{self.session.plugin.name}: {self.problem}\n")
            return 1
        return 0

    def _is_ended(self) -> bool:
        return self._output.is_closed or (self._host is not None and self._host.is_over)

    def _pump(self) -> bool:
        """Reads a piece and passes it on. False at the end."""
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
        """A piece of stdin. A signal may end the main thread in this function, where it does nothing, and in no other."""
        return b"" if self.runner.is_stopped else _read(self._input, CHUNK)

    def _begin(self, data: bytes) -> bool:
        self._early += data
        make = detect(self._early, self.session.plugin, is_over=not data)
        if make is None:
            return bool(data)
        self._host = make(self.session, self._output.send, self.runner.queue.append)
        if self._show is not None:
            self._show("<--", self._early)
        self._host.feed(self._early)
        self._early = b""
        if not data:
            self._host.finish()
        return bool(data) and not self._is_ended()

    def _catch_signals(self) -> None:
        # The module signal imports enum, which takes longer than all of this.
        signal: Any = __import__("_signal")
        receive = _Served._receive.__code__

        def ended(number: int, frame: Any) -> None:
            if self.runner.is_stopped:
                os._exit(128 + number)
            self.runner.is_stopped = True
            if self._host is not None:
                self._host.finish()
            if self.runner.is_idle or frame.f_code is receive:
                raise _Stop

        numbers = (signal.SIGTERM, signal.SIGINT)
        try:
            for number in numbers:
                signal.signal(number, ended)
            if hasattr(signal, "pthread_kill"):
                start_new_thread(self._repeat, (signal, numbers, _wake_up_pipe(signal)))
        except ValueError:
            # Not the main thread: signals are the business of whoever started this one.
            return

    def _repeat(self, signal: Any, numbers: tuple[int, ...], pipe: int) -> None:
        """Wakes the main thread until it has seen a signal.

        Python handles a signal between two steps of the program. One that comes after the last step before a read is
        pending, and the read does not know of it; another signal interrupts the read, and both are handled.
        """
        from time import sleep

        while number := os.read(pipe, 1):
            # Not forever: the author may have replaced the handler.
            for _ in range(500 if number[0] in numbers else 0):
                sleep(0.01)
                if self.runner.is_stopped:
                    return
                signal.pthread_kill(self._main, signal.SIGURG)

    def _wait_for_running(self) -> None:
        from time import monotonic, sleep

        limit = monotonic() + GOODBYE_SECONDS
        while self.runner.is_running and monotonic() < limit:
            sleep(0.01)


def detect(data: bytes, plugin: Plugin, is_over: bool = False) -> Callable[..., Host] | None:
    """Who is calling, by the first bytes. None if there are too few yet."""
    start = data.lstrip(b" \t\r\n")
    if not start:
        return None
    first = start[0]
    if 0x90 <= first <= 0x9F or first in (0xDC, 0xDD):
        from ._seasonings import Seasonings

        return Seasonings
    if first in b"Cc" and start[:15].lower() == b"content-length:"[: len(start)]:
        if len(start) < 15 and not is_over:
            return None
        from ._ipc import Service

        return lambda *arguments: Service(*arguments, framing="headers")
    line, newline, _ = start.partition(b"\n")
    if not newline and not is_over:
        return None
    return _by_line(line, plugin)


def _by_line(line: bytes, plugin: Plugin) -> Callable[..., Host]:
    from . import _text

    try:
        message = _text.loads(line.decode())
    except ValueError:
        message = {}
    if isinstance(message, list):
        message = message[0] if message and isinstance(message[0], dict) else {"jsonrpc": "2.0"}
    if not isinstance(message, dict) or "jsonrpc" not in message:
        from ._orchard import Orchard

        return Orchard
    method, params = message.get("method"), message.get("params")
    if method == "initialize" and isinstance(params, dict) and isinstance(params.get("protocolVersion"), str):
        from ._mcp import Mcp

        return Mcp
    if method in _DENOBRIDGE and method not in plugin.functions and method not in plugin.actions:
        from ._denobridge import Denobridge

        return Denobridge
    from ._ipc import Service

    return Service
