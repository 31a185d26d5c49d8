"""Checks of packages that were built, before they are released: `scripts/package --check`."""

import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .product import COMMAND, ROOT, Refusal
from .programs import Build

SCENARIO = ROOT / "examples" / "hello" / "hello.hcl"


def check(builds: list[Build], packages: Path) -> None:
    """Tries the programs of every build, and the crates if there are some.

    What cannot be tried on this machine is skipped by name.
    """
    for build in builds:
        if build.can_run_here:
            install(build)
        else:
            emulate(build)
    crates(packages)


def run(what: str, command: list[str | Path], more: Mapping[str, str] = {}, folder: Path = ROOT) -> None:
    print(f"== {what}", flush=True)
    if subprocess.run(command, cwd=folder, env={**os.environ, **more}).returncode != 0:
        raise Refusal(f"{what} failed")


def install(build: Build) -> None:
    """The tests of all packages, with these programs in place of those that cargo builds for tests."""
    tests: list[str | Path] = ["cargo", "test", "--locked", "--workspace", "--test", "installing"]
    folder = str(build.folder.absolute())
    run(f"installing the packages of {build.target.triple}", tests, {"TENON_TEST_PROGRAMS": folder})


def emulate(build: Build) -> None:
    """The version and the first scenario, in an emulator of another processor."""
    machine, _, system = build.target.triple.partition("-")
    emulator = shutil.which(f"qemu-{machine}-static") or shutil.which(f"qemu-{machine}")
    if emulator is None or "linux" not in system:
        print(f"{build.target.triple}: skipped: there is no qemu-{machine}-static, or it is not for Linux")
        return
    program = build.path(COMMAND)
    run(f"the version of {build.target.triple}", [emulator, program, "--version"])
    with tempfile.TemporaryDirectory() as folder:
        run(f"the first scenario of {build.target.triple}", [emulator, program, "run", SCENARIO], folder=Path(folder))


def crates(packages: Path) -> None:
    """Whether the crates compile from what is published: unpacked, in a workspace of their own."""
    files = sorted(packages.glob("*.crate"))
    if not files:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in files:
            with tarfile.open(file) as archive:
                archive.extractall(folder, filter="data")
        (folder / "Cargo.toml").write_text(workspace([file.stem for file in files]))
        # The versions of everything else are those that were tested.
        shutil.copy(ROOT / "Cargo.lock", folder)
        target = Path(os.environ.get("CARGO_TARGET_DIR", "target"), "crates")
        command: list[str | Path] = ["cargo", "check", "--offline", "--workspace", "--target-dir", ROOT / target]
        run("compiling the crates from their packages", command, folder=folder)


def workspace(folders: list[str]) -> str:
    """The manifest of a workspace of unpacked crates, which use each other."""
    members = "".join(f'  "{folder}",\n' for folder in folders)
    patches = "".join(f'{folder.rsplit("-", 1)[0]} = {{ path = "{folder}" }}\n' for folder in folders)
    return f'[workspace]\nresolver = "3"\nmembers = [\n{members}]\n\n[patch.crates-io]\n{patches}'
