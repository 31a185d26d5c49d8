"""What an attribute is, apart from its type."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_):
        return lambda decorated: decorated


class _Absent:
    """No default: None is one."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


class Attribute:
    """An attribute or a parameter: how it is declared, apart from its name.

    ``type`` is a type of Python (``str``, ``list[int]``, a dataclass) or a text in Terraform's
    syntax (``"list(string)"``).
    """

    def __init__(
        self,
        type: Any = None,
        description: str = "",
        *,
        default: Any = ABSENT,
        default_factory: Callable[[], Any] | None = None,
        optional: bool = False,
        sensitive: bool = False,
        write_only: bool = False,
        replaces: bool = False,
        stable: bool = False,
        deprecated: str = "",
        block: bool = False,
        nesting: str = "",
        min: int | None = None,
        max: int | None = None,
        variadic: bool = False,
        allow_unknown: bool = False,
        idempotency_key: bool = False,
    ) -> None:
        self.type = type
        self.description = description
        self.default = default
        self.default_factory = default_factory
        self.optional = optional
        self.sensitive = sensitive
        self.write_only = write_only
        self.replaces = replaces
        self.stable = stable
        self.deprecated = deprecated
        self.block = block or bool(nesting) or min is not None or max is not None
        self.nesting = nesting
        self.min = min
        self.max = max
        self.variadic = variadic
        self.allow_unknown = allow_unknown
        self.idempotency_key = idempotency_key

    def merged(self, other: Attribute) -> Attribute:
        """This one, with what another one sets."""
        merged = Attribute.__new__(Attribute)
        plain = vars(_NOTHING)
        for name, value in vars(self).items():
            theirs = getattr(other, name)
            setattr(merged, name, value if theirs is plain[name] or theirs == plain[name] else theirs)
        return merged


_NOTHING = Attribute()

#: Markers for ``Annotated[str, replaces]``: a change of the attribute replaces the resource.
replaces = Attribute(replaces=True)
#: The plugin computes the value, and an update does not change it.
stable = Attribute(stable=True)


class _Block(Attribute):
    """A marker that can be called."""

    def __call__(self, *, nesting: str = "", min: int | None = None, max: int | None = None) -> Attribute:
        """Blocks of which there are ``min`` to ``max``, or one that is always there (``nesting="group"``)."""
        return Attribute(block=True, nesting=nesting, min=min, max=max)


#: It is written as blocks, ``rule { .. }``, instead of as an attribute; also ``block(min=1, max=3)``.
block = _Block(block=True)
#: Two calls with the same key are performed once; of the type ``str | None``.
idempotency_key = Attribute(idempotency_key=True)


def deprecated(text: str) -> Attribute:
    """A marker: users should not use the attribute any more. The text says what to use instead."""
    return Attribute(deprecated=text)


def attribute(
    description: str = "",
    *,
    default: Any = ABSENT,
    default_factory: Callable[[], Any] | None = None,
    sensitive: bool = False,
    write_only: bool = False,
    replaces: bool = False,
    stable: bool = False,
    deprecated: str = "",
    block: bool = False,
    nesting: str = "",
    min: int | None = None,
    max: int | None = None,
    idempotency_key: bool = False,
) -> Any:
    """More about a field of a class, or a parameter, than its type says.

    ::

        class Disk(Attributes):
            size: int = attribute("In bytes.", replaces=True)
            label: str = attribute("What people read.", default="")
    """
    return Attribute(
        description=description,
        default=default,
        default_factory=default_factory,
        sensitive=sensitive,
        write_only=write_only,
        replaces=replaces,
        stable=stable,
        deprecated=deprecated,
        block=block,
        nesting=nesting,
        min=min,
        max=max,
        idempotency_key=idempotency_key,
    )


#: The attributes of classes that have been used.
_entries: dict[type, dict[str, Any]] = {}


@dataclass_transform(kw_only_default=True, field_specifiers=(attribute,))
class Attributes:
    """A class whose fields are attributes: a small dataclass that imports quickly.

    ::

        class Author(Attributes):
            name: str
            is_shown: bool = True

    A dataclass, a TypedDict and a model of pydantic can be used in its place.
    """

    if not TYPE_CHECKING:

        def __init__(self, **given):
            entries = _entries.get(type(self))
            if entries is None:
                from ._bodies import body_of

                entries = _entries[type(self)] = body_of(type(self)).entries
            if given.keys() == entries.keys():
                self.__dict__ = given
                return
            for name, entry in entries.items():
                if name in given:
                    setattr(self, name, given.pop(name))
                elif entry.is_required:
                    raise TypeError(f"{type(self).__name__}: the attribute {name!r} is missing")
                else:
                    setattr(self, name, entry.initial())
            if given:
                raise TypeError(f"{type(self).__name__} has no attribute {next(iter(given))!r}")

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({fields})"

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __hash__(self) -> int:
        return hash((type(self), *(repr(value) for value in vars(self).values())))
