"""The plugin as an MCP server: its functions and actions are tools."""

from __future__ import annotations

from . import _text
from ._attributes import ABSENT
from ._host import Job, Refused, Unwritable
from ._ipc import Tools
from ._jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._bodies import Body
    from ._shapes import Shape

VERSIONS = ("2024-10-07", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


class Mcp(Tools):
    """JSON-RPC, one message in each line."""

    name = "mcp"

    def event(self, method: str, params: Any) -> None:
        if method == "notifications/cancelled" and isinstance(params, dict):
            # A call that is cancelled is not answered.
            self.cancel(params.get("requestId"))

    def request(self, id: Any, method: str, params: Any) -> None:
        params = params if isinstance(params, dict) else {}
        if method == "tools/call":
            name = params.get("name")
            part = self._parts.get(name) if isinstance(name, str) else None
            if part is None:
                self.refuse(id, Refused(INVALID_PARAMS, self.unknown("tool", name)))
            else:
                self.start(id, method, params, not part.needs_state, part)
        elif method == "initialize":
            asked = params.get("protocolVersion")
            version = asked if asked in VERSIONS else VERSIONS[-1]
            info = {"name": self.plugin.name, "version": self.plugin.version}
            self.respond(id, {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info})
        elif method == "ping":
            self.respond(id, {})
        elif method == "tools/list":
            self.respond(id, {"tools": [_tool(self, name, part) for name, part in sorted(self._parts.items())]})
        else:
            self.refuse(id, Refused(METHOD_NOT_FOUND, f"Method not found: {method}"))

    def handle(self, job: Job) -> Any:
        params = job.params
        meta = params.get("_meta")
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        if token is not None:
            job.context._say = self._progress(token)
        part = job.part
        arguments = params.get("arguments")
        try:
            return self._content(part, self.call(part, {} if arguments is None else arguments, job))
        except Refused:
            raise
        except Exception as error:
            failed = self.explain(job, error)
            if failed.code in (INVALID_PARAMS, -32800):
                raise failed from error
            self.tell_warnings(job)
            detail = failed.data.get("detail") if failed.data else None
            text = self.hide(job, f"{failed.message}\n{detail}" if detail else failed.message)
            return {"content": [{"type": "text", "text": text}], "isError": True}

    def _progress(self, token: Any) -> Any:
        count = 0

        def say(message: str, done: float | None, total: float | None) -> None:
            nonlocal count
            count += 1
            params: dict[str, Any] = {"progressToken": token, "progress": count if done is None else done}
            if total is not None:
                params["total"] = total
            self.notify("notifications/progress", {**params, "message": message})

        return say

    def _content(self, part: Any, result: Any) -> dict[str, Any]:
        shape = part.answer
        if shape is None:
            return {"content": [{"type": "text", "text": "done"}]}
        try:
            written = _text.dumps(result).decode()
        except ValueError as error:
            raise Unwritable(f"the result cannot be written: {error}") from None
        text = result if isinstance(result, str) else written
        structured = result if _is_object(shape) and isinstance(result, dict) else {"result": result}
        return {"content": [{"type": "text", "text": text}], "structuredContent": structured}


def _is_object(shape: Shape) -> bool:
    """Whether every result is an object; any other is wrapped."""
    return shape.type.kind in ("object", "map") and not shape.allows_null


def _tool(host: Mcp, name: str, part: Any) -> dict[str, Any]:
    tool: dict[str, Any] = {"name": name, "description": part.description}
    tool["inputSchema"] = _inputs(part)
    shape = part.answer
    if shape is not None:
        result = _element(shape, _result)
        if not _is_object(shape):
            result = {"type": "object", "properties": {"result": result}, "required": ["result"]}
            result["additionalProperties"] = False
        tool["outputSchema"] = result
    if name in host.plugin.functions:
        tool["annotations"] = {"readOnlyHint": True}
    elif part.is_idempotent:
        tool["annotations"] = {"idempotentHint": True}
    return tool


def _inputs(part: Any) -> dict[str, Any]:
    schema = _object(part.body)
    if part.variadic is not None:
        about = part.variadic.about.description
        items = {"type": "array", "items": _element(part.variadic.shape, _object)}
        schema["properties"][part.variadic.name] = {**items, "description": about} if about else items
    return schema


def _object(body: Body) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for name, entry in body.entries.items():
        schema = _schema(entry.shape, _object)
        if entry.about.description:
            schema["description"] = entry.about.description
        default = entry.default()
        if default is not ABSENT:
            # One that JSON cannot say, such as an infinite number, is not announced.
            if _text.has_form(default):
                schema["default"] = default
        elif not entry.is_required or entry.shape.allows_null:
            schema = _nullable(schema)
        if entry.about.deprecated:
            schema["deprecated"] = True
        properties[name] = schema
    required = sorted(name for name, one in body.entries.items() if one.is_required)
    found: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        found["required"] = required
    return {**found, "additionalProperties": False}


def _result(body: Body) -> dict[str, Any]:
    """As an object with all its members; what is missing is sent as null."""
    properties: dict[str, Any] = {}
    for name, entry in body.entries.items():
        schema = _element(entry.shape, _result)
        properties[name] = schema if entry.is_required else _nullable(schema)
    found: dict[str, Any] = {"type": "object", "properties": properties}
    if properties:
        found["required"] = sorted(properties)
    return {**found, "additionalProperties": False}


def _element(shape: Shape, of_object: Callable[[Body], dict[str, Any]]) -> dict[str, Any]:
    """The JSON Schema of something that is always there, and may be null."""
    schema = _schema(shape, of_object)
    return _nullable(schema) if shape.allows_null else schema


def _schema(shape: Shape, of_object: Callable[[Body], dict[str, Any]]) -> dict[str, Any]:
    """The JSON Schema of a shape, apart from null."""
    kind = shape.type.kind
    if shape.inner:
        inner = [_element(one, of_object) for one in shape.inner]
        if kind == "tuple":
            return {"type": "array", "prefixItems": inner, "minItems": len(inner), "maxItems": len(inner)}
        if kind == "map":
            return {"type": "object", "additionalProperties": inner[0]}
        return {"type": "array", "items": inner[0], **({"uniqueItems": True} if kind == "set" else {})}
    if shape.body is not None:
        return of_object(shape.body)
    schema: dict[str, Any] = {"type": _WORDS[kind]} if kind in _WORDS else {}
    if shape.choices is not None:
        schema["enum"] = shape.choices
    return schema


_WORDS = {"string": "string", "number": "number", "bool": "boolean"}


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    kind = schema.get("type")
    if not isinstance(kind, str):
        return schema
    found = {**schema, "type": [kind, "null"]}
    return {**found, "enum": [*schema["enum"], None]} if "enum" in schema else found
