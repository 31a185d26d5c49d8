"""A release: versions, changelog, packages, notes, commit and tag. It ends before anything is published.

Everything happens in a worktree of its own. Only when the packages are complete do the branch and the tag move, in one
step; whatever fails before leaves everything as it was.
"""

import argparse
import contextlib
import datetime
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from . import versions
from .product import ROOT, Refusal, version


def git(*arguments: str, folder: Path = ROOT, stdin: str | None = None) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, input=stdin)
    if done.returncode != 0:
        raise Refusal(f"git {' '.join(arguments)} failed: {done.stderr.strip()}")
    return done.stdout.strip()


def arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/release",
        description="Prepares a release: versions, changelog, packages, notes, commit and tag. Nothing is published.",
        usage="%(prog)s VERSION [--output FOLDER] [--dry-run] [-- OPTION...]",
        epilog="Run ./test first. Options after `--` are for scripts/package.",
    )
    parser.add_argument("version", help="the new version, such as 1.2.0")
    place = "where packages and notes go [default: target/release-VERSION]"
    parser.add_argument("--output", type=Path, metavar="FOLDER", help=place)
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and build nothing")
    end = given.index("--") if "--" in given else len(given)
    parsed = parser.parse_args(given[:end])
    parsed.package = given[end + 1 :]
    return parsed


def check(new: str) -> str:
    """Refuses what cannot be released. Gives the name of the branch."""
    old = version()
    versions.for_python(new)
    if versions.order(new) < versions.order(old):
        raise Refusal(f"version {new} is older than {old}, which Cargo.toml has")
    if changes := git("status", "--porcelain"):
        raise Refusal(f"the tree has changes that are not committed; commit or stash them:\n{changes}")
    if git("tag", "--list", f"v{new}"):
        raise Refusal(f"the tag v{new} exists; choose the next version")
    branch = git("branch", "--show-current")
    if not branch:
        raise Refusal("HEAD is not on a branch; check one out")
    return branch


@contextlib.contextmanager
def worktree(root: Path = ROOT) -> Iterator[Path]:
    """A copy of the commit that is checked out, for as long as the release is made.

    It has the installed tools, or its tests would be skipped.
    """
    folder = Path(tempfile.mkdtemp(prefix="tenon-release-"))
    place = folder / "tenon"
    try:
        git("worktree", "add", "--quiet", "--detach", str(place), "HEAD", folder=root)
        (place / ".tools").symlink_to(root / ".tools")
        yield place
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        git("worktree", "prune", folder=root)


def edit(place: Path, new: str, date: str) -> str:
    """Changes versions and changelog, commits, and gives the entries of the changelog."""
    path = place / "CHANGELOG.md"
    text = path.read_text()
    entries = versions.unreleased(text)
    path.write_text(versions.changelog(text, new, date))
    versions.change(place, version(), new)
    git("commit", "--quiet", "--all", "--message", f"release {new}", folder=place)
    return entries


def package(place: Path, output: Path, options: list[str]) -> None:
    """Builds the packages of the release's commit, with the tools and built files of this tree."""
    command = [str(place / "scripts" / "package"), "--output", str(output), "--tools", str(ROOT / ".tools"), *options]
    environment = {"CARGO_TARGET_DIR": str(ROOT / "target"), **os.environ}
    if subprocess.run(command, cwd=ROOT, env=environment).returncode != 0:
        raise Refusal("the packages could not be built; nothing has changed")


def notes(new: str, date: str, entries: str, packages: Path | None) -> str:
    """The text of the release: what has changed, and the files with sizes and checksums."""
    introduction = f"Released on {date}. docs/guide/installing.md says how to install each file.\n"
    parts = [f"# Tenon {new}\n", introduction, entries]
    if packages is not None:
        rows = ["## Files\n", "| file | bytes | SHA-256 |", "|---|---|---|"]
        for line in (packages / "SHA256SUMS").read_text().splitlines():
            checksum, name = line.split("  ", 1)
            rows.append(f"| `{name}` | {(packages / name).stat().st_size:,} | `{checksum}` |")
        parts.append("\n".join(rows) + "\n")
    return "\n".join(parts)


def publish_locally(branch: str, old: str, new: str, version: str, message: str) -> None:
    """Moves the branch and creates the tag in one step.

    If it is killed before that step, `git reset --hard` undoes the change of the files.
    """
    tag = git("mktag", stdin=tag_object(new, version, message))
    refs = f"start\nupdate refs/heads/{branch} {new} {old}\ncreate refs/tags/v{version} {tag}\nprepare\ncommit\n"
    # The files first: git refuses to overwrite changes that somebody has made meanwhile.
    git("read-tree", "-m", "-u", old, new)
    try:
        git("update-ref", "--stdin", stdin=refs)
    except Refusal:
        git("read-tree", "-m", "-u", new, old)
        raise


def tag_object(commit: str, version: str, message: str) -> str:
    tagger = git("var", "GIT_COMMITTER_IDENT")
    return f"object {commit}\ntype commit\ntag v{version}\ntagger {tagger}\n\n{message}\n"


def release(parsed: argparse.Namespace) -> None:
    new = parsed.version
    branch = check(new)
    old = git("rev-parse", "HEAD")
    date = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    output = (parsed.output or ROOT / "target" / f"release-{new}").absolute()
    if output.exists():
        raise Refusal(f"{output} exists; remove it, or choose another with --output")
    with worktree() as place:
        entries = edit(place, new, date)
        commit = git("rev-parse", "HEAD", folder=place)
        print(git("show", "--stat", "--format=%s", commit))
        if parsed.dry_run:
            print(f"\n{notes(new, date, entries, None)}\ndry run: nothing has changed")
            return
        package(place, output, parsed.package)
    try:
        (output / "NOTES.md").write_text(notes(new, date, entries, output))
        publish_locally(branch, old, commit, new, f"Tenon {new}")
    except BaseException:
        shutil.rmtree(output, ignore_errors=True)
        raise
    print(f"\nreleased {new} on {branch} as v{new}; the files are in {output}")
    print(f"to publish it: git push origin {branch} v{new}, then upload the files; CONTRIBUTING.md has the steps")


def main(given: list[str]) -> int:
    # So that the worktree is removed.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        release(arguments(given))
    except (Refusal, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0
