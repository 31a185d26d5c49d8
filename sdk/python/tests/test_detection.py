"""Who is calling, by the first bytes: the cases that every SDK plays."""

from __future__ import annotations

import json
import unittest
from pathlib import Path
from typing import Any

from tenon_plugin import Plugin
from tenon_plugin._detect import detect

CASES = Path(__file__).parents[3] / "conformance" / "hosts.jsonl"

#: The hosts by the names of their classes. Headers are a variant of the service.
NAMES = {"Seasonings": "seasonings", "Orchard": "orchard", "Mcp": "mcp", "Denobridge": "denobridge", "Service": "ipc"}


def offering(offers: dict[str, list[str]]) -> Any:
    """A plugin that has parts of these names."""
    plugin: Any = Plugin("any", "1.0.0")
    kinds = {
        "functions": plugin.functions,
        "actions": plugin.actions,
        "resources": plugin.resources,
        "data_sources": plugin.data_sources,
        "ephemeral": plugin.ephemerals,
    }
    for kind, names in offers.items():
        for name in names:
            kinds[kind][name] = None
    return plugin


class Detection(unittest.TestCase):
    def test_the_golden_first_bytes_are_told_apart(self) -> None:
        cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
        self.assertGreater(len(cases), 25)
        for case in cases:
            with self.subTest(case["name"]):
                data = bytes.fromhex(case["hex"]) if "hex" in case else case["text"].encode()
                found = detect(data, offering(case.get("offers", {})))
                name = None if found is None else NAMES.get(found.__name__, "ipc-headers")
                self.assertEqual(name, case["host"])


if __name__ == "__main__":
    unittest.main()
