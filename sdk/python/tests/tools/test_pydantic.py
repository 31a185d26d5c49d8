"""Models of pydantic as attributes. Needs pydantic, so it is not with the other tests."""

from __future__ import annotations

import unittest
from datetime import datetime
from typing import Annotated, Any
from uuid import uuid4

from pydantic import AliasChoices, AliasPath, BaseModel, Field, SecretStr, field_validator

from tenon_plugin import Created, Existing, Failure, Found, Plugin, replaces
from tenon_plugin._schema import orchard_schema
from tenon_plugin.testing import Host


class Rule(BaseModel):
    port: int = Field(description="Where.", ge=1)
    is_open: bool = True


class Firewall(BaseModel):
    """A firewall."""

    name: Annotated[str, replaces]
    rules: list[Rule] = []
    token: SecretStr | None = None

    @field_validator("name")
    @classmethod
    def check_name(cls, name: str) -> str:
        if name != name.lower():
            raise ValueError("use lower case")
        return name


class Count(BaseModel):
    count: int


plugin = Plugin("walls", "1.0.0")


@plugin.resource("firewall")
class Firewalls:
    def create(self, props: Firewall) -> Created[None]:
        return Created(props.name)

    def update(self, existing: Any, props: Firewall) -> None: ...

    def delete(self, existing: Any) -> None: ...


class Account(BaseModel):
    nm: str
    size: int = 1
    password: str = Field(min_length=5, json_schema_extra={"write_only": True})


passwords: list[Any] = []


@plugin.resource("account")
class Accounts:
    def create(self, props: Account) -> Created[None]:
        passwords.append(props.password)
        return Created(props.nm)

    def read(self, id: str, props: Account) -> Found[Account, None]:
        return Found(props)

    def update(self, existing: Existing[Account, None], props: Account) -> None:
        assert isinstance(existing.props, Account) and existing.props.password is None
        passwords.append(props.password)

    def delete(self, existing: Any) -> None: ...


class Order(BaseModel):
    item: str
    key: str | None = Field(default=None, json_schema_extra={"idempotency_key": True})


@plugin.action(idempotent=True, attributes=Order)
def order(given: Order) -> None: ...


class Aliases(BaseModel):
    nm: str = Field(alias="the name", min_length=1)
    other: int = Field(default=1, validation_alias=AliasChoices(AliasPath("x", "y"), "o"))
    opt: int | None
    when: datetime | None = None


@plugin.function
def shown(given: Aliases) -> str:
    return f"{given.nm} {given.other} {given.opt} {given.when}"


@plugin.function
def ports(rules: list[Rule]) -> Count:
    return Count(count=len({one.port for one in rules}))


class Made(BaseModel):
    name: str = "x"
    key: str = Field(default_factory=lambda: uuid4().hex)
    maybe: str | None = Field(default_factory=lambda: uuid4().hex)
    label: str = Field(default_factory=lambda data: f"the {data['name']}")
    tags: list[str] = Field(default_factory=list)
    sizes: dict[str, int] = Field(default_factory=lambda: {"a": 1})


made: list[Made] = []


@plugin.resource("thing")
class Things:
    def create(self, props: Made) -> Created[None]:
        made.append(props)
        return Created(props.key)

    def delete(self, existing: Any) -> None: ...


class Pydantic(unittest.TestCase):
    def test_only_a_default_that_is_always_the_same_is_announced(self) -> None:
        attributes = plugin.offer()["resources"]["thing"]["attributes"]
        defaults = {name: one["default"] for name, one in attributes.items() if "default" in one}
        self.assertEqual(defaults, {"name": "x", "tags": [], "sizes": {"a": 1}})
        self.assertTrue(all(attributes[name]["optional"] for name in ("key", "maybe", "label")))
        for _ in range(2):
            Host(plugin).create("thing", name="door")
        first, second = made
        self.assertEqual([first.label, first.tags, first.sizes], ["the door", [], {"a": 1}])
        self.assertTrue(first.key and first.maybe)
        self.assertNotEqual((first.key, first.maybe), (second.key, second.maybe))
        first.tags.append("changed")
        self.assertEqual(second.tags, [])

    def test_schemas(self) -> None:
        attributes = plugin.offer()["resources"]["firewall"]["attributes"]
        self.assertEqual(attributes["name"], {"type": "string", "required": True, "replace": True})
        self.assertEqual(attributes["rules"]["type"], "list(object({ is_open = optional(bool), port = number }))")
        self.assertTrue(attributes["token"]["sensitive"])

    def test_validators_run_and_name_the_place(self) -> None:
        host = Host(plugin)
        created = host.create("firewall", name="a", rules=[{"port": 80}])
        self.assertEqual(created.id, "a")
        for config, path in [({"name": "A"}, ["name"]), ({"name": "a", "rules": [{"port": 0}]}, ["rules", 0, "port"])]:
            with self.assertRaises(Failure) as caught:
                host.create("firewall", **config)
            self.assertEqual(caught.exception.path, path)

    def test_markers_of_json_schema_extra(self) -> None:
        attributes = plugin.offer()["resources"]["account"]["attributes"]
        self.assertEqual(attributes["password"], {"type": "string", "optional": True, "write_only": True})
        key = orchard_schema(plugin)["actions"]["order"]["attrs"]["key"]
        self.assertEqual(key, {"type": "any", "required": False, "idempotency_key": True})

    def test_a_write_only_value_is_stored_nowhere_and_may_be_missing(self) -> None:
        account = Host(plugin).create("account", nm="ada", password="hunter2")
        self.assertNotIn("hunter2", repr(account.state))
        self.assertEqual(passwords, ["hunter2"])
        # The validator runs, and what is missing is None.
        account.apply(nm="ada", password="hunter3", size=2)
        self.assertEqual(passwords, ["hunter2", "hunter3"])
        with self.assertRaisesRegex(Failure, "at least 5 characters"):
            Host(plugin).create("account", nm="ada", password="abc")

    def test_aliases_are_names_of_the_model_alone(self) -> None:
        self.assertEqual(Host(plugin).call_function("shown", {"nm": "a", "opt": None}), "a 1 None None")
        given = {"nm": "a", "other": 2, "opt": 3, "when": "2030-01-31T12:30:00Z"}
        self.assertEqual(Host(plugin).call_function("shown", given), "a 2 3 2030-01-31 12:30:00+00:00")
        with self.assertRaises(Failure) as caught:
            Host(plugin).call_function("shown", {"nm": "", "opt": 3})
        self.assertIn("nm", str(caught.exception))

    def test_an_alias_that_is_a_path_is_refused(self) -> None:
        class Nested(BaseModel):
            name: str = Field(validation_alias=AliasPath("a", 0))

        with self.assertRaisesRegex(TypeError, "'name' has an alias that is a path"):
            plugin.function("nested", lambda given: "", parameters={"given": Nested}, returns=str)

    def test_values(self) -> None:
        host = Host(plugin)
        self.assertEqual(host.call_function("ports", [{"port": 1}, {"port": 1}, {"port": 2}]), {"count": 2})


if __name__ == "__main__":
    unittest.main()
