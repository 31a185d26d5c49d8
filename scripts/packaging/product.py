"""What all packages say of Tenon: its name, version, texts and programs."""

import os
import subprocess
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# The command is `tenon`. That name is taken in two registries, so the packages have another one, everywhere the same.
NAME = "tenon-cli"
COMMAND = "tenon"
# Programs that `tenon provider` looks for in its own folder.
PROVIDERS = ("terraform-provider-denobridge", "terraform-provider-tenon")
PROGRAMS = (COMMAND, *PROVIDERS)
CRATES = ("tenon-cli", "tenon-terraform", "terraform-provider-tenon")

SUMMARY = "Runs plugins in any language: for Terraform, test data, coding agents, scripts and editors"
LICENSE = "MIT OR Apache-2.0"
LICENSES = ("LICENSE-APACHE", "LICENSE-MIT")


class Refusal(Exception):
    """What is wrong, with the next step. It is printed without a traceback."""


def version() -> str:
    """The version of the workspace."""
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    return str(manifest["workspace"]["package"]["version"])


def readme() -> str:
    """A short text for registries, whose pages cannot follow links into the repository."""
    return (Path(__file__).parent / "files" / "README.md").read_text()


def git(*arguments: str) -> str | None:
    """The output of a git command, or None outside of a repository."""
    try:
        done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def commit() -> str | None:
    """The commit that is packaged, unless files differ from it."""
    is_clean = git("status", "--porcelain", "--untracked-files=no") == ""
    return git("rev-parse", "HEAD") if is_clean else None


def epoch() -> int:
    """The time that all files in packages have: SOURCE_DATE_EPOCH, or that of the commit."""
    given = os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct")
    return int(given) if given else int(time.time())
