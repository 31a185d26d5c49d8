"""The path of the socket with a given name."""

from __future__ import annotations

import os


def socket_path(name: str) -> str:
    """The path at which a server of this ``name`` listens.

    ``/run/my/app`` and ``./app`` are paths already. ``app`` and ``app.sock`` are ``app.sock`` in
    ``$XDG_RUNTIME_DIR``, or in ``/tmp`` if that does not name a folder.
    """
    return socket_paths(name)[0]


def socket_paths(name: str) -> list[str]:
    """The paths at which a client looks for a server of this ``name``, in this order.

    After its :func:`socket_path`, that is ``/tmp``, where the servers of ipc-jsonrpc listen.
    """
    if not name or "\0" in name:
        raise ValueError(f"{name!r} is not the name of a socket; give a name such as 'myapp', or a path")
    if "/" in name:
        return [name]
    file = name if name.endswith(".sock") else f"{name}.sock"
    folder = runtime_folder()
    return [f"/tmp/{file}"] if folder is None else [os.path.join(folder, file), f"/tmp/{file}"]


def runtime_folder() -> str | None:
    """The folder that ``$XDG_RUNTIME_DIR`` names, if there is one."""
    folder = os.environ.get("XDG_RUNTIME_DIR", "")
    return folder if os.path.isabs(folder) and os.path.exists(folder) else None
