"""Who is calling: the host, by the first bytes on stdin."""

from __future__ import annotations

from ._lines import MAX_BYTES, FrameError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._host import Host
    from ._plugin import Plugin


def detect(data: bytes, plugin: Plugin, is_over: bool = False) -> Callable[..., Host] | None:
    """Who is calling, by the first bytes. None if there are too few yet."""
    return First(plugin).feed(data, is_over)


class First:
    """The first bytes, until they say who is calling."""

    def __init__(self, plugin: Plugin, most: int = MAX_BYTES) -> None:
        self._plugin = plugin
        self._most = most
        self._parts: list[bytes] = []
        self._length = 0
        #: Whether nothing but the end of the line is missing.
        self._is_line = False

    def feed(self, data: bytes, is_over: bool = False) -> Callable[..., Host] | None:
        """Who is calling, with what came before. None if there are too few bytes yet."""
        if not self._parts:
            # Blanks before a message say nothing.
            data = data.lstrip(b" \t\r\n")
        if data:
            self._parts.append(data)
            self._length += len(data)
        if self._is_line and not is_over and b"\n" not in data:
            # A long line is not joined and searched again for each piece of it.
            self._check()
            return None
        return self._found(self.taken(), is_over)

    def taken(self) -> bytes:
        """All of them."""
        whole = b"".join(self._parts)
        self._parts = [whole] if whole else []
        return whole

    def _check(self) -> None:
        if self._length > self._most:
            raise FrameError(f"a line is longer than the limit of {self._most} bytes")

    def _found(self, start: bytes, is_over: bool) -> Callable[..., Host] | None:
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
            self._is_line = True
            self._check()
            return None
        return _by_line(line, self._plugin)


def _by_line(line: bytes, plugin: Plugin) -> Callable[..., Host]:
    from . import _text

    try:
        message = _text.loads(line.decode())
    except ValueError:
        # The host is told what is wrong in the words of its protocol.
        message = {} if line[:1] == b"{" and b'"jsonrpc"' not in line else None
    if isinstance(message, list):
        message = message[0] if message and isinstance(message[0], dict) else {"jsonrpc": "2.0"}
    if not isinstance(message, dict):
        message = {"jsonrpc": ""}
    if "jsonrpc" not in message:
        from ._orchard import Orchard

        return Orchard
    method, params = message.get("method"), message.get("params")
    if method == "initialize" and isinstance(params, dict) and isinstance(params.get("protocolVersion"), str):
        from ._mcp import Mcp

        return Mcp
    # Every host of denobridge begins with it.
    if method == "health" or (isinstance(method, str) and _is_denobridge(method, plugin)):
        from ._denobridge import Denobridge

        return Denobridge
    from ._ipc import Service

    return Service


def _is_denobridge(method: str, plugin: Plugin) -> bool:
    """Whether a method is one of denobridge that the plugin can answer, and not one of its own."""
    if method in plugin.functions or method in plugin.actions:
        return False
    has_any: dict[str, Any] = {
        "shutdown": True,
        "read": plugin.resources or plugin.data_sources,
        "invoke": plugin.actions,
        "call": plugin.functions,
        **dict.fromkeys(("create", "update", "delete", "modifyPlan"), plugin.resources),
        **dict.fromkeys(("open", "renew", "close"), plugin.ephemerals),
    }
    return bool(has_any.get(method))
