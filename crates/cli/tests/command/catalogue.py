"""A plugin whose schema has everything that a schema can have."""

import os
import sys

sys.path.insert(0, os.environ["EXAMPLES"])
from seasonings import serve  # noqa: E402

FUNCTIONS = {
    "slug": {
        "summary": "Makes a short name of a text.",
        "description": "Makes a short name of a text.\nLetters become small, and everything else becomes the separator.",
        "parameters": [
            {"name": "text", "type": "string", "description": "The text."},
            {"name": "separator", "type": "string", "default": "-", "description": "What stands between words."},
            {"name": "limit", "type": "number", "optional": True},
        ],
        "returns": "string",
    },
    "merge": {
        "summary": "Merges objects.",
        "variadic": {"name": "items", "type": "object({ id = string, tags = optional(list(string)) })",
                     "allow_null": True},
        "returns": "map(any)",
        "deprecation": "Use `merge` of Terraform.",
    },
}

SCHEMA = {
    "provider": {
        "description": "Servers and their names.",
        "attributes": {
            "base_url": {"type": "string", "required": True, "description": "Where the service is."},
            "token": {"type": "string", "required": True, "sensitive": True},
        },
    },
    "resources": {"server": {
        "description": "A server.\n\nIt is created in a moment.",
        "attributes": {
            "hostname": {"type": "string", "required": True, "replace": True, "description": "Its name."},
            "ports": {"type": "set(number)", "required": True},
            "size": {"type": "string", "default": "small", "description": "How large it is:\n`small` or `large`."},
            "password": {"type": "string", "required": True, "sensitive": True, "write_only": True},
            "owner": {"type": "object({ email = string, phone = optional(string) })", "optional": True},
            "disks": {"type": "list(object({ path = string }))", "required": True},
            "labels": {"type": "map(string)", "optional": True, "deprecation": "Use `tags`."},
            "kind": {"type": "string", "optional": True, "computed": True},
            "id": {"type": "string", "computed": True, "stable": True},
            "addresses": {"type": "list(object({ ip = string, route = object({ metric = number }) }))",
                          "computed": True},
            "pair": {"type": "tuple([string, bool])", "optional": True},
            "extra": {"type": "any", "optional": True},
        },
        "blocks": {
            "rule": {"nesting": "list", "min": 2, "max": 5, "attributes": {
                "port": {"type": "number", "required": True},
            }, "blocks": {"source": {"nesting": "single", "attributes": {
                "cidr": {"type": "string", "optional": True},
            }}}},
            "label": {"nesting": "map", "attributes": {"value": {"type": "string", "optional": True}}},
        },
    }},
    "data_sources": {"image": {"deprecation": "Use `catalogue_server`.", "attributes": {
        "name": {"type": "string", "optional": True},
        "id": {"type": "string", "computed": True},
    }}},
    "ephemeral": {"token": {"attributes": {
        "value": {"type": "string", "computed": True, "sensitive": True},
    }}},
}

nothing = lambda params: {}  # noqa: E731

serve("catalogue", "2.0.1", {
    "functions/getSchema": lambda params: {"functions": FUNCTIONS},
    "functions/call": nothing,
    "resources/getSchema": lambda params: SCHEMA,
    "resources/applyChange": nothing,
    "resources/import": nothing,
    "resources/readData": nothing,
    "resources/open": nothing,
}, configure=lambda config: print("configured with", config, file=sys.stderr))
