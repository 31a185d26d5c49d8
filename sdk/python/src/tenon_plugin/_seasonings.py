"""The plugin in Seasonings, for Terraform and OpenTofu: messages of msgpack."""

from __future__ import annotations

from . import _msgpack
from ._around import HOOKS
from ._failure import Cancelled, Unfit, failure_of, readable
from ._host import Host, Job, Refused, member
from ._schema import function_schema, resource_schemas, resources_answer
from ._session import Unconfigured
from ._stream import Unpacker
from ._values import decode, encode, loose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._schema import Schema

FAILED, LOCKED, NOT_FOUND, NOT_SUPPORTED, CANCELLED = -32000, -32001, -32002, -32003, -32800
INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS = -32600, -32601, -32602

#: What changes nothing, and may be cancelled. The others run to their end, because what a call has
#: created by then would be forgotten if it were not answered.
_MAY_CANCEL = {
    "functions/call",
    "resources/validate",
    "resources/planChange",
    "resources/read",
    "resources/import",
    "resources/upgrade",
    "resources/readData",
    "storage/read",
    "storage/list",
}
_RESOURCES = {
    "configure",
    "validate",
    "planChange",
    "applyChange",
    "read",
    "import",
    "upgrade",
    "readData",
    "open",
    "renew",
    "close",
}


def canonical(name: str) -> str:
    """The name of a method as it is sent; dotted names, kebab case and ``initialize`` are aliases."""
    if name == "initialize":
        return "init"
    level, slash, method = name.replace(".", "/", 1).partition("/")
    if slash and level in ("storage", "functions", "resources"):
        return f"{level}/{method}"
    if slash and level in ("hooks", "middleware"):
        return f"middleware/{_hook(method) or method}"
    hook = None if slash else _hook(name)
    return f"middleware/{hook}" if hook else name


def _hook(name: str) -> str | None:
    first, *rest = name.split("-")
    camel = first + "".join(word[:1].upper() + word[1:] for word in rest)
    for known in HOOKS.values():
        if camel in (known, known.replace("Completed", "Complete"), known.replace("Failed", "Fail")):
            return known
    return None


class Seasonings(Host):
    """Requests ``[0, id, method, params]``, answers ``[1, id, error, result]``, events ``[2, method, params]``."""

    name = "seasonings"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._unpacker = Unpacker()
        self._schemas: dict[str, dict[str, Schema]] | None = None

    @property
    def schemas(self) -> dict[str, dict[str, Schema]]:
        """The schemas of resources, which are made when they are first needed."""
        if self._schemas is None:
            self._schemas = resource_schemas(self.plugin)
        return self._schemas

    def feed(self, data: bytes) -> None:
        for message in self._unpacker.feed(data):
            self._take(message)

    def finish(self) -> None:
        if self._unpacker.is_inside:
            raise ValueError("the stream ended inside a message")

    def _take(self, message: Any) -> None:
        if type(message) is not list:
            raise ValueError("a message is an array")
        kind = message[0] if message and type(message[0]) is int else -1
        if kind == 2 and len(message) == 3:
            self._event(_name(message[1]), message[2])
        elif kind == 0 and len(message) > 1 and _is_id(message[1]):
            method = _name(message[2]) if len(message) == 4 else ""
            if method or (len(message) == 4 and message[2] == ""):
                self._request(message[1], canonical(method), message[3])
            else:
                self.refuse(message[1], Refused(INVALID_REQUEST, "Invalid Request"))
        # Anything else cannot be answered: it has no id, or is an answer that nobody waits for.

    def _event(self, method: str, params: Any) -> None:
        name = canonical(method)
        if name == "shutdown":
            self.is_over = True
        elif name == "$/cancel":
            given = params[0] if type(params) is list and params else params
            job = self.cancel(given.get("id")) if type(given) is dict else None
            if job is not None:
                self.refuse(job.id, Refused(CANCELLED, "the call was cancelled"))

    def _request(self, id: Any, method: str, params: Any) -> None:
        if type(params) not in (list, dict, type(None)):
            self.refuse(id, Refused(INVALID_REQUEST, "Invalid Request"))
            return
        if type(params) is list:
            params = params[0] if len(params) == 1 else {} if not params else 0
        if params is None:
            params = {}
        if type(params) is not dict:
            self.refuse(id, Refused(INVALID_PARAMS, f"the params of {method}: a map is required"))
        elif method == "ping":
            self.respond(id, {"status": "ok"})
        elif method == "shutdown":
            self.respond(id, {})
            self.is_over = True
        elif method == "init" or self._has(method):
            may_cancel = method in _MAY_CANCEL or method.startswith("middleware/")
            self.start(id, method, params, may_cancel)
        else:
            self.refuse(id, Refused(UNKNOWN_METHOD, f"Method not found: {method}"))

    def capabilities(self) -> list[str]:
        """What the plugin has."""
        plugin = self.plugin
        has_resources = bool(plugin.resources or plugin.data_sources or plugin.ephemerals)
        has_config = plugin.config is not None and bool(plugin.config.body.entries)
        levels = {
            "functions": bool(plugin.functions),
            "resources": has_resources or (bool(plugin.functions) and has_config),
        }
        storage = [f"storage.{name}" for name in plugin.storing]
        return [
            *(name for name, has_it in levels.items() if has_it),
            *storage,
            *(f"hooks.{name}" for name in sorted(plugin.hooks)),
        ]

    def _has(self, method: str) -> bool:
        level, _, name = method.partition("/")
        if level == "middleware":
            return name in self.plugin.hooks
        if level == "storage":
            return name in self.plugin.storing
        if level == "functions":
            return bool(self.plugin.functions) and name in ("getSchema", "call")
        if level != "resources" or level not in self.capabilities():
            return False
        return name == "getSchema" or name in _RESOURCES

    def handle(self, job: Job) -> Any:
        method, params = job.method, job.params
        context = job.context
        context._say = self._say
        context._log = self._log
        if method == "functions/call":
            return self._call(job)
        if method == "init":
            return self._init(job)
        if method == "functions/getSchema":
            functions = sorted(self.plugin.functions.items())
            return {"functions": {name: function_schema(one) for name, one in functions}}
        if method == "resources/getSchema":
            return resources_answer(self.schemas)
        level, _, name = method.partition("/")
        from . import _outside

        if level == "storage":
            return _outside.store(self, name, job)
        if level == "middleware":
            return _outside.look(self, name, job)
        from . import _managed

        result = _managed.handle(self, name, params, context)
        if "diagnostics" in result:
            result["diagnostics"] = self.hide(job, result["diagnostics"])
        return result

    def _say(self, message: str, done: float | None, total: float | None) -> None:
        params: dict[str, Any] = {"message": message}
        if done is not None:
            params["done"] = done
        if total is not None:
            params["total"] = total
        self._send(_msgpack.pack([2, "progress", [params]]))

    def _log(self, level: str, message: str, fields: dict[str, Any]) -> None:
        params: dict[str, Any] = {"level": level, "message": message}
        if fields:
            plain = (str, int, float)
            params["fields"] = {name: one if isinstance(one, plain) else repr(one) for name, one in fields.items()}
        self._send(_msgpack.pack([2, "log", [params]]))

    def _init(self, job: Job) -> dict[str, Any]:
        version = job.params.get("protocol_version")
        if version is not None and str(version).partition(".")[0] != "1":
            raise Refused(
                FAILED, f"the host speaks version {version} of the protocol, and this plugin speaks version 1"
            )
        self._check()
        config = job.params.get("config")
        if config:
            try:
                self.session.configure(loose(config), job.context)
            except Unconfigured as error:
                prefix = "the configuration: " if error.reason == "invalid" else ""
                raise Refused(FAILED, prefix + error.text()) from None
        welcome: dict[str, Any] = {
            "name": self.plugin.name,
            "version": self.plugin.version,
            "protocol_version": 1,
            "capabilities": self.capabilities(),
        }
        if self.plugin.max_in_flight is not None:
            welcome["max_in_flight"] = self.plugin.max_in_flight
        return welcome

    def _check(self) -> None:
        try:
            if "resources" in self.capabilities():
                resources_answer(self.schemas)
        except (TypeError, Unfit) as error:
            raise Refused(FAILED, f"the plugin offers something invalid: {error}") from None

    def _call(self, job: Job) -> dict[str, Any]:
        name = member(job.params, "name", str, "a string")
        function = self.plugin.functions.get(name)
        if function is None:
            raise Refused(NOT_FOUND, self.session.missing("function", str(name), self.plugin.functions))
        sent = member(job.params, "arguments", dict, "a map") or {}
        values: dict[str, Any] = {}
        place = ""
        try:
            for place, entry in function.body.entries.items():
                values[place] = entry.read(decode(entry.shape.type, sent.get(place)))
            rest = []
            if function.variadic is not None:
                place, shape = function.variadic.name, function.variadic.shape
                several = member(sent, place, list, "an array") or []
                rest = [shape.read(decode(shape.type, one)) for one in several]
        except Unfit as error:
            inside = error.path[0] == place if error.path else False
            steps = error.path[1:] if inside else error.path
            text = str(Unfit(error.problem, steps))
            raise Refused(FAILED, text, {"argument": place}) from None
        try:
            self.session.lend_state(function, job.context)
            result = self.session.wait(function.run(values, job.context, rest), job.context)
        except Exception as error:
            raise self._about_argument(job, error) from error
        self.tell_warnings(job)
        try:
            return {"result": encode(function.returns.type.without_optional(), function.returns.write(result))}
        except Unfit as error:
            raise Refused(FAILED, f"the result cannot be written: {error}") from None

    def _about_argument(self, job: Job, error: Exception) -> Refused:
        if isinstance(error, Cancelled):
            return Refused(CANCELLED, str(error))
        failure = failure_of(error)
        path = failure.path
        if not path:
            return self.explain(job, failure)
        text = f"{failure.message}\n{failure.detail}" if failure.detail else failure.message
        return Refused(FAILED, text, {"argument": str(path[0])})

    def explain(self, job: Job, error: Exception) -> Refused:
        if isinstance(error, Cancelled):
            return Refused(CANCELLED, str(error))
        if isinstance(error, Unfit):
            place = ".".join(map(str, error.steps()))
            return Refused(INVALID_PARAMS, f"{place} in the params of {job.method}: {error.problem}".lstrip())
        failure = failure_of(error)
        if failure.reason == "locked":
            held = failure.held
            data = {"lockId": held.id, "info": held.info} if held is not None else {"lockId": None, "info": None}
            return Refused(LOCKED, failure.text(), data)
        if failure.reason == "not_found":
            return Refused(NOT_FOUND, failure.text())
        if failure.reason == "not_supported":
            return Refused(NOT_SUPPORTED, failure.text())
        return Refused(FAILED, failure.text())

    def respond(self, id: Any, result: Any) -> None:
        frame = _msgpack.pack([1, id, None, result])
        if len(frame) > _msgpack.MAX_BYTES:
            raise ValueError(f"it has {len(frame)} bytes, and the limit is {_msgpack.MAX_BYTES}")
        self._send(frame)

    def refuse(self, id: Any, error: Refused) -> None:
        sent = [error.code, readable(error.message)]
        if error.data is not None:
            sent.append(readable(error.data))
        self._send(_msgpack.pack([1, id, sent, None]))


def _is_id(id: Any) -> bool:
    return type(id) is int and 0 <= id < 2**32


def _name(method: Any) -> str:
    """The name of a method, which may be binary; empty if it is none."""
    if isinstance(method, bytes):
        try:
            return method.decode()
        except UnicodeDecodeError:
            return ""
    return method if isinstance(method, str) else ""
