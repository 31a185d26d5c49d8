"""The plugin as an MCP server: its functions and actions are tools."""

from __future__ import annotations

import sys

from . import _text
from ._attributes import ABSENT
from ._host import Job, Refused
from ._ipc import Tools
from ._jsonrpc import INVALID_PARAMS, METHOD_NOT_FOUND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._bodies import Body
    from ._shapes import Shape
    from ._types import Type

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


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
            result = self.call(part, {} if arguments is None else arguments, job)
        except Refused:
            raise
        except Exception as error:
            failed = self.explain(job, error)
            if failed.code in (INVALID_PARAMS, -32800):
                raise failed from error
            detail = failed.data.get("detail") if failed.data else None
            text = self.hide(job, f"{failed.message}\n{detail}" if detail else failed.message)
            return {"content": [{"type": "text", "text": text}], "isError": True}
        for warning in job.context._warnings:
            print(f"[WARN] {warning.text()}", file=sys.stderr, flush=True)
        return self._content(part, result)

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
        text = result if isinstance(result, str) else _text.dumps(result).decode()
        structured = result if _is_object(shape) and isinstance(result, dict) else {"result": result}
        return {"content": [{"type": "text", "text": text}], "structuredContent": structured}


def _is_object(shape: Shape) -> bool:
    return shape.type.kind in ("object", "map")


def _tool(host: Mcp, name: str, part: Any) -> dict[str, Any]:
    tool: dict[str, Any] = {"name": name, "description": part.description}
    tool["inputSchema"] = _inputs(part)
    shape = part.answer
    if shape is not None:
        result = _schema_of(shape.type)
        if not _is_object(shape):
            result = {"type": "object", "properties": {"result": result}, "required": ["result"]}
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
        items = {"type": "array", "items": _shape_schema(part.variadic.shape)}
        schema["properties"][part.variadic.name] = {**items, "description": about} if about else items
    return schema


def _object(body: Body) -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for name, entry in body.entries.items():
        schema = _shape_schema(entry.shape)
        if entry.about.description:
            schema["description"] = entry.about.description
        default = entry.default()
        if default is not ABSENT:
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


def _shape_schema(shape: Shape) -> dict[str, Any]:
    """The JSON Schema of what a shape takes."""
    if shape.body is not None:
        inner = _object(shape.body)
        kind = shape.type.kind
        if kind in ("list", "set"):
            return {"type": "array", "items": inner, **({"uniqueItems": True} if kind == "set" else {})}
        return {"type": "object", "additionalProperties": inner} if kind == "map" else inner
    schema = _schema_of(shape.type)
    if shape.choices is not None:
        schema["enum"] = shape.choices
    return schema


def _schema_of(type: Type) -> dict[str, Any]:
    """The JSON Schema of a type."""
    kind = type.kind
    if kind in ("string", "number"):
        return {"type": kind}
    if kind == "bool":
        return {"type": "boolean"}
    if kind in ("list", "set") and type.element is not None:
        unique = {"uniqueItems": True} if kind == "set" else {}
        return {"type": "array", "items": _schema_of(type.element), **unique}
    if kind == "map" and type.element is not None:
        return {"type": "object", "additionalProperties": _schema_of(type.element)}
    if kind == "tuple":
        items = [_schema_of(one) for one in type.elements]
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    if kind == "object":
        properties = {name: _schema_of(one) for name, one in type.attributes.items()}
        for name in type.optional:
            # It is sent as null.
            properties[name] = _nullable(properties[name])
        found: dict[str, Any] = {"type": "object", "properties": properties}
        if properties:
            found["required"] = sorted(properties)
        return {**found, "additionalProperties": False}
    return {}


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    kind = schema.get("type")
    return {**schema, "type": [kind, "null"]} if isinstance(kind, str) else schema
