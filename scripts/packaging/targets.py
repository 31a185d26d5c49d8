"""The platforms, and what each registry calls them."""

import shutil
from dataclasses import dataclass, replace

from .product import Refusal


@dataclass(frozen=True)
class Target:
    """One platform."""

    triple: str
    # The tags of wheels. A static program runs with every C library, so it has those of both families.
    wheel: str
    npm_os: str
    npm_cpu: str
    # None: there are no Debian packages for it.
    debian: str | None = None
    debian_depends: str | None = None
    # The name in container recipes.
    container: str | None = None
    # What `uname -s` and `uname -m` print, for the shell installer.
    uname: tuple[str, tuple[str, ...]] | None = None

    @property
    def is_windows(self) -> bool:
        return self.npm_os == "win32"

    @property
    def npm_name(self) -> str:
        return f"{self.npm_os}-{self.npm_cpu}"

    def program(self, name: str) -> str:
        """The file name of a program."""
        return f"{name}.exe" if self.is_windows else name


def linux(machine: str, npm_cpu: str, debian: str, names: tuple[str, ...]) -> list[Target]:
    """A static program, and one for the C library of the system."""
    static = Target(
        triple=f"{machine}-unknown-linux-musl",
        wheel=f"manylinux2014_{machine}.musllinux_1_1_{machine}",
        npm_os="linux",
        npm_cpu=npm_cpu,
        debian=debian,
        container=debian,
        uname=("Linux", names),
    )
    dynamic = replace(
        static,
        triple=f"{machine}-unknown-linux-gnu",
        wheel=f"linux_{machine}",
        debian_depends="libc6, libgcc-s1",
        container=None,
    )
    return [static, dynamic]


def mac(machine: str, tag: str, npm_cpu: str, name: str) -> Target:
    return Target(
        triple=f"{machine}-apple-darwin", wheel=tag, npm_os="darwin", npm_cpu=npm_cpu, uname=("Darwin", (name,))
    )


TARGETS = {
    target.triple: target
    for target in [
        *linux("x86_64", "x64", "amd64", ("x86_64", "amd64")),
        *linux("aarch64", "arm64", "arm64", ("aarch64", "arm64")),
        mac("x86_64", "macosx_10_12_x86_64", "x64", "x86_64"),
        mac("aarch64", "macosx_11_0_arm64", "arm64", "arm64"),
        Target(triple="x86_64-pc-windows-gnu", wheel="win_amd64", npm_os="win32", npm_cpu="x64"),
    ]
}

STATIC = ("x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl")
WINDOWS = "x86_64-pc-windows-gnu"
# The C compiler and linker for Windows, which `scripts/tools` installs on Debian.
WINDOWS_COMPILER = "x86_64-w64-mingw32-gcc-posix"


def defaults() -> list[str]:
    """What is built if nothing else is asked for: everything that can be built here."""
    if shutil.which(WINDOWS_COMPILER) is None:
        print(f"{WINDOWS}: skipped: there is no {WINDOWS_COMPILER}; `scripts/tools` installs it on Debian", flush=True)
        return [*STATIC]
    return [*STATIC, WINDOWS]


def find(triple: str) -> Target:
    """The target of this name."""
    if triple not in TARGETS:
        raise Refusal(f"unknown target {triple!r}; there are {', '.join(TARGETS)}")
    return TARGETS[triple]
