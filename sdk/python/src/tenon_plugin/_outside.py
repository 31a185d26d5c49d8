"""Hooks and storage in Seasonings."""

from __future__ import annotations

from . import _text
from ._around import Change, Lock, Stage, Verdict
from ._failure import Failure
from ._host import Job, Refused, member
from ._values import loose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._seasonings import Seasonings

INVALID_PARAMS = -32602


def look(host: Seasonings, name: str, job: Job) -> dict[str, Any]:
    """Calls a hook."""
    host.session.ready(job.context)
    sent = loose(job.params)
    subject: Any = Stage(sent) if "Stage" in name else Change(sent)
    hook = host.plugin.hooks[name]
    values = dict.fromkeys(list(hook.body.entries)[:1], subject)
    verdict = host.session.wait(hook.run(values, job.context), job.context)
    if verdict is None:
        verdict = Verdict()
    elif isinstance(verdict, dict):
        verdict = Verdict(**verdict)
    elif not isinstance(verdict, Verdict):
        raise Failure(f"the hook {name} returns a Verdict or None, not {type(verdict).__name__}")
    verdict.warnings.extend(one.text() for one in job.context._warnings)
    sent_verdict: dict[str, Any] = verdict.sent()
    return sent_verdict


def store(host: Seasonings, name: str, job: Job) -> dict[str, Any]:
    """Calls the storage."""
    host.session.ready(job.context)
    params, function = job.params, host.plugin.storing[name]

    def ask(*arguments: Any) -> Any:
        return host.session.wait(function(*arguments), job.context)

    if name == "list":
        return {"paths": list(ask(member(params, "prefix", str, "a string") or ""))}
    path = _path(params.get("path"), name)
    if name == "read":
        state = ask(path)
        return {"state": state.encode() if isinstance(state, str) else state}
    if name == "write":
        state = params.get("state")
        if isinstance(state, str):
            state = state.encode()
        if not isinstance(state, bytes):
            raise Refused(INVALID_PARAMS, "state in the params of storage/write: it is missing")
        ask(path, state, member(params, "lockId", str, "a string"))
    elif name == "lock":
        return {"lockId": ask(path, _wanted(params))}
    elif name == "unlock":
        ask(path, None if member(params, "force", bool, "a bool") else _lock_id(params))
    else:
        ask(path, member(params, "lockId", str, "a string"))
    return {"success": True}


def _path(path: Any, name: str) -> str:
    if not isinstance(path, str):
        raise Refused(INVALID_PARAMS, f"path in the params of storage/{name}: it is missing")
    if any(part in ("", ".", "..") for part in path.split("/")):
        raise Refused(INVALID_PARAMS, f"path in the params of storage/{name}: it has an empty, `.` or `..` segment")
    return path


def _lock_id(params: dict[str, Any]) -> str:
    """The lock that is released. Without one it would be any lock, which a client has to ask for by ``force``."""
    lock_id = member(params, "lockId", str, "a string")
    if not isinstance(lock_id, str):
        raise Refused(INVALID_PARAMS, "lockId in the params of storage/unlock: it is missing")
    return lock_id


def _wanted(params: dict[str, Any]) -> Lock:
    """The lock that a client asks for. Its id is in its info, which is JSON."""
    info = params.get("info")
    try:
        id = _text.loads(info)["ID"] if isinstance(info, str) else None
    except (ValueError, KeyError, TypeError):
        id = None
    if not isinstance(id, str) or not id or not isinstance(info, str):
        raise Refused(INVALID_PARAMS, 'info in the params of storage/lock: it is not JSON with an "ID"')
    return Lock(id, info, params.get("operation") or "")
