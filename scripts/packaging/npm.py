"""The npm packages: one per platform with the programs, and one that depends on all of them.

npm installs only the optional dependency that fits the platform; nothing is downloaded or run at installation.

The command of a package is one file for all systems, and the one that leaves no process behind is a shell script. So
the package for Windows stands by itself: its command is the program, and what npm writes for it (`tenon.cmd`) starts that directly.
"""

import json
from pathlib import Path

from .formats import Entry, gzipped, tar
from .contents import licenses, programs
from .kinds import Job
from .product import COMMAND, LICENSE, NAME, SUMMARY, Refusal, version
from .programs import Build
from .targets import TARGETS, Target

LAUNCHER = Path(__file__).parent / "files" / "launcher.sh"
# Those that the launcher knows.
PLATFORMS = sorted({target.npm_name for target in TARGETS.values() if not target.is_windows})


def package_json(name: str, more: dict[str, object]) -> Entry:
    manifest = {"name": name, "version": version(), "description": SUMMARY, "license": LICENSE, **more}
    return Entry("package.json", json.dumps(manifest, indent=2).encode() + b"\n")


def platform_name(target: Target) -> str:
    return f"{NAME}-{target.npm_name}"


def platform_package(build: Build, job: Job) -> list[Entry]:
    target = build.target
    more: dict[str, object] = {"os": [target.npm_os], "cpu": [target.npm_cpu], "preferUnplugged": True}
    if target.is_windows:
        more["bin"] = {COMMAND: f"bin/{target.program(COMMAND)}"}
    return [
        package_json(platform_name(target), more),
        *(entry.below("bin") for entry in programs(build)),
        *([Entry("README.md", job.readme)] if target.is_windows else []),
        *licenses(),
    ]


def main_package(platforms: list[str], job: Job) -> list[Entry]:
    pages = [entry for entry in job.shared if entry.path.startswith("man/")]
    pages = [Entry(f"man/{entry.path.rsplit('/', 1)[-1]}", entry.content) for entry in pages]
    more: dict[str, object] = {
        "bin": {COMMAND: f"bin/{COMMAND}"},
        "man": [page.path for page in pages],
        "os": sorted({platform.split("-")[0] for platform in platforms}),
        "optionalDependencies": {f"{NAME}-{platform}": version() for platform in platforms},
    }
    return [
        package_json(NAME, more),
        Entry(f"bin/{COMMAND}", LAUNCHER.read_bytes(), is_executable=True),
        Entry("README.md", job.readme),
        *pages,
        *licenses(),
    ]


def file_name(name: str) -> str:
    return f"{name}-{version()}.tgz"


def write(job: Job) -> None:
    names = [build.target.npm_name for build in job.builds]
    if len(set(names)) < len(names):
        raise Refusal("two of the targets are the same platform for npm; leave one out")
    for build in job.builds:
        save(platform_name(build.target), platform_package(build, job), job)
    platforms = sorted(set(names) & set(PLATFORMS))
    if platforms:
        save(NAME, main_package(platforms, job), job)


def save(name: str, entries: list[Entry], job: Job) -> None:
    inside = [entry.below("package") for entry in entries]
    content = gzipped(tar(inside, job.time, with_folders=False), is_fast=job.is_fast)
    job.write(file_name(name), content)
