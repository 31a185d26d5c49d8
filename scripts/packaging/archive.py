"""The archive: a folder with `bin` and `share` that runs wherever it is unpacked."""

from .formats import Entry, gzipped, tar, zip_archive
from .kinds import Job
from .product import COMMAND, version
from .programs import Build
from .contents import licenses, programs
from .targets import Target


def folder(target: Target) -> str:
    """The name of the folder in the archive."""
    return f"{COMMAND}-{version()}-{target.triple}"


def file_name(target: Target) -> str:
    return f"{folder(target)}.{'zip' if target.is_windows else 'tar.gz'}"


def files(build: Build, job: Job) -> list[Entry]:
    return [
        *(entry.below("bin") for entry in programs(build)),
        *(entry.below("share") for entry in job.shared),
        *licenses(),
        Entry("README.md", job.readme),
    ]


def write(job: Job) -> None:
    for build in job.builds:
        entries = [entry.below(folder(build.target)) for entry in files(build, job)]
        if build.target.is_windows:
            content = zip_archive(entries, job.time, is_fast=job.is_fast)
        else:
            content = gzipped(tar(entries, job.time), is_fast=job.is_fast)
        job.write(file_name(build.target), content)
