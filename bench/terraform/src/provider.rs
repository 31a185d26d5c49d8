//! The provider, started and talked to as Terraform does it.

use std::ffi::OsString;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use bench_harness::child::Child;
use bench_harness::watchdog::Watchdog;
use tempfile::TempDir;
use tenon_tfplugin::proto::tfplugin6::provider_client::ProviderClient;
use tokio::net::UnixStream;

use crate::client::Client;
use crate::identity::Identity;

/// By which a provider knows that Terraform starts it.
const COOKIE: (&str, &str) = (
    "TF_PLUGIN_MAGIC_COOKIE",
    "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
);

/// Nothing that is asked of one provider here takes so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// Terraform kills a provider that has not ended by then.
const LONGEST_ENDING: Duration = Duration::from_secs(2);

/// A provider's program, and what it gets in its environment besides ours.
pub struct ProviderProgram {
    pub path: PathBuf,
    pub variables: Vec<(&'static str, OsString)>,
}

/// A provider that can be called. It does not outlive this.
pub struct Provider {
    // Goes first: it must not bite once the process has been waited for.
    _watchdog: Watchdog,
    child: Child,
    _stdout: BufReader<ChildStdout>,
    client: Client,
    pub started: Instant,
    /// How long it took until the line that says where it listens.
    pub line_after: Duration,
    _temporary: TempDir,
}

impl Provider {
    /// Starts one, with certificates if there is an identity.
    ///
    /// # Errors
    /// It does not start, or does not say where it listens.
    pub async fn start(
        program: &ProviderProgram,
        identity: Option<&Identity>,
    ) -> io::Result<Provider> {
        let temporary = tempfile::tempdir()?;
        let mut command = command(program, temporary.path(), identity);
        let started = Instant::now();
        let mut child = Child::start(&mut command)?;
        let watchdog = Watchdog::over(child.pid(), PATIENCE);
        let stdout = child.inner.stdout.take();
        let mut stdout = BufReader::new(stdout.ok_or(io::ErrorKind::BrokenPipe)?);
        let mut line = String::new();
        stdout.read_line(&mut line)?;
        let line_after = started.elapsed();
        let client = connect(line.trim_end(), identity).await?;
        Ok(Provider {
            _watchdog: watchdog,
            child,
            _stdout: stdout,
            client,
            started,
            line_after,
            _temporary: temporary,
        })
    }

    pub fn client(&self) -> ProviderClient<Client> {
        self.client.provider()
    }

    /// Asks it to end, and waits for that as Terraform does.
    ///
    /// # Errors
    /// It does not end in time.
    pub async fn end(mut self) -> io::Result<()> {
        self.client.shut_down().await?;
        let start = Instant::now();
        while self.child.inner.try_wait()?.is_none() {
            if start.elapsed() > LONGEST_ENDING {
                return Err(io::Error::other(
                    "the provider was asked to end and did not; Terraform would kill it now",
                ));
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        Ok(())
    }
}

fn command(program: &ProviderProgram, temporary: &Path, identity: Option<&Identity>) -> Command {
    let mut command = Command::new(&program.path);
    command
        .env(COOKIE.0, COOKIE.1)
        .env("PLUGIN_PROTOCOL_VERSIONS", "5,6")
        .env("TMPDIR", temporary)
        .env_remove("TF_LOG")
        .env_remove("TF_LOG_PROVIDER")
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    if let Some(identity) = identity {
        command.env("PLUGIN_CLIENT_CERT", identity.pem());
    }
    for (name, value) in &program.variables {
        command.env(name, value);
    }
    command
}

async fn connect(line: &str, identity: Option<&Identity>) -> io::Result<Client> {
    let fields: Vec<&str> = line.split('|').collect();
    let [_, _, "unix", address, "grpc", certificate, ..] = fields[..] else {
        let message = format!("the provider said {line:?} instead of where it listens");
        return Err(io::Error::other(message));
    };
    let stream = UnixStream::connect(address).await?;
    match identity {
        None => Client::new(stream).await,
        Some(identity) => {
            let certificate = STANDARD_NO_PAD.decode(certificate);
            let certificate = certificate.map_err(io::Error::other)?;
            let stream = identity.connect(stream, certificate.into()).await?;
            Client::new(stream).await
        }
    }
}
