//! A folder for one test, with a socket in it: what listens there, and who comes.

#![allow(dead_code, reason = "each test file uses its own part")]

mod raw;
mod system;
mod watchdog;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tenon_ipc::{Client, ClientSettings, Server, Settings};
use tenon_rpc::{Payload, Router};

pub(crate) use raw::{Raw, RawServer, Wire};
use watchdog::Watchdog;

/// A folder that is gone after the test. A test that hangs is ended, and named.
pub(crate) struct Place {
    folder: tempfile::TempDir,
    _watchdog: Watchdog,
}

impl Place {
    pub(crate) fn new() -> Place {
        Place {
            folder: tempfile::tempdir().unwrap(),
            _watchdog: Watchdog::start(),
        }
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    pub(crate) fn path(&self) -> PathBuf {
        system::path(self.folder.path())
    }

    pub(crate) fn name(&self) -> String {
        self.path().to_str().unwrap().to_owned()
    }

    pub(crate) fn serve<S>(&self, router: Router<S>) -> Server
    where
        S: Clone + Send + Sync + 'static,
    {
        Server::bind(&self.name(), router).unwrap()
    }

    pub(crate) fn serve_with<S>(&self, router: Router<S>, settings: Settings) -> Server
    where
        S: Clone + Send + Sync + 'static,
    {
        Server::bind_with(&self.name(), router, settings).unwrap()
    }

    pub(crate) async fn client(&self) -> Client {
        Client::connect(&self.name()).await.unwrap()
    }

    pub(crate) async fn client_with(&self, settings: ClientSettings) -> Client {
        Client::connect_with(&self.name(), Router::new(()), settings)
            .await
            .unwrap()
    }

    /// A client that speaks bytes, on lines.
    pub(crate) async fn raw(&self) -> Raw {
        Raw::connect(&self.path(), Wire::Lines).await
    }

    /// A server that speaks bytes.
    pub(crate) fn raw_server(&self) -> RawServer {
        RawServer::bind(&self.path())
    }
}

/// JSON text as a payload.
pub(crate) fn json(text: &str) -> Payload {
    Payload::from_json(text).unwrap()
}

/// The text of a payload.
pub(crate) fn text(payload: &Payload) -> String {
    String::from_utf8(payload.bytes().to_vec()).unwrap()
}

/// How long something may take that a test waits for. What never comes is named before the watchdog ends everything.
pub(crate) const PATIENCE: Duration = watchdog::LIMIT.saturating_sub(Duration::from_secs(5));

/// Waits for something that is not announced.
pub(crate) async fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    let waited = tokio::time::timeout(PATIENCE, waiting).await;
    waited.unwrap_or_else(|_| panic!("this never came: {what}"));
}

/// Counts when it is dropped: for handlers that are to be dropped.
pub(crate) struct Dropped(pub(crate) &'static AtomicUsize);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}
