"""The plugin as a script of denobridge: its one resource, data source, ephemeral resource and action,
and its functions."""

from __future__ import annotations

from ._attributes import ABSENT
from ._failure import Cancelled, Diagnostic, Failure, Unfit, failure_of
from ._host import Job, Refused, Unwritable, member, written
from ._jsonrpc import FAILED, METHOD_NOT_FOUND, JsonRpc
from ._places import ARGUMENTS, CHANGE, PLAIN, as_given, joined, located, split, stored
from ._planning import created, found_of, returned_state
from ._results import Decision, Existing, Opened, Plan, Renewed, seconds
from ._unknown import Unknown, is_wholly_known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._parts import Resource

#: What changes nothing, and may be cancelled.
_MAY_CANCEL = ("read", "modifyPlan", "call")
_METHODS = ("create", "read", "update", "delete", "modifyPlan", "open", "renew", "close", "invoke", "call")


class Denobridge(JsonRpc):
    """JSON-RPC, one message in each line."""

    name = "denobridge"

    def event(self, method: str, params: Any) -> None:
        if method == "shutdown":
            self.is_over = True
        elif method == "$/cancelRequest" and isinstance(params, dict):
            self.cancelled(params.get("id"))

    def request(self, id: Any, method: str, params: Any) -> None:
        if method == "health":
            health: dict[str, Any] = {"ok": True}
            if self.plugin.max_in_flight is not None:
                health["maxInFlight"] = self.plugin.max_in_flight
            self.respond(id, health)
        elif method == "shutdown":
            self.respond(id, {})
            self.is_over = True
        elif method in _METHODS:
            self.start(id, method, params if isinstance(params, dict) else {}, method in _MAY_CANCEL)
        else:
            self.refuse(id, Refused(METHOD_NOT_FOUND, f"Method not found: {method}"))

    def handle(self, job: Job) -> Any:
        method, context = job.method, job.context
        if method == "call":
            return self._call(job)
        if method == "invoke":
            context._say = self._say
            part = self._only(method, "action", self.plugin.actions)
            return self._guarded(job, part.body, None, lambda: self._invoke(part, job))
        if method in ("open", "renew", "close"):
            part = self._only(method, "ephemeral resource", self.plugin.ephemerals)
            return self._guarded(job, part.props, part.result, lambda: self._ephemeral(method, part, job))
        if method == "read" and "id" not in job.params:
            part = self._only(method, "data source", self.plugin.data_sources)
            return self._guarded(job, part.body, part.returned, lambda: self._look(part, job))
        part = self._only(method, "resource", self.plugin.resources)
        work = getattr(self, f"_{method}")
        return self._guarded(job, part.props, part.state, lambda: work(part, job))

    def _say(self, message: str, done: float | None, total: float | None) -> None:
        self.notify("invokeProgress", {"message": message})

    def _only(self, method: str, kind: str, all: dict[str, Any]) -> Any:
        """The one thing of a kind that the plugin has: denobridge does not name it."""
        if not all:
            raise self._none(method, kind)
        if len(all) > 1:
            raise Refused(
                FAILED,
                f"the plugin {self.plugin.name} has several {kind}s ({', '.join(sorted(all))}), and denobridge "
                "does not say which one it calls",
            )
        return next(iter(all.values()))

    def _none(self, method: str, kind: str) -> Refused:
        text = f"the plugin {self.plugin.name} has no {kind}; it offers {self.session.summary()}"
        return Refused(METHOD_NOT_FOUND, f"Method not found: {method}: {text}")

    def _guarded(self, job: Job, given: Any, returned: Any, work: Any) -> Any:
        """The result with warnings; or the diagnostics of what failed."""
        members = CHANGE if job.method in ("update", "modifyPlan") else PLAIN
        found: list[Diagnostic] = []
        result: dict[str, Any] = {}
        try:
            self.session.ready(job.context)
            result = work()
        except Unfit as error:
            found.append(located(error, members, given, returned))
        except Failure as failure:
            if not failure.diagnostics:
                raise
            found += [located(one, members, given, returned) for one in failure.diagnostics]
        found += [located(one, members, given, returned) for one in job.context._warnings]
        if found:
            result["diagnostics"] = self.hide(job, [sent(one) for one in found])
            # Hosts that see it stop reading there, and would miss the diagnostics.
            result.pop("noChanges", None)
        return result

    def _look(self, part: Any, job: Job) -> dict[str, Any]:
        values = part.body.read_all_or_raise(job.params.get("props") or {})
        found = self.session.wait(part.run(values, job.context), job.context)
        return split(written(part.returned.write, found, "result"), part.returned, "result", "sensitiveResult")

    def _invoke(self, part: Any, job: Job) -> dict[str, Any]:
        values = part.body.read_all_or_raise(job.params.get("props") or {})
        result = self.session.wait(part.run(values, job.context), job.context)
        if part.outputs is not None:
            # Nobody reads them here, but an action that returns something else has a mistake in it.
            try:
                written(part.outputs.write, result, "outputs")
            except Unwritable as error:
                raise Failure.outcome_unknown(f"the action was run, but {error}") from None
        return {"done": True}

    def _ephemeral(self, method: str, part: Any, job: Job) -> dict[str, Any]:
        instance = self.session.instance(part, job.context)
        if method == "open":
            props = part.props.read(job.params.get("props") or {})
            opened = self.session.call(instance, "open", (props,) if part.props.entries else (), job.context)
            opened = opened if isinstance(opened, Opened) else Opened(opened)
            found = written(part.result.write, opened.result, "result")
            result = split(found, part.result, "result", "sensitiveResult")
            return _with_renewal(result, opened.renew_at, opened.private)
        if not part.has(method):
            raise Refused(METHOD_NOT_FOUND, f"Method not found: {method}")
        private = job.params.get("privateData")
        done = self.session.call(instance, method, (private,), job.context)
        if method == "close":
            return {"done": True}
        renewed = done if isinstance(done, Renewed) else Renewed()
        return _with_renewal({}, renewed.renew_at, private if renewed.private is Unknown else renewed.private)

    def _method(self, part: Resource, method: str, job: Job, *arguments: Any) -> Any:
        instance = self.session.instance(part, job.context)
        return self.session.call(instance, method, arguments, job.context)

    def _create(self, part: Resource, job: Job) -> dict[str, Any]:
        props = joined(job.params.get("props"), job.params.get("writeOnlyProps"), part.props)
        id, state = created(self._method(part, "create", job, part.props.read(props)))
        return {"id": id, **self._state(part, state)}

    def _state(self, part: Resource, state: Any) -> dict[str, Any]:
        return split(returned_state(part, state), part.state, "state", "sensitiveState")

    def _read(self, part: Resource, job: Job) -> dict[str, Any]:
        sent_props = job.params.get("props")
        if not part.has("read"):
            return {"props": sent_props}
        props = None if sent_props is None else part.props.read(sent_props)
        found = found_of(self._method(part, "read", job, str(job.params["id"]), props))
        if found is None:
            return {"exists": False}
        now = stored(written(part.props.write, found.props, "props"), part.props)
        if props is not None:
            now = as_given(now, stored(part.props.write(props), part.props), sent_props)
        return {"props": now, **self._state(part, found.state)}

    def _existing(self, part: Resource, job: Job, prefix: str) -> Existing[Any, Any]:
        def of(name: str) -> Any:
            return member(job.params, f"current{name}" if prefix else name[0].lower() + name[1:], dict, "an object")

        try:
            props = of("Props")
            plain = of("State") or {}
            secret = of("SensitiveState") or {}
            state = {**plain, **secret} if plain or secret else None
            return Existing(
                str(job.params.get("id") or ""),
                None if props is None else part.props.read(props),
                None if state is None or not part.state.entries else part.state.read(state),
            )
        except Unfit as error:
            error.given = "current"
            raise

    def _update(self, part: Resource, job: Job) -> dict[str, Any]:
        if not part.is_updated:
            raise Failure("the resource cannot be updated; every change replaces it")
        props = joined(job.params.get("nextProps"), job.params.get("nextWriteOnlyProps"), part.props)
        existing = self._existing(part, job, "current")
        return self._state(part, self._method(part, "update", job, existing, part.props.read(props)))

    def _delete(self, part: Resource, job: Job) -> dict[str, Any]:
        self._method(part, "delete", job, self._existing(part, job, ""))
        return {"done": True}

    def _modifyPlan(self, part: Resource, job: Job) -> dict[str, Any]:
        params = job.params
        action = params.get("planType")
        existing = None if action == "create" else self._existing(part, job, "current")
        planned = None
        if action != "delete":
            planned = params.get("nextProps")
            for path in member(params, "unknownProps", list, "an array") or []:
                planned = _with_unknown(planned, path[1:] if isinstance(path, list) else [])
        known = None
        if isinstance(planned, dict) and is_wholly_known(planned):
            known = part.props.read(planned)
        decision = None
        if part.has("modify_plan"):
            asked = planned
            if planned is Unknown:
                asked = dict.fromkeys(part.props.entries, Unknown)
            decision = self._method(part, "modify_plan", job, Plan(str(action), asked, known, existing))
        return self._decided(part, decision, params.get("currentProps") if action == "update" else None, planned)

    def _decided(self, part: Resource, decision: Any, current: Any, planned: Any) -> dict[str, Any]:
        if decision is not None and not isinstance(decision, Decision):
            decision = Decision.modify(decision)
        if decision is not None and decision.verdict == "replace":
            return {"requiresReplacement": True}
        if decision is not None and decision.verdict == "modify":
            modified = written(part.props.write, decision.props, "modified props")
            result: dict[str, Any] = {
                "modifiedProps": {k: v for k, v in modified.items() if not part.props.entries[k].is_write_only}
            }
            if current is not None and _is_replaced(part, current, modified):
                result["requiresReplacement"] = True
            return result
        if current is not None and _is_replaced(part, current, planned):
            return {"requiresReplacement": True}
        return {"noChanges": True}

    def _call(self, job: Job) -> dict[str, Any]:
        if not self.plugin.functions:
            raise self._none("call", "function")
        name = str(member(job.params, "name", str, "a string"))
        function = self.plugin.functions.get(name)
        if function is None:
            raise Refused(FAILED, self.session.missing("function", name, self.plugin.functions))
        given = member(job.params, "arguments", list, "an array") or []
        # By position, so that secrets are found by the names of the parameters.
        job.part, job.params = function, given
        names = list(function.body.entries)
        answer: dict[str, Any] = {}
        found: list[Any] = []
        try:
            rest = given[len(names) :]
            if rest and function.variadic is None:
                detail = f"{name} takes {len(names)}, but {len(given)} are given"
                raise Failure("too many arguments", diagnostics=[Diagnostic("error", "too many arguments", detail)])
            values = function.body.read_all_or_raise(dict(zip(names, given)))
            if function.variadic is not None:
                rest = [function.variadic.read_element(one, at) for at, one in enumerate(rest)]
            self.session.lend_state(function, job.context)
            result = self.session.wait(function.run(values, job.context, rest), job.context)
            answer["result"] = written(function.returns.write, result, "result")
        except Unfit as error:
            found.append(error)
        except Failure as failure:
            if not failure.diagnostics:
                raise
            found += failure.diagnostics
        found = [sent(located(one, ARGUMENTS, function, None)) for one in (*found, *job.context._warnings)]
        if found:
            answer["diagnostics"] = self.hide(job, found)
        return answer

    def explain(self, job: Job, error: Exception) -> Refused:
        if isinstance(error, Cancelled):
            return Refused(-32800, str(error))
        return Refused(FAILED, failure_of(error).text())


def _with_renewal(result: dict[str, Any], renew_at: Any, private: Any) -> dict[str, Any]:
    time = seconds(renew_at)
    if time is not None:
        result["renewAt"] = time
    result["privateData"] = private
    return result


def _with_unknown(value: Any, path: list[str]) -> Any:
    """The value with what is at the path as unknown: denobridge sends the empty value of its type."""
    if not path:
        return Unknown
    first, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {name: _with_unknown(one, rest) if name == first else one for name, one in value.items()}
    if isinstance(value, list) and str(first).isdigit():
        return [_with_unknown(one, rest) if at == int(first) else one for at, one in enumerate(value)]
    return value


def _is_replaced(part: Resource, current: Any, planned: Any) -> bool:
    """Whether an attribute changes, or may change, that replaces the resource."""
    for name, entry in part.props.entries.items():
        if not entry.about.replaces and part.is_updated or entry.is_write_only:
            continue
        if not isinstance(planned, dict):
            return True

        def value(props: dict[str, Any]) -> Any:
            given = props.get(name)
            if given is None and (default := entry.default()) is not ABSENT:
                given = default
            try:
                return given if given is None or given is Unknown else entry.shape.write(entry.shape.read(given))
            except Unfit:
                return given

        if value(current) != value(planned):
            return True
    return False


def sent(diagnostic: Diagnostic) -> dict[str, Any]:
    """A diagnostic as denobridge has it."""
    found: dict[str, Any] = {
        "severity": diagnostic.severity,
        "summary": diagnostic.summary,
        "detail": diagnostic.detail,
    }
    if diagnostic.path is not None:
        found["propPath"] = [str(step) for step in diagnostic.path]
    return found
