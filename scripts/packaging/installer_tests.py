"""The installers where they meet something else than they expect: addresses, folders and files of others, each other."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from . import archive, installers
from .kinds import Job
from .small import SmallPackages, own_triple


# Everything that a shell or PowerShell would act on.
HOSTILE = "https://example.invalid/a;touch pwned;$(touch pwned)`touch pwned`'&touch pwned?x=\"$HOME\"@ARCHIVE@\u2019/"


class Addresses(SmallPackages):
    def written(self, url: str) -> Job:
        job = self.job(own_triple(), "x86_64-pc-windows-gnu", url=url)
        archive.write(job)
        installers.write(job)
        return job

    @unittest.skipUnless(sys.platform == "linux", "the archive is for Linux")
    def test_an_address_is_not_run_as_code(self) -> None:
        job = self.written(HOSTILE)
        place = self.folder / "place"
        command = ["sh", str(job.output / "install.sh"), "--prefix", str(place)]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"could not get {archive.file_name(job.builds[0].target)} from {HOSTILE[:-1]}\n", done.stderr)
        self.assertFalse((self.folder / "pwned").exists())
        self.assertFalse(place.exists())

    def test_an_address_is_one_string_of_power_shell(self) -> None:
        job = self.written(HOSTILE)
        text = (job.output / "install.ps1").read_text()
        literal = HOSTILE[:-1].replace("'", "''").replace("\u2019", "\u2019\u2019")
        self.assertIn(f"[string]$From = '{literal}',\n", text)

    def test_an_address_has_no_slash_at_its_end(self) -> None:
        job = self.written("https://example.invalid/1//")
        self.assertIn("\n  from=https://example.invalid/1\n", (job.output / "install.sh").read_text())
        self.assertIn("'https://example.invalid/1',", (job.output / "install.ps1").read_text())


class PowerShell(SmallPackages):
    """It is read, not run: there is no PowerShell where the packages are tested."""

    def test_only_folders_with_the_marker_are_removed(self) -> None:
        text = (installers.FILES / "install.ps1").read_text()
        functions = dict(re.findall(r"(?ms)^function ([\w-]+).*?\{\n(.*?)^}", text))
        self.assertEqual(text.count("-Recurse"), 2)
        removing = functions["Remove-Own"]
        self.assertEqual(removing.count("-Recurse"), 2)
        self.assertLess(removing.index("if (-not (Test-Own $Folder))"), removing.index("-Recurse"))
        # What is removed or moved is below PREFIX\\lib, under names of our own.
        self.assertEqual(set(re.findall(r"Remove-Own (\$\w+)", text)), {"$place", "$part", "$old"})
        self.assertEqual(set(re.findall(r"Move-Item -LiteralPath (\$\w+)", text)), {"$place", "$new", "$old"})
        self.assertIn("$place = Join-Path $library 'tenon'", text)
        self.assertIn("$library = Join-Path $Prefix 'lib'", text)
        self.assertIn(r".TrimEnd('\', '/')", text)

    def test_folders_that_were_there_are_not_removed(self) -> None:
        text = (installers.FILES / "install.ps1").read_text()
        functions = dict(re.findall(r"(?ms)^function ([\w-]+).*?\{\n(.*?)^}", text))
        # Whatever else is removed is one of our own folders, or the lock.
        removing = [name for name, body in functions.items() if "Remove-Item" in body]
        self.assertEqual(removing, ["Remove-Own", "Remove-Made", "Use-Lock"])
        main = text[text.index("if (-not $Prefix)") :]
        self.assertNotIn("Remove-Item", main)
        # Of the folders above, those are created that are missing, and the marker lists them.
        self.assertIn("in @($library) + $Made)", functions["Remove-Made"])
        self.assertIn("if (-not (Get-ChildItem", functions["Remove-Made"])
        self.assertIn("-not (Test-Path -LiteralPath $folder)", functions["Get-Made"])
        self.assertIn("WriteAllLines((Join-Path $new $marker), [string[]]$made)", functions["Install-New"])
        # They are noted before any is created, and read before the marker goes.
        asked = [found.start() for found in re.finditer(r"\$made = @\(Get-Made\)", main)]
        self.assertEqual(len(asked), 2)
        self.assertLess(asked[0], main.index("Remove-Own $place"))
        self.assertLess(asked[1], main.index("New-Item -ItemType Directory"))

    def test_only_one_works_in_a_folder(self) -> None:
        text = (installers.FILES / "install.ps1").read_text()
        locked = re.findall(r"(?ms)^( *)Use-Lock \{\n(.*?)^\1}", text)
        self.assertEqual(len(locked), 2)
        # What is removed is removed under the lock, in both cases, or by what is called there.
        inside = "".join(block for _, block in locked)
        main = text[text.index("if (-not $Prefix)") :]
        self.assertEqual(main.count("Remove-Own"), inside.count("Remove-Own"))
        self.assertEqual(main.count("Install-New"), inside.count("Install-New"))

    def test_it_draws_no_progress_and_speaks_of_path(self) -> None:
        text = (installers.FILES / "install.ps1").read_text()
        self.assertLess(text.index("$ProgressPreference = 'SilentlyContinue'"), text.index("Invoke-WebRequest"))
        self.assertIn('"$bin is not on your PATH; add it to use the command"', text)

    def test_it_leaves_the_shell_open_that_it_is_piped_into(self) -> None:
        text = (installers.FILES / "install.ps1").read_text()
        self.assertNotRegex(text, r"(?m)^\s*exit\b")

    def test_the_old_version_comes_back(self) -> None:
        text = (installers.FILES / "install.ps1").read_text()
        self.assertRegex(
            text,
            r"try \{ Move-Item -LiteralPath \$new -Destination \$place \}\s+catch \{\s+"
            r"if \(Test-Path -LiteralPath \$old\) \{ Move-Item -LiteralPath \$old -Destination \$place \}\s+throw",
        )


@unittest.skipUnless(sys.platform == "linux", "the archive is for Linux")
class Shell(SmallPackages):
    def setUp(self) -> None:
        super().setUp()
        self.out = self.folder / "out"
        job = self.job(own_triple(), url=None)
        archive.write(job)
        installers.write(job)
        self.home = self.folder / "home"
        self.home.mkdir()
        self.prefix = self.home / "new" / "own place"

    def run_it(self, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home), **variables}
        command = ["sh", self.out / "install.sh", *arguments]
        return subprocess.run(
            command, cwd=self.home, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL
        )

    def install(self) -> None:
        done = self.run_it("--prefix", self.prefix)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("tenon for", subprocess.check_output([self.prefix / "bin/tenon"], text=True))

    def refused(self, message: str, *arguments: str | Path, **variables: str) -> None:
        before = self.everything()
        done = self.run_it(*arguments, **variables)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn(message, done.stderr)
        self.assertEqual(self.everything(), before)

    def everything(self) -> list[str]:
        return sorted(
            f"{path}: {os.readlink(path) if path.is_symlink() else path.is_dir() or path.read_bytes()!r}"
            for path in self.home.rglob("*")
        )

    def test_folders_that_it_made_are_removed(self) -> None:
        self.install()
        self.install()
        self.assertEqual(self.run_it("--uninstall", "--prefix", self.prefix).returncode, 0)
        self.assertEqual(self.everything(), [])
        # One that was there stays, and so does one with other files.
        self.prefix.mkdir(parents=True)
        self.install()
        self.assertEqual(self.run_it("--uninstall", "--prefix", self.prefix).returncode, 0)
        self.assertEqual(list(self.prefix.iterdir()), [])

    def test_an_installation_that_fails_makes_no_folder(self) -> None:
        self.refused("could not get", "--prefix", self.prefix, "--from", self.home)

    def test_without_a_home_it_needs_a_folder(self) -> None:
        for home in ["", None]:
            environment = {"PATH": os.environ["PATH"], **({} if home is None else {"HOME": home})}
            command = ["sh", str(self.out / "install.sh"), "--from", "/nowhere"]
            done = subprocess.run(command, cwd=self.home, env=environment, capture_output=True, text=True)
            self.assertEqual(done.stderr, "error: HOME is not set; choose a folder with --prefix\n")

    def test_empty_values_are_refused(self) -> None:
        for option in ["--prefix", "--from"]:
            self.refused(f"{option} needs a value", option, "")

    def test_it_describes_itself(self) -> None:
        for option in ["-h", "--help"]:
            done = self.run_it(option)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            for text in ["usage: sh install.sh", "--prefix FOLDER", "--from URL|FOLDER", "--uninstall"]:
                self.assertIn(text, done.stdout)
        self.assertEqual(self.everything(), [])

    def test_a_page_of_somebody_else_changes_nothing(self) -> None:
        page = self.prefix / "share/man/man1/tenon-run.1"
        page.parent.mkdir(parents=True)
        page.write_text("other")
        message = "tenon-run.1 exists and is not a link of this installer"
        self.refused(message, "--prefix", self.prefix)
        page.unlink()
        self.install()
        page.unlink()
        page.write_text("other")
        self.refused(message, "--prefix", self.prefix)
        self.assertTrue((self.prefix / "bin/tenon").exists())

    def test_a_link_in_place_of_its_folder_is_not_followed(self) -> None:
        other = self.home / "other"
        other.mkdir()
        (other / ".installer").touch()
        (self.prefix / "lib").mkdir(parents=True)
        (self.prefix / "lib/tenon").symlink_to(other)
        for option in [(), ("--uninstall",)]:
            self.refused("lib/tenon is a link", *option, "--prefix", self.prefix)

    def test_two_at_once_do_not_disturb_each_other(self) -> None:
        self.install()
        place = self.prefix / "lib/tenon"
        (place / ".part-1").mkdir()
        # This process stands for the other installer.
        (place / ".lock").symlink_to(f"process {os.getpid()}")
        for option in [(), ("--uninstall",)]:
            self.refused("another installer is at work", *option, "--prefix", self.prefix)
        # One that was killed does not count.
        (place / ".lock").unlink()
        gone = subprocess.Popen(["true"])
        gone.wait()
        (place / ".lock").symlink_to(f"process {gone.pid}")
        self.install()
        self.assertFalse((place / ".part-1").exists())
        self.assertFalse((place / ".lock").is_symlink())


if __name__ == "__main__":
    unittest.main()
