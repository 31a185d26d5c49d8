"""The places that have the version of Tenon, and changing it in all of them."""

import re
from collections.abc import Callable
from pathlib import Path

from .product import Refusal

SEMANTIC = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?")

LOCKS = ("Cargo.lock", "bench/Cargo.lock", "fuzz/Cargo.lock", "oracles/acp/Cargo.lock")


def order(version: str) -> tuple[object, ...]:
    """A key that sorts versions as semantic versioning does."""
    match = SEMANTIC.fullmatch(version)
    if match is None:
        raise Refusal(f"{version!r} is not a version; it is three numbers, such as 1.2.0 or 1.2.0-rc.1")
    numbers = tuple(int(number) for number in match.groups()[:3])
    if match[4] is None:
        return (*numbers, (1,))
    parts = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in match[4].split(".")]
    return (*numbers, (0, *parts))


PYTHON = {"alpha": "a", "beta": "b", "rc": "rc"}


def for_python(version: str) -> str:
    """The version as Python's packages write it (PEP 440): pip reads the raw one of a pre-release as a broken file name.

    Only what both systems sort in the same way has such a form.
    """
    order(version)
    release, _, before = version.partition("-")
    if not before:
        return release
    match = re.fullmatch(rf"({'|'.join(PYTHON)})\.(\d+)", before)
    if match is None:
        names = ", ".join(f"{release}-{name}.1" for name in PYTHON)
        raise Refusal(f"Python has no form of the version {version}; choose one such as {names}")
    return f"{release}{PYTHON[match[1]]}{match[2]}"


def workspace_manifest(text: str, old: str, new: str) -> str:
    """The version of the workspace, and those by which its crates depend on each other."""
    text, own = re.subn(rf'(?m)^version = "{re.escape(old)}"$', f'version = "{new}"', text)
    pattern = rf'(?m)^((?:tenon|terraform)-[\w-]+ = {{ path = "[^"]+", version = )"{re.escape(old)}"'
    text, dependencies = re.subn(pattern, rf'\g<1>"{new}"', text)
    if own != 1 or dependencies == 0:
        raise Refusal(f"Cargo.toml has {own} versions of its own and {dependencies} of its crates that are {old}")
    return text


def lock_file(text: str, old: str, new: str) -> str:
    """The crates of the workspace have no `source` in a lock file."""

    def changed(block: str) -> str:
        is_ours = re.search(r'(?m)^name = "(tenon|terraform-provider-tenon|tenon-[\w-]+)"$', block)
        if is_ours and not re.search(r"(?m)^source = ", block):
            return block.replace(f'\nversion = "{old}"\n', f'\nversion = "{new}"\n', 1)
        return block

    return "[[package]]\n".join(changed(block) for block in text.split("[[package]]\n"))


def one_line(pattern: str) -> Callable[[str, str, str], str]:
    """Changes the first line of this form; `VERSION` stands for the version."""

    def change(text: str, old: str, new: str) -> str:
        before = pattern.replace("VERSION", old)
        if before not in text:
            raise Refusal(f"a file has no line {before!r}; its version is not {old}")
        return text.replace(before, pattern.replace("VERSION", new), 1)

    return change


PLACES: dict[str, Callable[[str, str, str], str]] = {
    "Cargo.toml": workspace_manifest,
    **{lock: lock_file for lock in LOCKS},
    "sdk/python/pyproject.toml": one_line('\nversion = "VERSION"\n'),
    "sdk/typescript/package.json": one_line('\n  "version": "VERSION",\n'),
    "sdk/typescript/deno.json": one_line('\n  "version": "VERSION",\n'),
}


def change(root: Path, old: str, new: str) -> None:
    """Writes the new version into every place."""
    for name, edit in PLACES.items():
        path = root / name
        path.write_text(edit(path.read_text(), old, new))


def unreleased(text: str) -> str:
    """The entries of the changelog that no version has yet."""
    match = re.search(r"(?ms)^## Unreleased\n(.*?)(?=^## |\Z)", text)
    if match is None or not match[1].strip():
        raise Refusal("CHANGELOG.md has no entries under `## Unreleased`; there is nothing to release")
    return match[1].strip() + "\n"


def changelog(text: str, new: str, date: str) -> str:
    """The changelog with the entries under the new version."""
    if re.search(rf"(?m)^## {re.escape(new)}\b", text):
        raise Refusal(f"CHANGELOG.md has a section {new} already")
    unreleased(text)
    return text.replace("## Unreleased\n", f"## Unreleased\n\n## {new} - {date}\n", 1)
