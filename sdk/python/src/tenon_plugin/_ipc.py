"""The plugin as a service: its functions and actions are methods of JSON-RPC."""

from __future__ import annotations

from ._failure import Cancelled, Unfit, failure_of, is_mistake
from ._host import Job, Refused, Unwritable
from ._jsonrpc import FAILED, INVALID_PARAMS, METHOD_NOT_FOUND, JsonRpc
from ._names import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Tools(JsonRpc):
    """What services and MCP have in common: functions and actions by name."""

    def __init__(self, *arguments: Any, framing: str = "lines") -> None:
        super().__init__(*arguments, framing=framing)
        #: The functions and actions by name. A function comes first.
        self._parts: dict[Any, Any] = {**self.plugin.actions, **self.plugin.functions}

    def unknown(self, what: str, name: Any) -> str:
        """There is nothing of this name."""
        names = sorted(self._parts)
        close = nearest(str(name), names)
        hint = f"did you mean `{close}`?" if close else f"the plugin has {', '.join(names) or 'none'}"
        return f"unknown {what} `{name}`; {hint}"

    def call(self, part: Any, params: Any, job: Job) -> Any:
        """Calls a function or an action. The result is plain."""
        rest: list[Any] = []
        if params.__class__ is dict and part.variadic is None:
            pass
        elif type(params) is list:
            names = list(part.body.entries)
            rest = params[len(names) :]
            if rest and part.variadic is None:
                raise Refused(INVALID_PARAMS, f"there are at most {len(names)} params, and {len(params)} are given")
            params = dict(zip(names, params))
        elif params is None:
            params = {}
        elif type(params) is dict and part.variadic is not None and part.variadic.name in params:
            params = dict(params)
            rest = params.pop(part.variadic.name)
        try:
            if type(params) is not dict or type(rest) is not list:
                raise Unfit("params must be an object or an array")
            values = part.body.read_all_or_raise(params)
            if part.variadic is not None:
                rest = [part.variadic.read_element(one, at) for at, one in enumerate(rest)]
        except Unfit as error:
            raise unfit(error) from None
        context = job.context
        session = self.session
        if part.needs_state:
            session.ready(context)
        else:
            session.lend_state(part, context)
        result = session.wait(part.run(values, context, rest), context)
        if context._warnings:
            self.tell_warnings(job)
        shape = part.answer
        if shape is None:
            return None
        try:
            return shape.write(result)
        except Unfit as error:
            raise Unwritable(f"the result cannot be written: {error}") from None

    def explain(self, job: Job, error: Exception) -> Refused:
        if isinstance(error, Cancelled):
            return Refused(-32800, str(error))
        if isinstance(error, Unfit):
            return unfit(error)
        failure = failure_of(error)
        data: dict[str, Any] = {}
        if failure.path:
            data["path"] = failure.path
        if failure.code:
            data["code"] = failure.code
        elif (isinstance(error, Unwritable) or is_mistake(error)) and job.method in self.plugin.actions:
            data["code"] = "outcome_unknown"
        if failure.detail:
            data["detail"] = failure.detail
        return Refused(FAILED, failure.headline(), data or None)


def unfit(error: Unfit) -> Refused:
    """The error for params that do not fit: it begins with the path."""
    steps = error.steps()
    where = ".".join(map(str, steps))
    text = f"{where}: {error.problem}" if where else error.problem
    return Refused(INVALID_PARAMS, text, {"path": steps})


class Service(Tools):
    """A service in lines or behind headers."""

    name = "ipc"

    def event(self, method: str, params: Any) -> None:
        if method == "$/cancelRequest" and isinstance(params, dict):
            self.cancelled(params.get("id"))

    def request(self, id: Any, method: str, params: Any) -> None:
        part = self._parts.get(method)
        if part is None:
            self.refuse(id, Refused(METHOD_NOT_FOUND, self.unknown("method", method)))
        else:
            self.start(id, method, params, not part.needs_state, part)

    def handle(self, job: Job) -> Any:
        return self.call(job.part, job.params, job)
