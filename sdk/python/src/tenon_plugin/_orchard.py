"""The plugin as a provider of Orchard: its configuration and its actions."""

from __future__ import annotations

from . import _text
from ._failure import Failure, Unfit, failure_of, is_mistake, readable
from ._host import Host, Job, Refused, Unwritable, written
from ._lines import Lines
from ._schema import orchard_schema
from ._session import Unconfigured, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


#: The longest line.
MAX_BYTES = 16 * 1024 * 1024


class Orchard(Host):
    """Envelopes of JSON, one in each line. Errors have words as codes."""

    name = "orchard"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._lines = Lines(MAX_BYTES)

    def feed(self, data: bytes) -> None:
        for line in self._lines.feed(data):
            self._take(line)

    def finish(self) -> None:
        for line in self._lines.finish():
            self._take(line)

    def _take(self, line: bytes) -> None:
        id: Any = 0
        try:
            message = _text.loads(line.decode())
            if type(message) is not dict:
                raise ValueError("a request is an object")
            if type(message.get("id")) is int and -(2**63) <= message["id"] < 2**63:
                id = message["id"]
            elif "id" in message:
                raise ValueError("the id of a request is a whole number of 64 bits")
            method = message.get("method")
            if type(method) is not str or not method:
                if "result" in message or "error" in message:
                    # An answer that nobody waits for.
                    return
                raise ValueError("a request has a method")
            if "id" not in message:
                return
        except ValueError as error:
            self.refuse(id, Refused("invalid_request", str(error)))
            return
        self.request(id, method, message.get("params"))

    def request(self, id: int, method: str, params: Any) -> None:
        """A call."""
        if method not in ("describe", "configure", "execute", "shutdown"):
            self.refuse(id, Refused("unknown_method", f"unknown method `{method}`"))
        elif params is not None and type(params) is not dict:
            self.refuse(id, Refused("invalid_request", f"the params of {method} must be an object"))
        elif method == "describe":
            self.respond(id, {"schema": orchard_schema(self.plugin)})
        else:
            self.start(id, method, params or {})

    def handle(self, job: Job) -> Any:
        if job.method == "configure":
            self._configure(_member(job, "config"), job)
            return {}
        if job.method == "shutdown":
            self.is_over = True
            self.session.shut_down()
            return {}
        return {"outputs": self._execute(job)}

    def _configure(self, config: dict[str, Any], job: Job) -> None:
        try:
            self.session.configure(config, job.context)
        except Unconfigured as error:
            if error.reason in ("ended", "twice"):
                raise Refused("invalid_request", _over(error.text())) from None
            if error.reason == "invalid":
                raise Refused("configure_failed", error.text()) from None
            raise _refused(error.failure, "configure_failed") from error

    def _execute(self, job: Job) -> Any:
        name = job.params.get("action")
        if type(name) is not str:
            raise Refused("invalid_request", "action in the params of execute: it is missing")
        action = self.plugin.actions.get(name)
        if action is None:
            raise Refused("unknown_action", self.session.missing("action", name, self.plugin.actions))
        if self.session.stage == "ended":
            raise Refused("invalid_request", _over(""))
        if self.session.stage != "ready":
            raise Refused("invalid_request", "configure must succeed before execute is called")
        context = job.context
        context.state = self.session.state
        errors: list[Unfit] = []
        values = action.body.read_all(_member(job, "attrs"), errors)
        if errors:
            raise Refused("validation_failed", join(errors))
        result = self.session.wait(action.run(values, context), context)
        self.tell_warnings(job)
        return {} if action.outputs is None else written(action.outputs.write, result, "outputs") or {}

    def explain(self, job: Job, error: Exception) -> Refused:
        if job.method != "execute":
            return Refused("internal_error", failure_of(error).text())
        if isinstance(error, Unwritable):
            return Refused("outcome_unknown", f"the action was run, but {error}")
        if isinstance(error, Unfit):
            return Refused("validation_failed", str(error))
        if isinstance(error, Failure):
            return _refused(error, "execute_failed")
        # A mistake of the author, or an error that was not expected: anything may have been done until then.
        return _refused(failure_of(error), "outcome_unknown" if is_mistake(error) else "execute_failed")

    def respond(self, id: Any, result: Any) -> None:
        self._send(_text.dumps({"id": id, "result": result}) + b"\n")

    def refuse(self, id: Any, error: Refused) -> None:
        code = error.code if isinstance(error.code, str) else "internal_error"
        body: dict[str, Any] = {"code": code, "message": readable(error.message)}
        if error.data:
            body["detail"] = readable(error.data)
        self._send(_text.dumps({"id": id, "error": body}) + b"\n")


def _member(job: Job, name: str) -> dict[str, Any]:
    found = job.params.get(name)
    if found is None:
        return {}
    if type(found) is not dict:
        raise Refused("invalid_request", f"`{name}` must be an object")
    return found


def _refused(failure: Failure, otherwise: str) -> Refused:
    return Refused(failure.code or otherwise, failure.headline(), failure.detail)


def _over(text: str) -> str:
    return text if "already" in text else "the provider has been shut down"
