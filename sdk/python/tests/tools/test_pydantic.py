"""Models of pydantic as attributes. Needs pydantic, so it is not with the other tests."""

from __future__ import annotations

import unittest
from typing import Annotated, Any

from pydantic import BaseModel, Field, SecretStr, field_validator

from tenon_plugin import Created, Failure, Plugin, replaces
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


@plugin.function
def ports(rules: list[Rule]) -> Count:
    return Count(count=len({one.port for one in rules}))


class Pydantic(unittest.TestCase):
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

    def test_values(self) -> None:
        host = Host(plugin)
        self.assertEqual(host.call_function("ports", [{"port": 1}, {"port": 1}, {"port": 2}]), {"count": 2})


if __name__ == "__main__":
    unittest.main()
