"""Values that are not known yet."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn, TypeGuard


class UnknownType:
    """A value that Terraform does not know yet, with what is known about it.

    It has no truth value and no text, so that it cannot be used as a value by mistake: test with
    :func:`is_unknown`.
    """

    __slots__ = ("refinement",)

    def __init__(self, refinement: dict[str, Any] | None = None) -> None:
        #: What is known: ``null`` (False: it will not be null), ``prefix``, ``min`` and ``max``
        #: (``(number, is inclusive)``), ``min_length``, ``max_length``.
        self.refinement = refinement or {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnknownType) and other.refinement == self.refinement

    def __hash__(self) -> int:
        return hash(tuple(sorted(self.refinement)))

    def __repr__(self) -> str:
        return f"Unknown({self.refinement})" if self.refinement else "Unknown"

    def _refuse(self, *_: object) -> NoReturn:
        raise TypeError("the value is not known yet; test it with is_unknown(value) first")

    __bool__ = _refuse
    __str__ = _refuse
    __format__ = _refuse
    __int__ = __float__ = __len__ = __iter__ = __getitem__ = _refuse


#: The value of which nothing is known.
Unknown = UnknownType()


def is_unknown(value: object) -> TypeGuard[UnknownType]:
    """Whether a value is not known yet."""
    return isinstance(value, UnknownType)


def is_wholly_known(value: object) -> bool:
    """Whether nothing in a value is unknown."""
    if isinstance(value, UnknownType):
        return False
    if isinstance(value, dict):
        return all(is_wholly_known(one) for one in value.values())
    if isinstance(value, (list, tuple)):
        return all(is_wholly_known(one) for one in value)
    inner = getattr(value, "dynamic_value", None)
    return inner is None or is_wholly_known(inner)
