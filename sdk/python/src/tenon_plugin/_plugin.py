"""A plugin: its name, its version, and what it offers."""

from __future__ import annotations

from ._hooks import Hooks
from ._names import is_name
from ._parts import Action, Call, DataSource, Ephemeral, Function, Resource, check_data_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar, overload

    F = TypeVar("F", bound=Callable[..., Any])
    C = TypeVar("C", bound=type)
else:

    def overload(function):
        return function


class Plugin(Hooks):
    """A plugin, which serves every host.

    ::

        plugin = Plugin("greeter", "1.0.0")

        @plugin.function
        def shout(text: str, times: int = 1) -> str:
            '''Says it loudly.'''
            return (text.upper() + "!") * times

        if __name__ == "__main__":
            plugin.serve()
    """

    def __init__(self, name: str, version: str = "0.1.0", *, max_in_flight: int | None = None) -> None:
        if not is_name(name):
            raise ValueError(f"{name!r} is not a valid name: use letters, digits, '_' and '-', and begin with a letter")
        if max_in_flight is not None and max_in_flight < 1:
            raise ValueError("max_in_flight is at least 1")
        self.name = name
        self.version = version
        #: How many calls may run at a time; one if not set. More than one means threads.
        self.max_in_flight = max_in_flight
        self.functions: dict[str, Function] = {}
        self.actions: dict[str, Action] = {}
        self.data_sources: dict[str, DataSource] = {}
        self.resources: dict[str, Resource] = {}
        self.ephemerals: dict[str, Ephemeral] = {}
        super().__init__()
        self.config: Call | None = None
        self.stop: Call | None = None

    def _add(self, kind: str, all: dict[str, Any], name: str, part: Any) -> None:
        if not is_name(name):
            raise ValueError(f"{name!r} is not a valid name for {kind}")
        if name in all:
            raise ValueError(f"there are two {kind}s called {name!r}")
        all[name] = part

    def _decorated(self, name: Any, handler: Any, add: Callable[[str, Any], None]) -> Any:
        """Adds something by a decorator with or without arguments, or by a call."""
        if handler is None and callable(name):
            name, handler = None, name
        if handler is not None:
            add(name or handler.__name__, handler)
            return handler

        def decorate(decorated: Any) -> Any:
            add(name or decorated.__name__, decorated)
            return decorated

        return decorate

    @overload
    def function(self, name: F) -> F: ...
    @overload
    def function(
        self,
        name: str | None = None,
        handler: None = None,
        *,
        description: str = "",
        summary: str = "",
        deprecated: str = "",
        parameters: Any = None,
        returns: Any = None,
    ) -> Callable[[F], F]: ...
    @overload
    def function(
        self,
        name: str,
        handler: F,
        *,
        description: str = "",
        summary: str = "",
        deprecated: str = "",
        parameters: Any = None,
        returns: Any = None,
    ) -> F: ...
    def function(
        self,
        name: Any = None,
        handler: Any = None,
        *,
        description: str = "",
        summary: str = "",
        deprecated: str = "",
        parameters: Any = None,
        returns: Any = None,
    ) -> Any:
        """Adds a function: ``@plugin.function``, ``@plugin.function("name")``, or a call with both.

        Equal arguments must give equal results: Terraform compares plan and apply. ``parameters``
        (names with an :class:`Attribute` or a type each) and ``returns`` take the place of type hints.
        """

        def add(name: str, handler: Any) -> None:
            part = Function(
                handler, parameters, returns, name, description, summary=summary, deprecated=deprecated
            )
            self._add("function", self.functions, name, part)

        return self._decorated(name, handler, add)

    @overload
    def action(self, name: F) -> F: ...
    @overload
    def action(
        self,
        name: str | None = None,
        handler: None = None,
        *,
        description: str = "",
        idempotent: bool = False,
        attributes: Any = None,
        outputs: Any = None,
    ) -> Callable[[F], F]: ...
    @overload
    def action(
        self,
        name: str,
        handler: F,
        *,
        description: str = "",
        idempotent: bool = False,
        attributes: Any = None,
        outputs: Any = None,
    ) -> F: ...
    def action(
        self,
        name: Any = None,
        handler: Any = None,
        *,
        description: str = "",
        idempotent: bool = False,
        attributes: Any = None,
        outputs: Any = None,
    ) -> Any:
        """Adds an action, which does something. Its result has names: a class, a dict, or None.

        ``idempotent`` says that repeating it with the same attributes changes nothing more.
        """

        def add(name: str, handler: Any) -> None:
            part = Action(handler, attributes, outputs, name, description, idempotent)
            self._add("action", self.actions, name, part)

        return self._decorated(name, handler, add)

    @overload
    def data_source(self, name: F) -> F: ...
    @overload
    def data_source(
        self,
        name: str | None = None,
        handler: None = None,
        *,
        description: str = "",
        deprecated: str = "",
        attributes: Any = None,
        returns: Any = None,
    ) -> Callable[[F], F]: ...
    @overload
    def data_source(
        self,
        name: str,
        handler: F,
        *,
        description: str = "",
        deprecated: str = "",
        attributes: Any = None,
        returns: Any = None,
    ) -> F: ...
    def data_source(
        self,
        name: Any = None,
        handler: Any = None,
        *,
        description: str = "",
        deprecated: str = "",
        attributes: Any = None,
        returns: Any = None,
    ) -> Any:
        """Adds a data source: a function whose result is a class with attributes."""

        def add(name: str, handler: Any) -> None:
            part = DataSource(handler, attributes, returns, name, description, deprecated)
            check_data_source(part)
            self._add("data source", self.data_sources, name, part)

        return self._decorated(name, handler, add)

    @overload
    def resource(self, name: C) -> C: ...
    @overload
    def resource(
        self, name: str | None = None, handler: None = None, *, description: str = "", deprecated: str = ""
    ) -> Callable[[C], C]: ...
    @overload
    def resource(self, name: str, handler: Any, *, description: str = "", deprecated: str = "") -> Any: ...
    def resource(
        self, name: Any = None, handler: Any = None, *, description: str = "", deprecated: str = ""
    ) -> Any:
        """Adds a resource: a class (or an object) with ``create`` and ``delete``, and where it makes
        sense ``read``, ``update``, ``modify_plan`` and ``upgrade``.

        Its attributes are the fields of ``Props`` (what users configure) and of ``State`` (what is
        known once it exists), classes inside it or the types of its methods. If its ``__init__``
        takes an argument, that is what ``configure`` returned.
        """

        def add(name: str, kind: Any) -> None:
            self._add("resource", self.resources, name, Resource(kind, name, description, deprecated))

        return self._decorated(name, handler, lambda name, kind: add(_snake(name), kind))

    @overload
    def ephemeral(self, name: C) -> C: ...
    @overload
    def ephemeral(
        self, name: str | None = None, handler: None = None, *, description: str = "", deprecated: str = ""
    ) -> Callable[[C], C]: ...
    @overload
    def ephemeral(self, name: str, handler: Any, *, description: str = "", deprecated: str = "") -> Any: ...
    def ephemeral(
        self, name: Any = None, handler: Any = None, *, description: str = "", deprecated: str = ""
    ) -> Any:
        """Adds an ephemeral resource: a class with ``open``, and optionally ``renew`` and ``close``."""

        def add(name: str, kind: Any) -> None:
            self._add("ephemeral resource", self.ephemerals, name, Ephemeral(kind, name, description, deprecated))

        return self._decorated(name, handler, lambda name, kind: add(_snake(name), kind))

    def configure(self, handler: F) -> F:
        """Adds the function that gets the configuration. What it returns is ``context.state``."""
        if self.config is not None:
            raise ValueError("there are two functions for configure")
        self.config = Call(handler, name="configure")
        if self.config.variadic is not None:
            raise TypeError("the configuration has names: *arguments have none")
        return handler

    def shutdown(self, handler: F) -> F:
        """Adds a function that is called when the host ends the conversation or goes away."""
        self.stop = Call(handler, {}, name="shutdown")
        return handler

    def offer(self) -> dict[str, Any]:
        """Everything that the plugin offers, as data: the schemas that hosts get."""
        from . import _schema

        return _schema.offer(self)

    def serve(self, arguments: Sequence[str] | None = None) -> None:
        """Serves the host on stdin and stdout, until it ends the conversation or goes away.

        With the argument ``schema`` it prints the schema for Orchard. Ends the program with an exit
        code if something is wrong.
        """
        from . import _serve

        code = _serve.serve(self, arguments)
        if code:
            raise SystemExit(code)

    def __repr__(self) -> str:
        return f"Plugin({self.name!r}, {self.version!r})"


def _snake(name: str) -> str:
    """``RentalCar`` as ``rental_car``: the name of a class as that of a resource."""
    if "_" in name or name.islower():
        return name
    return "".join(f"_{c.lower()}" if c.isupper() and i else c.lower() for i, c in enumerate(name))
