"""The installers for sh and PowerShell. They contain the checksums of the archives of their release."""

import re
import shlex
from pathlib import Path

from . import archive
from .kinds import Job
from .product import Refusal, version

FILES = Path(__file__).parent / "files"


def filled(name: str, values: dict[str, str]) -> bytes:
    """A file with values in place of `@NAME@`. Values are inserted as they are: those from outside have to be quoted."""
    text = (FILES / name).read_text()
    for key in values:
        assert f"@{key}@" in text, f"{name} has no @{key}@"
    # In one pass, so that nothing is replaced within a value.
    return re.sub("@([A-Z]+)@", lambda found: values[found[1]], text).encode()


def power_shell_quoted(text: str) -> str:
    """A string of PowerShell in which nothing is expanded. It takes typographic quotes for quotes, too."""
    return "'" + re.sub("(['\u2018\u2019\u201a\u201b])", r"\1\1", text) + "'"


def shell_cases(job: Job) -> str:
    """A line of `case` for each archive: what `uname` prints, the archive and its checksum."""
    lines = []
    for build in job.builds:
        if build.target.uname is None:
            continue
        system, machines = build.target.uname
        patterns = " | ".join(f"{system}-{machine}" for machine in machines)
        name = archive.file_name(build.target)
        lines.append(f"  {patterns}) archive={name} checksum={job.checksum(name)} ;;")
    return "\n".join(lines)


def write(job: Job) -> None:
    missing = [build.target.triple for build in job.builds if archive.file_name(build.target) not in job.written]
    if missing:
        raise Refusal("the installers need the archives; build the kind `archive` as well")
    address = (job.url or "").rstrip("/")
    values = {"VERSION": version(), "URL": shlex.quote(address), "ARCHIVES": shell_cases(job)}
    job.write("install.sh", filled("install.sh", values))
    windows = next((build.target for build in job.builds if build.target.is_windows), None)
    if windows is not None:
        name = archive.file_name(windows)
        values = {
            "VERSION": version(),
            "URL": power_shell_quoted(address),
            "ARCHIVE": name,
            "FOLDER": archive.folder(windows),
            "CHECKSUM": job.checksum(name),
        }
        job.write("install.ps1", filled("install.ps1", values))
