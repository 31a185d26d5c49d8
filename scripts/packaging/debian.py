"""The Debian package. The programs are in /usr/lib/tenon, so that PATH gets the command alone."""

import gzip
import hashlib

from .formats import Entry, ar, tar, xz
from .contents import programs
from .kinds import Job
from .product import COMMAND, LICENSES, NAME, ROOT, SUMMARY, version
from .programs import Build

DESCRIPTION = """\
 Tenon starts plugins as separate processes, speaks their protocol, limits what
 they may do, and ends them without leaving a process behind. The package has
 the command tenon and two providers for Terraform and OpenTofu."""

MAINTAINER = "The Tenon authors <tenon@example.invalid>"


def control(build: Build, entries: list[Entry]) -> str:
    size = sum((len(entry.content) + 1023) // 1024 for entry in entries)
    fields = [
        ("Package", NAME),
        ("Version", version().replace("-", "~")),
        ("Architecture", str(build.target.debian)),
        ("Maintainer", MAINTAINER),
        ("Installed-Size", str(size)),
        *([("Depends", build.target.debian_depends)] if build.target.debian_depends else []),
        ("Section", "devel"),
        ("Priority", "optional"),
        ("Description", SUMMARY),
    ]
    return "".join(f"{name}: {value}\n" for name, value in fields) + DESCRIPTION + "\n"


def copyright_file() -> bytes:
    """Both licences, as the policy of Debian wants it in one file."""
    texts = [(ROOT / name).read_text() for name in LICENSES]
    return ("Tenon is licensed under MIT or Apache-2.0, at your option.\n\n" + "\n\n".join(texts)).encode()


def share(entry: Entry) -> Entry:
    """A file below /usr/share, where Debian wants it."""
    if entry.path.startswith("man/"):
        return Entry(f"usr/share/{entry.path}.gz", gzip.compress(entry.content, mtime=0))
    return Entry(f"usr/share/{entry.path.replace('site-functions', 'vendor-completions')}", entry.content)


def data(build: Build, job: Job) -> list[Entry]:
    return [
        *(entry.below(f"usr/lib/{COMMAND}") for entry in programs(build)),
        Entry(f"usr/bin/{COMMAND}", link=f"../lib/{COMMAND}/{COMMAND}"),
        *(share(entry) for entry in job.shared),
        Entry(f"usr/share/doc/{NAME}/copyright", copyright_file()),
    ]


def checksums(entries: list[Entry]) -> str:
    files = sorted((entry for entry in entries if entry.link is None), key=lambda entry: entry.path)
    return "".join(f"{hashlib.md5(entry.content).hexdigest()}  {entry.path}\n" for entry in files)


def write(job: Job) -> None:
    for build in job.builds:
        if build.target.debian is None:
            continue
        entries = data(build, job)
        about = [
            Entry("./control", control(build, entries).encode()),
            Entry("./md5sums", checksums(entries).encode()),
        ]
        packed = [entry.below(".") for entry in entries]
        content = ar(
            [
                ("debian-binary", b"2.0\n"),
                ("control.tar.xz", xz(tar(about, job.time), is_fast=job.is_fast)),
                ("data.tar.xz", xz(tar(packed, job.time), is_fast=job.is_fast)),
            ],
            job.time,
        )
        job.write(f"{NAME}_{version().replace('-', '~')}_{build.target.debian}.deb", content)
