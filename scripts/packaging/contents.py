"""The files that come with the programs: completions, manual pages, licences."""

import re
import subprocess
from pathlib import Path

from .formats import Entry
from .product import COMMAND, LICENSES, PROGRAMS, ROOT, Refusal
from .programs import Build

# The folder and the file name of each shell's completions, below `share`.
COMPLETIONS = {
    "bash": "bash-completion/completions/tenon",
    "zsh": "zsh/site-functions/_tenon",
    "fish": "fish/vendor_completions.d/tenon.fish",
    # PowerShell reads no folder of completions by itself.
    "powershell": "powershell/completions/tenon.ps1",
}


def printed(program: Path, *arguments: str) -> bytes:
    done = subprocess.run([program, *arguments], capture_output=True)
    if done.returncode != 0:
        raise Refusal(f"{program} {' '.join(arguments)} failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def completions(program: Path) -> dict[str, bytes]:
    """The completion script of each shell."""
    return {shell: printed(program, "completions", shell) for shell in COMPLETIONS}


def manual_pages(program: Path) -> dict[str, bytes]:
    """The pages of the command and of each subcommand that a page lists."""
    pages: dict[str, bytes] = {}
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        words = waiting.pop()
        page = printed(program, "man", *words)
        name = "-".join((COMMAND, *words))
        pages[f"{name}.1"] = page
        listed = name.replace("-", r"\-").encode()
        found = re.findall(rb"^" + re.escape(listed) + rb"\\-([a-z]+)\(1\)", page, re.MULTILINE)
        waiting += [(*words, word.decode()) for word in sorted(set(found)) if word != b"help"]
    if len(pages) == 1:
        raise Refusal(f"{program} man lists no subcommands")
    return pages


def shared(builds: list[Build]) -> list[Entry]:
    """The files below `share`. They are the same for all targets, and a program that runs here prints them."""
    runnable = next((build for build in builds if build.can_run_here), None)
    if runnable is None:
        raise Refusal("no program that was built runs here, to print its completions; add a target that does")
    program = runnable.path(COMMAND)
    pages = [Entry(f"man/man1/{name}", page) for name, page in manual_pages(program).items()]
    return pages + [Entry(COMPLETIONS[shell], text) for shell, text in completions(program).items()]


def licenses() -> list[Entry]:
    return [Entry(name, (ROOT / name).read_bytes()) for name in LICENSES]


def programs(build: Build) -> list[Entry]:
    """The programs of a target."""
    return [
        Entry(build.target.program(name), build.path(name).read_bytes(), is_executable=True) for name in PROGRAMS
    ]
