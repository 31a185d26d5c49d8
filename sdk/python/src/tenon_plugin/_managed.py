"""Resources, data sources and ephemeral resources in Seasonings."""

from __future__ import annotations

from . import _msgpack
from ._failure import Diagnostic, Failure, Unfit
from ._host import Refused, member, written
from ._planning import Change, IMPORTED, Subject
from ._results import Existing, Opened, Renewed, rfc3339
from ._session import Unconfigured
from ._unknown import Unknown, is_wholly_known
from ._values import decode, encode, loose, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._context import Context
    from ._schema import Schema
    from ._seasonings import Seasonings

FAILED, NOT_FOUND, INVALID_PARAMS = -32000, -32002, -32602


def handle(host: Seasonings, name: str, params: dict[str, Any], context: Context) -> dict[str, Any]:
    """The result of a call. What is wrong with a value is a diagnostic with its path."""
    if name == "configure":
        return _configure(host, params, context)
    if name == "validate":
        return _validate(host, params)
    if name == "readData":
        part, schema = _part(host, params, "data source", host.plugin.data_sources, "data_sources")
        return _answer(context, schema, lambda: _read_data(host, part, schema, params, context))
    if name in ("open", "renew", "close"):
        part, schema = _part(host, params, "ephemeral resource", host.plugin.ephemerals, "ephemeral")
        return _answer(context, schema, lambda: _ephemeral(host, name, part, schema, params, context))
    part, schema = _part(host, params, "resource", host.plugin.resources, "resources")
    subject = Subject(host.session, part, schema, params, context)
    if name == "import":
        return subject.imported(params.get("id"))
    return _answer(context, schema, lambda: getattr(subject, name)(params))


def _part(host: Seasonings, params: dict[str, Any], kind: str, all: dict[str, Any], level: str) -> tuple[Any, Schema]:
    name = params.get("type")
    if not isinstance(name, str):
        raise Refused(INVALID_PARAMS, "type in the params: it is missing")
    if name not in all:
        raise Refused(NOT_FOUND, host.session.missing(kind, name, all))
    return all[name], host.schemas[level][name]


def _answer(context: Context, schema: Schema, work: Any) -> dict[str, Any]:
    """The result with warnings; or the diagnostics of what failed."""
    result: dict[str, Any] = {}
    found: list[Diagnostic] = []
    try:
        result = work()
    except Unfit as error:
        what = {"current": "stored value", "state": "stored value", "private": "private data"}
        path = None if error.given == "private" else error.steps()
        found.append(Diagnostic("error", f"invalid {what.get(error.given, 'value')}", error.problem, path))
    except Failure as failure:
        if not failure.diagnostics:
            raise
        found += failure.diagnostics
    found += context._warnings
    if found:
        result["diagnostics"] = [_sent(one, schema) for one in found]
    return result


def _sent(diagnostic: Diagnostic, schema: Schema) -> dict[str, Any]:
    sent: dict[str, Any] = {"severity": diagnostic.severity, "summary": diagnostic.summary}
    if diagnostic.detail:
        sent["detail"] = diagnostic.detail
    if diagnostic.path:
        sent["path"] = _segments(diagnostic.path, schema)
    return sent


def _segments(path: list[str | int], schema: Schema) -> list[str | int]:
    """A path in which the places in lists are numbers."""
    place: Any = schema.type
    found: list[str | int] = []
    for step in path:
        kind = place.kind if place is not None else ""
        is_index = kind not in ("object", "map") and str(step).isdigit()
        found.append(int(step) if is_index else str(step))
        if place is not None:
            place = place.attributes.get(str(step)) if kind == "object" else place.element
    return found


def _configure(host: Seasonings, params: dict[str, Any], context: Context) -> dict[str, Any]:
    schema = host.schemas["provider"].get("provider")
    if schema is None:
        # The plugin may have a function for it that takes nothing.
        if host.plugin.config is not None and host.session.stage == "waiting":
            host.session.ready(context)
        return {}
    config = decode(schema.type, params.get("config")) or {}
    if not is_wholly_known(config):
        host.session.defer()
        return {}

    def work() -> dict[str, Any]:
        try:
            host.session.configure(plain(config), context)
        except Unconfigured as error:
            if error.reason == "invalid":
                raise error.errors[0] from None
            if error.reason == "failed":
                raise error.failure from error.__cause__
            raise Refused(FAILED, error.text()) from None
        return {}

    return _answer(context, schema, work)


def _validate(host: Seasonings, params: dict[str, Any]) -> dict[str, Any]:
    """Checks a configuration against the author's types. What is unknown in part is checked later."""
    kind, plugin = params.get("kind"), host.plugin
    if kind == "provider":
        schema = host.schemas["provider"].get("provider")
        body = None if plugin.config is None else plugin.config.body
        if schema is None or body is None:
            return {}
    elif kind == "resource":
        part, schema = _part(host, params, "resource", plugin.resources, "resources")
        body = part.props
    elif kind == "data":
        part, schema = _part(host, params, "data source", plugin.data_sources, "data_sources")
        body = part.body
    elif kind == "ephemeral":
        part, schema = _part(host, params, "ephemeral resource", plugin.ephemerals, "ephemeral")
        body = part.props
    else:
        raise Refused(INVALID_PARAMS, f"kind in the params of resources/validate: {kind!r} is unknown")
    config = decode(schema.type, params.get("config"))
    if config is None or not is_wholly_known(config):
        return {}
    errors: list[Unfit] = []
    values = body.read_all({name: config.get(name) for name in body.entries}, errors)
    try:
        if not errors:
            # The author's class may have checks of its own.
            body.make(values)
    except Unfit as error:
        errors.append(error)
    found = [Diagnostic("error", "invalid value", one.problem, one.steps()) for one in errors]
    return {"diagnostics": [_sent(one, schema) for one in found]} if found else {}


def _read_data(host: Seasonings, part: Any, schema: Schema, params: dict[str, Any], context: Context) -> dict[str, Any]:
    config = decode(schema.type, params.get("config")) or {}
    host.session.ready(context)
    values = part.body.read_all_or_raise({name: config.get(name) for name in part.body.entries})
    found = host.session.wait(part.run(values, context), context)
    return {"state": _returned(part.returned, found, schema, "state")}


def _returned(body: Any, found: Any, schema: Schema, what: str) -> dict[str, Any]:
    """What the plugin returned. What was configured is left out: the host has it."""
    returned = written(body.write, found, what)
    return {
        name: encode(schema.types[name], value)
        for name, value in returned.items()
        if not (value is None and name in schema.given.entries)
    }


def _ephemeral(
    host: Seasonings, name: str, part: Any, schema: Schema, params: dict[str, Any], context: Context
) -> dict[str, Any]:
    instance = host.session.instance(part, context)
    if name == "open":
        config = decode(schema.type, params.get("config")) or {}
        props = part.props.read({one: config.get(one) for one in part.props.entries})
        opened = host.session.call(instance, "open", (props,) if part.props.entries else (), context)
        if not isinstance(opened, Opened):
            opened = Opened(opened)
        result = {"result": _returned(part.result, opened.result, schema, "result")}
        return _with_renewal(result, opened.renew_at, opened.private)
    sent = member(params, "private", bytes, "binary")
    private = loose(_msgpack.unpack(sent)) if sent else None
    if not part.has(name):
        return {}
    done = host.session.call(instance, name, (private,), context)
    if name == "close":
        return {}
    renewed = done if isinstance(done, Renewed) else Renewed()
    return _with_renewal({}, renewed.renew_at, private if renewed.private is Unknown else renewed.private)


def _with_renewal(result: dict[str, Any], renew_at: Any, private: Any) -> dict[str, Any]:
    time = rfc3339(renew_at)
    if time is not None:
        result["renew_at"] = time
    try:
        result["private"] = _msgpack.pack(private)
    except _msgpack.MsgpackError:
        # Its text may quote a secret.
        raise Failure("the private data cannot be written; use plain values") from None
    return result


__all__ = ["Change", "Existing", "IMPORTED", "handle"]
