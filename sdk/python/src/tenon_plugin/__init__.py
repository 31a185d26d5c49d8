"""Plugins for Terraform, for Orchard's scenarios, for local sockets and for MCP: one file for all.

See the README of this package. Everything is imported when it is first used, so that a small plugin
starts quickly.
"""

from __future__ import annotations

from ._plugin import Plugin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ._around import Change, Lock, Stage, Storage, Verdict
    from ._attributes import Attribute, Attributes, attribute, block, deprecated, idempotency_key, replaces, stable
    from ._context import Context
    from ._failure import Cancelled, Diagnostic, Failure
    from ._results import Created, Decision, Existing, Found, Opened, Plan, Renewed
    from ._secret import Secret, WriteOnly
    from ._unknown import Unknown, UnknownType, is_unknown

_PLACES = {
    "_around": ("Change", "Lock", "Stage", "Storage", "Verdict"),
    "_attributes": (
        "Attribute",
        "Attributes",
        "attribute",
        "block",
        "deprecated",
        "idempotency_key",
        "replaces",
        "stable",
    ),
    "_context": ("Context",),
    "_failure": ("Cancelled", "Diagnostic", "Failure"),
    "_results": ("Created", "Decision", "Existing", "Found", "Opened", "Plan", "Renewed"),
    "_secret": ("Secret", "WriteOnly"),
    "_unknown": ("Unknown", "UnknownType", "is_unknown"),
}

__all__ = [
    "Attribute",
    "Attributes",
    "Cancelled",
    "Change",
    "Context",
    "Created",
    "Decision",
    "Diagnostic",
    "Existing",
    "Failure",
    "Found",
    "Lock",
    "Opened",
    "Plan",
    "Plugin",
    "Renewed",
    "Secret",
    "Stage",
    "Storage",
    "Unknown",
    "UnknownType",
    "Verdict",
    "WriteOnly",
    "attribute",
    "block",
    "deprecated",
    "idempotency_key",
    "is_unknown",
    "replaces",
    "stable",
]


if not TYPE_CHECKING:

    def __getattr__(name):
        for place, names in _PLACES.items():
            if name in names:
                import importlib

                return getattr(importlib.import_module(f".{place}", __name__), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
