"""Definitions: attributes from type hints, dataclasses and declarations, and mistakes in them."""

from __future__ import annotations

import unittest
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, Optional, TypedDict

from tenon_plugin import (
    Attribute,
    Attributes,
    Context,
    Created,
    Failure,
    Plugin,
    Secret,
    Unknown,
    UnknownType,
    WriteOnly,
    attribute,
    block,
    deprecated,
    idempotency_key,
    replaces,
    stable,
)
from tenon_plugin._attributes import ABSENT
from tenon_plugin._bodies import body_of
from tenon_plugin._failure import Unfit
from tenon_plugin._shapes import shape_of
from tenon_plugin._types import parse
from tenon_plugin.testing import Host


class Color(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    """A point.

    Attributes:
        x: To the right.
    """

    x: int
    y: int = 0


@dataclass
class Tree:
    children: list[Tree] = field(default_factory=list)


class Options(TypedDict, total=False):
    size: int


class Rule(Attributes):
    port: int
    is_open: bool = True


class Everything(Attributes):
    """Everything at once."""

    name: Annotated[str, replaces, "The name."]
    amount: int = attribute("How many.", default=1)
    points: list[Point] = attribute(default_factory=list)
    color: Color = Color.RED
    secret: Secret[str] | None = None
    password: WriteOnly[str]
    rule: Annotated[list[Rule], block]
    old: Annotated[Optional[str], deprecated("use `name`")] = None


class Types(unittest.TestCase):
    def test_types_of_python_have_types_of_terraform(self) -> None:
        for hint, expected in [
            (str, "string"),
            (int, "number"),
            (float, "number"),
            (Decimal, "number"),
            (bool, "bool"),
            (Any, "any"),
            (object, "any"),
            (list[str], "list(string)"),
            (Sequence[int], "list(number)"),
            (set[str], "set(string)"),
            (frozenset[int], "set(number)"),
            (dict[str, bool], "map(bool)"),
            (Mapping[str, int], "map(number)"),
            (tuple[str, int], "tuple([string, number])"),
            (tuple[str, ...], "list(string)"),
            (Optional[str], "string"),
            (str | None, "string"),
            (int | float, "number"),
            (int | str, "any"),
            (Secret[str], "string"),
            (Literal["a", "b"], "string"),
            (Color, "string"),
            (Point, "object({ x = number, y = optional(number) })"),
            (Options, "object({ size = optional(number) })"),
            ("list(object({ a = optional(number) }))", "list(object({ a = optional(number) }))"),
            (str | UnknownType, "string"),
        ]:
            with self.subTest(hint=hint):
                self.assertEqual(str(shape_of(hint).type), expected)

    def test_types_without_a_meaning_are_refused(self) -> None:
        for hint in (bytes, complex, dict[int, str], print, Tree):
            with self.assertRaises(TypeError):
                shape_of(hint)

    def test_numbers_are_exact(self) -> None:
        long = "12345678901234567890.123456789"
        self.assertEqual(shape_of(Decimal).read(long), Decimal(long))
        self.assertEqual(shape_of(Decimal).read(0.1), Decimal("0.1"))
        with self.assertRaisesRegex(Unfit, "more digits than a float can hold"):
            shape_of(float).read(10**400)
        for refused in (2**53 + 1, "0.1234567890123456789", long):
            with self.assertRaisesRegex(Unfit, "more digits than a float can hold"):
                shape_of(float).read(refused)
        self.assertEqual([shape_of(float).read(one) for one in (2**60, 3, "0.1", 2.5)], [2.0**60, 3.0, 0.1, 2.5])
        self.assertEqual(shape_of(int).read("123456789012345678901234567890"), 123456789012345678901234567890)
        self.assertEqual(shape_of(int).read(2.0), 2)
        with self.assertRaisesRegex(Unfit, "whole number"):
            shape_of(int).read(2.5)
        with self.assertRaises(Unfit):
            shape_of(int).read(True)

    def test_values_that_do_not_fit_name_their_place(self) -> None:
        body = body_of(Everything)
        good = {"name": "a", "rule": []}
        for change, text in [
            ({"name": 1}, "at .name: a string is required, but this is a number"),
            ({"nmae": "x", "name": None}, 'the attribute "nmae" is not supported; did you mean `name`?'),
            ({"points": [{"x": 1}, {"x": "no"}]}, "at .points[1].x: a number is required, but this is a string"),
            ({"points": [{}]}, 'at .points[0]: the attribute "x" is required'),
            ({"color": "green"}, 'at .color: one of "red", "blue" is required'),
            ({"secret": 5}, "at .secret: its type is wrong (details are hidden because it is a secret)"),
            ({"name": Unknown}, "at .name: the value is not known yet"),
        ]:
            with self.subTest(text=text):
                with self.assertRaises(Unfit) as caught:
                    body.read({key: one for key, one in {**good, **change}.items() if one is not None})
                self.assertEqual(str(caught.exception), text)

    def test_objects_are_read_and_written(self) -> None:
        given = {"name": "a", "points": [{"x": 1}], "color": "blue", "password": "p", "rule": [{"port": 80}]}
        read = body_of(Everything).read(given)
        self.assertEqual(read.points, [Point(1)])
        self.assertIs(read.color, Color.BLUE)
        self.assertEqual(read.password.reveal(), "p")
        self.assertEqual(read.rule[0].is_open, True)
        self.assertNotIn("'p'", repr(read))
        written = body_of(Everything).write(read)
        self.assertEqual(written["points"], [{"x": 1, "y": 0}])
        self.assertEqual(written["color"], "blue")

    def test_type_syntax(self) -> None:
        for text in ("map(list(any))", "tuple([string, bool])", "object({})"):
            self.assertEqual(str(parse(text)), text)
        for wrong in ("strin", "list(string", "object({ a })", "list(string) x", "list(" * 200):
            with self.assertRaises(ValueError):
                parse(wrong)


class Parts(unittest.TestCase):
    def test_a_schema_has_everything(self) -> None:
        plugin = Plugin("p")

        class State(Attributes):
            address: Annotated[str, stable]

        @plugin.resource
        class RentalCar:
            """A car."""

            Props = Everything

            def create(self, props: Everything) -> Created[State]:
                raise NotImplementedError

            def update(self, existing: Any, props: Everything) -> State:
                raise NotImplementedError

            def delete(self, existing: Any) -> None: ...

        schema = plugin.offer()["resources"]["rental_car"]
        self.assertEqual(schema["description"], "A car.")
        attributes = schema["attributes"]
        self.assertEqual(
            attributes["name"], {"type": "string", "required": True, "replace": True, "description": "The name."}
        )
        self.assertEqual(attributes["amount"]["default"], 1)
        self.assertTrue(attributes["secret"]["sensitive"])
        self.assertEqual(attributes["password"], {"type": "string", "optional": True, "write_only": True})
        self.assertEqual(attributes["old"]["deprecation"], "use `name`")
        self.assertEqual(attributes["address"], {"type": "string", "computed": True, "stable": True})
        self.assertEqual(attributes["id"]["computed"], True)
        self.assertEqual(schema["blocks"]["rule"]["nesting"], "list")
        self.assertEqual(schema["blocks"]["rule"]["attributes"]["is_open"]["default"], True)

    def test_declarations_without_type_hints(self) -> None:
        plugin = Plugin("p")
        plugin.function(
            "join",
            lambda separator, parts: separator.join(parts),
            description="Joins texts.",
            parameters={"separator": Attribute("string", "In between."), "parts": Attribute("string", variadic=True)},
            returns="string",
        )
        plugin.action(
            "greet",
            lambda name, times: {"text": name * times},
            attributes={"name": str, "times": Attribute(int, default=2)},
            outputs={"text": str},
        )
        host = Host(plugin)
        self.assertEqual(host.call_function("join", "-", "a", "b"), "a-b")
        self.assertEqual(host.run_action("greet", name="x"), {"text": "xx"})
        schema = plugin.offer()["functions"]["join"]
        self.assertEqual(schema["variadic"]["name"], "parts")

    def test_docstrings_are_descriptions(self) -> None:
        plugin = Plugin("p")

        @plugin.function
        def area(width: float, height: float = 1) -> float:
            """The area of
            a rectangle.

            More about it.

            Args:
                width: From left
                    to right.
                height (float): From top to bottom.

            Returns:
                A number.
            """
            return width * height

        schema = plugin.offer()["functions"]["area"]
        self.assertEqual(schema["description"], "The area of a rectangle.")
        descriptions = [one["description"] for one in schema["parameters"]]
        self.assertEqual(descriptions, ["From left to right.", "From top to bottom."])

    def test_idempotency_keys(self) -> None:
        plugin = Plugin("p")

        @plugin.action(idempotent=True)
        def order(item: str, key: Annotated[str | None, idempotency_key] = None) -> None: ...

        from tenon_plugin._schema import orchard_schema

        schema = orchard_schema(plugin)["actions"]["order"]
        self.assertEqual(schema["attrs"]["key"], {"type": "any", "required": False, "idempotency_key": True})
        self.assertNotIn("outputs", schema)

    def test_mistakes_are_found_when_they_are_made(self) -> None:
        plugin = Plugin("p")

        def bad_default(a: int = 1, *, b: int) -> int:
            return a + b

        def keywords(**names: str) -> str:
            return ""

        def text(name: str) -> str:
            return name

        class NoDelete:
            def create(self) -> str:
                return "x"

        class Reserved(NoDelete):
            class Props(Attributes):
                count: int

            def delete(self, existing: Any) -> None: ...

        class BoundUpgrade(NoDelete):
            def delete(self, existing: Any) -> None: ...
            def upgrade(self, version: int, stored: Any) -> Any: ...

        plugin.function(text)
        for add, error in [
            (lambda: plugin.function(bad_default), "has to be, too"),
            (lambda: plugin.function(keywords), "keywords"),
            (lambda: plugin.function(text), "two functions called 'text'"),
            (lambda: plugin.action(text), "outputs have names"),
            (lambda: plugin.data_source(text), "class with attributes"),
            (lambda: plugin.resource("x", NoDelete), "needs a method 'delete'"),
            (lambda: plugin.resource("x", Reserved), "Terraform reserves this name"),
            (lambda: plugin.resource("x", BoundUpgrade), "static method"),
            (lambda: plugin.storage(object()), "needs a method 'read'"),
            (lambda: plugin.resource_hook("post_pln")(text), "unknown hook `post_pln`"),
            (lambda: Plugin("a b"), "not a valid name"),
            (lambda: Plugin("a", max_in_flight=0), "at least 1"),
        ]:
            with self.subTest(error=error), self.assertRaisesRegex((TypeError, ValueError), error):
                add()


class Defaults(unittest.TestCase):
    def test_what_a_factory_makes_is_announced_if_it_is_always_the_same(self) -> None:
        numbers = iter(range(100))

        @dataclass
        class Ticket:
            number: int = field(default_factory=lambda: next(numbers))
            tags: list[str] = field(default_factory=lambda: ["new"])

        entries = body_of(Ticket).entries
        self.assertEqual([entries["number"].default(), entries["tags"].default()], [ABSENT, ["new"]])
        self.assertFalse(entries["number"].is_required)
        first, second = (body_of(Ticket).read_all_or_raise({}) for _ in range(2))
        self.assertNotEqual(first["number"], second["number"])


class Tone(str, Enum):
    LOUD = "loud"


class TextEnums(unittest.TestCase):
    def test_they_are_their_values_as_keys_and_in_any(self) -> None:
        plugin = Plugin("p", "1.0.0")

        @plugin.function
        def counts() -> dict[str, int]:
            return {Tone.LOUD: 1}

        @plugin.function
        def loose() -> Any:
            return {Tone.LOUD: [Tone.LOUD, {Tone.LOUD: Decimal("0.1000000000000000000001")}]}

        host = Host(plugin)
        self.assertEqual(host.call_function("counts"), {"loud": 1})
        number = Decimal("0.1000000000000000000001")
        self.assertEqual(host.call_function("loose"), {"loud": ["loud", {"loud": number}]})


class Values(unittest.TestCase):
    def test_unknown_is_never_a_value_by_mistake(self) -> None:
        for use in (bool, str, int, float, len, iter, "{}".format):
            with self.assertRaisesRegex(TypeError, "not known yet"):
                use(Unknown)  # type: ignore[operator]
        self.assertEqual(repr(Unknown), "Unknown")

    def test_secrets_are_not_shown(self) -> None:
        for shown in (repr(Secret("x1y")), str(Secret("x1y")), f"{WriteOnly('x1y')}"):
            self.assertNotIn("x1y", shown)
        self.assertEqual(Secret("x1y").reveal(), "x1y")
        self.assertIsNone(WriteOnly[str]().reveal())

    def test_a_failure_names_its_attribute(self) -> None:
        failure = Failure("too small", path=["rules", 0, "port"], detail="80 is the least")
        self.assertEqual(failure.headline(), "rules.0.port: too small")
        self.assertEqual(failure.text(), "rules.0.port: too small\n80 is the least")

    def test_a_context_can_be_cancelled(self) -> None:
        context = Context()
        context.raise_if_cancelled()
        context.cancel()
        self.assertTrue(context.cancelled)


if __name__ == "__main__":
    unittest.main()
