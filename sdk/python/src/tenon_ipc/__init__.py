"""JSON-RPC 2.0 on local sockets: :class:`Client`, :class:`AsyncClient` for asyncio, and :class:`Server`.

    from tenon_ipc import Client

    with Client("myapp") as client:
        print(client.request("add", [1, 2], timeout=5))

To see every message that is sent or received, pass ``debug=True``.
"""

from .aio import AsyncClient
from .errors import (
    ConnectionFailed,
    ConnectionLost,
    InvalidMessage,
    IpcError,
    ListenFailed,
    MessageTooLarge,
    NotConnected,
    Refused,
    RequestTimeout,
    RpcError,
)
from .names import socket_path, socket_paths
from .server import Server
from .session import Session
from .settings import Settings
from .sync import Client

__all__ = [
    "AsyncClient",
    "Client",
    "ConnectionFailed",
    "ConnectionLost",
    "InvalidMessage",
    "IpcError",
    "ListenFailed",
    "MessageTooLarge",
    "NotConnected",
    "Refused",
    "RequestTimeout",
    "RpcError",
    "Server",
    "Session",
    "Settings",
    "socket_path",
    "socket_paths",
]
