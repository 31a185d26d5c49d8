"""A whole plugin in the in-memory host: resources, data sources, ephemeral resources, hooks, storage."""

from __future__ import annotations

import unittest
from dataclasses import dataclass, field
from typing import Annotated, Any

from tenon_plugin import (
    Attributes,
    Change,
    Context,
    Created,
    Decision,
    Existing,
    Failure,
    Found,
    Lock,
    Opened,
    Plan,
    Plugin,
    Renewed,
    Secret,
    Stage,
    Unknown,
    UnknownType,
    Verdict,
    WriteOnly,
    block,
    is_unknown,
    replaces,
    stable,
)
from tenon_plugin.testing import Host


@dataclass
class Link:
    url: str
    weight: float = 0.1


@dataclass
class Author:
    name: str
    is_shown: bool = True


@dataclass
class Props:
    title: Annotated[str, replaces]
    text: str = "(empty)"
    tags: dict[str, str] | None = None
    author: Author | None = None
    extra: Any = None
    kinds: set[str] = field(default_factory=set)
    password: WriteOnly[str] = WriteOnly()
    link: Annotated[list[Link], block] = field(default_factory=list)


@dataclass
class State:
    words: int
    key: Annotated[Secret[str], stable]


class Count(Attributes):
    notes: int
    prefix: str | None = None


class Token(Attributes):
    value: Secret[str]


def notes() -> tuple[Plugin, dict[str, Props], list[Any]]:
    """The plugin, what it keeps, and what happened."""
    plugin = Plugin("notes", "1.2.0")
    stored: dict[str, Props] = {}
    happened: list[Any] = []

    @plugin.configure
    def configure(folder: str, key: Secret[str] | None = None) -> str:
        if folder == "nowhere":
            raise Failure("no such folder", path="folder")
        return folder

    @plugin.resource("note")
    class Note:
        """A note."""

        version = 1

        def __init__(self, folder: str) -> None:
            self.folder = folder

        def keep(self, id: str, props: Props) -> State:
            stored[id] = props
            return State(len(props.text.split()), Secret(f"key-{id}"))

        async def create(self, props: Props, context: Context) -> Created[State]:
            context.progress("creating")
            context.private = b"revision 1"
            context.warn("the title is long", path="title")
            happened.append(("create", props.password.reveal()))
            return Created(f"{self.folder}/{props.title}", self.keep(f"{self.folder}/{props.title}", props))

        def read(self, id: str, props: Props | None) -> Found[Props, State] | None:
            if id not in stored:
                if props is None:
                    raise Failure(f"there is no note {id}")
                return None
            found = stored[id]
            return Found(found, State(len(found.text.split()), Secret(f"key-{id}")))

        def update(self, existing: Existing[Props, State], props: Props, context: Context) -> State:
            happened.append(("update", existing.props.text, props.text, context.private))
            return self.keep(existing.id, props)

        def delete(self, existing: Existing[Props, State]) -> None:
            happened.append(("delete", existing.id, existing.state.words))
            stored.pop(existing.id, None)

        def modify_plan(self, plan: Plan[Props, State]) -> Decision[Props] | Props | None:
            happened.append((plan.action, plan.is_known, plan.get("title")))
            text = plan.get("text")
            if is_unknown(text):
                return None
            if text == "forbidden":
                raise Failure("this text is forbidden", path="text")
            if text == "replace":
                return Decision.replace()
            if text == "shout" and plan.props is not None:
                plan.props.tags = {"loud": "yes"}
                return Decision.modify(plan.props)
            return None

        @staticmethod
        def upgrade(version: int, stored: dict[str, Any]) -> Existing[Props, State]:
            return Existing(stored["id"], Props(stored["title"], stored["body"]), State(1, Secret("k")))

    @plugin.data_source
    def count(context: Context, prefix: str | None = None) -> Count:
        return Count(notes=len(stored))

    @plugin.ephemeral("token")
    class Tokens:
        class Props(Attributes):
            length: int = 8

        def open(self, props: Props) -> Opened[Token]:
            return Opened(Token(value=Secret("x" * props.length)), renew_at=1_000_000_000, private={"left": 2})

        async def renew(self, private: dict[str, int]) -> Renewed:
            happened.append(("renew", private))
            return Renewed(private={"left": private["left"] - 1})

        def close(self, private: dict[str, int]) -> None:
            happened.append(("close", private))

    @plugin.function
    def maybe(value: str | UnknownType) -> str:
        return "unknown" if is_unknown(value) else "known"

    @plugin.post_plan
    def look(change: Change) -> Verdict | None:
        if change.after_at("input", "size") == "large":
            return Verdict.warn(f"{change.address} is large", metadata={"cost": 80})
        return None

    @plugin.plan_stage_completed
    async def sum_up(stage: Stage, context: Context) -> Verdict:
        context.warn("this is expensive")
        return Verdict.fail(f"{len(stage.resources)} resources, {stage.add} new")

    @plugin.storage
    class Memory:
        def __init__(self) -> None:
            self.states: dict[str, bytes] = {}
            self.locks: dict[str, Lock] = {}

        def read(self, path: str) -> bytes | None:
            return self.states.get(path)

        async def write(self, path: str, state: bytes, lock_id: str | None) -> None:
            Lock.check(self.locks.get(path), lock_id)
            self.states[path] = state

        def lock(self, path: str, wanted: Lock) -> str:
            held = self.locks.setdefault(path, wanted)
            if held.id != wanted.id:
                raise Failure.locked(held)
            return held.id

        def unlock(self, path: str, lock_id: str | None) -> None:
            Lock.check(self.locks.get(path), lock_id)
            self.locks.pop(path, None)

        def list(self, prefix: str) -> list[str]:
            return [path for path in self.states if path.startswith(prefix)]

    return plugin, stored, happened


class Resources(unittest.TestCase):
    def setUp(self) -> None:
        self.plugin, self.stored, self.happened = notes()
        self.host = Host(self.plugin, folder="f")

    def test_the_life_of_a_resource(self) -> None:
        note = self.host.create(
            "note", title="Milk", text="a b", author={"name": "q"}, password="p", link=[{"url": "u"}], kinds={"b", "a"}
        )
        self.assertEqual(self.host.progress, ["creating"])
        self.assertEqual([one.path for one in self.host.warnings], [["title"]])
        self.assertEqual(note.id, "f/Milk")
        self.assertEqual((note.state["words"], note.state["key"]), (2, "key-f/Milk"))
        self.assertEqual(note.state["link"], [{"url": "u", "weight": None}])
        self.assertIsNone(note.state["password"])
        self.assertEqual(self.stored["f/Milk"].link[0].weight, 0.1)
        self.assertEqual(self.stored["f/Milk"].kinds, {"a", "b"})
        before = dict(note.state)
        self.assertEqual(note.read().state, before)
        note.apply(title="Milk", text="c")
        self.assertIn(("update", "a b", "c", b"revision 1"), self.happened)
        plan = note.plan(title="Tea")
        self.assertTrue(plan.replaces)
        note.apply(title="Tea")
        self.assertEqual(note.id, "f/Tea")
        self.assertEqual(self.host.import_resource("note", "f/Tea").state["text"], "(empty)")
        note.destroy()
        self.assertEqual(self.stored, {})
        with self.assertRaisesRegex(Failure, "there is no note"):
            self.host.import_resource("note", "f/Tea")

    def test_an_imported_resource_has_the_values_of_its_defaults(self) -> None:
        plugin = Plugin("flags", "1.0.0")

        @plugin.resource("flag")
        class Flag:
            class Props(Attributes):
                text: str = "(empty)"
                on: bool = True

            def create(self, props: Props) -> str:
                return "f1"

            def read(self, id: str, props: Props | None) -> Found[Props, None]:
                return Found(self.Props(), None)

            def delete(self, existing: Existing[Props, None]) -> None: ...

        imported = Host(plugin).import_resource("flag", "f1")
        self.assertEqual(imported.state, {"id": "f1", "text": "(empty)", "on": True})
        self.assertEqual(imported.plan().values, imported.state)

    def test_a_plan_without_changes_is_empty(self) -> None:
        note = self.host.create("note", title="Milk", extra={"a": [1, "x"]}, tags={"a": "b"})
        plan = note.plan(title="Milk", extra={"a": [1, "x"]}, tags={"a": "b"})
        self.assertEqual(plan.values, note.state)
        self.assertFalse(plan.replaces)

    def test_plans(self) -> None:
        plan = self.host.plan("note", title=Unknown)
        self.assertEqual((plan.values["title"], plan.values["words"]), (Unknown, Unknown))
        self.assertIn(("create", False, Unknown), self.happened)
        note = self.host.create("note", title="Milk")
        planned = note.plan(title="Milk", text="more")
        self.assertEqual((planned.values["words"], planned.values["key"]), (Unknown, "key-f/Milk"))
        self.assertTrue(note.plan(title="Milk", text="replace").replaces)
        self.assertEqual(note.plan(title="Milk", text="shout").values["tags"], {"loud": "yes"})
        with self.assertRaises(Failure) as caught:
            note.plan(title="Milk", text="forbidden")
        self.assertEqual(caught.exception.path, ["text"])

    def test_what_does_not_fit(self) -> None:
        for config, path in [
            ({"title": 5}, ["title"]),
            ({"titel": "x"}, ["titel"]),
            ({}, ["title"]),
            ({"title": "x", "link": [{"weight": 1}]}, ["link", 0, "url"]),
        ]:
            with self.subTest(config=config), self.assertRaises(Failure) as caught:
                self.host.create("note", **config)
            self.assertEqual(caught.exception.path, path)

    def test_configuration(self) -> None:
        plugin, _, _ = notes()
        with self.assertRaises(Failure) as caught:
            Host(plugin, folder="nowhere")
        self.assertEqual(caught.exception.path, ["folder"])
        with self.assertRaisesRegex(Failure, 'the attribute "folder" is required'):
            Host(plugin).create("note", title="x")

    def test_a_configuration_that_is_not_known_yet(self) -> None:
        plugin, _, _ = notes()
        host = Host(plugin, folder=Unknown)
        self.assertEqual(host.plan("note", title="x").values["id"], Unknown)
        with self.assertRaisesRegex(Failure, "known only after apply"):
            host.create("note", title="x")

    def test_upgrade(self) -> None:
        upgraded = self.host.upgrade("note", 0, {"id": "x", "title": "t", "body": "b"})
        self.assertEqual((upgraded["title"], upgraded["text"], upgraded["words"]), ("t", "b", 1))

    def test_the_rest(self) -> None:
        self.assertEqual(self.host.read_data("count", prefix="M"), {"prefix": "M", "notes": 0})
        opened = self.host.open("token", length=3)
        self.assertEqual((opened.result, opened.renew_at), ({"length": 3, "value": "xxx"}, "2001-09-09T01:46:40Z"))
        opened.renew()
        opened.close()
        self.assertEqual(self.happened, [("renew", {"left": 2}), ("close", {"left": 1})])
        self.assertEqual(self.host.call_function("maybe", Unknown), "unknown")


class Around(unittest.TestCase):
    def setUp(self) -> None:
        self.host = Host(notes()[0], folder="f")

    def test_hooks(self) -> None:
        large = self.host.hook("post_plan", address="a.b", after={"input": {"size": "large"}})
        self.assertEqual(large, {"status": "warning", "message": "a.b is large", "metadata": {"cost": 80}})
        self.assertEqual(self.host.hook("postPlan", after={"input": Unknown}), {"status": "success"})
        whole = self.host.hook("plan_stage_completed", stage="plan", resources=[{}], summary={"add": 1})
        self.assertEqual(whole["message"], "1 resources, 1 new")
        self.assertEqual(whole["warnings"], ["this is expensive"])
        with self.assertRaisesRegex(Failure, "Method not found"):
            self.host.hook("pre_plan")

    def test_storage(self) -> None:
        host = self.host
        self.assertEqual(host.storage("read", path="team/app"), {"state": None})
        self.assertEqual(host.storage("lock", path="team/app", info='{"ID":"1"}'), {"lockId": "1"})
        self.assertEqual(host.storage("lock", path="team/app", info='{"ID":"1"}'), {"lockId": "1"})
        with self.assertRaises(Failure) as caught:
            host.storage("lock", path="team/app", info='{"ID":"2"}')
        self.assertEqual(caught.exception.code, "-32001")
        with self.assertRaises(Failure):
            host.storage("write", path="team/app", state=b"{}", lockId="2")
        self.assertEqual(host.storage("write", path="team/app", state=b"{}", lockId="1"), {"success": True})
        self.assertEqual(host.storage("read", path="team/app"), {"state": b"{}"})
        self.assertEqual(host.storage("unlock", path="team/app", force=True), {"success": True})
        self.assertEqual(host.storage("list", prefix="team/"), {"paths": ["team/app"]})
        for path in ("", "../x", "a//b"):
            with self.assertRaises(Failure):
                host.storage("read", path=path)
        with self.assertRaisesRegex(Failure, "Method not found"):
            host.storage("delete", path="team/app")


if __name__ == "__main__":
    unittest.main()
