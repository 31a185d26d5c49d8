"""A plugin that serves a host: whether it is configured, and how its functions are run."""

from __future__ import annotations

from _thread import RLock

from ._failure import Failure, Unfit, failure_of
from ._names import listed, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ._context import Context
    from ._parts import Function
    from ._plugin import Plugin


class Unconfigured(Exception):
    """Why the plugin was not configured: ``ended``, ``twice``, ``invalid`` or ``failed``."""

    def __init__(self, reason: str, errors: list[Unfit] | None = None, failure: Failure | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.errors = errors or []
        self.failure = failure or Failure(reason)

    def text(self) -> str:
        """The reason, for a host that has one text."""
        if self.reason == "twice":
            return "the plugin is already configured"
        if self.reason == "ended":
            return "the plugin has been shut down"
        return join(self.errors) if self.reason == "invalid" else self.failure.text()


class Session:
    """A running plugin."""

    def __init__(self, plugin: Plugin) -> None:
        self.plugin = plugin
        #: ``waiting`` for configure, ``deferred`` (a part of the configuration is not known yet),
        #: ``ready`` or ``ended``.
        self.stage = "ready" if plugin.config is None else "waiting"
        self.state: Any = None
        #: The configuration as the host has sent it.
        self.config: Any = None
        self._instances: dict[Any, Any] = {}
        self._lock = RLock()
        self._loop: Any = None

    def wait(self, result: Any, context: Context) -> Any:
        """The result of a function of the author, which may be a coroutine."""
        if not hasattr(result, "__await__"):
            return result
        if self._loop is None:
            with self._lock:
                if self._loop is None:
                    from ._loop import Loop

                    self._loop = Loop()
        return self._loop.run(result, context)

    def configure(self, given: Any, context: Context) -> None:
        """Configures the plugin. Without a function for it, this may be repeated or left out."""
        with self._lock:
            if self.stage == "ended":
                raise Unconfigured("ended")
            config = self.plugin.config
            errors: list[Unfit] = []
            if config is None:
                if given:
                    errors.append(Unfit("the plugin has no configuration"))
                    raise Unconfigured("invalid", errors)
                return
            self.config = given
            values = config.body.read_all(given, errors)
            if errors:
                raise Unconfigured("invalid", errors)
            if self.stage == "ready":
                raise Unconfigured("twice")
            try:
                self.state = self.wait(config.run(values, context), context)
            except Unfit as error:
                raise Unconfigured("invalid", [error]) from None
            except Exception as error:
                raise Unconfigured("failed", failure=failure_of(error)) from error
            self.stage = "ready"

    def defer(self) -> None:
        """Waits for the rest of the configuration: parts of it are not known yet."""
        if self.stage == "waiting":
            self.stage = "deferred"

    def ready(self, context: Context) -> Any:
        """The state. If the host has not configured the plugin, it is made with the defaults."""
        if self.stage == "waiting":
            with self._lock:
                if self.stage == "waiting":
                    self._configure_with_defaults(context)
        if self.stage == "deferred":
            raise Failure(
                "the configuration of the plugin has values that are known only after apply; apply what "
                "they depend on first"
            )
        if self.stage == "ended":
            raise Failure("the plugin has been shut down")
        context.state = self.state
        return self.state

    def _configure_with_defaults(self, context: Context) -> None:
        try:
            self.configure({}, context)
        except Unconfigured as error:
            if error.reason == "invalid":
                problem = f"the plugin needs a configuration, which this host cannot provide: {error.text()}"
                raise Failure(problem) from None
            raise error.failure from error.__cause__

    def instance(self, part: Any, context: Context) -> Any:
        """The author's object for a resource or an ephemeral resource."""
        state = self.ready(context)
        with self._lock:
            if part not in self._instances:
                self._instances[part] = part.instance(state)
            return self._instances[part]

    def call(self, instance: Any, method: str, arguments: tuple[Any, ...], context: Context) -> Any:
        """Calls a method of such an object."""
        function = getattr(instance, method)
        name = _context_name(function)
        named = {name: context} if name else {}
        return self.wait(function(*arguments, **named), context)

    def lend_state(self, function: Function, context: Context) -> None:
        """Gives a function the state, if it has a context. Unlike an action it may do without: what is wrong is raised
        when it asks for the state."""
        if not function.takes_context:
            return
        try:
            # The host of Seasonings may configure the plugin later, and the defaults would keep it from doing so.
            if context.host == "seasonings" and self.stage == "waiting":
                raise Failure("the plugin needs a configuration, and is not configured yet")
            self.ready(context)
        except Failure as failure:
            context._without_state = failure

    def shut_down(self) -> None:
        """Ends the plugin: its own function first."""
        with self._lock:
            was_ready, self.stage = self.stage == "ready", "ended"
        if was_ready and self.plugin.stop is not None:
            from ._context import Context

            context = Context("end", self.state)
            self.wait(self.plugin.stop.run({}, context), context)

    def summary(self) -> str:
        """What the plugin offers, in one line."""
        plugin = self.plugin
        return listed(
            {
                "action": list(plugin.actions),
                "function": list(plugin.functions),
                "resource": list(plugin.resources),
                "data source": list(plugin.data_sources),
                "ephemeral resource": list(plugin.ephemerals),
            }
        )

    def missing(self, kind: str, name: str, names: Iterable[str]) -> str:
        """There is nothing of this kind and name; ``names`` are those that there are."""
        close = nearest(name, names)
        hint = f"did you mean `{close}`?" if close else f"the plugin offers {self.summary()}"
        return f"unknown {kind} `{name}`; {hint}"


_context_names: dict[Any, str | None] = {}


def _context_name(function: Any) -> str | None:
    """The name of the parameter that takes the context."""
    inner = getattr(function, "__func__", function)
    if inner not in _context_names:
        from ._signature import context_parameter

        _context_names[inner] = context_parameter(inner)
    return _context_names[inner]


def join(errors: list[Unfit]) -> str:
    """All errors in one line."""
    return "; ".join(map(str, errors))
