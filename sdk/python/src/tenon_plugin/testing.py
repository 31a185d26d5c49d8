"""A host in memory, for tests of plugins: ``Host(plugin)``.

Everything goes through the same encoders as with a real host, without a process.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from . import _msgpack, _text
from ._context import Context
from ._failure import Diagnostic, Failure, Unfit
from ._host import Host as Adapter
from ._host import Job
from ._orchard import Orchard
from ._plugin import Plugin
from ._schema import Schema
from ._seasonings import Seasonings
from ._session import Session
from ._shapes import _write_any
from ._unknown import Unknown, is_wholly_known
from ._types import Type
from ._values import decode, plain
from ._values import encode as _encode


class Host:
    """Calls a plugin as its hosts do. What fails raises :class:`Failure`.

    ::

        host = Host(plugin, folder="notes")          # the configuration, if there is one
        assert host.call_function("shout", "hello") == "HELLO!"
        note = host.create("note", title="Milk")
        assert note.state["words"] == 2
    """

    def __init__(self, plugin: Plugin, /, **config: Any) -> None:
        self.plugin = plugin
        self.session = Session(plugin)
        self._frames: list[bytes] = []
        self._jobs: list[Job] = []
        self._seasonings = Seasonings(self.session, self._frames.append, self._jobs.append)
        self._orchard = Orchard(self.session, self._frames.append, self._jobs.append)
        self._id = 0
        #: The warnings of the last call.
        self.warnings: list[Diagnostic] = []
        #: The messages of progress of the last call.
        self.progress: list[str] = []
        self.request("init", {"protocol_version": 1, "host": {"name": "test", "version": "1"}})
        if config:
            self.configure(**config)

    def configure(self, /, **config: Any) -> None:
        """Configures the plugin, which can be done once."""
        schema = self._seasonings.schemas["provider"].get("provider")
        if schema is None:
            raise Failure("the plugin has no configuration")
        self._resources("configure", schema, config=_completed(schema, config))

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Any call of Seasonings, with values as they are sent."""
        self._id += 1
        self._begin(self._seasonings, _msgpack.pack([0, self._id, method, [params]]))
        result: dict[str, Any] = {}
        for frame in self._frames:
            message = _msgpack.unpack(frame)
            if message[0] == 2:
                self._event(message[1], message[2][0])
            elif message[2] is not None:
                raise _failure(*message[2])
            else:
                result = message[3]
        return result

    def _begin(self, adapter: Adapter, frame: bytes) -> None:
        self._frames.clear()
        self.progress, self.warnings = [], []
        adapter.feed(frame)
        while self._jobs:
            adapter.run(self._jobs.pop(0))

    def _event(self, name: str, params: dict[str, Any]) -> None:
        if name == "progress":
            self.progress.append(params["message"])

    def call_function(self, name: str, /, *arguments: Any, **named: Any) -> Any:
        """Calls a function, as ``provider::PLUGIN::name(...)`` does. Arguments may be Unknown."""
        function = self.plugin.functions.get(name)
        if function is None:
            raise Failure(self.session.missing("function", name, self.plugin.functions))
        names = list(function.body.entries)
        given = {**dict(zip(names, arguments)), **named}
        entries = function.body.entries
        sent = {
            one: encode(entries[one].shape.type.without_optional(), _write_any(value)) if one in entries else value
            for one, value in given.items()
        }
        rest = arguments[len(names) :]
        if function.variadic is not None:
            of = function.variadic.shape.type.without_optional()
            sent[function.variadic.name] = [encode(of, _write_any(one)) for one in rest]
        elif rest:
            raise Failure(f"too many arguments: {name} takes {len(names)}")
        certain = [one for one, entry in entries.items() if not entry.shape.allows_unknown]
        if not all(is_wholly_known(sent.get(one)) for one in certain):
            # As Terraform: an unknown argument makes the result unknown without a call.
            return Unknown
        if self.session.stage == "waiting":
            # As an action: without a configuration the state is made with the defaults, if the function has a context.
            self.session.lend_state(function, Context())
        result = self.request("functions/call", {"name": name, "arguments": sent})["result"]
        return plain(decode(function.returns.type.without_optional(), result))

    def run_action(self, name: str, /, **attributes: Any) -> Any:
        """Runs an action as a scenario does, and returns its outputs."""
        if self.session.stage == "waiting":
            self._exchange("configure", {"config": {}})
        return self._exchange("execute", {"action": name, "attrs": _write_any(attributes)})["outputs"]

    def _exchange(self, method: str, params: dict[str, Any]) -> Any:
        self._id += 1
        self._begin(self._orchard, _text.dumps({"id": self._id, "method": method, "params": params}) + b"\n")
        answer = _text.loads(self._frames[-1].decode())
        if "error" in answer:
            error = answer["error"]
            raise Failure(error["message"], code=error["code"], detail=error.get("detail", ""))
        return answer["result"]

    def read_data(self, name: str, /, **config: Any) -> dict[str, Any]:
        """Reads a data source."""
        schema = self._schema("data_sources", name, "data source")
        completed = _completed(schema, config)
        answer = self._resources("readData", schema, type=name, config=completed)
        found = decode(schema.type, {**encode(schema.type, completed), **answer["state"]})
        return _dict(plain(found))

    def open(self, name: str, /, **config: Any) -> Opened:
        """Opens an ephemeral resource."""
        schema = self._schema("ephemeral", name, "ephemeral resource")
        completed = _completed(schema, config)
        answer = self._resources("open", schema, type=name, config=completed)
        result = decode(schema.type, {**encode(schema.type, completed), **answer["result"]})
        return Opened(self, name, _dict(plain(result)), answer)

    def create(self, name: str, /, **config: Any) -> Instance:
        """Plans and creates a resource."""
        return Instance(self, name).apply(**config)

    def plan(self, name: str, /, **config: Any) -> Planned:
        """Plans a new resource. Values may be Unknown."""
        return Instance(self, name).plan(**config)

    def import_resource(self, name: str, id: str) -> Instance:
        """Imports a resource, and reads it."""
        answer = self._resources("import", self._schema("resources", name, "resource"), type=name, id=id)
        instance = Instance(self, name)
        instance._private = answer.get("private")
        schema = instance._schema
        instance.state = _dict(decode(schema.type, answer["state"]))
        return instance.read()

    def upgrade(self, name: str, version: int, state: Mapping[str, Any]) -> dict[str, Any]:
        """Upgrades what an older version stored."""
        schema = self._schema("resources", name, "resource")
        answer = self._resources("upgrade", schema, type=name, version=version, state=dict(state))
        return _dict(plain(decode(schema.type, answer["state"])))

    def hook(self, name: str, /, **params: Any) -> dict[str, Any]:
        """Calls a hook, such as ``post_plan`` or ``postPlan``, and returns its result."""
        first, *rest = name.split("_")
        return self.request("middleware/" + first + "".join(map(str.capitalize, rest)), params)

    def storage(self, method: str, /, **params: Any) -> dict[str, Any]:
        """Calls the storage: ``storage("read", path="app")``."""
        return self.request(f"storage/{method}", params)

    def _schema(self, level: str, name: str, kind: str) -> Schema:
        schemas = self._seasonings.schemas[level]
        if name not in schemas:
            raise Failure(self.session.missing(kind, name, schemas))
        return schemas[name]

    def _resources(self, method: str, schema: Schema, **params: Any) -> dict[str, Any]:
        for member in ("config", "prior", "planned", "proposed"):
            if member in params:
                params[member] = encode(schema.type, params[member])
        if method == "read":
            params["state"] = encode(schema.type, params["state"])
        answer = self.request(f"resources/{method}", params)
        found = [
            Diagnostic(one["severity"], one["summary"], one.get("detail", ""), one.get("path"))
            for one in answer.get("diagnostics", [])
        ]
        self.warnings = [one for one in found if one.severity == "warning"]
        if any(one.severity == "error" for one in found):
            raise Failure.diagnosed(found)
        return answer


class Planned:
    """A plan: the planned values, with Unknown for what is not known yet, and whether it replaces."""

    def __init__(self, values: dict[str, Any], replaces: bool) -> None:
        self.values = values
        self.replaces = replaces


class Instance:
    """A resource that a test manages."""

    def __init__(self, host: Host, name: str) -> None:
        self._host = host
        self._name = name
        self._schema = host._schema("resources", name, "resource")
        self._private: bytes | None = None
        #: The state, by attribute; empty if it does not exist.
        self.state: dict[str, Any] = {}

    @property
    def id(self) -> str:
        return str(self.state.get("id", ""))

    def plan(self, /, **config: Any) -> Planned:
        """Plans a change to this configuration."""
        given, proposed = self._proposed(config)
        values, replaces = self._planned(given, proposed)
        return Planned(_dict(plain(values)), replaces)

    def _proposed(self, config: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        given = _completed(self._schema, config, has_defaults=False)
        proposed = _completed(self._schema, config)
        for name, attribute in self._schema.attributes.items():
            if proposed[name] is None and attribute.get("computed"):
                proposed[name] = self.state.get(name)
            if attribute.get("write_only"):
                proposed[name] = None
        return given, proposed

    def _planned(self, given: dict[str, Any], proposed: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        host = self._host
        host._resources("validate", self._schema, kind="resource", type=self._name, config=given)
        prior = self.state or None
        answer = host._resources(
            "planChange",
            self._schema,
            type=self._name,
            prior=prior,
            config=given,
            proposed=proposed,
            private=self._private,
        )
        values = _dict(decode(self._schema.type, answer["planned"]))
        replaces = bool(answer.get("replace"))
        if prior is not None:
            marked = [name for name, one in self._schema.attributes.items() if one.get("replace")]
            replaces = replaces or any(values[name] != prior.get(name) for name in marked)
        return values, replaces

    def apply(self, /, **config: Any) -> Instance:
        """Plans a change to this configuration, and applies it; a replacement deletes and creates."""
        given, proposed = self._proposed(config)
        values, replaces = self._planned(given, proposed)
        if replaces:
            self.destroy()
            return self.apply(**config)
        answer = self._host._resources(
            "applyChange",
            self._schema,
            type=self._name,
            prior=self.state or None,
            planned=values,
            config=given,
            private=self._private,
        )
        self._keep(answer)
        self.state = _dict(plain(decode(self._schema.type, answer["state"])))
        return self

    def read(self) -> Instance:
        """Reads it again. Its state is empty if it is gone."""
        answer = self._host._resources("read", self._schema, type=self._name, state=self.state, private=self._private)
        self._keep(answer)
        self.state = _dict(plain(decode(self._schema.type, answer["state"])) or {})
        return self

    def destroy(self) -> None:
        """Deletes it."""
        params = {"type": self._name, "prior": self.state, "planned": None, "config": None}
        self._host._resources("applyChange", self._schema, **params, private=self._private)
        self.state, self._private = {}, None

    def _keep(self, answer: dict[str, Any]) -> None:
        private = answer.get("private")
        self._private = self._private if private is None else private or None


class Opened:
    """An ephemeral resource that a test has opened."""

    def __init__(self, host: Host, name: str, result: dict[str, Any], answer: dict[str, Any]) -> None:
        self._host = host
        self._name = name
        self._private = answer.get("private")
        self.result = result
        self.renew_at: str | None = answer.get("renew_at")

    def renew(self) -> None:
        answer = self._host.request("resources/renew", {"type": self._name, "private": self._private})
        self._private = answer.get("private", self._private)
        self.renew_at = answer.get("renew_at")

    def close(self) -> None:
        self._host.request("resources/close", {"type": self._name, "private": self._private})


def _completed(schema: Schema, config: Mapping[str, Any], has_defaults: bool = True) -> dict[str, Any]:
    """A configuration with all attributes."""
    given = _write_any(dict(config))
    for name in given:
        if name not in schema.type.attributes:
            raise Failure(f'the attribute "{name}" is not supported', path=name)
    found: dict[str, Any] = {}
    for name, attribute in schema.attributes.items():
        value = given.get(name)
        if value is None and has_defaults and "default" in attribute:
            value = decode(schema.types[name], attribute["default"])
        if value is None and attribute.get("required"):
            raise Failure(f'the attribute "{name}" is required', path=name)
        found[name] = value
    for name, entry in schema.blocks.items():
        empty: Any = {"map": {}, "group": {}, "single": None}.get(entry.nesting, [])
        found[name] = given.get(name, empty)
    return found


def encode(type: Type, value: Any) -> Any:
    """What a host would send for a value, which it would not if the value does not fit."""
    try:
        return _encode(type, value)
    except Unfit as error:
        raise Failure(error.problem, path=error.steps()) from None


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _failure(code: int, message: str, data: Any = None) -> Failure:
    path = [data["argument"]] if isinstance(data, dict) and "argument" in data else None
    return Failure(message, code=str(code), path=path)
