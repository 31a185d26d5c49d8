"""Managed resources in Seasonings: planning, applying and reading."""

from __future__ import annotations

from ._failure import Diagnostic, Failure, Unfit
from ._host import Refused, Unwritable, member, written
from ._results import Created, Decision, Existing, Found, Plan
from ._unknown import Unknown, UnknownType, is_wholly_known
from ._values import Dynamic, decode, encode, loose, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._context import Context
    from ._parts import Resource
    from ._schema import Schema
    from ._session import Session

#: The private data of a resource that was imported and has not been read since.
IMPORTED = b"imported"
#: What the private data of authors begins with.
_OF_AUTHOR = b"\x01"


class Change:
    """What the host sends about a change of a resource."""

    def __init__(self, resource: Resource, schema: Schema, prior: Any, config: Any) -> None:
        self.resource = resource
        self.schema = schema
        #: The resource as it is; None for a create.
        self.prior = prior
        self.config = config or {}

    def planned(self, proposed: dict[str, Any]) -> dict[str, Any]:
        """What the resource will be, as the host would plan it: what is configured, and what is computed.

        If nothing changes, everything keeps its value; otherwise what is computed and not configured
        is unknown, except what an update does not change.
        """
        if proposed == self.prior:
            return dict(proposed)
        found = dict(proposed)
        for name, written in self.schema.attributes.items():
            if not written.get("computed") or self.config.get(name) is not None:
                continue
            is_kept = written.get("stable") or written.get("replace")
            found[name] = self.prior.get(name) if is_kept and self.prior is not None else Unknown
        return found

    def props(self, planned: dict[str, Any]) -> dict[str, Any]:
        """The author's props. Write-only values are in the configuration alone."""
        found = {}
        for name, entry in self.resource.props.entries.items():
            value, config = planned.get(name), self.config.get(name)
            from_config = entry.is_write_only or (isinstance(value, UnknownType) and config is None)
            if entry.nesting and _has_write_only(entry.shape.body):
                from_config = True
            found[name] = config if from_config else value
        return found

    def settled(self, before: Any, props: dict[str, Any]) -> dict[str, Any]:
        """Props that the author returned, in which what means the same as before is as it was."""
        names = self.resource.props.entries
        old = {name: (before or {}).get(name) for name in names}
        try:
            rewritten = {name: one.write(one.read(plain(old[name]))) for name, one in names.items()}
        except Unfit:
            # It was imported, or is not known yet.
            return props
        same = {name: old[name] for name in names if rewritten[name] == plain(props.get(name))}
        return {**props, **same}

    def decided(self, proposed: dict[str, Any], planned: dict[str, Any], decision: Any) -> tuple[dict[str, Any], bool]:
        """The plan as the author decided, and whether the resource is replaced."""
        if decision is None or (isinstance(decision, Decision) and decision.verdict == "keep"):
            return planned, False
        if isinstance(decision, Decision) and decision.verdict == "replace":
            # A new one has a new id, which shows the host that there is a change.
            return {**planned, "id": Unknown}, self.prior is not None
        props = decision.props if isinstance(decision, Decision) else decision
        given = written(self.resource.props.write, props, "modified props")
        given = self.settled(self.prior, self.settled(proposed, given))
        entries = self.resource.props.entries
        modified = {name: value for name, value in given.items() if not entries[name].is_write_only}
        again = self.planned({**proposed, **modified})
        return {**again, **{name: value for name, value in modified.items() if value is not None}}, False


class Subject:
    """A call about a resource."""

    def __init__(
        self, session: Session, resource: Resource, schema: Schema, params: dict[str, Any], context: Context
    ) -> None:
        self.session = session
        self.resource = resource
        self.schema = schema
        self.context = context
        sent = member(params, "private", (bytes, str), "binary")
        private = sent.encode() if isinstance(sent, str) else sent
        self.is_imported = private == IMPORTED
        context.private = private[1:] if private and private[:1] == _OF_AUTHOR else None
        self._kept = context.private

    def _change(self, params: dict[str, Any]) -> Change:
        prior, config = (self._value(params, name) for name in ("prior", "config"))
        return Change(self.resource, self.schema, prior, config)

    def _value(self, params: dict[str, Any], name: str) -> Any:
        try:
            return decode(self.schema.type, params.get(name))
        except Unfit as error:
            place = f"{name}{error.place()}"
            raise Refused(-32602, f"{place} in the params: {error.problem}") from None

    def _call(self, method: str, *arguments: Any) -> Any:
        instance = self.session.instance(self.resource, self.context)
        return self.session.call(instance, method, arguments, self.context)

    def _done(self, result: dict[str, Any]) -> dict[str, Any]:
        """The result with the private data that the author keeps."""
        private = self.context.private
        if private != self._kept:
            result["private"] = _OF_AUTHOR + private if private else b""
        elif self.is_imported:
            # It has been read now.
            result["private"] = b""
        return result

    def _encoded(self, value: Any) -> Any:
        return written(lambda one: encode(self.schema.type, one), value, "state")

    def _read_props(self, props: dict[str, Any]) -> Any:
        return self.resource.props.read(props)

    def _existing(self, prior: dict[str, Any]) -> Existing[Any, Any]:
        """The resource as it was last seen."""
        state_body = self.resource.state
        try:
            props = self._read_props({name: prior.get(name) for name in self.resource.props.entries})
            required = [name for name, one in state_body.entries.items() if one.is_required]
            has_state = bool(state_body.entries) and all(prior.get(name) is not None for name in required)
            state = {name: prior.get(name) for name in state_body.entries}
            return Existing(prior.get("id") or "", props, state_body.read(state) if has_state else None)
        except Unfit as error:
            error.given = "current"
            raise

    def _known(self, prior: dict[str, Any]) -> Existing[Any, Any]:
        """The resource, for an update or a delete. Without an id it cannot be found."""
        existing = self._existing(prior)
        if not existing.id:
            raise Failure(
                "the resource has no id, because it is not known how its creation ended; find out whether it "
                "exists, delete it by hand, and remove it with `terraform state rm`"
            )
        return existing

    def _state(self, id: str, known: dict[str, Any], returned: dict[str, Any]) -> dict[str, Any]:
        """The whole resource. What the plugin returned comes before what is known otherwise."""
        found: dict[str, Any] = {}
        for name, attribute in self.schema.attributes.items():
            value = id if name == "id" else returned.get(name)
            if value is None:
                value = known.get(name)
            found[name] = None if attribute.get("write_only") else _known_parts(value)
        for name, entry in self.schema.blocks.items():
            empty: Any = {"map": {}, "group": {}, "single": None}.get(entry.nesting, [])
            value = _known_parts(known.get(name))
            found[name] = empty if value is None else value
        return found

    def planChange(self, params: dict[str, Any]) -> dict[str, Any]:
        """Plans a change, and lets the author decide about it."""
        change = self._change(params)
        proposed = self._value(params, "proposed")
        if proposed is None:
            return {"planned": None}
        planned = change.planned(proposed)
        # Without the configuration there is no one to ask. It is asked again before the apply.
        if self.session.stage == "deferred" or not self.resource.has("modify_plan"):
            return {"planned": self._encoded(planned)}
        props = change.props(planned)
        existing = None if change.prior is None else self._existing(change.prior)
        known = self._read_props(props) if is_wholly_known(props) else None
        action = "create" if existing is None else "update"
        decision = self._call("modify_plan", Plan(action, props, known, existing))
        planned, is_replaced = change.decided(proposed, planned, decision)
        result: dict[str, Any] = {"planned": self._encoded(planned)}
        if is_replaced:
            result["replace"] = [["id"]]
        return self._done(result)

    def applyChange(self, params: dict[str, Any]) -> dict[str, Any]:
        """Creates, updates or deletes it."""
        change = self._change(params)
        planned = self._value(params, "planned")
        if planned is None:
            self._call("delete", self._known(change.prior or {}))
            return self._done({})
        props = self._read_props(change.props(planned))
        if change.prior is None:
            id, state = created(self._call("create", props))
        else:
            existing = self._known(change.prior)
            id, state = existing.id, self._call("update", existing, props)
        return self._done({"state": self._encoded(self._state(id, planned, self._returned(state)))})

    def _returned(self, state: Any) -> dict[str, Any]:
        """The state that the author returned. What was done is not forgotten because of it."""
        try:
            return returned_state(self.resource, state)
        except Unwritable as error:
            self.context._warnings += (Diagnostic("error", "the state is incomplete", str(error)),)
            return {}

    def read(self, params: dict[str, Any]) -> dict[str, Any]:
        """Looks how it is now."""
        prior = self._value(params, "state") or {}
        id = prior.get("id") or ""
        if not id or not self.resource.has("read"):
            return {"state": self._encoded(prior)}
        props = None if self.is_imported else self._existing(prior).props
        found = found_of(self._call("read", id, props))
        if found is None:
            return {"state": None}
        change = Change(self.resource, self.schema, prior, None)
        given = written(self.resource.props.write, found.props, "props")
        # An import has no earlier values: null is not a default that was left out.
        known = given if self.is_imported else change.settled(prior, given)
        returned = returned_state(self.resource, found.state)
        secrets = [name for name, one in self.resource.state.entries.items() if one.is_sensitive]
        if all(returned.get(name) is None for name in secrets):
            known.update({name: prior.get(name) for name in secrets})
        return self._done({"state": self._encoded(self._state(id, known, returned))})

    def imported(self, id: Any) -> dict[str, Any]:
        """What is known of a resource that is imported: its id. The host reads the rest next."""
        if not isinstance(id, str) or not id:
            raise Refused(-32000, "the id is empty")
        return {"state": {"id": id}, "private": IMPORTED}

    def upgrade(self, params: dict[str, Any]) -> dict[str, Any]:
        """What an older version of the plugin stored, as this version has it."""
        version = params.get("version") or 0
        if not self.resource.has("upgrade"):
            raise Failure(
                f"the plugin cannot upgrade a resource that was stored with version {version} of the schema "
                f"to version {self.resource.version}"
            )
        stored = loose(params.get("state"))
        result = self.session.call(self.resource.kind, "upgrade", (version, stored), self.context)
        if not isinstance(result, Existing):
            result = Existing(*result)
        props = {} if result.props is None else written(self.resource.props.write, result.props, "props")
        state = self._state(result.id, props, returned_state(self.resource, result.state))
        return {"state": self._encoded(state)}


def created(result: Any) -> tuple[str, Any]:
    """What ``create`` returned: ``Created``, an id and a state, or an id alone."""
    if isinstance(result, Created):
        id, state = result.id, result.state
    elif isinstance(result, tuple) and len(result) == 2:
        id, state = result
    else:
        id, state = result, None
    if not isinstance(id, str) or not id:
        raise Unwritable("create returns Created(id, state) with an id that is a text")
    return id, state


def found_of(result: Any) -> Found[Any, Any] | None:
    """What ``read`` returned: ``Found``, props and a state, props alone, or None."""
    if result is None or isinstance(result, Found):
        return result
    return Found(*result) if isinstance(result, tuple) and len(result) == 2 else Found(result)


def returned_state(resource: Resource, state: Any) -> dict[str, Any]:
    """The plain state of a resource."""
    if state is None and not any(one.is_required for one in resource.state.entries.values()):
        return {}
    found: dict[str, Any] = written(resource.state.write, state, "state")
    return found


def _has_write_only(body: Any) -> bool:
    return any(one.is_write_only or (one.nesting and _has_write_only(one.shape.body)) for one in body.entries.values())


def _known_parts(value: Any) -> Any:
    """A value with null for what is unknown."""
    if isinstance(value, UnknownType):
        return None
    if isinstance(value, Dynamic):
        return Dynamic(value.dynamic_type, _known_parts(value.dynamic_value))
    if isinstance(value, dict):
        return {name: _known_parts(one) for name, one in value.items()}
    return [_known_parts(one) for one in value] if isinstance(value, list) else value
