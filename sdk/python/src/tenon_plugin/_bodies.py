"""Objects: the attributes and blocks of a class, of a function's parameters, of a declaration."""

from __future__ import annotations

import sys

from ._attributes import ABSENT, Attribute, Attributes
from ._docs import documented_members, first_paragraph
from ._failure import Unfit
from ._names import nearest
from ._shapes import Shape, initial, optional, required, shape_of
from ._types import Type, mismatch, object_of
from ._unknown import UnknownType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


#: The types of values that are neither null nor unknown.
_KNOWN = frozenset((str, int, bool, float, dict, list))


class Entry:
    """An attribute of a body."""

    __slots__ = ("name", "shape", "about", "is_required", "has_default", "nesting")

    def __init__(self, name: str, shape: Shape, about: Attribute) -> None:
        self.name = name
        self.about = about
        self.has_default = about.default is not ABSENT or about.default_factory is not None
        is_optional = about.optional or about.idempotency_key or shape.allows_null
        if about.default is None or shape.is_write_only or about.write_only:
            self.has_default = False
            is_optional = True
        self.is_required = not (self.has_default or is_optional or about.variadic)
        self.shape = optional(shape) if is_optional and not self.has_default else shape
        self.nesting = nesting_of(self.shape, about) if about.block else ""
        if self.nesting not in ("", "single"):
            # No blocks are an empty list.
            self.is_required = self.has_default = False

    @property
    def is_sensitive(self) -> bool:
        return self.about.sensitive or self.shape.is_secret

    @property
    def is_write_only(self) -> bool:
        return self.about.write_only or self.shape.is_write_only

    def initial(self) -> Any:
        """The author's value of what is not given."""
        if self.nesting not in ("", "single"):
            return self.shape.read([] if self.nesting in ("list", "set") else {})
        if self.has_default:
            return initial(self.about.default, self.about.default_factory)
        return self.shape.read(None) if self.shape.allows_null else None

    def default(self) -> Any:
        """The default as a plain value, for all who want to know it; ABSENT if there is none.

        A factory that makes something else each time, such as an id, has none that could be announced.
        """
        if not self.has_default:
            return ABSENT
        found = self.shape.write(self.initial())
        is_made = self.about.default_factory is not None
        return ABSENT if is_made and self.shape.write(self.initial()) != found else found

    def read(self, value: Any) -> Any:
        """The author's value."""
        if value is None:
            # A parameter of a function may be required and null.
            if self.is_required and not self.shape.allows_null:
                raise Unfit(f'the attribute "{self.name}" is required')
            return self.initial()
        try:
            if value.__class__ in _KNOWN:
                return self.shape.read(value)
            return required(self.shape, value)
        except Unfit as error:
            raise error.below(self.name) from None

    def read_element(self, value: Any, at: int) -> Any:
        """The author's value of one of many arguments."""
        try:
            return required(self.shape, value)
        except Unfit as error:
            raise error.below(at).below(self.name) from None

    def write(self, value: Any) -> Any:
        """The plain value."""
        try:
            return None if value is None else self.shape.write(value)
        except Unfit as error:
            raise error.below(self.name) from None


def nesting_of(shape: Shape, about: Attribute) -> str:
    """How blocks of a shape are nested."""
    if shape.body is None:
        raise TypeError("a block is a class with attributes, or a list, set or dict of such")
    found = {"list": "list", "set": "set", "map": "map"}.get(shape.type.kind, "single")
    wanted = about.nesting or found
    if wanted != found and (found, wanted) != ("single", "group"):
        raise TypeError(f"a block with the nesting {wanted!r} cannot be {shape.type}; leave the nesting out")
    has_bounds = about.min is not None or about.max is not None
    if has_bounds and wanted not in ("list", "set"):
        raise TypeError("min and max are for blocks that are a list or a set")
    if has_bounds and not 0 <= (about.min or 0) <= (about.max if about.max is not None else about.min or 0):
        raise TypeError(f"there cannot be {about.min} to {about.max} blocks")
    return wanted


class Body:
    """The attributes of an object, in their order."""

    def __init__(self, entries: dict[str, Entry], make: Callable[[dict[str, Any]], Any]) -> None:
        self.entries = entries
        self._make = make
        members = {name: one.shape.type for name, one in entries.items()}
        optional_ones = frozenset(name for name, one in entries.items() if not one.is_required)
        self.type: Type = object_of(members, optional_ones)
        self.has_secret = any(one.is_sensitive for one in entries.values())
        #: The author's classes that are written by their own dict, which is faster.
        self._written: set[type] = set()
        #: For each attribute the class whose values need not be converted: a comparison is faster than two calls.
        self._members = [(name, one.shape.unchanged, one) for name, one in entries.items()]
        #: What the object is, for people.
        self.description = ""

    def read(self, value: Any) -> Any:
        """The author's object."""
        if value.__class__ is not dict:
            raise mismatch(self.type, value)
        self.check_names(value)
        return self._make(self._read_known(value))

    def _read_known(self, value: dict[str, Any]) -> dict[str, Any]:
        found = {}
        for name, kind, entry in self._members:
            one = value.get(name)
            found[name] = one if one.__class__ is kind else entry.read(one)
        return found

    def _write_known(self, value: dict[str, Any]) -> dict[str, Any]:
        found = {}
        for name, kind, entry in self._members:
            one = value.get(name)
            found[name] = one if one.__class__ is kind else entry.write(one)
        return found

    def read_all(self, value: Any, errors: list[Unfit]) -> dict[str, Any]:
        """The author's values by name; everything that is wrong is added to the errors."""
        found: dict[str, Any] = {}
        if value.__class__ is not dict:
            errors.append(mismatch(self.type, value))
            return found
        meant: list[str] = []
        for name in value:
            if name not in self.entries:
                close = nearest(name, [one for one in self.entries if one not in value])
                meant += [close] if close else []
                errors.append(Unfit(_unsupported(name, close)))
        for name, entry in self.entries.items():
            try:
                found[name] = entry.read(value.get(name))
            except Unfit as error:
                if name not in meant:
                    errors.append(error)
        return found

    def read_all_or_raise(self, value: Any) -> dict[str, Any]:
        """The author's values by name. Raises the first error."""
        if value.__class__ is dict and value.keys() <= self.entries.keys():
            return self._read_known(value)
        errors: list[Unfit] = []
        found = self.read_all(value, errors)
        if errors:
            raise errors[0]
        return found

    def without(self, name: str) -> Entry:
        """Takes an attribute out."""
        self._members = [one for one in self._members if one[0] != name]
        return self.entries.pop(name)

    def make(self, values: dict[str, Any]) -> Any:
        """The author's object with these values."""
        return self._make(values)

    def check_names(self, value: dict[str, Any]) -> None:
        for name in value:
            if name not in self.entries:
                close = nearest(name, [one for one in self.entries if one not in value])
                raise Unfit(_unsupported(name, close))

    def write(self, value: Any) -> dict[str, Any]:
        """The plain object of the author's, which may also be a dict."""
        if value.__class__ in self._written:
            return self._write_known(value.__dict__)
        if isinstance(value, dict):
            self.check_names(value)
            return self._write_known(value)
        is_named_tuple = isinstance(value, tuple) and hasattr(value, "_fields")
        if value is None or (isinstance(value, (str, int, float, bool, list, tuple, set)) and not is_named_tuple):
            raise mismatch(self.type, value)
        if isinstance(value, Attributes) and not any(hasattr(type(value), name) for name in self.entries):
            # Its fields are in its own dict, and nowhere else.
            self._written.add(type(value))
        return {name: one.write(getattr(value, name, None)) for name, one in self.entries.items()}


def _unsupported(name: str, close: str | None) -> str:
    meant = f"; did you mean `{close}`?" if close else ""
    return f'the attribute "{name}" is not supported{meant}'


def entry_of(name: str, hint: Any, about: Attribute) -> Entry:
    """The entry for a type hint, whose markers are taken into account."""
    shape, marked = marked_shape(hint)
    merged = marked.merged(about)
    if merged.idempotency_key:
        from ._types import ANY

        inner = shape_of(str)
        shape = optional(Shape(ANY, inner.read, inner.write))
    if merged.allow_unknown and not shape.allows_unknown:
        read = shape.read
        shape = shape.but(
            allows_unknown=True,
            read=lambda value: value if isinstance(value, UnknownType) else read(value),
        )
    return Entry(name, shape, merged)


def marked_shape(hint: Any) -> tuple[Shape, Attribute]:
    """The shape of a hint, and what ``Annotated`` says besides."""
    about = Attribute()
    for mark in getattr(hint, "__metadata__", ()):
        if isinstance(mark, Attribute):
            about = about.merged(mark)
        elif isinstance(mark, str):
            about = about.merged(Attribute(description=mark))
    return shape_of(hint), about


def evaluated(hint: Any, scope: dict[str, Any], local: dict[str, Any] | None = None) -> Any:
    """A hint that may be a text, by ``from __future__ import annotations``."""
    hint = getattr(hint, "__forward_arg__", hint)
    if not isinstance(hint, str):
        return hint
    try:
        return eval(hint, scope, local)  # noqa: S307 - the author's own annotation
    except NameError as error:
        problem = error
    # A class that is local to the function in which the decorator is used.
    frame = sys._getframe(1)
    while frame is not None:
        try:
            return eval(hint, scope, {**frame.f_locals, **(local or {})})  # noqa: S307
        except NameError:
            frame = frame.f_back  # type: ignore[assignment]
    raise TypeError(f"the type {hint!r} cannot be found: {problem}")


_bodies: dict[type, Body] = {}
#: Those that are being looked at.
_begun: set[type] = set()


def body_of(kind: type) -> Body:
    """The body of a class."""
    found = _bodies.get(kind)
    if found is None:
        if kind in _begun:
            raise TypeError(f"the class {kind.__name__} contains itself; Terraform's types are finite")
        _begun.add(kind)
        try:
            found = _bodies[kind] = _class_body(kind)
        finally:
            _begun.discard(kind)
        found.description = first_paragraph(kind.__doc__, kind)
    return found


def has_fields(kind: Any) -> bool:
    """Whether a class has attributes, or says that it has none."""
    if hasattr(kind, "model_fields") or hasattr(kind, "__dataclass_fields__") or hasattr(kind, "__total__"):
        return True
    return issubclass(kind, Attributes) or bool(_annotations(kind))


def _class_body(kind: Any) -> Body:
    if hasattr(kind, "model_fields") and hasattr(kind, "model_validate"):
        from ._pydantic import model_body

        return model_body(kind)
    documented = documented_members(kind.__doc__)
    entries: dict[str, Entry] = {}
    #: The keys of a TypedDict that are always there.
    needed: set[str] = set()
    fields = getattr(kind, "__dataclass_fields__", None)
    for name, hint in _annotations(kind).items():
        if name.startswith("_") or getattr(hint, "__origin__", None).__class__.__name__ == "ClassVar":
            continue
        about = Attribute(description=documented.get(name, ""))
        if fields is not None:
            about = about.merged(_dataclass_field(fields[name]))
        else:
            # The members of a NamedTuple are descriptors.
            defaults = getattr(kind, "_field_defaults", None)
            default = getattr(kind, name, ABSENT) if defaults is None else defaults.get(name, ABSENT)
            own = default if isinstance(default, Attribute) else Attribute(default=default)
            about = about.merged(own)
        if hasattr(kind, "__total__"):
            hint, is_needed = _key(hint, name in kind.__required_keys__)
            needed.update((name,) if is_needed else ())
            about.optional = not is_needed
        entries[name] = entry_of(name, hint, about)
    if hasattr(kind, "__total__"):
        return Body(entries, lambda values: {k: v for k, v in values.items() if v is not None or k in needed})
    return Body(entries, lambda values: kind(**values))


def _key(hint: Any, is_needed: bool) -> tuple[Any, bool]:
    """The type of a key of a TypedDict without ``NotRequired[..]`` and the like, and whether the key is required.

    The class itself does not know it where hints are texts.
    """
    if hasattr(hint, "__metadata__"):
        inner, is_needed = _key(hint.__origin__, is_needed)
        # The markers stay.
        return (hint if inner is hint.__origin__ else hint.copy_with((inner,))), is_needed
    word = getattr(getattr(hint, "__origin__", None), "_name", None)
    if word in ("Required", "NotRequired"):
        return _key(hint.__args__[0], word == "Required")
    return _key(hint.__args__[0], is_needed) if word == "ReadOnly" else (hint, is_needed)


def _annotations(kind: type) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for one in reversed(kind.__mro__):
        # As the class sees it: its module, and classes inside it.
        scope = getattr(sys.modules.get(one.__module__), "__dict__", {})
        own = one.__dict__.get("__annotations__")
        if own is None and sys.version_info >= (3, 14):
            own = getattr(one, "__annotations__", {})
        for name, hint in (own or {}).items():
            found[name] = evaluated(hint, scope, dict(vars(one)))
    return found


def _dataclass_field(field: Any) -> Attribute:
    missing = field.default.__class__.__name__ == "_MISSING_TYPE"
    no_factory = field.default_factory.__class__.__name__ == "_MISSING_TYPE"
    about = Attribute(
        default=ABSENT if missing else field.default,
        default_factory=None if no_factory else field.default_factory,
    )
    if isinstance(field.default, Attribute):
        raise TypeError(f"{field.name}: attribute(..) is for Attributes; use Annotated in a dataclass")
    return about.merged(marks(field.metadata))


#: What a class of a library may say about a field, beside its type and its default.
_MARKS = (
    "description",
    "sensitive",
    "write_only",
    "replaces",
    "stable",
    "deprecated",
    "block",
    "allow_unknown",
    "idempotency_key",
)


def marks(given: Any) -> Attribute:
    """The markers in the ``metadata`` of a dataclass's field, or in the ``json_schema_extra`` of pydantic's."""
    return Attribute(**{name: given[name] for name in _MARKS if name in given})


def declared_body(fields: dict[str, Any], make: Callable[[dict[str, Any]], Any] | None = None) -> Body:
    """The body of a declaration: names, and an :class:`Attribute` or a type for each."""
    entries: dict[str, Entry] = {}
    for name, field in fields.items():
        about = field if isinstance(field, Attribute) else Attribute(field)
        if about.type is None:
            raise TypeError(f"the attribute {name!r} needs a type: Attribute(str, ..)")
        entries[name] = entry_of(name, about.type, about)
    return Body(entries, make or (lambda values: values))
