//! A folder to work in, and the stores that can be started there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tenon_host::{PluginCommand, Start};
use tenon_protocols::Protocol;
use tenon_state::{PluginOptions, PluginStorage, Settings};

use crate::front::Front;
use crate::mark::Mark;

/// No test takes longer, not even on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(300);

/// A storage plugin. The first four keep states in `states`, the last one is `puppet_store.py`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    PythonFolder,
    PythonSqlite,
    RustFolder,
    RustSqlite,
    Puppet,
}

impl Store {
    /// The stores that are examples.
    pub(crate) const EXAMPLES: [Store; 4] = [
        Store::PythonFolder,
        Store::PythonSqlite,
        Store::RustFolder,
        Store::RustSqlite,
    ];
}

pub(crate) struct Place {
    folder: TempDir,
    mark: Mark,
}

impl Place {
    /// Runs a test in a new folder.
    pub(crate) async fn trial(test: impl AsyncFnOnce(&Place)) {
        let place = Place {
            folder: tempfile::tempdir().unwrap(),
            mark: Mark::new(),
        };
        let in_time = tokio::time::timeout(WATCHDOG, test(&place)).await;
        assert!(in_time.is_ok(), "the test takes too long");
        place.mark.assert_nobody_left();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The next calls of the puppet fail like this.
    pub(crate) fn faults(&self, faults: serde_json::Value) {
        let part = self.path("faults.new");
        fs::write(&part, faults.to_string()).unwrap();
        fs::rename(part, self.path("faults.json")).unwrap();
    }

    pub(crate) fn command(&self, store: Store) -> PluginCommand {
        let python = |script: PathBuf| {
            PluginCommand::new("python3")
                .arg(script)
                .variable("PYTHONDONTWRITEBYTECODE", "1")
        };
        let command = match store {
            Store::PythonFolder => python(examples().join("store.py")).arg("states"),
            Store::PythonSqlite => python(examples().join("sqlite_store.py")).arg("states"),
            Store::RustFolder => PluginCommand::new(toolkit()).args(["folder", "states"]),
            Store::RustSqlite => PluginCommand::new(toolkit()).args(["sqlite", "states"]),
            Store::Puppet => {
                let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/puppet_store.py");
                python(script.into()).arg(examples()).arg("states")
            }
        };
        command
            .folder(self.folder.path())
            .variable(Mark::VARIABLE, self.mark.value())
    }

    /// A server in front of a store, which is ended with [`Served::stop`].
    pub(crate) async fn serve(&self, store: Store, time_limit: Duration) -> Served {
        let options = PluginOptions {
            time_limit,
            ..PluginOptions::default()
        };
        self.serve_with(self.command(store), options).await
    }

    /// The same with other options.
    pub(crate) async fn serve_with(
        &self,
        command: PluginCommand,
        options: PluginOptions,
    ) -> Served {
        let started = PluginStorage::start(command, start(), options);
        let storage = Arc::new(started.await.unwrap());
        let settings = Settings {
            time_limit: None,
            ..Settings::default()
        };
        let front = Arc::new(Front::start(Arc::clone(&storage), settings).await);
        Served { storage, front }
    }
}

pub(crate) struct Served {
    storage: Arc<PluginStorage>,
    pub(crate) front: Arc<Front>,
}

impl Served {
    pub(crate) async fn stop(self) {
        let front = Arc::into_inner(self.front).expect("all clients have ended");
        front.stop().await;
        let storage = Arc::into_inner(self.storage).expect("the server has ended");
        storage.stop().await;
    }
}

/// How a plugin is talked to.
pub(crate) fn start() -> Start {
    let mut start = Start::new(Protocol::Seasonings.dialect());
    start.options = Protocol::Seasonings.host_options();
    start.limit = WATCHDOG;
    start
}

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/seasonings/python")
}

fn toolkit() -> PathBuf {
    // Examples are beside the folder of the test that runs.
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join("examples/toolkit");
    assert!(
        path.exists(),
        "{} is missing: cargo build -p tenon-plugin --examples",
        path.display()
    );
    path
}
