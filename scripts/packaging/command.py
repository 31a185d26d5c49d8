"""The command line of `scripts/package`."""

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from . import archive, check, container, debian, installers, npm, wheel
from .contents import shared
from .kinds import Job
from .product import COMMAND, ROOT, Refusal, epoch, readme, version
from .programs import Build, build, given
from .targets import STATIC, TARGETS, WINDOWS, defaults, find

# In the order in which they are written: the installers contain the checksums of the archives.
KINDS: dict[str, tuple[str, Callable[[Job], None]]] = {
    "archive": ("the programs with completions and manual pages, as .tar.gz (Windows: .zip)", archive.write),
    "wheel": ("for pip and uv", wheel.write),
    "npm": ("for npm and npx: one package per platform, and one for all", npm.write),
    "debian": ("for apt and dpkg", debian.write),
    "installers": ("install.sh and, with an archive for Windows, install.ps1", installers.write),
    "container": ("Containerfile", container.write),
    "crates": ("what `cargo publish` would upload", lambda job: crates(job)),
    "sbom": ("the crates in the programs, as CycloneDX", lambda job: sbom(job)),
}


def crates(job: Job) -> None:
    """The crates, without building them again."""
    command = ["cargo", "package", "--locked", "--workspace", "--no-verify", "--quiet", "--allow-dirty"]
    with tempfile.TemporaryDirectory() as folder:
        if subprocess.run([*command, "--target-dir", folder], cwd=ROOT).returncode != 0:
            raise Refusal("cargo could not package the crates")
        for crate in sorted(Path(folder, "package").glob("*.crate")):
            job.write(crate.name, crate.read_bytes())


def sbom(job: Job) -> None:
    """Of the platforms in the packages, not of this machine."""
    targets = [word for build in job.builds for word in ("--target", build.target.triple)]
    done = subprocess.run([ROOT / "scripts" / "sbom", *targets], cwd=ROOT, stdout=subprocess.PIPE)
    if done.returncode != 0:
        raise Refusal("scripts/sbom failed")
    job.write(f"{COMMAND}-{version()}.cdx.json", done.stdout)


def checksums(job: Job) -> bytes:
    """The lines that `sha256sum --check` reads."""
    return "".join(f"{job.checksum(name)}  {name}\n" for name in sorted(job.written)).encode()


def arguments(given_arguments: list[str]) -> argparse.Namespace:
    kinds = "\n".join(f"  {name:<11} {about}" for name, (about, _) in KINDS.items())
    parser = argparse.ArgumentParser(
        prog="scripts/package",
        description="Builds the packages of Tenon, and SHA256SUMS of all of them.",
        epilog=f"kinds, all by default:\n{kinds}\n\nThe same commit gives the same files, but for what compilers do.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("kinds", nargs="*", metavar="KIND", help="what to build")
    add("--output", type=Path, metavar="FOLDER", default=ROOT / "target" / "packages", help="is replaced by the result")
    built = f"{', '.join(STATIC)} and, where its compiler is installed, {WINDOWS}"
    targets = f"one of {', '.join(TARGETS)} [default: {built}]"
    add("--target", action="append", metavar="TRIPLE", help=targets)
    add("--binaries", type=Path, metavar="FOLDER", help="package the programs of this folder, and build none")
    add("--tools", type=Path, metavar="FOLDER", default=ROOT / ".tools", help="where `scripts/tools cross` installs")
    add("--url", help="where the files will be published, for the installers")
    add("--fast", action="store_true", help="compress less")
    add("--check", action="store_true", help="install and try everything, and compile the crates from their packages")
    parsed = parser.parse_args(given_arguments)
    unknown = [kind for kind in parsed.kinds if kind not in KINDS]
    if unknown:
        parser.error(f"unknown kind {unknown[0]!r}; there are {', '.join(KINDS)}")
    if parsed.binaries and parsed.target:
        parser.error("--binaries says the target already")
    return parsed


def builds(parsed: argparse.Namespace) -> list[Build]:
    if parsed.binaries:
        return [given(parsed.binaries)]
    return [build(find(triple), parsed.tools) for triple in parsed.target or defaults()]


def package(parsed: argparse.Namespace) -> Path:
    """Writes the packages into a new folder, which then replaces the old one."""
    output = Path(parsed.output).absolute()
    check_output(output)
    wanted = [name for name in KINDS if not parsed.kinds or name in parsed.kinds]
    built = builds(parsed)
    output.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=f".{output.name}-", dir=output.parent))
    try:
        job = Job(
            builds=built,
            shared=shared(built),
            output=part,
            time=epoch(),
            readme=readme().encode(),
            url=parsed.url,
            is_fast=parsed.fast,
        )
        for name in wanted:
            KINDS[name][1](job)
        (part / "SHA256SUMS").write_bytes(checksums(job))
        part.chmod(0o755)
        if parsed.check:
            check.check(built, part)
        replace(part, output)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return output


def check_output(output: Path) -> None:
    """A folder that holds something else is not replaced."""
    if output.is_dir() and any(output.iterdir()) and not (output / "SHA256SUMS").is_file():
        raise Refusal(f"{output} exists and is not a folder of packages; remove it, or choose another with --output")
    if output.exists() and not output.is_dir():
        raise Refusal(f"{output} is not a folder; choose another with --output")


def replace(part: Path, output: Path) -> None:
    old = part.with_name(f"{part.name}-old")
    if output.exists():
        output.rename(old)
    part.rename(output)
    shutil.rmtree(old, ignore_errors=True)


def main(given_arguments: list[str]) -> int:
    try:
        output = package(arguments(given_arguments))
    except (Refusal, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for file in sorted(output.iterdir()):
        print(f"{file.stat().st_size:>12,}  {file.name}")
    return 0
