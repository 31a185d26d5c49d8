"""What a function takes and returns, without the module ``inspect``, which takes long to import."""

from __future__ import annotations

from ._attributes import ABSENT
from ._bodies import evaluated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_VARIADIC, _KEYWORDS = 0x04, 0x08


class Parameter:
    """A parameter: its name, its hint and its default; ABSENT if there is none."""

    __slots__ = ("name", "hint", "default", "is_variadic", "is_positional")

    def __init__(self, name: str, hint: Any, default: Any, is_variadic: bool, is_positional: bool) -> None:
        self.name = name
        self.hint = hint
        self.default = default
        self.is_variadic = is_variadic
        self.is_positional = is_positional


class Signature:
    """The parameters of a function, its result, and the name of the one that takes the context."""

    def __init__(self, function: Callable[..., Any], skip: int = 0, local: dict[str, Any] | None = None) -> None:
        inner: Any = function
        #: How many positional parameters ``functools.partial`` has filled, and which by name.
        filled = 0
        named: set[str] = set()
        while hasattr(inner, "__wrapped__") or _is_partial(inner):
            if _is_partial(inner):
                filled, named = filled + len(inner.args), named | inner.keywords.keys()
            inner = inner.func if _is_partial(inner) else inner.__wrapped__
        self.documentation: str | None = getattr(inner, "__doc__", None)
        if not hasattr(inner, "__code__"):
            skip = 1 if hasattr(inner, "__self__") or hasattr(inner, "__call__") else 0
            inner = getattr(inner, "__func__", None) or getattr(type(inner).__call__, "__func__", type(inner).__call__)
        elif hasattr(inner, "__self__"):
            skip = 1
        if not hasattr(inner, "__code__"):
            raise TypeError(f"the parameters of {function!r} cannot be read; call it in a function of your own")
        skip += filled
        code = inner.__code__
        hints = dict(getattr(inner, "__annotations__", {}))
        scope = getattr(inner, "__globals__", {})
        if "__closure__" in dir(inner) and inner.__closure__:
            # Classes that are local to the function in which this one is defined.
            scope = {**scope, **_closure(inner)}
        positional = code.co_argcount
        names = list(code.co_varnames[: positional + code.co_kwonlyargcount])
        defaults = inner.__defaults__ or ()
        found: dict[str, Any] = dict(zip(names[positional - len(defaults) : positional], defaults))
        found.update(inner.__kwdefaults__ or {})
        self.context: str | None = None
        self.parameters: list[Parameter] = []
        for index, name in enumerate(names):
            if index < skip or name in named:
                continue
            if is_context(name, hints):
                self.context = name
                continue
            hint = evaluated(hints.get(name, object), scope, local)
            default = found.get(name, ABSENT)
            self.parameters.append(Parameter(name, hint, default, False, index < positional))
        if code.co_flags & _VARIADIC:
            name = code.co_varnames[positional + code.co_kwonlyargcount]
            hint = evaluated(hints.get(name, object), scope, local)
            self.parameters.append(Parameter(name, hint, ABSENT, True, True))
        if code.co_flags & _KEYWORDS:
            raise TypeError(f"{function!r} takes **keywords, which have no names; list its parameters")
        self.returns = evaluated(hints.get("return", ABSENT), scope, local)


def _is_partial(function: Any) -> bool:
    return type(function).__name__ == "partial" and hasattr(function, "func")


def is_context(name: str, hints: dict[str, Any]) -> bool:
    """Whether a parameter takes the context: by its type, or by its name if it has no type."""
    hint = hints.get(name)
    if hint is None:
        return name in ("context", "ctx")
    text = hint if isinstance(hint, str) else getattr(hint, "__name__", "")
    return text.removesuffix(" | None").rpartition(".")[2] == "Context"


def context_parameter(function: Any) -> str | None:
    """The name of the parameter that takes the context, if there is one."""
    code = getattr(function, "__code__", None)
    if code is None:
        return None
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return next((name for name in names if is_context(name, function.__annotations__)), None)


def _closure(function: Any) -> dict[str, Any]:
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            # Not assigned yet.
            continue
    return found
