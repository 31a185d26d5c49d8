//! A process of the provider with a puppet to run, in a folder of their own.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value as Json;
use tempfile::TempDir;
use tenon_tfplugin::proto::tfplugin6::provider_client::ProviderClient;

use crate::client::Client;

/// By which Terraform says who it is.
const COOKIE: (&str, &str) = (
    "TF_PLUGIN_MAGIC_COOKIE",
    "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
);

/// Longer than anything takes on the busiest machine.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(90);

pub(crate) struct Stage {
    provider: Child,
    client: Client,
    folder: Arc<TempDir>,
}

/// What the puppet heard: a method and its params.
pub(crate) type Heard = (String, Json);

/// A folder with a puppet that has these orders.
fn folder_with(orders: Json) -> Arc<TempDir> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("puppet.py"),
        include_str!("../puppet.py"),
    )
    .unwrap();
    std::fs::write(folder.path().join("orders.json"), orders.to_string()).unwrap();
    Arc::new(folder)
}

impl Stage {
    /// A provider whose puppet has these orders.
    pub(crate) async fn new(orders: Json) -> Stage {
        Stage::start(folder_with(orders), &[]).await
    }

    /// A provider with these environment variables.
    pub(crate) async fn with_variables(variables: &[(&str, &str)]) -> Stage {
        Stage::start(folder_with(Json::Object(Default::default())), variables).await
    }

    /// Another provider in the same folder.
    pub(crate) async fn beside(stage: &Stage) -> Stage {
        Stage::start(stage.folder.clone(), &[]).await
    }

    async fn start(folder: Arc<TempDir>, variables: &[(&str, &str)]) -> Stage {
        let mut provider = command()
            .env_remove("TF_LOG")
            .env_remove("TENON_DENO")
            .env("PATH", path_from(folder.path()))
            .env("TMPDIR", folder.path())
            .env("PLUGIN_PROTOCOL_VERSIONS", "6")
            .env(COOKIE.0, COOKIE.1)
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(provider.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        let fields: Vec<_> = line.trim_end().split('|').collect();
        assert_eq!(fields[..3], ["1", "6", "unix"], "{line}");
        assert_eq!(fields[4..], ["grpc", ""], "{line}");
        Stage {
            client: Client::plain(fields[3]).await,
            provider,
            folder,
        }
    }

    pub(crate) fn client(&self) -> ProviderClient<Client> {
        self.client.provider()
    }

    /// The puppet's path.
    pub(crate) fn puppet(&self) -> String {
        self.folder
            .path()
            .join("puppet.py")
            .to_str()
            .unwrap()
            .to_owned()
    }

    /// Another script in the folder.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Everything the puppets have heard, without `health` and `shutdown`.
    pub(crate) fn heard(&self) -> Vec<Heard> {
        let text = std::fs::read_to_string(self.folder.path().join("heard")).unwrap_or_default();
        let messages = text.lines().filter_map(|line| {
            let heard: Json = serde_json::from_str(line).unwrap();
            let message = &heard["message"];
            let method = message["method"].as_str()?.to_owned();
            Some((method, message["params"].clone()))
        });
        messages
            .filter(|(method, _)| method != "health" && method != "shutdown")
            .collect()
    }

    /// What the puppets have heard in calls of this method.
    pub(crate) fn heard_of(&self, method: &str) -> Vec<Json> {
        let all = self.heard().into_iter();
        all.filter(|(heard, _)| heard == method)
            .map(|(_, params)| params)
            .collect()
    }

    /// Waits until the puppets have received this many calls of this method.
    pub(crate) async fn until_heard(&self, method: &str, count: usize) {
        let enough = async {
            while self.heard_of(method).len() < count {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(WATCHDOG, enough).await.unwrap();
    }

    /// The numbers of all puppet processes there have been.
    pub(crate) fn processes(&self) -> Vec<u32> {
        let text = std::fs::read_to_string(self.folder.path().join("processes"));
        let lines = text.unwrap_or_default();
        lines.lines().map(|line| line.parse().unwrap()).collect()
    }

    /// Lets a puppet on that waits for this gate.
    pub(crate) fn open(&self, gate: &str) {
        self.write(gate, "");
    }

    /// Whether the provider still runs.
    pub(crate) fn is_alive(&mut self) -> bool {
        self.provider.try_wait().unwrap().is_none()
    }

    /// Ends the provider as Terraform does. No process may be left.
    pub(crate) async fn end(mut self) {
        self.finish().await;
    }

    /// The same, and everything that the puppets have heard.
    pub(crate) async fn end_and_hear(mut self) -> Vec<Heard> {
        self.finish().await;
        self.heard()
    }

    async fn finish(&mut self) {
        // It may be gone before its answer is here.
        let _gone = self.client.shut_down().await;
        let gone = async {
            while self.is_alive() || self.processes().into_iter().any(is_running) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let gone = tokio::time::timeout(WATCHDOG, gone).await;
        gone.expect("the provider or a script of its lives on");
        assert!(self.provider.wait().unwrap().success());
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let _has_ended = self.provider.kill();
        let _has_ended = self.provider.wait();
    }
}

/// A search path that begins with this folder: a program that a test writes is found first.
fn path_from(folder: &Path) -> OsString {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    std::env::join_paths(folders).unwrap()
}

/// For tests that are no `async fn`, because something else runs their body many times.
pub(crate) fn runtime() -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().build().unwrap()
}

/// Whether there is such a process that has not ended.
pub(crate) fn is_running(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = status
        .rsplit_once(") ")
        .map(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| state != Some('Z'))
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is Terraform's part, which must not be looked after by our host"
)]
fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_terraform-provider-denobridge"))
}
