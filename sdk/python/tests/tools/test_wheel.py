"""The wheel: built without network, installed into an empty environment, and used there.

Needs setuptools and pip, so it is not with the other tests.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import venv
import zipfile
from pathlib import Path

SDK = Path(__file__).parents[2]
WATCHDOG_SECONDS = 120

PLUGIN = """
import tenon_ipc
from tenon_plugin import Plugin
from tenon_plugin.testing import Host

plugin = Plugin("shout", "1.0.0")


@plugin.function
def shout(text: str) -> str:
    return text.upper()


assert Host(plugin).call_function("shout", "a") == "A"
assert tenon_ipc.Client("x").state == "disconnected"
plugin.serve()
"""


def run(*command: str, text: str = "", folder: str | None = None) -> str:
    # Nothing of this environment: not where the SDK is.
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=WATCHDOG_SECONDS, cwd=folder, env=variables
    )
    if done.returncode != 0:
        raise AssertionError(f"{command} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Wheel(unittest.TestCase):
    def test_it_works_in_an_empty_environment(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            # setuptools writes beside the sources.
            source = shutil.copytree(SDK, Path(folder) / "sdk", ignore=shutil.ignore_patterns("build", "*.egg-info"))
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
            options = ["--quiet", "--no-index", "--no-deps"]
            run(*pip, "wheel", *options, "--no-build-isolation", "--wheel-dir", folder, str(source))
            (wheel,) = Path(folder).glob("*.whl")
            names = zipfile.ZipFile(wheel).namelist()
            for package in ("tenon_plugin", "tenon_ipc"):
                self.assertIn(f"{package}/py.typed", names)
            empty = Path(folder) / "empty"
            venv.create(empty, with_pip=False)
            python = str(empty / "bin" / "python")
            run(*pip, "--python", python, "install", *options, str(wheel))
            script = Path(folder) / "shout.py"
            script.write_text(PLUGIN)
            request = {"jsonrpc": "2.0", "id": 1, "method": "shout", "params": ["hello"]}
            found = run(python, "-W", "error", str(script), text=json.dumps(request) + "\n", folder=folder)
            self.assertEqual(json.loads(found)["result"], "HELLO")


if __name__ == "__main__":
    unittest.main()
