"""What the methods of resources take and return."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

from ._unknown import Unknown, UnknownType, is_wholly_known
from ._values import plain

P = TypeVar("P")
S = TypeVar("S")


class Created(Generic[S]):
    """A resource that was created: its id, and what is known about it now."""

    def __init__(self, id: str, state: S | None = None) -> None:
        self.id = id
        self.state = state


class Found(Generic[P, S]):
    """A resource that was read: its props as they are now, and its state."""

    def __init__(self, props: P, state: S | None = None) -> None:
        self.props = props
        self.state = state


class Existing(Generic[P, S]):
    """A resource as it was last seen.

    ``props`` is None if it was imported and has not been read since, ``state`` if there is none,
    because it was created in part.
    """

    def __init__(self, id: str, props: P | None = None, state: S | None = None) -> None:
        self.id = id
        self.props: Any = props
        self.state: Any = state

    def __repr__(self) -> str:
        # Props and state may hold secrets.
        return f"Existing({self.id!r})"


class Plan(Generic[P, S]):
    """A planned change of a resource."""

    def __init__(
        self,
        action: str,
        planned: dict[str, Any] | None,
        props: P | None,
        existing: Existing[P, S] | None,
    ) -> None:
        #: ``create``, ``update`` or ``delete``. A resource that is replaced is planned twice: as an
        #: update, and then as a new one.
        self.action = action
        #: The props, once all of them are known; None before, and for a delete.
        self.props = props
        #: The resource as it is; None for a create.
        self.existing = existing
        self._planned = planned

    @property
    def is_known(self) -> bool:
        """Whether all props are known."""
        return self._planned is None or is_wholly_known(self._planned)

    def get(self, *path: str | int) -> Any:
        """One of the planned props, also while others are not known yet.

        ``Unknown`` if it is not known itself, None if it is absent.
        """
        value: Any = self._planned
        for step in path:
            if isinstance(value, UnknownType):
                return Unknown
            if isinstance(value, dict):
                value = value.get(str(step))
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
            else:
                return None
        return plain(value)


class Decision(Generic[P]):
    """What ``modify_plan`` decides. Returning None keeps the plan."""

    def __init__(self, verdict: str, props: P | None = None) -> None:
        self.verdict = verdict
        self.props = props

    @classmethod
    def keep(cls) -> Decision[P]:
        """The plan stays as it is."""
        return cls("keep")

    @classmethod
    def replace(cls) -> Decision[P]:
        """The resource cannot be updated like this: it is deleted and created again."""
        return cls("replace")

    @classmethod
    def modify(cls, props: P) -> Decision[P]:
        """The props become these instead."""
        return cls("modify", props)


class Opened(Generic[S]):
    """An ephemeral resource that was opened.

    ``renew_at`` is a time (a ``datetime``, or seconds since 1970); ``private`` is what ``renew`` and
    ``close`` need, a plain value that is never shown.
    """

    def __init__(self, result: S, *, renew_at: Any = None, private: Any = None) -> None:
        self.result = result
        self.renew_at = renew_at
        self.private = private


class Renewed:
    """An ephemeral resource that was renewed. Without ``private`` it stays as it was."""

    def __init__(self, *, renew_at: Any = None, private: Any = Unknown) -> None:
        self.renew_at = renew_at
        self.private = private


def seconds(time: Any) -> int | None:
    """A time in whole seconds since 1970, rounded down: a renewal may come too early, but not too late."""
    if time is None:
        return None
    return max(0, int(time.timestamp() if hasattr(time, "timestamp") else time))


def rfc3339(time: Any) -> str | None:
    """A time as text, in UTC."""
    since = seconds(time)
    if since is None:
        return None
    from time import gmtime, strftime

    return strftime("%Y-%m-%dT%H:%M:%SZ", gmtime(since))
