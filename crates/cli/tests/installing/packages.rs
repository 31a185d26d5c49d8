//! The packages under test, and an installed command.
//!
//! `TENON_TEST_PROGRAMS=FOLDER` has other programs packaged than those that cargo built for the tests, such as the static
//! ones of a release (`scripts/package --check`).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;
use tokio::sync::OnceCell;

use crate::support::mark::Mark;
use crate::support::shell::{Outcome, Shell};
use crate::support::tools::{Tool, on_path};
use crate::support::trial::trial_within;

/// Programs are stripped and compressed, which takes long on a busy machine.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(300);

pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

pub(crate) const PROGRAMS: [&str; 3] = [
    "tenon",
    "terraform-provider-denobridge",
    "terraform-provider-tenon",
];

pub(crate) fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().unwrap()
}

pub(crate) struct Packages {
    /// The programs without their symbols.
    pub(crate) programs: PathBuf,
    /// What `scripts/package` wrote.
    pub(crate) folder: PathBuf,
}

impl Packages {
    /// The file of this form, such as `*.whl`, which is the only one.
    pub(crate) fn file(&self, beginning: &str, ending: &str) -> PathBuf {
        let entries = fs::read_dir(&self.folder).unwrap().flatten();
        let names = entries.map(|entry| entry.file_name().into_string().unwrap());
        let is_it = |name: &String| name.starts_with(beginning) && name.ends_with(ending);
        let found: Vec<String> = names.filter(is_it).collect();
        assert_eq!(found.len(), 1, "{beginning}*{ending}: {found:?}");
        self.folder.join(&found[0])
    }

    pub(crate) fn installer(&self) -> String {
        self.folder.join("install.sh").display().to_string()
    }
}

/// Runs a test if there is what makes packages, and the tool that the test needs.
pub(crate) async fn trial<F>(tool: Tool, test: F)
where
    F: AsyncFnOnce(&'static Packages),
{
    let makers = on_path("python3").and(on_path("strip"));
    let test = async |_, _: &Mark| test(packages().await).await;
    // Some run many commands, and the first ones wait for the packages.
    trial_within(WATCHDOG * 4, makers.and(tool), test).await;
}

/// The packages. The folder is removed with the last test of the process.
async fn packages() -> &'static Packages {
    static PACKAGES: OnceCell<Packages> = OnceCell::const_new();
    PACKAGES.get_or_init(make).await
}

async fn make() -> Packages {
    // Below the folder of the build, because nothing drops what is static.
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).join("installing");
    let shell = Shell::new();
    let programs = match std::env::var_os("TENON_TEST_PROGRAMS") {
        Some(folder) => PathBuf::from(folder),
        None => stripped(&shell, built.join("programs")).await,
    };
    let folder = built.join("packages");
    let line = format!(
        "{}/scripts/package archive wheel npm debian installers --fast --binaries {} --output {}",
        root().display(),
        programs.display(),
        folder.display()
    );
    succeeds(shell.run_within(WATCHDOG, &line).await);
    Packages { programs, folder }
}

/// The programs that cargo built for the tests, without their symbols.
async fn stripped(shell: &Shell, programs: PathBuf) -> PathBuf {
    fs::create_dir_all(&programs).unwrap();
    for name in PROGRAMS {
        let from = Path::new(env!("CARGO_BIN_EXE_tenon")).with_file_name(name);
        assert!(
            from.exists(),
            "{} is missing: cargo build --workspace",
            from.display()
        );
        let to = programs.join(name);
        // A program that runs is not overwritten: the one of an earlier test may still.
        let _not_there = fs::remove_file(&to);
        let line = format!("strip -o {} {}", to.display(), from.display());
        succeeds(shell.run_within(WATCHDOG, &line).await);
    }
    programs
}

#[track_caller]
pub(crate) fn succeeds(outcome: Outcome) -> Outcome {
    let Outcome { code, stderr, .. } = &outcome;
    assert_eq!(*code, Some(0), "{}{stderr}", outcome.stdout);
    outcome
}

/// Fails with this in the message.
#[track_caller]
pub(crate) fn refused(outcome: &Outcome, message: &str) {
    let Outcome { code, stderr, .. } = outcome;
    assert!(code.is_some_and(|code| code != 0), "{}", outcome.stdout);
    assert!(stderr.contains(message), "{stderr}");
}

/// A command in a shell gives its version and runs the first scenario.
pub(crate) async fn runs(shell: &Shell, command: &str) {
    let line = format!("{command} --version");
    let version = succeeds(shell.run_within(WATCHDOG, &line).await);
    assert_eq!(version.stdout, "tenon [version]\n");
    let scenario = root().join("examples/hello/hello.hcl");
    let line = format!("{command} run {} --var name=world", scenario.display());
    let ran = succeeds(shell.run_within(WATCHDOG, &line).await);
    assert_eq!(
        ran.stdout,
        "greeting = hello, world: 3 products are on the shelf\n"
    );
}

/// An installed command works: its version, the first scenario, and the provider that it finds beside itself.
pub(crate) async fn works(command: &Path) {
    let command = command.display().to_string();
    let shell = Shell::new();
    runs(&shell, &command).await;
    let line = format!("HOME=$PWD {command} provider install --mirror mirror");
    succeeds(shell.run_within(WATCHDOG, &line).await);
    assert!(shell.path("mirror").is_dir());
}

/// The files below a folder that are Tenon's, by their names.
pub(crate) fn files_of_tenon(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for path in everything(folder) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if name.contains("tenon") || name.contains("denobridge") {
            found.push(path);
        }
    }
    found
}

/// Everything below a folder.
pub(crate) fn everything(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().unwrap().is_dir() {
            found.extend(everything(&entry.path()));
        }
        found.insert(entry.path());
    }
    found
}

/// An empty folder whose path has a space in it, as those of users may.
pub(crate) fn empty_place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("own place");
    fs::create_dir(&place).unwrap();
    (folder, place)
}
