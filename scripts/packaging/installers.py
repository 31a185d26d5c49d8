"""The installers for sh and PowerShell. They contain the checksums of the archives of their release."""

from pathlib import Path

from . import archive
from .kinds import Job
from .product import Refusal, version

FILES = Path(__file__).parent / "files"


def filled(name: str, values: dict[str, str]) -> bytes:
    """A file with values in place of `@NAME@`."""
    text = (FILES / name).read_text()
    for key, value in values.items():
        assert f"@{key}@" in text, f"{name} has no @{key}@"
        text = text.replace(f"@{key}@", value)
    return text.encode()


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
    common = {"VERSION": version(), "URL": job.url or ""}
    job.write("install.sh", filled("install.sh", {**common, "ARCHIVES": shell_cases(job)}))
    windows = next((build.target for build in job.builds if build.target.is_windows), None)
    if windows is not None:
        name = archive.file_name(windows)
        values = {**common, "ARCHIVE": name, "FOLDER": archive.folder(windows), "CHECKSUM": job.checksum(name)}
        job.write("install.ps1", filled("install.ps1", values))
