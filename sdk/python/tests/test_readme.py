"""The examples in the README run as they are printed."""

from __future__ import annotations

import re
import sys
import types
import unittest
from pathlib import Path
from typing import Any

README = Path(__file__).parents[1] / "README.md"


class Readme(unittest.TestCase):
    def test_examples(self) -> None:
        blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
        # A module, so that classes find their types.
        module = types.ModuleType("readme_example")
        sys.modules["readme_example"] = module
        self.addCleanup(sys.modules.pop, "readme_example")
        names: dict[str, Any] = module.__dict__
        ran = 0
        for block in blocks:
            if "Client(" in block:
                # It needs a server; test_server.py has these.
                continue
            exec(compile(block, str(README), "exec"), names)
            ran += 1
        self.assertGreaterEqual(ran, 12)
        self.assertEqual(sorted(names["plugin"].hooks), ["planStageCompleted", "postPlan"])


if __name__ == "__main__":
    unittest.main()
