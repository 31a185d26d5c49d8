//! `scripts/package` itself.

use std::fs;

use super::packages::{WATCHDOG, refused, root, succeeds, trial};
use super::support::shell::Shell;
use super::support::tools::{installed, on_path};

fn package() -> String {
    root().join("scripts/package").display().to_string()
}

#[tokio::test]
async fn checksums_are_those_of_the_files() {
    trial(on_path("sha256sum"), async |packages| {
        let shell = Shell::new();
        let line = format!(
            "cd {} && sha256sum --check SHA256SUMS",
            packages.folder.display()
        );
        let checked = succeeds(shell.run_within(WATCHDOG, &line).await).stdout;
        let files = fs::read_dir(&packages.folder).unwrap().count();
        assert_eq!(checked.lines().count(), files - 1, "{checked}");
    })
    .await;
}

#[tokio::test]
async fn the_same_programs_give_the_same_packages() {
    trial(on_path("sh"), async |packages| {
        let shell = Shell::new();
        let line = format!(
            "{} archive wheel npm debian installers --fast --binaries {} --output again",
            package(),
            packages.programs.display()
        );
        succeeds(shell.run_within(WATCHDOG, &line).await);
        let sums =
            |folder: &std::path::Path| fs::read_to_string(folder.join("SHA256SUMS")).unwrap();
        assert_eq!(sums(&shell.path("again")), sums(&packages.folder));
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_packaged_is_refused() {
    trial(on_path("sh"), async |packages| {
        let programs = packages.programs.display().to_string();
        let shell = Shell::new();
        fs::create_dir(shell.path("other")).unwrap();
        shell.file("other/precious", "");
        shell.file("file", "");
        for (arguments, message) in [
            (
                format!("weel --binaries {programs}"),
                "unknown kind 'weel'; there are archive, wheel",
            ),
            (
                "archive --target x86_64-linux".to_owned(),
                "unknown target 'x86_64-linux'; there are",
            ),
            (
                "archive --binaries other".to_owned(),
                "other lacks tenon, terraform-provider-denobridge",
            ),
            (
                format!("archive --binaries {programs} --output other"),
                "is not a folder of packages",
            ),
            (
                format!("archive --binaries {programs} --output file"),
                "is not a folder",
            ),
            (
                format!("archive --binaries {programs} --output /sys/tenon"),
                "/sys/",
            ),
            (
                format!("installers --binaries {programs} --output new"),
                "need the archives",
            ),
        ] {
            let line = format!("{} {arguments}", package());
            let outcome = shell.run_within(WATCHDOG, &line).await;
            refused(&outcome, message);
            assert!(!outcome.stderr.contains("Traceback"), "{}", outcome.stderr);
        }
        assert!(shell.path("other/precious").exists());
        // Nothing is left of what was begun.
        let left: Vec<_> = fs::read_dir(shell.path(".")).unwrap().flatten().collect();
        assert_eq!(left.len(), 2, "{left:?}");
    })
    .await;
}

/// Parts that need other platforms than this one: the recipe of the container, the installer for PowerShell, versions.
#[tokio::test]
async fn the_scripts_pass_their_own_tests() {
    trial(on_path("sh"), async |_| {
        let shell = Shell::new();
        let folder = root().join("scripts");
        let line = format!(
            "cd {} && python3 -B -m unittest packaging.tests packaging.installer_tests",
            folder.display()
        );
        succeeds(shell.run_within(WATCHDOG, &line).await);
    })
    .await;
}

#[tokio::test]
async fn the_scripts_have_correct_types() {
    let mypy = installed("python-sdk/stamp").and(installed("python-sdk/bin/mypy"));
    trial(mypy.clone(), async |_| {
        let shell = Shell::new();
        let line = format!(
            "cd {}/scripts && {} --strict --python-version 3.11 --cache-dir {} --package packaging",
            root().display(),
            mypy.unwrap_or_default().display(),
            shell.path("cache").display(),
        );
        succeeds(shell.run_within(WATCHDOG, &line).await);
    })
    .await;
}
