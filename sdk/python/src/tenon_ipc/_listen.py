"""Listening sockets: in a safe folder, with only one server for each path."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
import stat
from collections.abc import Collection

from ._socket import check_place
from .errors import ConnectionFailed, ListenFailed

#: How many clients may wait to be accepted.
_BACKLOG = 128


class Listener:
    """A listening socket. Its file is removed when it is closed."""

    def __init__(self, path: str, mode: int, allow_users: str | Collection[int]) -> None:
        self.path = path
        folder = os.path.dirname(path) or "."
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            check_place(path, allow_users)
        except ConnectionFailed as error:
            raise ListenFailed(str(error)) from None
        except OSError as error:
            raise ListenFailed(f"the folder {folder} cannot be created: {error.strerror}") from error
        lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            # The lock keeps two servers that start at the same time from replacing each other's socket.
            fcntl.flock(lock, fcntl.LOCK_EX)
            _remove_dead(path)
            self.socket = _bound(path, mode)
        finally:
            os.close(lock)
        self._identity = _identity(path)

    def close(self) -> None:
        """Closes the socket, and removes its file if it is still this server's."""
        self.socket.close()
        if _identity(self.path) == self._identity:
            try:
                os.unlink(self.path)
            except FileNotFoundError:
                pass


def _bound(path: str, mode: int) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # No other user can connect before the mode is set.
    before = os.umask(0o177)
    try:
        listening.bind(path)
        os.chmod(path, mode)
        listening.listen(_BACKLOG)
        listening.setblocking(False)
    except OSError as error:
        listening.close()
        reason = error.strerror or str(error)
        raise ListenFailed(f"cannot listen at {path}: {reason}") from error
    finally:
        os.umask(before)
    return listening


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _remove_dead(path: str) -> None:
    """Removes the socket of a server that has ended, and nothing else."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise ListenFailed(f"{path} is not a socket, and is not replaced; remove it, or use another name")
    if found.st_uid != os.getuid():
        raise ListenFailed(f"the socket {path} belongs to user {found.st_uid}, and is not replaced")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as attempt:
        attempt.setblocking(False)
        try:
            attempt.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
        except OSError as error:
            if error.errno == errno.ENOENT:
                return
    raise ListenFailed(f"a server is already listening at {path}; stop it, or use another name")
