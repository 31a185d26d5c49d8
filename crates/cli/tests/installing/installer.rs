//! The installer for sh.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Signal;

use super::packages::{
    Packages, VERSION, WATCHDOG, empty_place, everything, refused, succeeds, trial, works,
};
use super::server::{Amount, serve};
use super::support::program::{Program, eventually};
use super::support::shell::{Outcome, Shell};
use super::support::tools::{Tool, on_path};

/// What the installer downloads with.
fn downloader() -> Tool {
    on_path("curl").or_else(|_| on_path("wget"))
}

async fn install(packages: &Packages, prefix: &Path, from: &str) -> Outcome {
    let line = line(packages, prefix, from);
    Shell::new().run_within(WATCHDOG, &line).await
}

fn line(packages: &Packages, prefix: &Path, from: &str) -> String {
    let installer = packages.installer();
    format!("sh {installer} --prefix '{}' {from}", prefix.display())
}

#[tokio::test]
async fn it_installs_from_its_own_folder_and_removes_everything() {
    trial(on_path("sh"), async |packages| {
        let (_folder, prefix) = empty_place();
        let said = succeeds(install(packages, &prefix, "").await).stdout;
        assert!(said.contains("is not on your PATH"), "{said}");
        let command = prefix.join("bin/tenon");
        works_with_space(&command).await;
        for page in [
            "man/man1/tenon.1",
            "man/man1/tenon-call.1",
            "bash-completion/completions/tenon",
            "zsh/site-functions/_tenon",
            "fish/vendor_completions.d/tenon.fish",
            "powershell/completions/tenon.ps1",
        ] {
            assert!(prefix.join("share").join(page).is_file(), "{page}");
        }
        // Other files of the folder stay.
        fs::write(prefix.join("share/man/man1/other.1"), "").unwrap();
        // Another spelling of the same folder.
        let spelling = prefix.join("share/../");
        succeeds(install(packages, &spelling, "--uninstall").await);
        let left: Vec<PathBuf> = everything(&prefix).into_iter().collect();
        let kept = [
            "share",
            "share/man",
            "share/man/man1",
            "share/man/man1/other.1",
        ];
        assert_eq!(left, kept.map(|name| prefix.join(name)));
        refused(
            &install(packages, &prefix, "--uninstall").await,
            "has no Tenon",
        );
    })
    .await;
}

/// How many versions are installed, whole or in part.
fn installed_versions(prefix: &Path) -> usize {
    let entries = fs::read_dir(prefix.join("lib/tenon")).unwrap().flatten();
    entries
        .filter(|entry| entry.file_name() != ".installer")
        .count()
}

/// Quotes the path for the shell.
async fn works_with_space(command: &Path) {
    let quoted = format!("'{}'", command.display());
    works(Path::new(&quoted)).await;
}

#[tokio::test]
async fn a_newer_version_replaces_the_older_one() {
    trial(on_path("sh"), async |packages| {
        let (_folder, prefix) = empty_place();
        succeeds(install(packages, &prefix, "").await);
        let first = fs::read_link(prefix.join("bin/tenon")).unwrap();
        // A page that the next version does not have any more.
        let place = first.ancestors().nth(2).unwrap();
        let page = prefix.join("share/man/man1/tenon-gone.1");
        std::os::unix::fs::symlink(place.join("share/man/man1/tenon-gone.1"), &page).unwrap();
        succeeds(install(packages, &prefix, "").await);
        let second = fs::read_link(prefix.join("bin/tenon")).unwrap();
        assert_ne!(first, second);
        assert!(!first.exists() && second.exists());
        assert!(fs::symlink_metadata(&page).is_err());
        let versions = installed_versions(&prefix);
        assert_eq!(versions, 1);
        works_with_space(&prefix.join("bin/tenon")).await;
    })
    .await;
}

#[tokio::test]
async fn it_downloads_the_archive() {
    trial(downloader(), async |packages| {
        let (_folder, prefix) = empty_place();
        let address = serve(&packages.folder, Amount::Whole);
        succeeds(install(packages, &prefix, &format!("--from {address}")).await);
        works_with_space(&prefix.join("bin/tenon")).await;
    })
    .await;
}

#[tokio::test]
async fn what_is_damaged_incomplete_or_missing_is_not_installed() {
    trial(downloader(), async |packages| {
        let archive = packages.file(&format!("tenon-{VERSION}-"), ".tar.gz");
        let name = archive.file_name().unwrap();
        let damaged = tempfile::tempdir().unwrap();
        let mut bytes = fs::read(&archive).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(damaged.path().join(name), bytes).unwrap();
        let empty = tempfile::tempdir().unwrap();
        let half = serve(&packages.folder, Amount::Half);
        let missing = serve(empty.path(), Amount::Whole);
        let cases = [
            (damaged.path().display().to_string(), "has the SHA-256"),
            (half, "could not get"),
            (missing, "could not get"),
            (empty.path().display().to_string(), "could not get"),
        ];
        for is_there in [false, true] {
            let (_folder, prefix) = empty_place();
            if is_there {
                succeeds(install(packages, &prefix, "").await);
            }
            let before = everything(&prefix);
            for (from, message) in &cases {
                refused(
                    &install(packages, &prefix, &format!("--from {from}")).await,
                    message,
                );
                assert_eq!(everything(&prefix), before);
            }
            if is_there {
                works_with_space(&prefix.join("bin/tenon")).await;
            }
        }
    })
    .await;
}

/// Killed in the middle of a download, with nothing installed and over an older version.
#[tokio::test]
async fn an_interrupted_installation_leaves_the_old_version() {
    trial(downloader(), async |packages| {
        let stalled = serve(&packages.folder, Amount::Stalled);
        let (_folder, prefix) = empty_place();
        for signal in [Signal::KILL, Signal::TERM] {
            for is_there in [false, true] {
                if is_there {
                    succeeds(install(packages, &prefix, "").await);
                }
                let line = line(packages, &prefix, &format!("--from {stalled}"));
                let shell = Shell::new();
                let installing = Program::start(&shell, &line);
                let has_begun = || {
                    let parts = everything(&prefix.join("lib/tenon")).into_iter();
                    let mut archives = parts.filter(|path| path.ends_with("archive"));
                    archives.any(|path| path.metadata().is_ok_and(|file| file.len() > 0))
                };
                eventually("the beginning of the archive", has_begun).await;
                interrupt(installing, signal).await;
                let command = prefix.join("bin/tenon");
                assert_eq!(command.exists(), is_there);
                if is_there {
                    let version = format!("'{}' --version", command.display());
                    succeeds(shell.run_unnoted(&version).await);
                }
                // The next installation removes what this one left.
                succeeds(install(packages, &prefix, "").await);
                let versions = installed_versions(&prefix);
                assert_eq!(versions, 1);
                succeeds(install(packages, &prefix, "--uninstall").await);
                assert_eq!(everything(&prefix).len(), 0);
            }
        }
    })
    .await;
}

/// Ends an installer and the program that it downloads with, as a terminal and a dying system do.
async fn interrupt(installing: Program, signal: Signal) {
    for (process, _) in installing.processes() {
        let process = rustix::process::Pid::from_raw(process).unwrap();
        // One of them may end because of the other.
        let _gone = rustix::process::kill_process(process, signal);
    }
    let ended = installing.ended().await;
    assert_ne!(ended.code, Some(0), "{}", ended.stderr);
}

#[tokio::test]
async fn it_refuses_what_it_cannot_write_and_what_belongs_to_others() {
    trial(on_path("sh"), async |packages| {
        // Nobody can create a folder there, not even root.
        let outcome = install(packages, Path::new("/sys/tenon"), "").await;
        refused(
            &outcome,
            "/sys/tenon cannot be written; choose another folder with --prefix",
        );
        let (_folder, prefix) = empty_place();
        fs::write(prefix.join("file"), "").unwrap();
        let outcome = install(packages, &prefix.join("file"), "").await;
        refused(&outcome, "file cannot be written");
        // A folder of this name that somebody else made.
        fs::create_dir_all(prefix.join("lib/tenon")).unwrap();
        fs::write(prefix.join("lib/tenon/precious"), "").unwrap();
        let outcome = install(packages, &prefix, "").await;
        refused(
            &outcome,
            "lib/tenon exists and was not made by this installer",
        );
        refused(
            &install(packages, &prefix, "--uninstall").await,
            "has no Tenon",
        );
        assert!(prefix.join("lib/tenon/precious").exists());
        fs::remove_dir_all(prefix.join("lib")).unwrap();
        // A command that somebody else installed.
        fs::create_dir(prefix.join("bin")).unwrap();
        fs::write(prefix.join("bin/tenon"), "other").unwrap();
        let outcome = install(packages, &prefix, "").await;
        refused(
            &outcome,
            "bin/tenon exists and is not a link of this installer",
        );
        assert_eq!(
            fs::read_to_string(prefix.join("bin/tenon")).unwrap(),
            "other"
        );
        refused(
            &install(packages, &prefix, "--uninstall").await,
            "has no Tenon",
        );
        for (wrong, message) in [
            ("--from", "--from needs a value"),
            ("--perfix x", "unknown argument --perfix"),
        ] {
            refused(&install(packages, &prefix, wrong).await, message);
        }
    })
    .await;
}
