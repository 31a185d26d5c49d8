"""What a plugin is made of: functions, actions, data sources, resources, ephemeral resources."""

from __future__ import annotations

from ._attributes import ABSENT, Attribute
from ._bodies import Body, Entry, body_of, declared_body, entry_of
from ._docs import documented_members, first_paragraph
from ._shapes import Shape, shape_of
from ._signature import Parameter, Signature
from ._types import object_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

NOTHING = Body({}, lambda values: None)


class Call:
    """A function of the author: its parameters, and how it is called."""

    #: What hosts get as its result; None if that is nothing.
    answer: Shape | None = None

    def __init__(
        self, function: Callable[..., Any], given: Any = None, name: str = "", description: str = ""
    ) -> None:
        self.function = function
        self.name = name
        signature = Signature(function)
        self.description = description or first_paragraph(signature.documentation)
        self._context = signature.context
        #: Whether it has a parameter for the context.
        self.takes_context = signature.context is not None
        self.returns_hint = signature.returns
        #: The parameter that takes all further arguments.
        self.variadic: Entry | None = None
        #: Whether the function gets one object instead of a value for each name.
        self._takes_object = False
        self._positional: list[str] = []
        if isinstance(given, dict):
            self.body = declared_body(given)
            for entry in list(self.body.entries.values()):
                if entry.about.variadic:
                    self.variadic = self.body.without(entry.name)
            self._variadic_by_name = True
        elif given is not None:
            self.body = body_of(given)
            self._takes_object = True
        else:
            self._variadic_by_name = False
            self.body = self._of_signature(signature)

    def _of_signature(self, signature: Signature) -> Body:
        documented = documented_members(signature.documentation)
        entries: dict[str, Entry] = {}
        for one in signature.parameters:
            about = Attribute(description=documented.get(one.name, ""))
            if isinstance(one.default, Attribute):
                about = about.merged(one.default)
            else:
                about = about.merged(Attribute(default=one.default))
            try:
                entry = entry_of(one.name, self._hint(one), about)
            except TypeError as error:
                raise TypeError(f"the parameter {one.name!r} of {self.name}: {error}") from None
            if one.is_variadic:
                self.variadic = entry
            else:
                entries[one.name] = entry
                if one.is_positional:
                    self._positional.append(one.name)
        return Body(entries, lambda values: values)

    def _hint(self, parameter: Parameter) -> Any:
        return parameter.hint

    def run(self, values: dict[str, Any], context: Any, rest: list[Any] | None = None) -> Any:
        """Calls the function. A coroutine is returned as it is."""
        if self._takes_object:
            return self._with(context, self.body.make(values))
        if self.variadic is None:
            if self._context is not None:
                values[self._context] = context
            return self.function(**values)
        if self._variadic_by_name:
            values[self.variadic.name] = rest or []
            return self._with(context, **values)
        first = [values.pop(name) for name in self._positional]
        return self._with(context, *first, *(rest or []), **values)

    def _with(self, context: Any, *given: Any, **named: Any) -> Any:
        if self._context is not None:
            named[self._context] = context
        return self.function(*given, **named)


class Hook(Call):
    """A hook of a plugin: its parameter is what the host says of a resource or a stage."""

    def _hint(self, parameter: Parameter) -> Any:
        return object


class Function(Call):
    """A function of a plugin."""

    #: Functions may be called without a configuration.
    needs_state = False

    def __init__(self, function: Any, given: Any, returns: Any, name: str, description: str, **more: str) -> None:
        super().__init__(function, given, name, description)
        hint = returns if returns is not None else self.returns_hint
        self.returns: Shape = shape_of(object if hint is ABSENT or hint is None else hint)
        self.answer = self.returns
        self.summary: str = more.get("summary", "")
        self.deprecated: str = more.get("deprecated", "")
        optional = ""
        for entry in self.body.entries.values():
            # ``str | None`` without a default has to be given, and may be null.
            entry.is_required = not entry.has_default and entry.about.default is ABSENT and not entry.about.optional
            if not entry.is_required:
                optional = entry.name
            elif optional:
                raise TypeError(
                    f"the parameter {optional!r} of {name} is optional, so {entry.name!r} behind it has to be, too"
                )
        if optional and self.variadic is not None:
            raise TypeError(
                f"{name}: the parameter {optional!r} is optional, and *{self.variadic.name} takes any "
                "number; Terraform cannot tell which is meant"
            )


class Action(Call):
    """An action of a plugin."""

    needs_state = True

    def __init__(self, function: Any, given: Any, outputs: Any, name: str, description: str, idempotent: bool) -> None:
        super().__init__(function, given, name, description)
        if self.variadic is not None:
            raise TypeError(f"the action {name} takes any number of arguments; attributes have names")
        self.is_idempotent = idempotent
        hint = outputs if outputs is not None else self.returns_hint
        #: What it returns; None if that is nothing.
        self.outputs: Shape | None = None
        if hint is ABSENT:
            self.outputs = shape_of(object)
        elif hint is not None:
            self.outputs = outputs_shape(hint)
            if self.outputs.type.kind not in ("object", "map", "any"):
                raise TypeError(
                    f"the action {name} returns {self.outputs.type}; outputs have names: return a class "
                    "with attributes, or a dict"
                )
        self.answer = self.outputs


def outputs_shape(hint: Any) -> Shape:
    if isinstance(hint, dict):
        body = declared_body(hint)
        return Shape(body.type, body.read, body.write, is_secret=body.has_secret, body=body)
    return shape_of(hint)


class DataSource(Call):
    """A data source of a plugin."""

    def __init__(
        self, function: Any, given: Any, returns: Any, name: str, description: str, deprecated: str = ""
    ) -> None:
        super().__init__(function, given, name, description)
        self.deprecated = deprecated
        hint = returns if returns is not None else self.returns_hint
        if hint is ABSENT or hint is None:
            raise TypeError(f"the data source {name} needs a return type: a class with attributes")
        body = outputs_shape(hint).body
        if body is None:
            raise TypeError(f"the data source {name} returns a class with attributes, not {hint!r}")
        self.returned: Body = body


class Kind:
    """A class of the author with several methods."""

    def __init__(self, kind: Any, name: str, description: str, deprecated: str = "") -> None:
        self.kind = kind
        self.name = name
        self.deprecated = deprecated
        self.description = description or first_paragraph(kind.__doc__)

    def instance(self, state: Any) -> Any:
        """The object that handles all resources of the type."""
        if not isinstance(self.kind, type):
            return self.kind
        start: Any = getattr(self.kind, "__init__")  # noqa: B009 - mypy refuses the attribute
        # What configure() returned, if the class wants it.
        wants_state = hasattr(start, "__code__") and start.__code__.co_argcount > 1
        return self.kind(state) if wants_state else self.kind()

    def has(self, method: str) -> bool:
        """Whether the author has written a method."""
        return callable(getattr(self.kind, method, None))

    def _signature(self, method: str) -> Signature:
        # Hints are evaluated as inside the class: it may have classes for its attributes.
        kind = self.kind if isinstance(self.kind, type) else type(self.kind)
        return Signature(getattr(kind, method), 1, dict(vars(kind)))

    def body(self, attribute: str, method: str, position: int) -> Body:
        """A body: the attribute of the class, or the type of a method's parameter."""
        declared = getattr(self.kind, attribute, None)
        if declared is None and self.has(method):
            parameters = self._signature(method).parameters
            if len(parameters) > position and parameters[position].hint is not object:
                declared = parameters[position].hint
        if declared is None:
            return NOTHING
        return declared_body(declared) if isinstance(declared, dict) else body_of(declared)

    def returned(self, attribute: str, method: str) -> Body:
        """What a method returns: the attribute of the class, or the last argument of its return type."""
        declared = getattr(self.kind, attribute, None)
        if declared is None and self.has(method):
            hint = self._signature(method).returns
            arguments = getattr(hint, "__args__", ())
            declared = arguments[-1] if arguments and arguments[-1] is not type(None) else None
            if declared is str:
                declared = None
        if declared is None:
            return NOTHING
        return declared_body(declared) if isinstance(declared, dict) else body_of(declared)


class Resource(Kind):
    """A managed resource of a plugin."""

    def __init__(self, kind: Any, name: str, description: str, deprecated: str = "") -> None:
        super().__init__(kind, name, description, deprecated)
        for method in ("create", "delete"):
            if not self.has(method):
                raise TypeError(f"the resource {name} needs a method {method!r}")
        own = vars(kind if isinstance(kind, type) else type(kind))
        if "upgrade" in own and not isinstance(own["upgrade"], (staticmethod, classmethod)):
            raise TypeError(f"the resource {name}: upgrade is a static method; it runs before configure")
        self.version: int = getattr(kind, "version", 0)
        self.props = self.body("Props", "create", 0)
        self.state = self.returned("State", "create")
        _check_names(name, self.props, self.state)
        if "id" in self.props.entries or "id" in self.state.entries:
            raise TypeError(f"the resource {name}: every resource has an id; remove the attribute")

    @property
    def is_updated(self) -> bool:
        """Whether it can be changed; otherwise every change makes a new one."""
        return self.has("update")


class Ephemeral(Kind):
    """An ephemeral resource of a plugin."""

    def __init__(self, kind: Any, name: str, description: str, deprecated: str = "") -> None:
        super().__init__(kind, name, description, deprecated)
        if not self.has("open"):
            raise TypeError(f"the ephemeral resource {name} needs a method 'open'")
        self.props = self.body("Props", "open", 0)
        self.result = self.returned("Result", "open")
        _check_names(name, self.props, self.result)


#: Terraform keeps these names for itself in the blocks of resources.
_RESERVED = {"connection", "count", "depends_on", "for_each", "lifecycle", "provider", "provisioner"}


def _check_names(name: str, *bodies: Body) -> None:
    for body in bodies:
        for reserved in _RESERVED & set(body.entries):
            raise TypeError(f"{name}.{reserved}: Terraform reserves this name; choose another name")


def check_data_source(part: DataSource) -> None:
    """Refuses names that Terraform keeps for itself."""
    _check_names(part.name, part.body, part.returned)


EMPTY_OBJECT = object_of({})
