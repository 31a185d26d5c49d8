"""Where the socket of a name is."""

from __future__ import annotations


def socket_path(name: str) -> str:
    """The path of the socket that servers and clients mean by ``name``.

    ``/run/my/app`` and ``./app`` are paths already, ``app.sock`` is ``/tmp/app.sock``, and ``app``
    is ``/tmp/app.sock`` as well.
    """
    if not name or "\0" in name:
        raise ValueError(f"{name!r} names no socket; give a name such as 'myapp', or a path")
    if "/" in name:
        return name
    return f"/tmp/{name}" if name.endswith(".sock") else f"/tmp/{name}.sock"
