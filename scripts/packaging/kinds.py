"""What the kinds of packages have in common."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from .formats import Entry
from .programs import Build


@dataclass
class Job:
    """The packages of one run."""

    builds: list[Build]
    shared: list[Entry]
    output: Path
    time: int
    readme: bytes
    # Where the installers find the archives, if that is known.
    url: str | None = None
    # Less compression, for tests.
    is_fast: bool = False
    written: list[str] = field(default_factory=list)

    def write(self, name: str, content: bytes) -> None:
        """Writes a file of the result."""
        path = self.output / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.written.append(name)

    def checksum(self, name: str) -> str:
        """The SHA-256 of a file of the result."""
        return hashlib.sha256((self.output / name).read_bytes()).hexdigest()
