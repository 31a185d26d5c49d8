//! A PostgreSQL server of a test's own, on a Unix socket in a folder that is gone afterwards, and with a certificate
//! also on a port.

use std::any::type_name;
use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
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

/// Where only the socket is used, the port is just part of its name.
const USUAL_PORT: u16 = 5432;

/// A running server.
pub(crate) struct Server {
    process: Process,
    folder: TempDir,
    /// That of the socket, and with a certificate also that of TCP.
    port: u16,
}

/// What a server proves by TLS who it is with.
pub(crate) struct Identity {
    /// Its certificate and its key, as PEM.
    pub(crate) certificate: String,
    pub(crate) key: String,
}

/// Runs a test with a server. Without PostgreSQL the test is skipped, but not under CI=true.
pub(crate) async fn with_server<F: AsyncFnOnce(&Server)>(test: F) {
    run_with(None, test).await;
}

/// Like [`with_server`], with a server that also listens on a port of 127.0.0.1 and takes TLS there.
pub(crate) async fn with_tls_server<F: AsyncFnOnce(&Server)>(identity: &Identity, test: F) {
    run_with(Some(identity), test).await;
}

async fn run_with<F: AsyncFnOnce(&Server)>(identity: Option<&Identity>, test: F) {
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
        let server = Server::start(&programs, identity).await;
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
    async fn start(programs: &Path, identity: Option<&Identity>) -> Server {
        let mut folder = tempfile::tempdir().unwrap();
        let password = folder.path().join("password");
        fs::write(&password, PASSWORD).unwrap();
        give_away(folder.path());
        give_away(&password);
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
        let settings = match identity {
            Some(identity) => identity.settings(folder.path()),
            None => vec!["listen_addresses=".to_owned()],
        };
        loop {
            let port = identity.map_or(USUAL_PORT, |_| free_port());
            let postgres = command(&programs.join("postgres"))
                .args(["-F", "-p", &port.to_string(), "-k"])
                .arg(folder.path())
                .arg("-D")
                .arg(&data)
                .args(settings.iter().flat_map(|setting| ["-c", setting]));
            let (process, _io) = Process::spawn(&postgres).unwrap();
            let mut server = Server {
                process,
                folder,
                port,
            };
            match server.is_ready().await {
                Ok(()) => return server,
                // Somebody else has taken the port since it was found to be free.
                Err(said) if said.contains("Address already in use") => folder = server.folder,
                Err(said) => panic!("it ended: {said}"),
            }
        }
    }

    /// Waits until it answers; the watchdog says for how long. If it ends instead, returns what it said.
    async fn is_ready(&mut self) -> Result<(), String> {
        while Host::start("postgres", self.config(PASSWORD))
            .await
            .is_err()
        {
            if self.process.status().is_some() {
                return Err(self.process.stderr().lines().join("\n"));
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(())
    }

    /// How the provider is configured to use it.
    pub(crate) fn config(&self, password: &str) -> Value {
        let socket = self.folder.path().display();
        let (port, password) = (self.port, password.replace('\'', "\\'"));
        let server = format!("host={socket} port={port} user=tester dbname=postgres");
        json!({ "dsn": format!("{server} password='{password}'") })
    }

    /// How the provider is configured to use it by TLS, under a name that its certificate may have.
    pub(crate) fn config_by_tls(&self, name: &str) -> Value {
        let (port, password) = (self.port, PASSWORD.replace('\'', "\\'"));
        let server =
            format!("host={name} hostaddr=127.0.0.1 port={port} user=tester dbname=postgres");
        let security = "sslmode=require channel_binding=require";
        json!({ "dsn": format!("{server} {security} password='{password}'") })
    }

    /// A way to it that can be cut.
    pub(crate) fn proxy(&self) -> Proxy {
        Proxy::start(self.folder.path().join(format!(".s.PGSQL.{}", self.port)))
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

impl Identity {
    /// Writes it to files, and says how the server is to use them.
    fn settings(&self, folder: &Path) -> Vec<String> {
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::write(&path, text).unwrap();
            // The server refuses a key that others may read.
            fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
            give_away(&path);
            path.display().to_string()
        };
        vec![
            "listen_addresses=127.0.0.1".to_owned(),
            "ssl=on".to_owned(),
            format!("ssl_cert_file={}", write("server.pem", &self.certificate)),
            format!("ssl_key_file={}", write("server.key", &self.key)),
        ]
    }
}

/// A port that is free at the moment.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Makes a file or folder that of the user that the server runs as.
fn give_away(path: &Path) {
    if rustix::process::getuid().is_root() {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
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
