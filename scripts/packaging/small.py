"""What tests package: small files in place of programs, for platforms that need not be this one."""

import platform
import tempfile
import unittest
from pathlib import Path

from .formats import Entry
from .kinds import Job
from .product import PROGRAMS
from .programs import Build
from .targets import STATIC, TARGETS, find

ADDRESS = "https://example.invalid/1"


def own_triple() -> str:
    """The static target of this machine."""
    names = [triple for triple in STATIC if platform.machine() in (TARGETS[triple].uname or ("", ()))[1]]
    return names[0]


class SmallPackages(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()

    def job(self, *triples: str, url: str | None = ADDRESS) -> Job:
        builds = [Build(find(triple), self.folder / triple) for triple in triples]
        for build in builds:
            build.folder.mkdir(exist_ok=True)
            for name in PROGRAMS:
                build.path(name).write_text(f"#!/bin/sh\necho {name} for {build.target.triple}\n")
        shared = [Entry("man/man1/tenon.1", b"page"), Entry("man/man1/tenon-run.1", b"page")]
        return Job(builds, shared, self.folder / "out", time=0, readme=b"# Tenon\n", url=url, is_fast=True)
