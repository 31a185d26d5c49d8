"""Takes the secrets of a call out of the texts of its error: an author may quote them without noticing."""

from __future__ import annotations

from ._failure import readable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ._plugin import Plugin

MASK = "(sensitive)"
#: Shorter texts are in many words.
_SHORTEST = 4


def sensitive_names(plugin: Plugin) -> set[str]:
    """The members that may hold secrets, in whichever message they are."""
    # What ephemeral resources leave for later may be a secret.
    names = {"private", "privateData"}
    calls = [*plugin.functions.values(), *plugin.actions.values(), *plugin.data_sources.values()]
    calls += [plugin.config] if plugin.config is not None else []
    bodies: list[Any] = [call.body for call in calls]
    for resource in plugin.resources.values():
        bodies += [resource.props, resource.state]
    for ephemeral in plugin.ephemerals.values():
        bodies += [ephemeral.props, ephemeral.result]
    entries = [call.variadic for call in calls if call.variadic is not None]
    seen: set[int] = set()
    while bodies:
        body = bodies.pop()
        if body is not None and id(body) not in seen:
            seen.add(id(body))
            entries += body.entries.values()
            bodies += [entry.shape.body for entry in body.entries.values()]
    names.update(entry.name for entry in entries if entry.is_sensitive or entry.is_write_only)
    return names


class Masking:
    """The secrets in what a host has sent."""

    def __init__(self, plugin: Plugin, *given: Any) -> None:
        self._names = sensitive_names(plugin)
        texts: set[str] = set()
        for value in given:
            for secret in self._secrets(value, False):
                texts.update(_spellings(secret))
        self._texts = sorted(texts, key=len, reverse=True)

    def _secrets(self, value: Any, is_secret: bool) -> Iterator[str]:
        if isinstance(value, dict):
            for name, inner in value.items():
                yield from self._secrets(inner, is_secret or name in self._names)
        elif isinstance(value, (list, tuple)):
            for inner in value:
                yield from self._secrets(inner, is_secret)
        elif is_secret and type(value).__name__ in ("str", "int", "float", "Decimal"):
            yield str(value)

    def hide(self, value: Any) -> Any:
        """A text, or texts in lists and dicts, without the secrets."""
        if isinstance(value, str):
            for text in self._texts:
                value = value.replace(text, MASK)
            return readable(value)
        if isinstance(value, dict):
            return {name: self.hide(inner) for name, inner in value.items()}
        return [self.hide(inner) for inner in value] if isinstance(value, list) else value


def _spellings(secret: str) -> Iterator[str]:
    """How a text may quote a secret: as it is, by one of its lines, or with escapes."""
    from json import dumps

    for text in {secret, secret.strip(), *secret.splitlines()}:
        for spelling in (text, repr(text)[1:-1], dumps(text)[1:-1], dumps(text, ensure_ascii=False)[1:-1]):
            if len(spelling) >= _SHORTEST:
                yield spelling
