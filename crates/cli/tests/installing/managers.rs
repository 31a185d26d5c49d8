//! The packages in the programs that install them: tar, pip, npm and dpkg.

use std::fs;
use std::path::Path;

use rustix::process::Signal;

use super::packages::{
    Packages, VERSION, WATCHDOG, everything, files_of_tenon, refused, runs, succeeds, trial, works,
};
use super::support::program::{Program, eventually};
use super::support::shell::Shell;
use super::support::tools::{Tool, installed, on_path, python};

/// Nothing of Tenon is left in a folder.
#[track_caller]
fn assert_gone(place: &Path) {
    let left = files_of_tenon(place);
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn the_archive_runs_where_it_is_unpacked() {
    trial(on_path("tar"), async |packages| {
        let archive = packages.file(&format!("tenon-{VERSION}-"), ".tar.gz");
        let shell = Shell::new();
        let line = format!("tar -xzf {} --strip-components=1", archive.display());
        succeeds(shell.run_within(WATCHDOG, &line).await);
        works(&shell.path("bin/tenon")).await;
        for name in [
            "LICENSE-APACHE",
            "LICENSE-MIT",
            "README.md",
            "share/man/man1/tenon.1",
        ] {
            assert!(shell.path(name).is_file(), "{name}");
        }
        let page = fs::read_to_string(shell.path("share/man/man1/tenon-run.1")).unwrap();
        assert!(page.contains(".TH tenon-run 1"), "{page}");
        // Every page that a page refers to is there.
        let pages = shell.path("share/man/man1");
        let mut referred = 0;
        for file in fs::read_dir(&pages).unwrap().flatten() {
            let page = fs::read_to_string(file.path()).unwrap().replace(r"\-", "-");
            let lines = page.lines().filter_map(|line| line.strip_suffix("(1)"));
            for name in lines.filter(|name| name.starts_with("tenon-") && !name.ends_with("-help"))
            {
                assert!(
                    pages.join(format!("{name}.1")).is_file(),
                    "{name} in {file:?}"
                );
                referred += 1;
            }
        }
        assert!(referred > 30, "{referred}");
        assert!(pages.join("tenon-provider-pack.1").is_file());
    })
    .await;
}

#[tokio::test]
async fn pip_installs_and_removes_the_wheel() {
    trial(python(), async |packages| {
        let wheel = packages.file("tenon_cli-", ".whl");
        let shell = Shell::new();
        succeeds(shell.run_within(WATCHDOG, "python3 -m venv place").await);
        let place = shell.path("place");
        let before = everything(&place.join("bin"));
        let pip = "place/bin/python -m pip --disable-pip-version-check --no-input";
        let line = format!("{pip} install --no-index {}", wheel.display());
        succeeds(shell.run_within(WATCHDOG, &line).await);
        works(&place.join("bin/tenon")).await;
        assert!(place.join("share/man/man1/tenon.1").is_file());
        // Every file is the one that the wheel lists.
        succeeds(shell.run_within(WATCHDOG, &format!("{pip} check")).await);
        succeeds(
            shell
                .run_within(WATCHDOG, &format!("{pip} uninstall --yes tenon-cli"))
                .await,
        );
        assert_gone(&place);
        assert_eq!(everything(&place.join("bin")), before);
    })
    .await;
}

/// What `uvx` is short for. Everything that it writes is in the folder of the test.
#[tokio::test]
async fn uvx_runs_the_wheel() {
    let uv = installed("uv/stamp").and(installed("uv/bin/uv"));
    trial(uv.clone(), async |packages| {
        let wheel = packages.file("tenon_cli-", ".whl");
        let shell = Shell::new();
        let command = format!(
            "HOME=$PWD UV_CACHE_DIR=$PWD/cache {} tool run --offline --no-config --no-python-downloads --from {} tenon",
            uv.unwrap_or_default().display(),
            wheel.display()
        );
        runs(&shell, &command).await;
    })
    .await;
}

/// npm with everything that it writes in the folder of the test.
fn npm(command: &str) -> String {
    format!(
        "HOME=$PWD npm_config_cache=$PWD/cache npm {command} --offline --ignore-scripts --no-audit --no-fund --prefix place"
    )
}

fn npm_packages(packages: &Packages) -> String {
    let main = packages.file(&format!("tenon-cli-{VERSION}"), ".tgz");
    let platform = packages.file("tenon-cli-linux-", ".tgz");
    format!("{} {}", main.display(), platform.display())
}

#[tokio::test]
async fn npm_installs_and_removes_the_packages() {
    trial(on_path("npm"), async |packages| {
        let files = npm_packages(packages);
        for (option, command) in [
            ("", "place/node_modules/.bin/tenon"),
            ("--global", "place/bin/tenon"),
        ] {
            let shell = Shell::new();
            fs::create_dir(shell.path("place")).unwrap();
            let line = npm(&format!("install {option} {files}"));
            succeeds(shell.run_within(WATCHDOG, &line).await);
            works(&shell.path(command)).await;
            let line = npm(&format!(
                "uninstall {option} tenon-cli tenon-cli-linux-x64 tenon-cli-linux-arm64"
            ));
            succeeds(shell.run_within(WATCHDOG, &line).await);
            assert_gone(&shell.path("place"));
        }
    })
    .await;
}

/// Without an installation, from the files alone.
#[tokio::test]
async fn npx_runs_the_packages() {
    trial(on_path("npm"), async |packages| {
        let files = npm_packages(packages);
        let shell = Shell::new();
        fs::create_dir(shell.path("place")).unwrap();
        let files: String = { files.split(' ') }
            .map(|file| format!("--package={file} "))
            .collect();
        let command = format!("{} -- tenon", npm(&format!("exec --yes {files}")));
        runs(&shell, &command).await;
        assert_gone(&shell.path("place"));
    })
    .await;
}

/// The command of the npm package becomes the program, so that a signal reaches it and nothing stays between.
#[tokio::test]
async fn the_command_of_npm_leaves_no_process_between() {
    trial(on_path("npm"), async |packages| {
        let files = npm_packages(packages);
        let shell = Shell::new();
        fs::create_dir(shell.path("place")).unwrap();
        let line = npm(&format!("install --global {files}"));
        succeeds(shell.run_within(WATCHDOG, &line).await);
        let running = Program::start(&shell, "place/bin/tenon echo --socket ./echo.sock");
        let socket = shell.path("echo.sock");
        eventually("the socket", || socket.exists()).await;
        let processes = running.processes();
        assert_eq!(processes.len(), 1, "{processes:?}");
        let program = fs::read_link(format!("/proc/{}/exe", processes[0].0)).unwrap();
        let place = shell.path("place/lib/node_modules").canonicalize().unwrap();
        assert!(program.starts_with(&place), "{}", program.display());
        running.signal(Signal::TERM);
        assert_eq!(running.ended().await.code, Some(130));

        fs::remove_dir_all(place.join("tenon-cli-linux-x64"))
            .or_else(|_| fs::remove_dir_all(place.join("tenon-cli-linux-arm64")))
            .unwrap();
        let outcome = shell.run_unnoted("place/bin/tenon --version").await;
        refused(&outcome, "is not installed");
        assert_eq!(outcome.code, Some(127));
    })
    .await;
}

/// dpkg sets the owner of what it installs, which only root may.
fn dpkg() -> Tool {
    let tool = on_path("dpkg")?;
    match rustix::process::getuid().is_root() {
        true => Ok(tool),
        false => Err("dpkg needs root".to_owned()),
    }
}

#[tokio::test]
async fn dpkg_installs_and_removes_the_package() {
    trial(dpkg(), async |packages| {
        let package = packages.file("tenon-cli_", ".deb");
        let shell = Shell::new();
        for folder in ["root/var/lib/dpkg/info", "root/var/lib/dpkg/updates"] {
            fs::create_dir_all(shell.path(folder)).unwrap();
        }
        shell.file("root/var/lib/dpkg/status", "");
        let before = everything(&shell.path("root/usr"));
        // The programs of the tests are not static, and the empty root has no C library.
        let dpkg = "dpkg --root=$PWD/root --force-depends --force-script-chrootless";
        let line = format!("{dpkg} --install {}", package.display());
        succeeds(shell.run_within(WATCHDOG, &line).await);
        works(&shell.path("root/usr/bin/tenon")).await;
        let listed = succeeds(
            shell
                .run_unnoted(&format!("{dpkg} --verify tenon-cli"))
                .await,
        );
        assert_eq!(listed.stdout, "", "a file differs from the list");
        for file in [
            "share/man/man1/tenon.1.gz",
            "share/doc/tenon-cli/copyright",
            "share/bash-completion/completions/tenon",
        ] {
            assert!(shell.path("root/usr").join(file).is_file(), "{file}");
        }
        succeeds(
            shell
                .run_unnoted(&format!("{dpkg} --purge tenon-cli"))
                .await,
        );
        assert_eq!(everything(&shell.path("root/usr")), before);
        assert_gone(&shell.path("root"));
    })
    .await;
}

/// The fields that dpkg and apt read.
#[tokio::test]
async fn the_debian_package_describes_itself() {
    trial(on_path("dpkg-deb"), async |packages| {
        let package = packages.file("tenon-cli_", ".deb");
        let shell = Shell::new();
        let line = format!("dpkg-deb --field {}", package.display());
        let fields = succeeds(shell.run_unnoted(&line).await).stdout;
        for field in [
            "Package: tenon-cli\n",
            "Version: [version]\n",
            "Maintainer: ",
            "Installed-Size: ",
            "Description: ",
        ] {
            assert!(fields.contains(field), "{field} in {fields}");
        }
        let line = format!("dpkg-deb --contents {}", package.display());
        let contents = succeeds(shell.run_within(WATCHDOG, &line).await).stdout;
        assert!(
            contents.lines().all(|line| line.contains("root/root")),
            "{contents}"
        );
    })
    .await;
}
