"""The errors of this package. Each is an :class:`IpcError` with a ``code``."""

from __future__ import annotations

from typing import Any


class IpcError(Exception):
    """The base of all errors of this package."""

    #: The kind of error, as a string that programs can compare.
    code: int | str = "ERROR"


class RpcError(IpcError):
    """The server answered a call with an error. A handler raises it to do the same."""

    def __init__(self, code: int | str, message: str, data: Any = None) -> None:
        # Without the data: it may hold secrets, and error texts end up in logs.
        super().__init__(code, message)
        #: The code in the answer. (Some servers send a string instead of a number.)
        self.code = code
        #: The text in the answer.
        self.message = message
        #: The ``data`` of the error, or None.
        self.data = data

    def __str__(self) -> str:
        return f"{self.message} (code {self.code})"


class ConnectionFailed(IpcError):
    """No connection could be made."""

    code = "CONNECT_FAILED"


class ListenFailed(IpcError):
    """A server cannot listen: another one does, or the place is not safe."""

    code = "LISTEN_FAILED"


class NotConnected(IpcError):
    """There is no connection, and no attempt to connect is in progress."""

    code = "NOT_CONNECTED"


class ConnectionLost(IpcError):
    """The connection ended before the answer came. Whether the server did the work is unknown."""

    code = "DISCONNECTED"


class Refused(ConnectionLost):
    """The server refused the connection. Its error is the cause, and its message is in the text."""

    code = "REFUSED"


class RequestTimeout(IpcError, TimeoutError):
    """The answer did not come in time. The call was cancelled at the server."""

    code = "TIMEOUT"


class MessageTooLarge(IpcError):
    """A message is longer than ``max_message_bytes``."""

    code = "TOO_LARGE"


class InvalidMessage(IpcError, ValueError):
    """A received message is not valid JSON-RPC 2.0, or a value to send has no JSON form."""

    code = "INVALID_MESSAGE"
