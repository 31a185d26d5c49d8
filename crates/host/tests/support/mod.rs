//! Children for the process tests, and a way to see whether they are still there.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tenon_host::{Plugin, PluginCommand, PluginError, Start, StopLimits};
use tenon_rpc::{Dialect, Router};

/// A shell script that is found again, with everything it starts, by a variable in its
/// environment.
pub(crate) struct Script {
    pub(crate) command: PluginCommand,
    token: String,
}

impl Script {
    pub(crate) fn new(script: &str) -> Script {
        static LAST: AtomicU64 = AtomicU64::new(0);
        let number = LAST.fetch_add(1, Ordering::Relaxed);
        let token = format!("test-{}-{number}-end", std::process::id());
        let command = PluginCommand::new("sh")
            .args(["-c", script])
            .variable("TENON_TEST", &token);
        Script { command, token }
    }

    /// The processes that bear the token; dead ones that wait to be reaped do not.
    pub(crate) fn alive(&self) -> Vec<i32> {
        let Ok(processes) = std::fs::read_dir("/proc") else {
            return Vec::new();
        };
        processes
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter(|pid: &i32| {
                let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
                memchr::memmem::find(&environment, self.token.as_bytes()).is_some()
            })
            .collect()
    }

    /// Waits until nobody is left: a killed process takes a moment to go.
    pub(crate) async fn is_gone(&self) {
        let started = Instant::now();
        while !self.alive().is_empty() {
            let left = self.alive();
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "left behind: {left:?}"
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until `count` processes are there.
    pub(crate) async fn has(&self, count: usize) {
        let started = Instant::now();
        while self.alive().len() < count {
            assert!(
                started.elapsed() < Duration::from_secs(20),
                "they did not start"
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Starts it and makes the call that every plugin here has to answer first.
    pub(crate) async fn start(&self) -> Result<Plugin, PluginError> {
        self.start_with(quick_start()).await
    }

    pub(crate) async fn start_with(&self, start: Start) -> Result<Plugin, PluginError> {
        let router = Arc::new(Router::new(()));
        let first = |peer: tenon_rpc::Peer| async move { peer.call_raw("hello", None).await };
        let started = Plugin::start(&self.command, start, router, first).await;
        started.map(|(plugin, _)| plugin)
    }
}

/// Answers the first call, whose id is always 1.
pub(crate) const ANSWER: &str =
    r#"read -r request; echo '{"jsonrpc":"2.0","id":1,"result":"hello"}'"#;

/// Short limits, so that those who ignore everything do not make the tests long.
pub(crate) fn quick_start() -> Start {
    Start {
        limit: Duration::from_secs(10),
        stop: StopLimits {
            asked: Duration::from_millis(300),
            terminated: Duration::from_millis(300),
        },
        ..Start::new(Dialect::JsonRpcLines)
    }
}

/// Runs a test under a watchdog.
pub(crate) async fn watched(test: impl Future<Output = ()>) {
    tokio::time::timeout(Duration::from_secs(60), test)
        .await
        .expect("the watchdog barked: something waits forever");
}
