"""The programs of a package: built here, or given."""

import json
import os
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from . import targets
from .product import COMMAND, CRATES, PROGRAMS, ROOT, Refusal, commit, epoch, version
from .targets import WINDOWS_COMPILER, Target


@dataclass(frozen=True)
class Build:
    """The programs of one target."""

    target: Target
    folder: Path

    def path(self, program: str) -> Path:
        return self.folder / self.target.program(program)

    @property
    def can_run_here(self) -> bool:
        names = self.target.uname
        return names is not None and names[0] == platform.system() and platform.machine() in names[1]


def described(folder: Path) -> dict[str, object]:
    """What the `tenon` of a folder says of itself."""
    program = folder / COMMAND
    try:
        done = subprocess.run([program, "version", "--json"], capture_output=True, text=True, check=True)
        return dict(json.loads(done.stdout))
    except (OSError, subprocess.CalledProcessError, ValueError) as error:
        raise Refusal(f"{program} does not run: {error}; build it with `cargo build --workspace`") from error


def given(folder: Path) -> Build:
    """The programs that are in a folder. The command says for which target they are."""
    missing = [name for name in PROGRAMS if not (folder / name).is_file()]
    if missing:
        raise Refusal(f"{folder} lacks {', '.join(missing)}; build them with `cargo build --workspace`")
    said = described(folder)
    if said["version"] != version():
        found = said["version"]
        raise Refusal(f"{folder / COMMAND} is version {found}, but Cargo.toml has {version()}; build it again")
    return Build(targets.find(str(said["target"])), folder)


def cross(tools: Path) -> str:
    """PATH with the programs that build for other targets."""
    own = tools / "cross" / "bin"
    path = os.pathsep.join([str(own), os.environ.get("PATH", "")])
    if shutil.which("cargo-zigbuild", path=path) is None:
        raise Refusal("there is no cargo-zigbuild; `scripts/tools cross` installs it")
    return path


def builder(target: Target, tools: Path) -> tuple[str, dict[str, str]]:
    """The subcommand of cargo that builds for a target, and the variables that it needs."""
    if not target.is_windows:
        return "zigbuild", {"PATH": cross(tools)}
    # As scripts/wine-test builds what the tests run.
    name = target.triple.replace("-", "_")
    return "build", {
        f"CARGO_TARGET_{name.upper()}_LINKER": WINDOWS_COMPILER,
        f"CC_{name}": WINDOWS_COMPILER,
        "AWS_LC_SYS_PREBUILT_NASM": "1",
    }


def build(target: Target, tools: Path) -> Build:
    """Builds the programs for a target, in the profile `dist`."""
    subcommand, variables = builder(target, tools)
    cargo_home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    # Paths of this machine would differ from those of the next.
    own = {cargo_home: "/cargo", ROOT: "/tenon"}
    remapped = [f"--remap-path-prefix={path}={name}" for path, name in own.items()]
    environment = {
        **os.environ,
        **variables,
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join(remapped),
        "CARGO_PROFILE_DIST_STRIP": "symbols",
        "SOURCE_DATE_EPOCH": str(epoch()),
    }
    if known := commit():
        environment["TENON_COMMIT"] = known
    packages = [word for crate in CRATES for word in ("--package", crate)]
    command = ["cargo", subcommand, "--locked", "--profile", "dist", "--target", target.triple, *packages]
    installed = subprocess.run(["rustup", "target", "add", target.triple], cwd=ROOT, env=environment)
    if installed.returncode != 0:
        raise Refusal(f"rustup could not install the target {target.triple}")
    if subprocess.run(command, cwd=ROOT, env=environment).returncode != 0:
        raise Refusal(f"the programs for {target.triple} could not be built")
    folder = Path(os.environ.get("CARGO_TARGET_DIR", "target")) / target.triple / "dist"
    built = Build(target, ROOT / folder)
    forbid(built, list(own))
    return built


def forbid(build: Build, paths: list[Path]) -> None:
    """Refuses programs that contain a path of the machine that built them."""
    for name in PROGRAMS:
        content = build.path(name).read_bytes()
        for path in paths:
            if bytes(path) in content:
                raise Refusal(f"{build.path(name)} contains {path}, the folder where it was built")
