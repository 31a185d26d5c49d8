"""Connecting to a socket, and checking which user made it."""

from __future__ import annotations

import errno
import os
import socket
import stat
import struct
import sys
from collections.abc import Collection, Sequence

from .errors import ConnectionFailed
from .names import runtime_folder


def try_connect_first(
    paths: Sequence[str], allow_users: str | Collection[int]
) -> tuple[socket.socket | None, str]:
    """As :func:`try_connect`, for the first of these paths where a server listens; with that path."""
    missing: list[ConnectionFailed] = []
    for path in paths:
        try:
            return try_connect(path, allow_users), path
        except ConnectionFailed as error:
            if not _is_nobody(error):
                raise
            missing.append(error)
    if len(missing) > 1:
        first = missing[0]
        if isinstance(first.__cause__, FileNotFoundError):
            problem = f"there is no such socket {', nor '.join(paths)}; is the server running?"
        else:
            problem = f"{first}; no server listens at {paths[1]} either"
        raise ConnectionFailed(problem) from first.__cause__
    raise missing[0]


def _is_nobody(error: ConnectionFailed) -> bool:
    return isinstance(error.__cause__, (FileNotFoundError, ConnectionRefusedError))


def try_connect(path: str, allow_users: str | Collection[int]) -> socket.socket | None:
    """A connected non-blocking socket, or None if the server's queue is full.

    A Unix socket connects at once or not at all. If the server does not accept, connecting would
    block; asyncio would take that for a connection in progress and wait forever.
    """
    if sys.platform == "win32":
        raise ConnectionFailed(
            "this client needs Unix sockets: Python has no portable way to open the named pipes "
            "of Windows; use the TypeScript client there"
        )
    check_place(path, allow_users)
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
        return f"{path} is not a socket; is the name right?"
    if error.errno == errno.ENOENT:
        return f"there is no such socket {path}; is the server running?"
    if error.errno == errno.ECONNREFUSED:
        return f"no server listens at {path}: the server has ended; start it again"
    if error.errno in (errno.EACCES, errno.EPERM):
        return (
            f"permission denied: the socket {path} is not open to this user; run as the server's user, "
            "or start the server with --mode and --allow-user"
        )
    # Python itself refuses a path that is too long, without an errno.
    if error.errno is None:
        return f"{path} cannot be a socket: {error}; use a shorter path"
    return f"could not connect to {path}: {error.strerror}"


def check_place(path: str, allow_users: str | Collection[int]) -> None:
    """Refuses a socket that another user has made, or could replace."""
    folder = os.path.dirname(path) or "."
    if folder == runtime_folder():
        _check_runtime_folder(folder)
    if isinstance(allow_users, str):
        return
    try:
        found = os.stat(folder)
    except OSError:
        # Connecting reports the reason.
        return
    if is_stranger(found.st_uid, allow_users):
        raise ConnectionFailed(
            f"the folder of the socket {path} belongs to user {found.st_uid}, not to us (user "
            f"{os.getuid()}) or root; if they can be trusted, say allow_users=[{found.st_uid}]"
        )
    if found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX:
        raise ConnectionFailed(
            f"all users can replace the socket {path}; make its folder private: "
            f"chmod go-w {folder}"
        )
    for look in (os.lstat, os.stat):
        try:
            user = look(path).st_uid
        except OSError:
            continue
        if is_stranger(user, allow_users):
            raise ConnectionFailed(
                f"the socket {path} belongs to user {user}, not to us (user {os.getuid()}) or "
                f"root; if they can be trusted, say allow_users=[{user}]"
            )


def _check_runtime_folder(folder: str) -> None:
    found = os.stat(folder)
    if not stat.S_ISDIR(found.st_mode):
        problem = "it is not a folder"
    elif found.st_uid != os.getuid():
        problem = f"it belongs to user {found.st_uid}, not to us (user {os.getuid()})"
    elif found.st_mode & 0o077:
        problem = f"others have access to it (mode {found.st_mode & 0o777:03o})"
    else:
        return
    raise ConnectionFailed(
        f"XDG_RUNTIME_DIR ({folder}) is not used: {problem}; unset it, or give the socket as a "
        "path with a slash"
    )


def is_stranger(user: int, allow_users: Collection[int]) -> bool:
    return user not in (os.getuid(), 0) and user not in allow_users


def _check_user(connection: socket.socket, path: str, allow_users: str | Collection[int]) -> None:
    """Refuses a server that another user runs.

    Sockets may be in /tmp, where any user can create one first, to receive messages of others.
    """
    if isinstance(allow_users, str):
        return
    user = user_of(connection)
    if user is not None and is_stranger(user, allow_users):
        raise ConnectionFailed(
            f"the server at {path} runs as user {user}, not as us (user {os.getuid()}) or root; "
            f"if it can be trusted, say allow_users=[{user}]"
        )


def user_of(connection: socket.socket) -> int | None:
    """The user of the peer, on systems that report it."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    size = struct.calcsize("iII")
    _, user, _ = struct.unpack("iII", connection.getsockopt(socket.SOL_SOCKET, option, size))
    return int(user)
