//! A PostgreSQL server of a test's own, on a Unix socket in a folder that is gone afterwards.

use std::any::type_name;
use std::fs;
use std::io::Write;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tenon_host::{Capture, PluginCommand, Process, StopLimits};

use super::proxy::Proxy;
use super::{Host, watched};

/// What the server knows its user by; no error may show it.
pub(crate) const PASSWORD: &str = "s3cret'word";

/// PostgreSQL refuses to run as root; then it runs as nobody.
const NOBODY: u32 = 65534;

/// A running server.
pub(crate) struct Server {
    process: Process,
    folder: TempDir,
}

/// Runs a test with a server. Without PostgreSQL the test is skipped, but not under CI=true.
pub(crate) async fn with_server<F: AsyncFnOnce(&Server)>(test: F) {
    let name = type_name::<F>().replace("::{{closure}}", "");
    let programs = match programs() {
        Ok(programs) => programs,
        Err(why) => {
            let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
            assert!(!is_ci, "{name} needs PostgreSQL under CI=true: {why}");
            // Not the print macros: what they print in a test that passes is never seen.
            let _nobody_reads = writeln!(std::io::stderr(), "skipped: {name}: {why}");
            return;
        }
    };
    watched(async {
        let server = Server::start(&programs).await;
        test(&server).await;
        let limits = StopLimits {
            asked: Duration::ZERO,
            terminated: Duration::from_secs(20),
        };
        // SIGTERM, so that it gives its shared memory back.
        server.process.stop(limits).await;
    })
    .await;
}

impl Server {
    async fn start(programs: &Path) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let password = folder.path().join("password");
        fs::write(&password, PASSWORD).unwrap();
        for path in [folder.path(), &password] {
            if rustix::process::getuid().is_root() {
                chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
        let data = folder.path().join("data");
        let initdb = command(&programs.join("initdb"))
            .args([
                "--username=tester",
                "--auth=scram-sha-256",
                "--encoding=UTF8",
            ])
            .args(["--locale=C", "--no-sync", "--pwfile"])
            .arg(&password)
            .arg(&data);
        let made = Capture::default().run(&initdb).await.unwrap();
        let said = String::from_utf8_lossy(&made.stderr);
        assert!(made.status.success(), "initdb: {said}");
        let postgres = command(&programs.join("postgres"))
            .args(["-F", "-c", "listen_addresses=", "-k"])
            .arg(folder.path())
            .arg("-D")
            .arg(&data);
        let (process, _io) = Process::spawn(&postgres).unwrap();
        let server = Server { process, folder };
        // The watchdog says for how long.
        while Host::start("postgres", server.config(PASSWORD))
            .await
            .is_err()
        {
            let lines = server.process.stderr().lines();
            assert_eq!(server.process.status(), None, "it ended: {lines:#?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        server
    }

    /// How the provider is configured to use it.
    pub(crate) fn config(&self, password: &str) -> Value {
        let socket = self.folder.path().display();
        let password = password.replace('\'', "\\'");
        json!({ "dsn": format!("host={socket} user=tester password='{password}' dbname=postgres") })
    }

    /// A way to it that can be cut.
    pub(crate) fn proxy(&self) -> Proxy {
        Proxy::start(self.folder.path().join(".s.PGSQL.5432"))
    }

    /// How the provider is configured to go that way.
    pub(crate) fn config_by(&self, proxy: &Proxy) -> Value {
        let (port, password) = (proxy.port, PASSWORD.replace('\'', "\\'"));
        let server = format!("host=127.0.0.1 port={port} user=tester dbname=postgres");
        json!({ "dsn": format!("{server} password='{password}'") })
    }

    /// A provider that uses it.
    pub(crate) async fn host(&self) -> Host {
        Host::start("postgres", self.config(PASSWORD))
            .await
            .unwrap()
    }

    /// A folder for files that the test needs.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

fn command(program: &Path) -> PluginCommand {
    if !rustix::process::getuid().is_root() {
        return PluginCommand::new(program);
    }
    PluginCommand::new("setpriv")
        .arg(format!("--reuid={NOBODY}"))
        .arg(format!("--regid={NOBODY}"))
        .arg("--clear-groups")
        .arg(program)
        // Where root may be, nobody may not.
        .folder("/")
}

/// The folder with PostgreSQL's programs: the system's own, or else those that `scripts/tools`
/// unpacked.
fn programs() -> Result<PathBuf, String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    // Where Debian has them.
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    folders.extend(versions.flatten().map(|version| version.path().join("bin")));
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let unpacked = workspace.join(".tools/postgresql");
    if unpacked.join("stamp").exists() {
        folders.extend(unpacked.canonicalize());
    }
    let has_both =
        |folder: &PathBuf| folder.join("initdb").is_file() && folder.join("postgres").is_file();
    let found = folders.into_iter().find(has_both);
    found.ok_or_else(|| "there is no initdb; run scripts/tools".into())
}
