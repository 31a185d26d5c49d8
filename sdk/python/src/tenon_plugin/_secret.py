"""Values that must not be shown."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Secret(Generic[T]):
    """A value that is not shown: not by ``print``, not in logs, not by Terraform.

    As a type hint, ``token: Secret[str]``, it makes an attribute sensitive.
    """

    __slots__ = ("_value",)

    def __init__(self, value: T) -> None:
        self._value = value

    def reveal(self) -> T:
        """The value. The caller is responsible for where it goes."""
        return self._value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and other._value == self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(***)"

    def __bool__(self) -> bool:
        return bool(self._value)


class WriteOnly(Secret["T | None"], Generic[T]):
    """A value that hosts pass to a resource and never store, such as a password that is only set.

    It is absent from everything that was stored, so ``reveal()`` may return None.
    """

    __slots__ = ()

    def __init__(self, value: T | None = None) -> None:
        super().__init__(value)
