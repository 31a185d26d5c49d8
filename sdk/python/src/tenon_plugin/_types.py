"""Terraform's types."""

from __future__ import annotations

from ._failure import Unfit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: How deep a type may be nested.
MAX_DEPTH = 128


class Type:
    """A type: ``string``, ``number``, ``bool``, ``any``, a collection, a tuple or an object."""

    __slots__ = ("kind", "element", "elements", "attributes", "optional", "_text")

    def __init__(
        self,
        kind: str,
        element: Type | None = None,
        elements: list[Type] | None = None,
        attributes: dict[str, Type] | None = None,
        optional: frozenset[str] = frozenset(),
    ) -> None:
        self.kind = kind
        self.element = element
        self.elements = elements or []
        self.attributes = attributes or {}
        self.optional = optional
        self._text: str | None = None

    def __str__(self) -> str:
        """The type in Terraform's syntax."""
        if self._text is None:
            self._text = self._write()
        return self._text

    def _write(self) -> str:
        if self.element is not None:
            return f"{self.kind}({self.element})"
        if self.kind == "tuple":
            return f"tuple([{', '.join(map(str, self.elements))}])"
        if self.kind == "object":
            members = [
                f"{name} = optional({one})" if name in self.optional else f"{name} = {one}"
                for name, one in sorted(self.attributes.items())
            ]
            return f"object({{ {', '.join(members)} }})" if members else "object({})"
        return self.kind

    def __repr__(self) -> str:
        return f"Type({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and str(other) == str(self)

    def __hash__(self) -> int:
        return hash(str(self))

    def notation(self) -> Any:
        """The type in cty's JSON notation."""
        if self.element is not None:
            return [self.kind, self.element.notation()]
        if self.kind == "tuple":
            return ["tuple", [one.notation() for one in self.elements]]
        if self.kind == "object":
            members = {name: one.notation() for name, one in sorted(self.attributes.items())}
            return ["object", members, sorted(self.optional)] if self.optional else ["object", members]
        return "dynamic" if self.kind == "any" else self.kind

    def words(self) -> str:
        """The type for the middle of a sentence: ``a list of string``."""
        if self.kind == "any":
            return "a value of unknown type"
        if self.kind == "object" and self.attributes:
            names = sorted(self.attributes)
            return f"an object with {', '.join(names[:5])}{', ...' if len(names) > 5 else ''}"
        return f"{'an' if self.kind == 'object' else 'a'} {self._friendly()}"

    def _friendly(self) -> str:
        return f"{self.kind} of {self.element._friendly()}" if self.element else self.kind

    def without_optional(self) -> Type:
        """The type of values: optional attributes are there, and may be null."""
        if self.element is not None:
            return Type(self.kind, self.element.without_optional())
        if self.kind == "tuple":
            return Type("tuple", elements=[one.without_optional() for one in self.elements])
        if self.kind == "object":
            members = {name: one.without_optional() for name, one in self.attributes.items()}
            return Type("object", attributes=members)
        return self


STRING, NUMBER, BOOL, ANY = Type("string"), Type("number"), Type("bool"), Type("any")
_PLAIN = {"string": STRING, "number": NUMBER, "bool": BOOL, "any": ANY, "dynamic": ANY}


def list_of(element: Type) -> Type:
    return Type("list", element)


def set_of(element: Type) -> Type:
    return Type("set", element)


def map_of(element: Type) -> Type:
    return Type("map", element)


def tuple_of(elements: list[Type]) -> Type:
    return Type("tuple", elements=elements)


def object_of(attributes: dict[str, Type], optional: frozenset[str] = frozenset()) -> Type:
    return Type("object", attributes=attributes, optional=optional)


def from_notation(notation: Any, depth: int = 0) -> Type:
    """A type in cty's JSON notation."""
    if depth > MAX_DEPTH:
        raise ValueError(f"the type is nested more than {MAX_DEPTH} levels deep")
    if isinstance(notation, str):
        if notation not in _PLAIN or notation == "any":
            raise ValueError(f"unknown type {notation!r}")
        return _PLAIN[notation]
    if isinstance(notation, list) and len(notation) >= 2:
        kind, inner = notation[0], notation[1]
        if kind in ("list", "set", "map") and len(notation) == 2:
            return Type(kind, from_notation(inner, depth + 1))
        if kind == "tuple" and len(notation) == 2 and isinstance(inner, list):
            return tuple_of([from_notation(one, depth + 1) for one in inner])
        if kind == "object" and len(notation) <= 3 and isinstance(inner, dict):
            optional = frozenset(notation[2] if len(notation) == 3 else ())
            if not optional <= set(inner):
                raise ValueError("an optional attribute is not an attribute of the object")
            return object_of({k: from_notation(v, depth + 1) for k, v in inner.items()}, optional)
    raise ValueError(f"this is not a type: {notation!r}")


def parse(text: str) -> Type:
    """A type in Terraform's syntax, such as ``list(object({ a = optional(number) }))``."""
    parser = _Parser(text)
    found = parser.type(0)
    if parser.word():
        raise ValueError(f"unexpected {parser.last!r} behind the type in {text!r}")
    return found


class _Parser:
    """Reads a type, word by word."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.last = ""

    def word(self) -> str:
        while self.at < len(self.text) and self.text[self.at] in " \t\r\n":
            self.at += 1
        start = self.at
        while self.at < len(self.text) and (self.text[self.at].isalnum() or self.text[self.at] in "_-"):
            self.at += 1
        if self.at == start and self.at < len(self.text):
            self.at += 1
        self.last = self.text[start : self.at]
        return self.last

    def expect(self, wanted: str) -> None:
        if self.word() != wanted:
            found = repr(self.last) if self.last else "the end"
            raise ValueError(f"expected {wanted!r} instead of {found} in the type {self.text!r}")

    def peek(self) -> str:
        at = self.at
        found = self.word()
        self.at = at
        return found

    def type(self, depth: int) -> Type:
        if depth > MAX_DEPTH:
            raise ValueError(f"the type is nested more than {MAX_DEPTH} levels deep")
        word = self.word()
        if word in _PLAIN and word != "dynamic":
            return _PLAIN[word]
        if word in ("list", "set", "map"):
            self.expect("(")
            element = self.type(depth + 1)
            self.expect(")")
            return Type(word, element)
        if word == "tuple":
            return self._tuple(depth)
        if word == "object":
            return self._object(depth)
        raise ValueError(
            f"unknown type {word!r} in {self.text!r}; there are string, number, bool, any, list(..), "
            "set(..), map(..), tuple([..]) and object({..})"
        )

    def _tuple(self, depth: int) -> Type:
        self.expect("(")
        self.expect("[")
        elements: list[Type] = []
        while self.peek() != "]":
            elements.append(self.type(depth + 1))
            if self.peek() == ",":
                self.word()
        self.expect("]")
        self.expect(")")
        return tuple_of(elements)

    def _object(self, depth: int) -> Type:
        self.expect("(")
        self.expect("{")
        members: dict[str, Type] = {}
        optional: set[str] = set()
        while self.peek() != "}":
            name = self.word()
            self.expect("=")
            if self.peek() == "optional":
                self.word()
                self.expect("(")
                members[name] = self.type(depth + 1)
                self.expect(")")
                optional.add(name)
            else:
                members[name] = self.type(depth + 1)
            if self.peek() == ",":
                self.word()
        self.expect("}")
        self.expect(")")
        return object_of(members, frozenset(optional))


def type_of(value: Any) -> Type:
    """The type that a plain value has by itself: arrays are tuples, and maps are objects."""
    if isinstance(value, str):
        return STRING
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, dict):
        return object_of({name: type_of(one) for name, one in value.items()})
    if isinstance(value, (list, tuple)):
        return tuple_of([type_of(one) for one in value])
    if isinstance(value, (int, float)) or type(value).__name__ == "Decimal":
        return NUMBER
    declared = getattr(value, "dynamic_type", None)
    return declared if isinstance(declared, Type) else ANY


def mismatch(wanted: Type, value: Any) -> Unfit:
    """The error for a value of another type, which does not quote it: it may be a secret."""
    if value is None:
        return Unfit("a value is required, but this is null")
    # What is inside does not matter, and may have no end.
    around = {} if isinstance(value, dict) else [] if isinstance(value, (list, tuple)) else value
    return Unfit(f"{wanted.words()} is required, but this is {type_of(around).words()}")
