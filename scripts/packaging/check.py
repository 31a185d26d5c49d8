"""Checks of packages that were built, before they are released: `scripts/package --check`."""

import os
import shutil
import subprocess
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from . import archive, npm, wheel
from .product import COMMAND, NAME, ROOT, Refusal, version
from .programs import Build

SCENARIO = ROOT / "examples" / "hello" / "hello.hcl"


def check(builds: list[Build], packages: Path) -> None:
    """Tries the programs of every build, and the crates if there are some.

    What cannot be tried on this machine is skipped by name.
    """
    for build in builds:
        if build.can_run_here:
            install(build)
        elif build.target.is_windows:
            wine(build, packages)
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
    try_out(build.target.triple, [emulator, build.path(COMMAND)])


def try_out(what: str, command: list[str | Path]) -> None:
    """The version and the first scenario."""
    run(f"the version of {what}", [*command, "--version"])
    with tempfile.TemporaryDirectory() as folder:
        run(f"the first scenario of {what}", [*command, "run", SCENARIO], folder=Path(folder))


def wine(build: Build, packages: Path) -> None:
    """The version and the first scenario of what the archive, the wheel and the npm package unpack to, under Wine."""
    target = build.target
    unpacked = {
        archive.file_name(target): f"{archive.folder(target)}/bin",
        wheel.file_name(target): wheel.scripts(),
        npm.file_name(npm.platform_name(target)): "package/bin",
    }
    built = {name: place for name, place in unpacked.items() if (packages / name).exists()}
    script = ROOT / "scripts" / "wine-test"
    available = subprocess.run([script, "--available"], cwd=ROOT).returncode
    if available == 1:
        # It has said why.
        return
    if available != 0:
        raise Refusal(f"{target.triple} could not be tried under Wine")
    for name, place in built.items():
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            unpack(packages / name, folder)
            shutil.copy(SCENARIO, folder)
            # The script itself has to run in the root of the project.
            command: list[str | Path] = [script, "--run", "env", f"--chdir={folder}", "wine"]
            command.append(folder / place / target.program(COMMAND))
            run(f"the version of {name}", [*command, "--version"])
            run(f"the first scenario of {name}", [*command, "run", SCENARIO.name])


def unpack(file: Path, folder: Path) -> None:
    if file.suffix == ".tgz":
        with tarfile.open(file) as packed:
            packed.extractall(folder, filter="data")
    else:
        with zipfile.ZipFile(file) as packed:
            packed.extractall(folder)


def crates(packages: Path) -> None:
    """Whether what is published compiles, and installs the command: unpacked, in a workspace of its own."""
    files = sorted(packages.glob("*.crate"))
    if not files:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in files:
            with tarfile.open(file) as packed:
                packed.extractall(folder, filter="data")
        (folder / "Cargo.toml").write_text(workspace([file.stem for file in files]))
        # The versions of everything else are those that were tested.
        shutil.copy(ROOT / "Cargo.lock", folder)
        target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target") / "crates"
        checking: list[str | Path] = ["cargo", "check", "--offline", "--workspace", "--target-dir", target]
        run("compiling the crates from their packages", checking, folder=folder)
        place, crate = folder / "place", f"{NAME}-{version()}"
        installing: list[str | Path] = ["cargo", "install", "--offline", "--locked", "--target-dir", target]
        run("installing the crates", [*installing, "--root", place, "--path", crate], folder=folder)
        try_out("the installed crates", [place / "bin" / COMMAND])


def workspace(folders: list[str]) -> str:
    """The manifest of a workspace of unpacked crates, which use each other."""
    members = "".join(f'  "{folder}",\n' for folder in folders)
    patches = "".join(f'{folder.rsplit("-", 1)[0]} = {{ path = "{folder}" }}\n' for folder in folders)
    return f'[workspace]\nresolver = "3"\nmembers = [\n{members}]\n\n[patch.crates-io]\n{patches}'
