"""Clients for JSON-RPC 2.0 on local sockets: :class:`Client`, and for asyncio :class:`AsyncClient`.

    from tenon_ipc import Client

    with Client("myapp") as client:
        print(client.request("add", [1, 2], timeout=5))

To see what goes over the wire, give ``debug=True``.
"""

from .aio import AsyncClient
from .errors import (
    BadMessage,
    ConnectionFailed,
    ConnectionLost,
    IpcError,
    MessageTooLarge,
    NotConnected,
    Refused,
    RequestTimeout,
    RpcError,
)
from .names import socket_path, socket_paths
from .settings import Settings
from .sync import Client

__all__ = [
    "AsyncClient",
    "BadMessage",
    "Client",
    "ConnectionFailed",
    "ConnectionLost",
    "IpcError",
    "MessageTooLarge",
    "NotConnected",
    "Refused",
    "RequestTimeout",
    "RpcError",
    "Settings",
    "socket_path",
    "socket_paths",
]
