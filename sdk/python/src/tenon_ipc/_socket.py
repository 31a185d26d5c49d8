"""Sockets, and who is behind them."""

from __future__ import annotations

import errno
import os
import socket
import stat
import struct
import sys
from collections.abc import Collection

from .errors import ConnectionFailed


def try_connect(path: str, allow_users: str | Collection[int]) -> socket.socket | None:
    """A connected socket that does not block, or None if the server is too busy just now.

    On Unix sockets a connection is there at once or not at all; what would block is a server that
    does not accept. asyncio takes that for a connection under way, which it never becomes.
    """
    if sys.platform == "win32":
        raise ConnectionFailed(
            "this client needs Unix sockets: Python has no portable way to open the named pipes "
            "of Windows; use the TypeScript client there"
        )
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.setblocking(False)
        connection.connect(path)
        _check_user(connection, path, allow_users)
    except BlockingIOError:
        connection.close()
        return None
    except OSError as error:
        connection.close()
        raise ConnectionFailed(_explanation(path, error)) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _explanation(path: str, error: OSError) -> str:
    try:
        is_other = not stat.S_ISSOCK(os.stat(path).st_mode)
    except OSError:
        is_other = False
    if is_other:
        return f"{path} is no socket; is the name right?"
    if error.errno == errno.ENOENT:
        return f"there is no such socket {path}; is the server running?"
    if error.errno == errno.ECONNREFUSED:
        return f"nobody listens at {path}: the server has ended; start it again"
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"the socket {path} belongs to somebody else; run as the server's user"
    # Python refuses a path that is too long itself, without a number.
    if error.errno is None:
        return f"{path} cannot be a socket: {error}; use a shorter path"
    return f"could not connect to {path}: {error.strerror}"


def _check_user(connection: socket.socket, path: str, allow_users: str | Collection[int]) -> None:
    """Refuses a server that somebody else runs.

    Sockets live in /tmp, where anybody may have put one first to be told what is not for them.
    """
    if isinstance(allow_users, str):
        return
    user = _server_user(connection)
    if user is not None and user not in (os.getuid(), 0) and user not in allow_users:
        raise ConnectionFailed(
            f"the server at {path} runs as user {user}, not as us (user {os.getuid()}) or root; "
            f"if it can be trusted, say allow_users=[{user}]"
        )


def _server_user(connection: socket.socket) -> int | None:
    """The user who listens on the other end, where the system tells."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    size = struct.calcsize("iII")
    _, user, _ = struct.unpack("iII", connection.getsockopt(socket.SOL_SOCKET, option, size))
    return int(user)
