"""Types of Python, and the types of Terraform that they stand for."""

from __future__ import annotations

import sys

from ._attributes import ABSENT
from ._failure import Unfit
from ._types import ANY, BOOL, MAX_DEPTH, NUMBER, STRING, Type, list_of, map_of, mismatch, parse, set_of
from ._unknown import UnknownType
from ._values import number, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class NoClass:
    """The class of no value."""


class Shape:
    """A type of Python: the type of Terraform, and how values are converted."""

    __slots__ = (
        "type",
        "read",
        "write",
        "allows_null",
        "is_secret",
        "is_write_only",
        "allows_unknown",
        "body",
        "inner",
        "choices",
        "unchanged",
    )

    def __init__(
        self, type: Type, read: Callable[[Any], Any], write: Callable[[Any], Any], **more: Any
    ) -> None:
        self.type = type
        #: From a plain value to the author's. None is not passed, unless it is allowed.
        self.read = read
        #: From the author's value to a plain one.
        self.write = write
        self.allows_null: bool = more.get("allows_null", False)
        self.is_secret: bool = more.get("is_secret", False)
        self.is_write_only: bool = more.get("is_write_only", False)
        self.allows_unknown: bool = more.get("allows_unknown", False)
        #: The attributes of an object.
        self.body: Any = more.get("body")
        #: The shapes of the elements: one for a list, a set or a map, and all of a tuple.
        self.inner: list[Shape] = more.get("inner", [])
        #: The values that are allowed, if only some are.
        self.choices: list[Any] | None = more.get("choices")
        #: The class whose values are the same for the author and in between: they need not be converted.
        self.unchanged: Any = more.get("unchanged", NoClass)

    def but(self, **changes: Any) -> Shape:
        """A copy with changes."""
        copy = Shape.__new__(Shape)
        if "read" in changes or "write" in changes:
            changes.setdefault("unchanged", NoClass)
        for name in Shape.__slots__:
            setattr(copy, name, changes.get(name, getattr(self, name)))
        return copy


def _simple(type: Type, kind: type) -> Shape:
    def read(value: Any) -> Any:
        if value.__class__ is kind:
            return value
        raise mismatch(type, value)

    def write(value: Any) -> Any:
        if value.__class__ is kind:
            return value
        if isinstance(value, kind):
            # Not a subclass: an enum of texts would be written as its name.
            return kind.__call__(getattr(value, "value", value))
        raise mismatch(type, value)

    return Shape(type, read, write, unchanged=kind)


def _read_int(value: Any) -> int:
    if value.__class__ is int:
        return value
    if value.__class__ is bool:
        raise mismatch(NUMBER, value)
    exact = number(value)
    if exact.__class__ is float and exact.is_integer():
        return int(exact)
    if exact.__class__ is not int:
        raise Unfit("a whole number is required")
    return exact


#: Larger integers are no floats.
_FLOAT_LIMIT = 2**1024


def _read_float(value: Any) -> float:
    if value.__class__ is float:
        return value
    if value.__class__ is bool:
        raise mismatch(NUMBER, value)
    exact = number(value)
    if exact.__class__ is float:
        return exact
    # A fraction is exact only if a float would have lost digits of it.
    if exact.__class__ is int and abs(exact) < _FLOAT_LIMIT and float(exact) == exact:
        return float(exact)
    raise Unfit("the number has more digits than a float can hold; the author can declare it as int or Decimal")


def _read_decimal(value: Any) -> Any:
    from decimal import Decimal

    if value.__class__ is bool:
        raise mismatch(NUMBER, value)
    exact = number(value)
    # The shortest decimal of a float is the number that was sent.
    return Decimal(repr(exact)) if exact.__class__ is float else Decimal(exact)


def write_number(value: Any) -> Any:
    if value.__class__ is int:
        return value
    if isinstance(value, bool) or isinstance(value, str):
        raise mismatch(NUMBER, value)
    return number(int(value) if isinstance(value, int) else value)


_STRING = _simple(STRING, str)
_BOOL = _simple(BOOL, bool)
_INT = Shape(NUMBER, _read_int, write_number, unchanged=int)
_FLOAT = Shape(NUMBER, _read_float, write_number)


def _write_any(value: Any) -> Any:
    """A value of any type, as it is: also objects of the author's classes."""
    try:
        return _write_deep(value, 0)
    except RecursionError:
        # Through objects of the author's classes, which may contain anything.
        raise _too_deep() from None


def _write_deep(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, (str, bool, int, float, UnknownType)):
        return value
    if depth > MAX_DEPTH:
        raise _too_deep()
    if isinstance(value, dict):
        return {key_text(key): _write_deep(one, depth + 1) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_write_deep(one, depth + 1) for one in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_write_deep(one, depth + 1) for one in value), key=repr)
    if type(value).__name__ in ("Decimal", "Dynamic"):
        return value
    if hasattr(value, "reveal"):
        return _write_deep(value.reveal(), depth + 1)
    try:
        return shape_of(type(value)).write(value)
    except TypeError:
        raise Unfit(f"a value of type {type(value).__name__} has no type in Terraform") from None


def key_text(key: Any) -> str:
    """The key of a map. What str() makes of a text that is an Enum is its name."""
    return str.__str__(key) if isinstance(key, str) else str(key)


def _too_deep() -> Unfit:
    return Unfit(f"the value is nested more than {MAX_DEPTH} levels deep, or contains itself")


_ANY = Shape(ANY, plain, _write_any, allows_null=True)
PLAIN: dict[Any, Shape] = {
    str: _STRING,
    bool: _BOOL,
    int: _INT,
    float: _FLOAT,
    object: _ANY,
    dict: _ANY,
    list: _ANY,
}


def shape_of(hint: Any) -> Shape:
    """The shape of a type hint."""
    if isinstance(hint, type) and hint in PLAIN:
        return PLAIN[hint]
    if isinstance(hint, (str, Type)):
        return _special("declared", parse(hint) if isinstance(hint, str) else hint)
    origin = getattr(hint, "__origin__", None)
    name = getattr(origin, "__name__", "")
    arguments: tuple[Any, ...] = getattr(hint, "__args__", ())
    if hasattr(hint, "__metadata__"):
        return shape_of(origin)
    if type(hint).__name__ == "UnionType" or getattr(origin, "_name", None) == "Union" or name == "Union":
        return _union(arguments)
    if origin is list or name in ("Sequence", "Iterable", "Collection", "MutableSequence"):
        return list_shape(shape_of(arguments[0]))
    if origin in (set, frozenset) or name in ("Set", "MutableSet"):
        return set_shape(shape_of(arguments[0]), frozenset if origin is frozenset else set)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return list_shape(shape_of(arguments[0]), tuple)
        return _special("tuple_shape", [shape_of(one) for one in arguments])
    if origin is dict or name in ("Mapping", "MutableMapping"):
        if arguments[0] is not str:
            raise TypeError(f"the keys of a map are strings: {hint!r}")
        return map_shape(shape_of(arguments[1]))
    if name == "Secret":
        return _special("secret", origin, shape_of(arguments[0]))
    if name == "WriteOnly":
        return _special("secret", origin, optional(shape_of(arguments[0]))).but(allows_null=True, is_write_only=True)
    if type(hint).__name__ == "_LiteralGenericAlias" or name == "Literal":
        return _special("choice", list(arguments))
    # In newer versions of Python, Any is a class.
    if isinstance(hint, type) and hint.__module__ != "typing":
        return _class(hint)
    return _other(hint)


def _special(name: str, *arguments: Any) -> Shape:
    """One of the shapes that few plugins have."""
    from . import _special

    shape: Shape = getattr(_special, name)(*arguments)
    return shape


def _other(hint: Any) -> Shape:
    typing = sys.modules.get("typing")
    if typing is not None and hint is typing.Any:
        return _ANY
    supertype = getattr(hint, "__supertype__", None)
    if supertype is not None:
        return shape_of(supertype)
    raise TypeError(
        f"{hint!r} has no type in Terraform; use str, int, float, bool, Decimal, list[..], set[..], "
        "dict[str, ..], tuple[..], a dataclass, Attributes, or Any"
    )


def _class(kind: type) -> Shape:
    if kind.__name__ == "Decimal":
        return Shape(NUMBER, _read_decimal, write_number)
    if kind is tuple or kind is set:
        return _ANY
    if kind.__name__ == "SecretStr":
        return Shape(STRING, _STRING.read, lambda value: value.get_secret_value(), is_secret=True)
    if hasattr(kind, "__members__"):
        return _special("enumeration", kind)
    if kind.__module__.partition(".")[0] in ("datetime", "uuid", "pathlib"):
        return _special("text", kind)
    from ._bodies import body_of, has_fields

    if not has_fields(kind):
        raise TypeError(
            f"the class {kind.__name__} has no fields with types, so it has no type in Terraform; "
            "use str and convert it"
        )

    body = body_of(kind)
    return Shape(body.type, body.read, body.write, is_secret=body.has_secret, body=body)


def optional(inner: Shape) -> Shape:
    """As another shape, or None."""
    if inner.allows_null:
        return inner
    read, write = inner.read, inner.write
    return inner.but(
        allows_null=True,
        read=lambda value: None if value is None else read(value),
        write=lambda value: None if value is None else write(value),
        unchanged=inner.unchanged,
    )


def _union(arguments: tuple[Any, ...]) -> Shape:
    rest = [one for one in arguments if one is not type(None) and one is not UnknownType]
    if len(rest) != 1:
        kinds = {str(shape_of(one).type) for one in rest}
        if kinds == {"number"}:
            # int | float, int | Decimal: the exact number.
            inner = Shape(NUMBER, number, write_number)
        elif len(kinds) == 1:
            inner = shape_of(rest[0])
        else:
            inner = _ANY
    else:
        inner = shape_of(rest[0])
    if UnknownType in arguments:
        read, write = inner.read, inner.write
        inner = inner.but(
            allows_unknown=True,
            read=lambda value: value if isinstance(value, UnknownType) else read(value),
            write=lambda value: value if isinstance(value, UnknownType) else write(value),
        )
    return optional(inner) if type(None) in arguments else inner


def required(shape: Shape, value: Any) -> Any:
    """The author's value of something that is inside another."""
    if value is None and not shape.allows_null:
        raise Unfit("a value is required, but this is null")
    if isinstance(value, UnknownType) and not shape.allows_unknown:
        raise Unfit("the value is not known yet")
    return shape.read(value)


def inner_value(convert: Callable[[Any], Any], value: Any, step: str | int) -> Any:
    try:
        return convert(value)
    except Unfit as error:
        raise error.below(step) from None


def list_shape(inner: Shape, make: Any = list) -> Shape:
    type = list_of(inner.type)

    def read(value: Any) -> Any:
        if value.__class__ is not list:
            raise mismatch(type, value)
        return make([inner_value(lambda one: required(inner, one), one, at) for at, one in enumerate(value)])

    def write(value: Any) -> Any:
        if isinstance(value, (str, bytes, dict)) or not hasattr(value, "__iter__"):
            raise mismatch(type, value)
        return [inner_value(inner.write, one, at) for at, one in enumerate(value)]

    return Shape(type, read, write, is_secret=inner.is_secret, body=inner.body, inner=[inner])


def set_shape(inner: Shape, make: Any) -> Shape:
    listed = list_shape(inner)

    def read(value: Any) -> Any:
        found = listed.read(value)
        try:
            return make(found)
        except TypeError:
            # Its elements cannot be hashed.
            return found

    def write(value: Any) -> Any:
        # In one order, so that equal sets are equal.
        return sorted(listed.write(value), key=repr)

    return Shape(set_of(inner.type), read, write, is_secret=inner.is_secret, body=inner.body, inner=[inner])


def map_shape(inner: Shape) -> Shape:
    type = map_of(inner.type)

    def read(value: Any) -> Any:
        if value.__class__ is not dict:
            raise mismatch(type, value)
        return {key: inner_value(lambda one: required(inner, one), one, key) for key, one in value.items()}

    def write(value: Any) -> Any:
        if not hasattr(value, "items"):
            raise mismatch(type, value)
        return {key_text(key): inner_value(inner.write, one, key) for key, one in value.items()}

    return Shape(type, read, write, is_secret=inner.is_secret, body=inner.body, inner=[inner])


def initial(default: Any, factory: Callable[[], Any] | None) -> Any:
    """A default, which is made anew if it can be changed."""
    if factory is not None:
        return factory()
    if default is ABSENT:
        return None
    if isinstance(default, (list, dict, set)):
        return default.copy()
    return default
