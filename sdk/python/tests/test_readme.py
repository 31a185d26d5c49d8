"""The examples in the README run as they are printed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
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

    def test_the_first_example_runs_beside_a_copy_of_the_package(self) -> None:
        first = re.search(r"```python\n(# shout.py\n.*?)```", README.read_text(), re.DOTALL)
        assert first is not None
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder, "shout.py")
            script.write_text(first[1])
            shutil.copytree(README.parent / "src/tenon_plugin", Path(folder, "tenon_plugin"))
            call = b'{"jsonrpc":"2.0","id":1,"method":"shout","params":{"text":"hello"}}\n'
            # As hosts start it: without the variables that could help it to find the package.
            command = [sys.executable, str(script)]
            few = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
            found = subprocess.run(command, input=call, capture_output=True, env=few, timeout=60)
        self.assertEqual(found.stdout, b'{"jsonrpc":"2.0","id":1,"result":"HELLO!"}\n', found.stderr)

    def test_what_it_links_to_is_there(self) -> None:
        text = README.read_text()
        headings = {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in re.findall(r"^#+ (.*)$", text, re.M)}
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            path, _, part = link.partition("#")
            if "://" not in link:
                self.assertTrue((README.parent / path).exists(), link)
                self.assertTrue(path or part in headings, link)


if __name__ == "__main__":
    unittest.main()
