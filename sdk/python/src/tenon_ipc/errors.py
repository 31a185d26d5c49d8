"""What can go wrong. Everything is an :class:`IpcError` with a ``code``."""

from __future__ import annotations

from typing import Any


class IpcError(Exception):
    """The base of all errors of this package."""

    #: What happened, as one word that programs can compare.
    code: int | str = "ERROR"


class RpcError(IpcError):
    """The server answered a call with an error. A handler raises it to do the same."""

    def __init__(self, code: int | str, message: str, data: Any = None) -> None:
        # Not the data: it may hold anything, and what errors show ends up in logs.
        super().__init__(code, message)
        #: The number in the answer. (Some servers have words there.)
        self.code = code
        #: The text in the answer.
        self.message = message
        #: What else the answer says about it, or None.
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
    """There is no connection, and nothing is under way to make one."""

    code = "NOT_CONNECTED"


class ConnectionLost(IpcError):
    """The connection ended before the answer came. The server may have done the work or not."""

    code = "DISCONNECTED"


class Refused(ConnectionLost):
    """The server let nobody in: its words are the text, and its error is the cause."""

    code = "REFUSED"


class RequestTimeout(IpcError, TimeoutError):
    """The answer did not come in time. The server has been told that nobody waits any more."""

    code = "TIMEOUT"


class MessageTooLarge(IpcError):
    """A message is longer than ``max_message_bytes``."""

    code = "TOO_LARGE"


class InvalidMessage(IpcError, ValueError):
    """What came is no message of JSON-RPC 2.0, or what should be sent has no form in JSON."""

    code = "INVALID_MESSAGE"
