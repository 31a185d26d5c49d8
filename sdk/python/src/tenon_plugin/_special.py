"""Shapes that few plugins have: tuples, secrets, choices, and types in Terraform's syntax."""

from __future__ import annotations

from ._attributes import Attribute
from ._failure import Unfit
from ._shapes import PLAIN, Shape, inner_value, list_shape, map_shape, optional, required, set_shape, write_number
from ._types import NUMBER, STRING, Type, mismatch, tuple_of
from ._values import number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def tuple_shape(inner: list[Shape]) -> Shape:
    type = tuple_of([one.type for one in inner])

    def check(value: Any) -> None:
        if not isinstance(value, (list, tuple)):
            raise mismatch(type, value)
        if len(value) != len(inner):
            raise Unfit(f"a tuple of {len(inner)} elements is required, but this has {len(value)}")

    def read(value: Any) -> Any:
        check(value)
        return tuple(
            inner_value(lambda one, of=of: required(of, one), one, at)  # type: ignore[misc]
            for at, (of, one) in enumerate(zip(inner, value))
        )

    def write(value: Any) -> Any:
        check(value)
        return [inner_value(of.write, one, at) for at, (of, one) in enumerate(zip(inner, value))]

    return Shape(type, read, write, is_secret=any(one.is_secret for one in inner), inner=inner)


def secret(wrapper: Any, inner: Shape) -> Shape:
    def hidden(convert: Callable[[Any], Any], value: Any) -> Any:
        try:
            return convert(value)
        except Unfit as error:
            if error.problem.endswith(("is null", "is required")):
                raise Unfit(error.problem) from None
            # Not even a key in it may be quoted.
            text = "its type is wrong (details are hidden because it is a secret)"
            raise Unfit(text) from None

    def write(value: Any) -> Any:
        return hidden(inner.write, value.reveal() if isinstance(value, wrapper) else value)

    return inner.but(
        is_secret=True, read=lambda value: wrapper(hidden(inner.read, value)), write=write
    )


def choice(values: list[Any]) -> Shape:
    kinds = {type(one) for one in values}
    if len(kinds) != 1 or kinds - {str, int, bool}:
        raise TypeError(f"the values of a Literal are of one type: {values!r}")
    inner = PLAIN[kinds.pop()]
    words = ", ".join(repr(one) if not isinstance(one, str) else f'"{one}"' for one in values)

    def read(value: Any) -> Any:
        found = inner.read(value)
        if found not in values:
            raise Unfit(f"one of {words} is required")
        return found

    return inner.but(read=read, choices=values)


def enumeration(kind: Any) -> Shape:
    values = [one.value for one in kind]
    inner = choice(values)
    return inner.but(
        read=lambda value: kind(inner.read(value)),
        write=lambda value: inner.write(value.value if isinstance(value, kind) else value),
    )


#: Classes whose values are strings for hosts, and what the strings look like.
_TEXTS = {
    "datetime": "a time such as 2030-01-31T12:30:00Z",
    "date": "a date such as 2030-01-31",
    "UUID": "a UUID",
    "PurePath": "a path",
}


def text(kind: Any) -> Shape:
    """The shape of a time, a date, a UUID or a path."""
    name = next((one.__name__ for one in kind.__mro__ if one.__name__ in _TEXTS), None)
    if name is None:
        raise TypeError(f"the class {kind.__name__} has no type in Terraform; use str and convert it")
    words = _TEXTS[name]

    def read(value: Any) -> Any:
        if value.__class__ is not str:
            raise mismatch(STRING, value)
        try:
            if name == "datetime":
                # Before Python 3.11 it does not read the Z.
                found = kind.fromisoformat(value[:-1] + "+00:00" if value[-1:] in ("Z", "z") else value)
                if found.utcoffset() is None:
                    raise ValueError("a time without a zone")
                return found
            return kind.fromisoformat(value) if name == "date" else kind(value)
        except ValueError:
            raise Unfit(f"{words} is required") from None

    def write(value: Any) -> str:
        if isinstance(value, str):
            read(value)
            return value
        if not isinstance(value, kind):
            raise mismatch(STRING, value)
        if name == "datetime" and value.utcoffset() is None:
            # In RFC 3339, a time says where it is.
            raise Unfit("a time with a zone is required, such as datetime.now(timezone.utc)")
        if name == "datetime" or name == "date":
            written: str = value.isoformat()
            return written[:-6] + "Z" if written.endswith("+00:00") else written
        return str(value)

    return Shape(STRING, read, write)


def declared(type: Type) -> Shape:
    """The shape of a type in Terraform's syntax: plain values."""
    kind = type.kind
    plain = {"any": object, "string": str, "bool": bool}
    if kind in plain:
        return PLAIN[plain[kind]]
    if kind == "number":
        return Shape(NUMBER, _read_any_number, write_number)
    if type.element is not None:
        inner = optional(declared(type.element))
        if kind == "set":
            return set_shape(inner, list)
        return map_shape(inner) if kind == "map" else list_shape(inner)
    if kind == "tuple":
        return tuple_shape([optional(declared(one)) for one in type.elements])
    from ._bodies import declared_body

    fields = {
        name: Attribute(one, optional=name in type.optional) for name, one in type.attributes.items()
    }
    body = declared_body(fields)
    return Shape(body.type, body.read, body.write, body=body)


def _read_any_number(value: Any) -> Any:
    if value.__class__ is bool:
        raise mismatch(NUMBER, value)
    return number(value)
