"""What `scripts/package` and `scripts/release` write for other platforms and versions.

In `scripts`: python3 -m unittest packaging.tests packaging.installer_tests
"""

import contextlib
import importlib.util
import io
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import unittest
import unittest.mock
from pathlib import Path

from . import archive, check, command, container, contents, installers, npm, programs, release, targets, versions, wheel
from .product import PROGRAMS, ROOT, Refusal, version
from .small import SmallPackages, own_triple


def bases(recipe: str, arch: str) -> list[str]:
    """What the stages of a recipe begin with, when a builder makes an image for a processor.

    As in BuildKit, a declaration takes the place of the value that the builder has set, by nothing if it has no default.
    """
    values = {"TARGETARCH": arch}
    found = []
    for kind, text in re.findall(r"(?m)^(ARG|FROM) (.+)$", recipe):
        text = re.sub(r"\$\{(\w+)\}", lambda name: values.get(name[1], ""), text)
        if kind == "ARG":
            name, _, value = text.partition("=")
            values[name] = value
        else:
            found.append(text.split()[0])
    return found


class Packages(SmallPackages):
    def test_the_container_takes_files_that_are_there(self) -> None:
        job = self.job("x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl", "x86_64-unknown-linux-gnu")
        archive.write(job)
        container.write(job)
        recipe = (job.output / "Containerfile").read_text()
        added = re.findall(r"(?m)^ADD (\S+) /$", recipe)
        self.assertEqual(len(added), 2)
        self.assertTrue(set(added) <= set(job.written))
        stages = re.findall(r"(?m)^FROM scratch AS archive-(\w+)$", recipe)
        self.assertEqual(stages, ["amd64", "arm64"])
        for arch in stages:
            self.assertIn(f"archive-{arch}", bases(recipe, arch))

    def test_programs_that_know_where_they_were_built_are_refused(self) -> None:
        [build] = self.job("x86_64-unknown-linux-musl").builds
        programs.forbid(build, [ROOT, Path("/home/builder/.cargo")])
        last = build.path(PROGRAMS[-1])
        last.write_bytes(b"\0/home/builder/.cargo/registry\0")
        with self.assertRaisesRegex(Refusal, f"{last} contains /home/builder/.cargo, the folder where it was built"):
            programs.forbid(build, [ROOT, Path("/home/builder/.cargo")])

    def test_the_installers_know_every_archive(self) -> None:
        job = self.job("x86_64-unknown-linux-musl", "aarch64-apple-darwin", "x86_64-pc-windows-gnu")
        archive.write(job)
        installers.write(job)
        shell = (job.output / "install.sh").read_text()
        power_shell = (job.output / "install.ps1").read_text()
        for build in job.builds:
            name = archive.file_name(build.target)
            text = power_shell if build.target.is_windows else shell
            self.assertIn(name, text)
            self.assertIn(job.checksum(name), text)
        self.assertIn("Linux-x86_64 | Linux-amd64)", shell)
        self.assertIn("Darwin-arm64)", shell)
        for text in (shell, power_shell):
            self.assertIn("https://example.invalid/1", text)
            self.assertNotRegex(text, "@[A-Z]+@")

    def test_npm_has_a_package_for_each_platform(self) -> None:
        job = self.job("x86_64-unknown-linux-musl", "aarch64-unknown-linux-musl", "x86_64-pc-windows-gnu")
        npm.write(job)
        names = ["tenon-cli-linux-arm64", "tenon-cli-linux-x64", "tenon-cli-win32-x64", "tenon-cli"]
        self.assertEqual(sorted(job.written), sorted(f"{name}-{version()}.tgz" for name in names))
        launcher = npm.LAUNCHER.read_text()
        for platform in npm.PLATFORMS:
            self.assertIn(f"platform={platform} ;;", launcher)
        with self.assertRaises(Refusal):
            self.folder = self.folder / "twice"
            self.folder.mkdir()
            npm.write(self.job("x86_64-unknown-linux-musl", "x86_64-unknown-linux-gnu"))

    @unittest.skipUnless(shutil.which("npm"), "it needs npm")
    def test_npm_installs_the_program_for_windows_as_the_command(self) -> None:
        job = self.job(targets.WINDOWS)
        npm.write(job)
        self.assertEqual(job.written, [f"tenon-cli-win32-x64-{version()}.tgz"])
        place = self.folder / "place"
        place.mkdir()
        settings = {"HOME": str(self.folder), "npm_config_cache": str(self.folder / "cache")}
        words = ["--global", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", f"--prefix={place}"]
        command = ["npm", "install", *words, str(job.output / job.written[0])]
        for system, succeeds in [([], False), (["--force"], True)]:
            done = subprocess.run([*command, *system], env={**os.environ, **settings}, capture_output=True, text=True)
            self.assertEqual(done.returncode == 0, succeeds, done.stderr)
        # Not a script for a shell or for Node: what npm writes on Windows starts it without a process in between.
        program = place / "bin" / "tenon"
        self.assertEqual(program.resolve().name, "tenon.exe")
    @unittest.skipUnless(sys.platform == "linux" and importlib.util.find_spec("ensurepip"), "it needs pip")
    def test_pip_installs_a_version_before_a_release(self) -> None:
        job = self.job(own_triple())
        with unittest.mock.patch.object(wheel, "version", lambda: "1.2.0-rc.1"):
            wheel.write(job)
        self.assertRegex(job.written[0], r"^tenon_cli-1\.2\.0rc1-py3-none-")
        place = self.folder / "place"
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        pip: list[str | Path] = [place / "bin" / "python", "-m", "pip", "--disable-pip-version-check", "--no-input"]
        subprocess.run([*pip, "install", "--quiet", "--no-index", job.output / job.written[0]], check=True)
        listed = json.loads(subprocess.check_output([*pip, "list", "--format", "json"]))
        self.assertIn({"name": "tenon-cli", "version": "1.2.0rc1"}, listed)
        subprocess.run([*pip, "check"], check=True, stdout=subprocess.DEVNULL)

    def test_programs_for_other_processors_run_in_an_emulator(self) -> None:
        other = "aarch64-unknown-linux-musl" if platform.machine() == "x86_64" else "x86_64-unknown-linux-musl"
        machine = other.partition("-")[0]
        emulator = self.folder / f"qemu-{machine}-static"
        emulator.write_text(f'#!/bin/sh\necho "$@" >> {self.folder}/run\n')
        emulator.chmod(0o755)
        job = self.job(other)
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            with unittest.mock.patch.dict(os.environ, PATH=f"{self.folder}:/bin:/usr/bin"):
                check.check(job.builds, self.folder)
            program = job.builds[0].path("tenon")
            ran = (self.folder / "run").read_text()
            self.assertEqual(ran, f"{program} --version\n{program} run {check.SCENARIO}\n")
            emulator.write_text("#!/bin/sh\nexit 1\n")
            with unittest.mock.patch.dict(os.environ, PATH=f"{self.folder}:/bin:/usr/bin"):
                self.assertRaises(Refusal, check.check, job.builds, self.folder)
            with unittest.mock.patch.dict(os.environ, PATH="/nowhere"):
                check.check(job.builds, self.folder)
        self.assertIn(f"{other}: skipped: there is no qemu-{machine}-static", said.getvalue())

    def test_windows_is_built_where_its_compiler_is(self) -> None:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), unittest.mock.patch.dict(os.environ, PATH=str(self.folder)):
            self.assertEqual(targets.defaults(), [*targets.STATIC])
            compiler = self.folder / targets.WINDOWS_COMPILER
            compiler.touch()
            compiler.chmod(0o755)
            self.assertEqual(targets.defaults(), [*targets.STATIC, targets.WINDOWS])
        self.assertIn(f"{targets.WINDOWS}: skipped: there is no {targets.WINDOWS_COMPILER}", said.getvalue())

    def fake_wine(self) -> dict[str, str]:
        """The environment with programs in place of Wine, which note what is run."""
        for name in ["wine", "wineboot", "wineserver", "rustup", targets.WINDOWS_COMPILER]:
            program = self.folder / name
            program.write_text(NOTING_WINE.format(ran=self.folder / "run"))
            program.chmod(0o755)
        return {
            "PATH": f"{self.folder}:{os.environ['PATH']}",
            "CARGO_TARGET_DIR": os.path.relpath(self.folder / "built", ROOT),
        }

    @unittest.skipUnless(shutil.which("flock"), "it needs flock")
    def test_the_packages_for_windows_are_tried(self) -> None:
        job = self.job(targets.WINDOWS)
        for kind in [archive, wheel, npm]:
            kind.write(job)
        with contextlib.redirect_stdout(io.StringIO()):
            with unittest.mock.patch.dict(os.environ, self.fake_wine()):
                check.check(job.builds, job.output)
        name = "tenon for x86_64-pc-windows-gnu"
        self.assertEqual((self.folder / "run").read_text(), f"{name}: --version\n{name}: run hello.hcl\n" * 3)

    @unittest.skipUnless(shutil.which("flock"), "it needs flock")
    def test_the_prefix_of_wine_is_absolute(self) -> None:
        environment = {**os.environ, **self.fake_wine()}
        script = ROOT / "scripts" / "wine-test"
        shown: list[str | Path] = [script, "--run", "sh", "-c", 'cd / && cat "$WINEPREFIX/stamp"']
        done = subprocess.run(shown, cwd=ROOT, env=environment, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1:]), (0, ["wine-1"]), done.stderr)
        self.assertTrue((self.folder / "built" / "wine" / "prefix" / "stamp").is_file())

    def test_every_shell_gets_completions(self) -> None:
        program = self.folder / "program"
        program.write_text('#!/bin/sh\necho "$@"\n')
        program.chmod(0o755)
        printed = {shell: f"completions {shell}\n".encode() for shell in ["bash", "zsh", "fish", "powershell"]}
        self.assertEqual(contents.completions(program), printed)
        # The installer removes its links from these folders.
        installer = (installers.FILES / "install.sh").read_text()
        for file in contents.COMPLETIONS.values():
            self.assertRegex(installer, rf"\n  for folder in .*\b{os.path.dirname(file)}\b.*; do\n")

    def test_the_crates_are_compiled_and_installed(self) -> None:
        name = f"tenon-cli-{version()}"
        with tarfile.open(self.folder / f"{name}.crate", "w:gz") as packed:
            packed.addfile(tarfile.TarInfo(f"{name}/Cargo.toml"))
        # In place of cargo: it notes what it is asked for, and what it installs notes it, too.
        ran = self.folder / "run"
        cargo = self.folder / "cargo"
        cargo.write_text(NOTING_CARGO.format(ran=ran))
        cargo.chmod(0o755)
        with contextlib.redirect_stdout(io.StringIO()):
            with unittest.mock.patch.dict(os.environ, PATH=f"{self.folder}:/bin:/usr/bin"):
                check.check([], self.folder)
        asked = [line.split()[0] for line in ran.read_text().splitlines()]
        self.assertEqual(asked, ["check", "install", "--version", "run"])
        self.assertIn(f" --path {name}\n", ran.read_text())
        self.assertIn(f"run {check.SCENARIO}\n", ran.read_text())

    def test_the_list_of_crates_is_that_of_the_targets(self) -> None:
        # In place of cargo: it lists one crate, which has the name of the platforms that it is asked about.
        cargo = self.folder / "cargo"
        cargo.write_text(FAKE_CARGO)
        cargo.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}"):
            job = self.job("x86_64-pc-windows-gnu", "aarch64-apple-darwin")
            command.sbom(job)
        listed = json.loads((job.output / job.written[0]).read_text())
        names = {component["name"] for component in listed["components"]}
        self.assertEqual(names, {"tenon-cli", "for x86_64-pc-windows-gnu aarch64-apple-darwin"})


NOTING_WINE = """#!/bin/sh
case $1 in
  *.exe)
    program=$(sed -n 's/^echo //p' "$1")
    shift
    [ "$1" = --version ] || [ -f "$2" ] || exit 1
    echo "$program: $*" >> '{ran}'
    ;;
  --version) echo wine-1 ;;
esac
"""

NOTING_CARGO = """#!/bin/sh
echo "$@" >> '{ran}'
[ "$1" = install ] || exit 0
mkdir -p place/bin
cp "$0" place/bin/tenon
"""

FAKE_CARGO = """#!/usr/bin/env python3
import json, sys
targets = [after for word, after in zip(sys.argv, sys.argv[1:]) if word == "--filter-platform"]
def package(id, name): return {"id": id, "name": name, "version": "1.0.0", "license": "MIT"}
print(json.dumps({
    "packages": [package("a", "tenon-cli"), package("b", "for " + " ".join(targets))],
    "workspace_members": ["a"],
    "resolve": {"nodes": [
        {"id": "a", "deps": [{"pkg": "b", "dep_kinds": [{"kind": None}]}]},
        {"id": "b", "deps": []},
    ]},
}))
"""


class Releases(SmallPackages):
    @unittest.skipUnless(shutil.which("git"), "it needs git")
    def test_the_checks_of_a_release_have_the_tools(self) -> None:
        root = self.folder / "root"
        tool = root / ".tools" / "uv" / "stamp"
        tool.parent.mkdir(parents=True)
        tool.touch()
        who = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", "-c", "commit.gpgsign=false"]
        for command in [["init", "--quiet"], [*who, "commit", "--quiet", "--allow-empty", "--message", "first"]]:
            subprocess.run(["git", *command], cwd=root, check=True)
        with release.worktree(root) as place:
            self.assertTrue((place / ".tools" / "uv" / "stamp").exists())
        self.assertFalse(place.exists())
        self.assertTrue(tool.exists())


class Versions(unittest.TestCase):
    def test_their_order_is_that_of_semantic_versioning(self) -> None:
        before = ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.b", "1.0.0-rc.2", "1.0.0-rc.10"]
        ordered = ["0.9.9", "0.10.0", *before, "1.0.0"]
        self.assertEqual(sorted(reversed(ordered), key=versions.order), ordered)
        for wrong in ["", "1", "1.0", "v1.0.0", "1.0.0.0", "1.0.0-", "1.0.01", "1.0.0\n"]:
            with self.assertRaises(Refusal, msg=wrong):
                versions.order(wrong)

    def test_python_sorts_versions_in_the_same_way(self) -> None:
        for version, form in [
            ("1.2.0", "1.2.0"),
            ("1.2.0-alpha.1", "1.2.0a1"),
            ("1.2.0-beta.10", "1.2.0b10"),
            ("1.2.0-rc.1", "1.2.0rc1"),
        ]:
            self.assertEqual(versions.for_python(version), form)
        for wrong in ["1.2.0-rc", "1.2.0-rc1", "1.2.0-rc.1.2", "1.2.0-x.1", "1.2.0-1", "1.2"]:
            with self.assertRaises(Refusal, msg=wrong):
                versions.for_python(wrong)

    def test_a_changelog_gets_one_section(self) -> None:
        text = "# Changelog\n\n## Unreleased\n\n### Added\n- This.\n\n## 0.1.0 - 2026-01-01\n\n- First.\n"
        changed = versions.changelog(text, "0.2.0", "2026-02-03")
        self.assertIn("## Unreleased\n\n## 0.2.0 - 2026-02-03\n\n### Added\n- This.\n\n## 0.1.0", changed)
        self.assertEqual(versions.unreleased(text), "### Added\n- This.\n")
        for wrong, version_of_it in [(changed, "0.3.0"), (text, "0.1.0"), ("# Changelog\n", "0.3.0")]:
            with self.assertRaises(Refusal):
                versions.changelog(wrong, version_of_it, "2026-02-04")

    def test_a_lock_file_keeps_other_crates(self) -> None:
        other = '[[package]]\nname = "tenon-like"\nversion = "0.1.0"\nsource = "registry"\n'
        own = '[[package]]\nname = "tenon-rpc"\nversion = "0.1.0"\n'
        changed = versions.lock_file(f"version = 4\n\n{other}\n{own}", "0.1.0", "0.2.0")
        self.assertEqual(changed, f"version = 4\n\n{other}\n{own.replace('0.1.0', '0.2.0')}")


if __name__ == "__main__":
    unittest.main()
