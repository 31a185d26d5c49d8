"""The methods that add hooks and the functions of a storage."""

from __future__ import annotations

from ._parts import Hook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])
    T = TypeVar("T")


class Hooks:
    """The part of a plugin that works around Terraform. Every method is a decorator.

    A hook gets a :class:`Change` or a :class:`Stage` and returns a :class:`Verdict`, or None if
    nothing is wrong.
    """

    def __init__(self) -> None:
        self.hooks: dict[str, Hook] = {}
        #: The functions of the storage, by name.
        self.storing: dict[str, Any] = {}

    def resource_hook(self, hook: str) -> Callable[[F], F]:
        """Adds a hook for each resource, by its name: ``post_plan`` or ``postPlan``."""
        from ._around import RESOURCE_HOOKS

        return self._named(hook, RESOURCE_HOOKS)

    def stage_hook(self, hook: str) -> Callable[[F], F]:
        """Adds a hook for a stage, by its name: ``plan_stage_completed`` or ``planStageCompleted``."""
        from ._around import STAGE_HOOKS

        return self._named(hook, STAGE_HOOKS)

    def _named(self, hook: str, known: dict[str, str]) -> Callable[[F], F]:
        name = known.get(hook, hook)
        if name not in known.values():
            raise ValueError(f"unknown hook `{hook}`; there are {', '.join(known)}")
        return lambda handler: self._hook(name, handler)

    def _hook(self, name: str, handler: F) -> F:
        if name in self.hooks:
            raise ValueError(f"there are two hooks {name!r}")
        self.hooks[name] = Hook(handler, name=name)
        return handler

    def _stores(self, name: str, handler: F) -> F:
        if name in self.storing:
            raise ValueError(f"there are two functions for storage_{name}")
        self.storing[name] = handler
        return handler

    def pre_plan(self, handler: F) -> F:
        """Called before the plan, for each resource in the state. A failure stops the command."""
        return self._hook("prePlan", handler)

    def post_plan(self, handler: F) -> F:
        """Called after the plan, for each resource. A failure stops the command before anything is applied."""
        return self._hook("postPlan", handler)

    def pre_apply(self, handler: F) -> F:
        """Called before the apply, for each planned resource. A failure stops the command."""
        return self._hook("preApply", handler)

    def post_apply(self, handler: F) -> F:
        """Called after the apply, for each resource that was changed. A failure gives exit code 1."""
        return self._hook("postApply", handler)

    def pre_refresh(self, handler: F) -> F:
        """Called before the refresh, for each resource in the state. A failure stops the command."""
        return self._hook("preRefresh", handler)

    def post_refresh(self, handler: F) -> F:
        """Called after the refresh, for each resource."""
        return self._hook("postRefresh", handler)

    def init_stage_start(self, handler: F) -> F:
        """Called once before init. A failure stops the command."""
        return self._hook("initStageStart", handler)

    def init_stage_completed(self, handler: F) -> F:
        """Called once after init. It gets all resources."""
        return self._hook("initStageCompleted", handler)

    def init_stage_failed(self, handler: F) -> F:
        """Called once after init has failed. It gets Terraform's errors."""
        return self._hook("initStageFailed", handler)

    def plan_stage_start(self, handler: F) -> F:
        """Called once before plan. A failure stops the command."""
        return self._hook("planStageStart", handler)

    def plan_stage_completed(self, handler: F) -> F:
        """Called once after plan. It gets all resources."""
        return self._hook("planStageCompleted", handler)

    def plan_stage_failed(self, handler: F) -> F:
        """Called once after plan has failed. It gets Terraform's errors."""
        return self._hook("planStageFailed", handler)

    def apply_stage_start(self, handler: F) -> F:
        """Called once before apply. A failure stops the command."""
        return self._hook("applyStageStart", handler)

    def apply_stage_completed(self, handler: F) -> F:
        """Called once after apply. It gets all resources."""
        return self._hook("applyStageCompleted", handler)

    def apply_stage_failed(self, handler: F) -> F:
        """Called once after apply has failed. It gets Terraform's errors."""
        return self._hook("applyStageFailed", handler)

    def storage_read(self, handler: F) -> F:
        """``read(path)`` returns the state as bytes, or None."""
        return self._stores("read", handler)

    def storage_write(self, handler: F) -> F:
        """``write(path, state, lock_id)`` replaces the state."""
        return self._stores("write", handler)

    def storage_lock(self, handler: F) -> F:
        """``lock(path, lock)`` returns the id of the :class:`Lock`."""
        return self._stores("lock", handler)

    def storage_unlock(self, handler: F) -> F:
        """``unlock(path, lock_id)`` releases a lock; any lock without an id."""
        return self._stores("unlock", handler)

    def storage_list(self, handler: F) -> F:
        """``list(prefix)`` returns the paths of all states that begin with it."""
        return self._stores("list", handler)

    def storage_delete(self, handler: F) -> F:
        """``delete(path, lock_id)`` deletes the state."""
        return self._stores("delete", handler)

    def storage(self, storage: T) -> T:
        """Adds a storage for Terraform's states: an object, or a class, with ``read`` and ``write``,
        and where it can ``lock``, ``unlock``, ``list`` and ``delete``. See :class:`Storage`."""
        from ._around import STORAGE

        found = storage() if isinstance(storage, type) else storage
        for name in STORAGE:
            method = getattr(found, name, None)
            if method is not None:
                self._stores(name, method)
        for name in ("read", "write"):
            if name not in self.storing:
                raise TypeError(f"a storage needs a method {name!r}")
        return storage
