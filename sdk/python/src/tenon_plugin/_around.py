"""Plugins around Terraform: hooks, and the storage of states."""

from __future__ import annotations

from ._failure import Failure
from ._unknown import UnknownType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The hooks that are called for each resource, and those of stages: methods of ``Plugin``, and the
#: names on the wire.
RESOURCE_HOOKS = {
    "pre_plan": "prePlan",
    "post_plan": "postPlan",
    "pre_apply": "preApply",
    "post_apply": "postApply",
    "pre_refresh": "preRefresh",
    "post_refresh": "postRefresh",
}
STAGE_HOOKS = {
    f"{stage}_stage_{word}": f"{stage}Stage{word.capitalize()}"
    for stage in ("init", "plan", "apply")
    for word in ("start", "completed", "failed")
}
HOOKS = {**RESOURCE_HOOKS, **STAGE_HOOKS}


class Change:
    """A resource, and what happens to it. Values that are not known yet are ``Unknown``."""

    def __init__(self, sent: dict[str, Any]) -> None:
        #: The whole address, such as ``module.a.aws_instance.b[0]``.
        self.address: str = sent.get("address") or ""
        self.provider: str = sent.get("provider") or ""
        self.resource_type: str = sent.get("resource_type") or ""
        self.resource_name: str = sent.get("resource_name") or ""
        #: ``managed``, or ``data`` for a data source.
        self.resource_mode: str = sent.get("resource_mode") or ""
        self.module: str | None = sent.get("module")
        self.index: str | int | None = sent.get("index")
        #: ``Create``, ``Read``, ``Update``, ``Replace``, ``Delete``, ``NoOp`` or ``Forget``;
        #: ``Read`` before the plan.
        self.action: str | None = sent.get("applied_action") or sent.get("planned_action")
        self.before: Any = sent.get("before")
        self.after: Any = sent.get("after")
        #: Constants, and Unknown where there is an expression.
        self.config: Any = sent.get("config")
        #: Where values are None because they are sensitive.
        self.sensitive_paths: list[list[str | int]] = sent.get("sensitive_paths") or []
        #: What earlier plugins noted about it, by their names.
        self.metadata: dict[str, Any] = sent.get("metadata") or {}
        #: Whether it was created but not completely; after the apply.
        self.tainted: bool = bool(sent.get("tainted"))

    def after_at(self, *path: Any) -> Any:
        """The value at this path in ``after``; None if it is not known, or not there."""
        value = self.after
        for step in path:
            try:
                value = value[step] if isinstance(value, (dict, list)) else None
            except (KeyError, IndexError, TypeError):
                return None
        return None if isinstance(value, UnknownType) else value

    def __repr__(self) -> str:
        return f"Change({self.address!r}, {self.action!r})"


class Stage:
    """A part of a command: ``init``, ``plan`` or ``apply``."""

    def __init__(self, sent: dict[str, Any]) -> None:
        self.name: str = sent.get("stage") or ""
        #: All resources; none at a start.
        self.resources = [Change(one) for one in sent.get("resources") or []]
        summary = sent.get("summary") or {}
        self.add: int = summary.get("add") or 0
        self.change: int = summary.get("change") or 0
        self.destroy: int = summary.get("destroy") or 0
        self.imported: int = summary.get("import") or 0
        #: Terraform's errors, after a failure.
        self.errors: list[str] = sent.get("errors") or []
        self.plan_sha256: str | None = sent.get("plan_sha256")

    def __repr__(self) -> str:
        return f"Stage({self.name!r}, {len(self.resources)} resources)"


class Verdict:
    """What a plugin thinks of a change or a stage. Returning None means that nothing is wrong."""

    def __init__(
        self,
        status: str = "success",
        message: str | None = None,
        *,
        warnings: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
    ) -> None:
        self.status = status
        self.message = message
        self.warnings = warnings or []
        #: Notes about the resource: later plugins see them, and they are kept.
        self.metadata = metadata or {}

    @classmethod
    def success(cls, message: str | None = None, *, metadata: dict[str, Any] | None = None) -> Verdict:
        """Nothing is wrong."""
        return cls("success", message, metadata=metadata)

    @classmethod
    def warn(cls, message: str, *, metadata: dict[str, Any] | None = None) -> Verdict:
        """The user should know this, and the command goes on."""
        return cls("warning", message, metadata=metadata)

    @classmethod
    def fail(cls, message: str, *, metadata: dict[str, Any] | None = None) -> Verdict:
        """The command is stopped, or if it is too late for that, fails."""
        return cls("fail", message, metadata=metadata)

    def sent(self) -> dict[str, Any]:
        """The verdict as a result."""
        result: dict[str, Any] = {"status": self.status}
        if self.message is not None:
            result["message"] = self.message
        if self.warnings:
            result["warnings"] = list(self.warnings)
        if self.metadata:
            result["metadata"] = self.metadata
        return result


class Lock:
    """A lock, as a storage keeps it: the id that the client chose, and what it says about itself."""

    def __init__(self, id: str, info: str, operation: str = "") -> None:
        self.id = id
        self.info = info
        self.operation = operation

    @staticmethod
    def check(held: Lock | None, lock_id: str | None) -> None:
        """Refuses a client that does not have the lock (any more). One without an id may pass."""
        if lock_id is not None and (held is None or held.id != lock_id):
            raise Failure.locked(held)

    def __repr__(self) -> str:
        return f"Lock({self.id!r})"


class Storage:
    """Keeps the states of Terraform. What is left out, the plugin does not support.

    Any object with some of these methods can be passed to ``plugin.storage``. A write must be on
    disk when it returns, and a crash at any moment must leave the old state or the new one.
    """

    def read(self, path: str) -> bytes | None:
        """The state at this path; None if there is none."""
        raise NotImplementedError

    def write(self, path: str, state: bytes, lock_id: str | None) -> None:
        """Replaces the state. With another lock's id: ``Failure.locked(held)``."""
        raise NotImplementedError


STORAGE = ("read", "write", "lock", "unlock", "list", "delete")
