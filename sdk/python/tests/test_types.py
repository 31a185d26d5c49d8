"""Types of the standard library as attributes and parameters."""

from __future__ import annotations

import functools
import sys
import unittest
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone
from pathlib import Path
from typing import Annotated, Any, Generic, NamedTuple, TypedDict, TypeVar
from uuid import UUID

if sys.version_info >= (3, 11):
    from typing import NotRequired, Required
else:
    try:
        from typing_extensions import NotRequired, Required
    except ImportError:
        # Python 3.10 has neither. The SDK knows them by their names, whoever defines them.
        Key = TypeVar("Key")

        class NotRequired(Generic[Key]):
            _name = "NotRequired"

        class Required(Generic[Key]):
            _name = "Required"

from tenon_plugin import Attributes, Failure, Plugin
from tenon_plugin._bodies import body_of
from tenon_plugin._failure import Unfit
from tenon_plugin._schema import orchard_schema
from tenon_plugin._shapes import shape_of
from tenon_plugin.testing import Host


class Box(TypedDict):
    width: int
    label: NotRequired[Annotated[str, "What it says."]]
    color: Annotated[NotRequired[str], "Which."]


class Loose(TypedDict, total=False):
    width: Required[int]
    height: int


class Pair(NamedTuple):
    left: int
    right: str = "none"


@dataclass
class Order:
    item: str
    key: str | None = field(default=None, metadata={"idempotency_key": True, "description": "Its key."})


class Times(Attributes):
    at: datetime
    day: date = date(2030, 1, 31)
    folder: Path | None = None


class Bare:
    pass


class Nothing(Attributes):
    pass


class Texts(unittest.TestCase):
    def test_times_uuids_and_paths_are_strings(self) -> None:
        for kind, text, value in (
            (datetime, "2030-01-31T12:30:00Z", datetime(2030, 1, 31, 12, 30, tzinfo=timezone.utc)),
            (datetime, "2030-01-31T12:30:00+02:00", datetime(2030, 1, 31, 12, 30, tzinfo=timezone(timedelta(hours=2)))),
            (date, "2030-01-31", date(2030, 1, 31)),
            (UUID, "12345678-1234-5678-1234-567812345678", UUID(int=0x12345678123456781234567812345678)),
            (Path, "/tmp/x", Path("/tmp/x")),
        ):
            with self.subTest(text):
                shape = shape_of(kind)
                self.assertEqual(str(shape.type), "string")
                self.assertEqual(shape.read(text), value)
                self.assertEqual([shape.write(value), shape.write(text)], [text, text])

    def test_other_texts_are_refused(self) -> None:
        for kind, text, problem in (
            (datetime, "tomorrow", "a time such as 2030-01-31T12:30:00Z is required"),
            (datetime, "2030-01-31T12:30:00", "a time such as 2030-01-31T12:30:00Z is required"),
            (date, "tomorrow", "a date such as 2030-01-31 is required"),
            (UUID, "x", "a UUID is required"),
            (Path, 5, "a string is required, but this is a number"),
        ):
            with self.subTest(text), self.assertRaisesRegex(Unfit, problem):
                shape_of(kind).read(text)

    def test_they_are_used_in_classes_and_results(self) -> None:
        plugin = Plugin("times")

        @plugin.function
        def later(times: Times, hours: int) -> Any:
            return {"at": times.at.replace(hour=hours), "day": times.day, "in": times.folder}

        given = {"at": "2030-01-31T12:30:00Z", "folder": "x"}
        expected = {"at": "2030-01-31T13:30:00Z", "day": "2030-01-31", "in": "x"}
        self.assertEqual(Host(plugin).call_function("later", given, 13), expected)

    def test_classes_without_fields_are_refused_when_they_are_declared(self) -> None:
        for kind in (Bare, time, threading_event()):
            with self.subTest(kind), self.assertRaisesRegex(TypeError, f"the class {kind.__name__} has no .*use str"):
                shape_of(kind)
        self.assertEqual(str(shape_of(Nothing).type), "object({})")


def threading_event() -> Any:
    from threading import Event

    return Event


class Classes(unittest.TestCase):
    def test_keys_of_a_typed_dict_that_are_not_required(self) -> None:
        body = body_of(Box)  # type: ignore[arg-type]
        expected = "object({ color = optional(string), label = optional(string), width = number })"
        self.assertEqual(str(body.type), expected)
        self.assertEqual(body.entries["label"].about.description, "What it says.")
        self.assertEqual(body.entries["color"].about.description, "Which.")
        self.assertEqual(body.read({"width": 1}), {"width": 1})
        self.assertEqual(str(shape_of(Loose).type), "object({ height = optional(number), width = number })")

    def test_a_named_tuple_is_taken_and_returned(self) -> None:
        plugin = Plugin("pairs")

        @plugin.function
        def turned(pair: Pair) -> Pair:
            return Pair(pair.left + 1, pair.right)

        self.assertEqual(Host(plugin).call_function("turned", {"left": 1}), {"left": 2, "right": "none"})

    def test_metadata_of_a_dataclass_has_all_markers(self) -> None:
        plugin = Plugin("orders")
        plugin.action("order", lambda given: None, attributes=Order, outputs=None, idempotent=True)
        key = orchard_schema(plugin)["actions"]["order"]["attrs"]["key"]
        expected = {"type": "any", "required": False, "idempotency_key": True, "description": "Its key."}
        self.assertEqual(key, expected)


def add(first: int, second: int, third: int = 0) -> int:
    """Adds numbers.

    Args:
        second: The other number.
    """
    return first + second + third


class Functions(unittest.TestCase):
    def test_partial_functions_take_what_is_left(self) -> None:
        plugin = Plugin("p")
        plugin.function("by_place", functools.partial(add, 1))
        plugin.function("by_name", functools.partial(functools.partial(add, second=5), third=2))
        offered = plugin.offer()["functions"]["by_place"]
        self.assertEqual(offered["description"], "Adds numbers.")
        second = {"name": "second", "type": "number", "description": "The other number."}
        self.assertEqual(offered["parameters"][0], second)
        self.assertEqual(Host(plugin).call_function("by_place", 2, 3), 6)
        self.assertEqual(Host(plugin).call_function("by_name", 1), 8)

    def test_functions_without_a_signature_are_refused_with_a_hint(self) -> None:
        plugin = Plugin("p")
        builtin: Callable[..., Any]
        for builtin in (print, int):
            with self.subTest(builtin), self.assertRaisesRegex(TypeError, "call it in a function of your own"):
                plugin.function("f", builtin)


class WriteOnlyAttributes(unittest.TestCase):
    def test_a_result_without_a_type_is_a_failure(self) -> None:
        plugin = Plugin("p")
        plugin.function("bare", lambda: Bare(), returns=object)
        with self.assertRaisesRegex(Failure, "type Bare has no type in Terraform"):
            Host(plugin).call_function("bare")


if __name__ == "__main__":
    unittest.main()
