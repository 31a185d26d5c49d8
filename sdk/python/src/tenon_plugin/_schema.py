"""The schemas of a plugin, as hosts read them."""

from __future__ import annotations

from ._attributes import ABSENT
from ._bodies import Body, Entry
from ._types import Type, object_of
from ._values import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._parts import Function
    from ._plugin import Plugin


class Schema:
    """The attributes of something in Terraform: what users give, and what the plugin returns."""

    def __init__(
        self,
        given: Body,
        returned: Body | None = None,
        *,
        description: str = "",
        deprecated: str = "",
        version: int = 0,
        **more: bool,
    ) -> None:
        self.given = given
        self.returned = returned
        self.description = description
        self.deprecated = deprecated
        self.version = version
        self.attributes: dict[str, dict[str, Any]] = {}
        #: The type of each attribute as values have it, without optional attributes.
        self.types: dict[str, Type] = {}
        self.blocks = {name: one for name, one in given.entries.items() if one.nesting}
        always_replaced = more.get("always_replaced", False)
        for name, entry in given.entries.items():
            if not entry.nesting:
                self._add(name, entry, _given(entry, always_replaced))
        for name, entry in (returned.entries if returned is not None else {}).items():
            if entry.nesting:
                raise TypeError(f"{name}: what a plugin returns cannot have blocks; only users write blocks")
            self._merge(name, entry)
        if more.get("has_id"):
            about = "The id of the resource."
            self.attributes["id"] = {"type": "string", "computed": True, "stable": True, "description": about}
            self.types["id"] = Type("string")
        members = dict(self.types)
        members.update({name: one.shape.type.without_optional() for name, one in self.blocks.items()})
        self.type = object_of(members)

    def _add(self, name: str, entry: Entry, written: dict[str, Any]) -> None:
        self.attributes[name] = written
        self.types[name] = entry.shape.type.without_optional()

    def _merge(self, name: str, entry: Entry) -> None:
        """An attribute that the plugin returns: one of both if the types are the same."""
        both = self.attributes.get(name)
        if both is None:
            written = {"type": str(entry.shape.type.without_optional()), "computed": True}
            self._add(name, entry, {**written, **_flags(entry)})
            return
        if self.types[name] != entry.shape.type.without_optional() or both.get("write_only"):
            raise TypeError(f"the attribute {name!r} is given and returned, with different types")
        if entry.is_sensitive:
            both["sensitive"] = True
        if not both.get("required"):
            both["optional"] = both["computed"] = True
            if entry.about.stable:
                both["stable"] = True

    def sent(self) -> dict[str, Any]:
        """The schema as Seasonings has it."""
        sent: dict[str, Any] = {"version": self.version} if self.version else {}
        if self.description:
            sent["description"] = self.description
        if self.deprecated:
            sent["deprecation"] = self.deprecated
        sent["attributes"] = self.attributes
        if self.blocks:
            sent["blocks"] = {name: _block(one) for name, one in self.blocks.items()}
        return sent

    def is_computed(self, name: str) -> bool:
        """Whether the plugin gives an attribute its value if users do not."""
        return bool(self.attributes[name].get("computed"))

    def has_default(self, name: str) -> bool:
        return "default" in self.attributes[name]


def _given(entry: Entry, replaced: bool = False) -> dict[str, Any]:
    type = entry.shape.type
    written: dict[str, Any] = {"type": str(type.without_optional() if entry.is_write_only else type)}
    written["required" if entry.is_required else "optional"] = True
    default = entry.default()
    if default is not ABSENT:
        written["default"] = encode(type.without_optional(), default)
    written.update(_flags(entry))
    if replaced and not entry.is_write_only:
        written["replace"] = True
    return written


def _flags(entry: Entry) -> dict[str, Any]:
    about = entry.about
    flags = {
        "sensitive": entry.is_sensitive and not entry.is_write_only,
        "write_only": entry.is_write_only,
        "replace": about.replaces,
        "stable": about.stable,
        "description": about.description,
        "deprecation": about.deprecated,
    }
    return {name: value for name, value in flags.items() if value}


def _block(entry: Entry) -> dict[str, Any]:
    body: Body = entry.shape.body
    written: dict[str, Any] = {"nesting": entry.nesting}
    if entry.nesting == "single" and entry.is_required:
        written["min"] = written["max"] = 1
    for bound, count in (("min", entry.about.min), ("max", entry.about.max)):
        if count is not None:
            written[bound] = count
    if entry.about.description or body.description:
        written["description"] = entry.about.description or body.description
    if entry.about.deprecated:
        written["deprecation"] = entry.about.deprecated
    written["attributes"] = {name: _given(one) for name, one in body.entries.items() if not one.nesting}
    blocks = {name: _block(one) for name, one in body.entries.items() if one.nesting}
    return {**written, "blocks": blocks} if blocks else written


def resource_schemas(plugin: Plugin) -> dict[str, dict[str, Schema]]:
    """The schemas of everything but functions and actions."""
    found: dict[str, dict[str, Schema]] = {"resources": {}, "data_sources": {}, "ephemeral": {}, "provider": {}}
    for name, resource in plugin.resources.items():
        found["resources"][name] = Schema(
            resource.props,
            resource.state,
            description=resource.description,
            deprecated=resource.deprecated,
            version=resource.version,
            has_id=True,
            always_replaced=not resource.is_updated,
        )
    for name, source in plugin.data_sources.items():
        found["data_sources"][name] = Schema(
            source.body, source.returned, description=source.description, deprecated=source.deprecated
        )
    for name, ephemeral in plugin.ephemerals.items():
        found["ephemeral"][name] = Schema(
            ephemeral.props, ephemeral.result, description=ephemeral.description, deprecated=ephemeral.deprecated
        )
    if plugin.config is not None and plugin.config.body.entries:
        found["provider"]["provider"] = Schema(plugin.config.body, description=plugin.config.description)
    return found


def resources_answer(schemas: dict[str, dict[str, Schema]]) -> dict[str, Any]:
    """The answer to ``resources/getSchema``."""
    answer: dict[str, Any] = {}
    for schema in schemas["provider"].values():
        answer["provider"] = schema.sent()
    for kind in ("resources", "data_sources", "ephemeral"):
        if schemas[kind] or kind == "resources":
            answer[kind] = {name: one.sent() for name, one in sorted(schemas[kind].items())}
    return answer


def _parameter(entry: Entry) -> dict[str, Any]:
    written: dict[str, Any] = {"name": entry.name, "type": str(entry.shape.type)}
    if entry.about.description:
        written["description"] = entry.about.description
    default = entry.default()
    if default is not ABSENT:
        written["default"] = encode(entry.shape.type.without_optional(), default)
    elif not entry.is_required and not entry.about.variadic:
        written["optional"] = True
    elif entry.shape.allows_null:
        written["allow_null"] = True
    if entry.shape.allows_unknown:
        written["allow_unknown"] = True
    return written


def function_schema(function: Function) -> dict[str, Any]:
    """A function as Seasonings has it."""
    texts = {"summary": function.summary, "description": function.description}
    written: dict[str, Any] = {name: text for name, text in texts.items() if text}
    written["parameters"] = [_parameter(one) for one in function.body.entries.values()]
    if function.variadic is not None:
        variadic = _parameter(function.variadic)
        variadic.pop("optional", None)
        written["variadic"] = variadic
    returns = function.returns
    written["returns"] = str(returns.type.without_optional())
    if returns.is_secret or (returns.body is not None and returns.body.has_secret):
        written["sensitive"] = True
    if function.deprecated:
        written["deprecation"] = function.deprecated
    return written


#: The attributes and blocks of every action in a scenario.
_RESERVED = ("provider", "depends_on", "lifecycle", "for_each", "count", "timeout", "retry", "idempotent", "assert")


def orchard_schema(plugin: Plugin) -> dict[str, Any]:
    """The schema for Orchard. Raises ValueError for what scenarios cannot express."""
    schema: dict[str, Any] = {"name": plugin.name, "version": plugin.version, "protocol": "1"}
    config = plugin.config.body if plugin.config is not None else Body({}, dict)
    schema["config"] = _orchard_attributes(config, "config")
    schema["actions"] = {}
    for name, action in sorted(plugin.actions.items()):
        attributes = _orchard_attributes(action.body, f"actions.{name}.attrs")
        for reserved in _RESERVED:
            if reserved in attributes:
                raise ValueError(
                    f"actions.{name}.attrs.{reserved}: this name is reserved in scenarios; rename the attribute"
                )
        written: dict[str, Any] = {"description": action.description} if action.description else {}
        written["attrs"] = attributes
        if action.outputs is not None:
            written["outputs"] = {"type": str(action.outputs.type.without_optional()), "required": False}
            if action.outputs.is_secret:
                written["outputs"]["sensitive"] = True
        if action.is_idempotent:
            written["idempotent"] = True
        schema["actions"][name] = written
    if plugin.max_in_flight is not None:
        schema["max_in_flight"] = plugin.max_in_flight
    return schema


def _orchard_attributes(body: Body, place: str) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for name, entry in sorted(body.entries.items()):
        if entry.nesting:
            raise ValueError(f"{place}.{name}: Orchard has no blocks; use an attribute that holds objects")
        one: dict[str, Any] = {"type": str(entry.shape.type), "required": entry.is_required}
        default = entry.default()
        if default is not ABSENT:
            quoted = isinstance(default, str) and len(default) > 1 and default[0] == default[-1] == '"'
            from . import _text

            # One that JSON cannot say, such as an infinite number, is not announced. A text in double quotes would be
            # read as JSON once more.
            if _text.has_form(default):
                one["default"] = _text.dumps(default).decode() if quoted else default
        if entry.about.description:
            one["description"] = entry.about.description
        if entry.is_sensitive or entry.is_write_only:
            one["sensitive"] = True
        if entry.about.idempotency_key:
            one["idempotency_key"] = True
        written[name] = one
    return written


def offer(plugin: Plugin) -> dict[str, Any]:
    """Everything that a plugin offers, as data."""
    actions = {}
    for name, action in plugin.actions.items():
        outputs = None if action.outputs is None else str(action.outputs.type.without_optional())
        attributes = {one.name: _given(one) for one in action.body.entries.values()}
        actions[name] = {"description": action.description, "attributes": attributes, "outputs": outputs}
    return {
        "name": plugin.name,
        "version": plugin.version,
        "functions": {name: function_schema(one) for name, one in plugin.functions.items()},
        "actions": actions,
        **resources_answer(resource_schemas(plugin)),
        "hooks": sorted(plugin.hooks),
        "storage": sorted(plugin.storing),
    }
