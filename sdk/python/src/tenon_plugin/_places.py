"""Where attributes are in denobridge's params, and how secrets travel apart from the rest."""

from __future__ import annotations

from ._failure import Diagnostic, Failure, Unfit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ._bodies import Body

#: What the params call what they hold: where there is nothing next, and where there is.
PLAIN = {
    "props": "props",
    "write_only": "writeOnlyProps",
    "current": "props",
    "state": "state",
    "sensitive": "sensitiveState",
}
CHANGE = {
    "props": "nextProps",
    "write_only": "nextWriteOnlyProps",
    "current": "currentProps",
    "state": "currentState",
    "sensitive": "currentSensitiveState",
}
ARGUMENTS: dict[str, str] = {}


def located(found: Any, members: dict[str, str], given: Any, returned: Any) -> Diagnostic:
    """A diagnostic whose path begins with a member of the params."""
    if isinstance(found, Unfit):
        path = _path(list(found.path), found.given, members, given, returned)
        detail = found.problem if members is ARGUMENTS else str(found)
        return Diagnostic("error", f"invalid `{path[0]}`", detail, path)
    diagnostic: Diagnostic = found
    if diagnostic.path is None:
        return diagnostic
    path = _path(list(diagnostic.path), "props", members, given, returned)
    return Diagnostic(diagnostic.severity, diagnostic.summary, diagnostic.detail, path)


def _path(path: list[Any], which: str, members: dict[str, str], given: Any, returned: Any) -> list[Any]:
    if members is ARGUMENTS:
        return ["arguments", *_argument(path, given)]
    name = path[0] if path else ""
    if which == "props":
        entry = given.entries.get(name) if given is not None else None
        if entry is None and returned is not None and name in returned.entries:
            which = "sensitive" if returned.entries[name].is_sensitive else "state"
        elif entry is not None and entry.is_write_only:
            which = "write_only"
    return [members.get(which, members["props"]), *path]


def _argument(path: list[Any], function: Any) -> list[Any]:
    """The position of an argument in the place of its name."""
    names = list(function.body.entries)
    if path and path[0] in names:
        return [names.index(path[0]), *path[1:]]
    if path and function.variadic is not None and path[0] == function.variadic.name:
        return [len(names) + int(path[1]), *path[2:]] if len(path) > 1 else [len(names)]
    return path


def joined(props: Any, secret: Any, body: Body) -> dict[str, Any]:
    """Props and write-only props in one object."""
    plain = props if isinstance(props, dict) else {}
    for name, value in plain.items():
        entry = body.entries.get(name)
        if entry is not None and entry.is_write_only and value is not None:
            # It would be stored with the other props.
            detail = f"move it from `props` to `write_only_props`: {name} is never stored"
            raise Failure.diagnosed([Diagnostic("error", f'"{name}" is write-only', detail, [name])])
    secrets = secret if isinstance(secret, dict) else {}
    kept = {name: one for name, one in secrets.items() if name in body.entries and body.entries[name].is_write_only}
    return {**plain, **kept}


def split(returned: dict[str, Any], body: Body, plain: str, secret: str) -> dict[str, Any]:
    """What may be shown and what may not. Without a secret the second part is absent."""
    shown = {name: one for name, one in returned.items() if not body.entries[name].is_sensitive}
    hidden = {name: one for name, one in returned.items() if body.entries[name].is_sensitive}
    result: dict[str, Any] = {plain: shown or None}
    if any(one is not None for one in hidden.values()):
        result[secret] = hidden
    return result


def stored(props: dict[str, Any], body: Body) -> dict[str, Any]:
    """Props without what is never stored."""
    return {name: value for name, value in props.items() if not body.entries[name].is_write_only}


def as_given(found: Any, completed: Any, given: Any) -> Any:
    """What was found, written as the user has written it; ``completed`` is what the user has given, with defaults.

    The host compares the props that it gets with those that it has sent: a default that the user has left out would be
    a change in every plan.
    """
    if found == completed:
        return given
    if isinstance(found, dict) and isinstance(completed, dict) and isinstance(given, dict):
        return {
            name: as_given(value, completed.get(name), given[name]) if name in given else value
            for name, value in found.items()
            if name in given or value != completed.get(name)
        }
    if isinstance(found, list) and isinstance(completed, list) and isinstance(given, list):
        if len(found) == len(completed) == len(given):
            return [as_given(*parts) for parts in zip(found, completed, given)]
    return found
