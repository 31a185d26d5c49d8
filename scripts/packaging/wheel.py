"""The wheel: the programs as scripts, so that `pip install` puts them on PATH and no Python starts with them."""

import base64
import hashlib

from .formats import Entry, zip_archive
from .contents import licenses, programs
from .kinds import Job
from .product import LICENSE, LICENSES, NAME, SUMMARY, version
from .programs import Build
from .targets import Target
from .versions import for_python

DISTRIBUTION = NAME.replace("-", "_")


def metadata(readme: str) -> str:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {NAME}",
        f"Version: {for_python(version())}",
        f"Summary: {SUMMARY}",
        f"License-Expression: {LICENSE}",
        *(f"License-File: {name}" for name in LICENSES),
        "Requires-Python: >=3.8",
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + readme


def tags(build: Build) -> list[str]:
    return [f"py3-none-{platform}" for platform in build.target.wheel.split(".")]


def wheel_file(build: Build) -> str:
    lines = ["Wheel-Version: 1.0", "Generator: tenon", "Root-Is-Purelib: false"]
    lines += [f"Tag: {tag}" for tag in tags(build)]
    return "\n".join(lines) + "\n"


def record(entries: list[Entry], path: str) -> Entry:
    """The list of all files with their checksums. Its own line has none."""
    lines = []
    for entry in entries:
        digest = base64.urlsafe_b64encode(hashlib.sha256(entry.content).digest()).decode().rstrip("=")
        lines.append(f"{entry.path},sha256={digest},{len(entry.content)}")
    return Entry(path, "\n".join([*lines, f"{path},,"]).encode() + b"\n")


def base_name() -> str:
    return f"{DISTRIBUTION}-{for_python(version())}"


def file_name(target: Target) -> str:
    return f"{base_name()}-py3-none-{target.wheel}.whl"


def scripts() -> str:
    """The folder of the programs in the wheel."""
    return f"{base_name()}.data/scripts"


def write(job: Job) -> None:
    base = base_name()
    info = f"{base}.dist-info"
    for build in job.builds:
        entries = [
            *(entry.below(scripts()) for entry in programs(build)),
            *(entry.below(f"{base}.data/data/share") for entry in job.shared),
            Entry(f"{info}/METADATA", metadata(job.readme.decode()).encode()),
            Entry(f"{info}/WHEEL", wheel_file(build).encode()),
            *(entry.below(f"{info}/licenses") for entry in licenses()),
        ]
        entries.append(record(entries, f"{info}/RECORD"))
        content = zip_archive(entries, job.time, is_fast=job.is_fast)
        job.write(file_name(build.target), content)
