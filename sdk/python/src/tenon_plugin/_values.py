"""Values between hosts and authors.

In between, a value is plain: None, bool, int, float, Decimal, str, list, dict, and
:class:`UnknownType`. A number is an int if it is one, a float if that has the same shortest
decimal, and otherwise a Decimal, so that no digit is lost. A value of the type ``any`` that a host
sent with its type is a :class:`Dynamic`, so that it is sent back with the same type.
"""

from __future__ import annotations

from ._failure import Unfit
from ._types import ANY, Type, from_notation, mismatch, type_of
from ._unknown import UnknownType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Dynamic:
    """A value with the type that it was sent with."""

    __slots__ = ("dynamic_type", "dynamic_value")

    def __init__(self, type: Type, value: Any) -> None:
        self.dynamic_type = type
        self.dynamic_value = value

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Dynamic)
            and other.dynamic_type == self.dynamic_type
            and other.dynamic_value == self.dynamic_value
        )

    def __hash__(self) -> int:
        return hash(self.dynamic_type)


def plain(value: Any) -> Any:
    """A value without the types inside it."""
    if isinstance(value, Dynamic):
        return plain(value.dynamic_value)
    if type(value) is list:
        return [plain(one) for one in value]
    if type(value) is dict:
        return {name: plain(one) for name, one in value.items()}
    return value


def number(value: Any) -> Any:
    """A number in its plain form."""
    kind = type(value)
    if kind is int:
        return value
    if kind is float:
        if value != value:
            raise Unfit("NaN is not a number")
        # An integer that a float cannot tell from its neighbours stays a float.
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    from decimal import Decimal, InvalidOperation

    if kind is str:
        text = value.strip()
        if not text or text != value or "_" in text or not text.isascii():
            raise Unfit("a number is required, but this is a string")
        if text.lstrip("-").isdigit() and len(text) < 4000:
            return int(text)
        if "n" in text.lower() and text.lower().lstrip("+-") != "inf":
            raise Unfit("a number is required, but this is a string")
        try:
            value = Decimal(text)
        except InvalidOperation:
            raise Unfit("a number is required, but this is a string") from None
    if not isinstance(value, Decimal):
        raise mismatch(Type("number"), value)
    return _exact(value)


def _exact(value: Any) -> Any:
    from decimal import Decimal

    if value.is_nan():
        raise Unfit("NaN is not a number")
    if value.is_infinite():
        return float(value)
    if value.adjusted() < 4000 and value == value.to_integral_value():
        return int(value)
    close = float(value)
    return close if Decimal(repr(close)) == value else value


def sent_number(value: Any) -> Any:
    """A number as msgpack has it: an integer, a float, or text where both would lose digits."""
    value = number(value)
    if type(value) is int:
        return value if -(2**63) <= value < 2**64 else str(value)
    if type(value) is float:
        if value != value:
            raise Unfit("NaN is not a number")
        return value
    return format(value, "f") if abs(value.adjusted()) < 500 else str(value)


def decode(type: Type, value: Any) -> Any:
    """The plain value of what was sent for a type."""
    if value is None or isinstance(value, UnknownType):
        return value
    kind = type.kind
    if kind == "string":
        if value.__class__ is str:
            return value
        if isinstance(value, bytes):
            return _text(value)
        raise mismatch(type, value)
    if kind == "number":
        if isinstance(value, bool):
            raise mismatch(type, value)
        if isinstance(value, bytes):
            value = _text(value)
        return value if value.__class__ is int else number(value)
    if kind == "bool":
        if value is True or value is False:
            return value
        raise mismatch(type, value)
    if kind == "any":
        return _dynamic(value)
    if kind == "object":
        return _object(type, value)
    if kind == "map":
        if value.__class__ is not dict:
            raise mismatch(type, value)
        for key in value:
            if key.__class__ is not str:
                raise Unfit("the key of a map is a string")
        return {key: _part(type.element, one, key) for key, one in value.items()}
    if value.__class__ is not list:
        raise mismatch(type, value)
    if kind == "tuple":
        if len(value) != len(type.elements):
            wanted = len(type.elements)
            raise Unfit(f"a tuple of {wanted} elements is required, but this has {len(value)}")
        return [_part(of, one, at) for at, (of, one) in enumerate(zip(type.elements, value))]
    return [_part(type.element, one, at) for at, one in enumerate(value)]


def _part(type: Any, value: Any, step: str | int) -> Any:
    try:
        return decode(type, value)
    except Unfit as error:
        raise error.below(step) from None


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise Unfit("the text is not UTF-8") from None


def _object(type: Type, value: Any) -> dict[str, Any]:
    if value.__class__ is not dict:
        raise mismatch(type, value)
    for name in value:
        if name not in type.attributes:
            raise Unfit(f'the attribute "{name}" is not supported')
    return {name: _part(of, value.get(name), name) for name, of in type.attributes.items()}


def _dynamic(value: Any) -> Any:
    """A value of the type ``any``: with its type, or with the one that it implies."""
    if value.__class__ is list and len(value) == 2 and isinstance(value[0], bytes):
        from . import _text as text

        try:
            declared = from_notation(text.loads(value[0].decode()))
        except ValueError as error:
            raise Unfit(f"the type of the value is invalid: {error}") from None
        return Dynamic(declared, decode(declared, value[1]))
    return loose(value)


def loose(value: Any) -> Any:
    """A value without a declared type, in its plain form."""
    if value.__class__ is list:
        return [loose(one) for one in value]
    if value.__class__ is dict:
        return {key: loose(one) for key, one in value.items()}
    if value.__class__ is float:
        return number(value)
    return value


def encode(type: Type, value: Any) -> Any:
    """What is sent for a plain value of a type."""
    if value is None or isinstance(value, UnknownType):
        return value
    kind = type.kind
    if isinstance(value, Dynamic):
        if kind == "any":
            from . import _text as text

            notation = text.dumps(value.dynamic_type.notation())
            return [notation, encode(value.dynamic_type, value.dynamic_value)]
        value = value.dynamic_value
    if kind == "any":
        return _implied(value)
    if kind == "string" and isinstance(value, str):
        return value
    if kind == "number" and not isinstance(value, (bool, str)):
        return sent_number(value)
    if kind == "bool" and isinstance(value, bool):
        return value
    if kind == "object" and isinstance(value, dict):
        for name in value:
            if name not in type.attributes:
                raise Unfit(f'the attribute "{name}" is not supported')
        return {name: _sent(of, value.get(name), name) for name, of in type.attributes.items()}
    if kind == "map" and isinstance(value, dict):
        return {key: _sent(type.element, one, key) for key, one in value.items()}
    if kind == "tuple" and isinstance(value, (list, tuple)):
        if len(value) != len(type.elements):
            wanted = len(type.elements)
            raise Unfit(f"a tuple of {wanted} elements is required, but this has {len(value)}")
        return [_sent(of, one, at) for at, (of, one) in enumerate(zip(type.elements, value))]
    if kind in ("list", "set") and isinstance(value, (list, tuple)):
        return [_sent(type.element, one, at) for at, one in enumerate(value)]
    raise mismatch(type, value)


def _sent(type: Any, value: Any, step: str | int) -> Any:
    try:
        return encode(type, value)
    except Unfit as error:
        raise error.below(step) from None


def _implied(value: Any) -> Any:
    """A value of the type ``any``, with the type that it implies."""
    implied = type_of(value)
    if implied is ANY:
        raise Unfit(f"a value of type {value.__class__.__name__} has no type in Terraform")
    from . import _text as text

    return [text.dumps(implied.notation()), encode(implied, value)]
