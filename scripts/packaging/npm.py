"""The npm packages: one per platform with the programs, and one that depends on all of them.

npm installs only the optional dependency that fits the platform; nothing is downloaded or run at installation.
"""

import json
from pathlib import Path

from .formats import Entry, gzipped, tar
from .contents import licenses, programs
from .kinds import Job
from .product import COMMAND, LICENSE, NAME, SUMMARY, Refusal, version
from .targets import TARGETS, Target

LAUNCHER = Path(__file__).parent / "files" / "launcher.sh"
# The launcher is a shell script, so there is no package for Windows.
PLATFORMS = sorted({target.npm_name for target in TARGETS.values() if not target.is_windows})


def package_json(name: str, more: dict[str, object]) -> Entry:
    manifest = {"name": name, "version": version(), "description": SUMMARY, "license": LICENSE, **more}
    return Entry("package.json", json.dumps(manifest, indent=2).encode() + b"\n")


def platform_package(target: Target, entries: list[Entry]) -> list[Entry]:
    limits: dict[str, object] = {"os": [target.npm_os], "cpu": [target.npm_cpu], "preferUnplugged": True}
    return [
        package_json(f"{NAME}-{target.npm_name}", limits),
        *(entry.below("bin") for entry in entries),
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


def write(job: Job) -> None:
    builds = [build for build in job.builds if build.target.npm_name in PLATFORMS]
    platforms = [build.target.npm_name for build in builds]
    if len(set(platforms)) < len(platforms):
        raise Refusal("two of the targets are the same platform for npm; leave one out")
    for build in builds:
        save(f"{NAME}-{build.target.npm_name}", platform_package(build.target, programs(build)), job)
    save(NAME, main_package(sorted(platforms), job), job)


def save(name: str, entries: list[Entry], job: Job) -> None:
    inside = [entry.below("package") for entry in entries]
    content = gzipped(tar(inside, job.time, with_folders=False), is_fast=job.is_fast)
    job.write(f"{name}-{version()}.tgz", content)
