//! A process and a connection to it.

use std::future::Future;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tenon_rpc::{
    CallError, CloseReason, Connection, Dialect, Options, Peer, Router,
    options::{Stray, Unclaimed},
};

use crate::command::PluginCommand;
use crate::error::{PluginError, Problem};
use crate::process::{LAST_WORDS, Process, StopLimits, Stopped};

/// How a plugin is started and how the connection to it works.
#[derive(Clone, Debug)]
pub struct Start {
    /// How messages are written.
    pub dialect: Dialect,
    /// Everything else about the connection.
    pub options: Options,
    /// How long it may take to answer its first call.
    pub limit: Duration,
    /// How long it gets to end.
    pub stop: StopLimits,
}

impl Start {
    /// The defaults: ten seconds for the first answer, and what it prints by mistake is skipped.
    pub fn new(dialect: Dialect) -> Start {
        Start {
            dialect,
            options: Options {
                stray: Stray::Skip,
                unclaimed: Unclaimed::FailCall,
                ..Options::default()
            },
            limit: Duration::from_secs(10),
            stop: StopLimits::default(),
        }
    }
}

/// A plugin that has answered its first call. Dropping it kills it immediately.
#[derive(Debug)]
pub struct Plugin {
    connection: Option<Connection>,
    peer: Peer,
    process: Process,
    stop: StopLimits,
    /// It has answered a call after the first one.
    has_worked: AtomicBool,
}

impl Plugin {
    /// Starts a plugin and makes its first call, which `first` does. You hold a plugin only after
    /// that has succeeded.
    ///
    /// # Errors
    /// It could not be started, did not answer in time, or answered with an error. The error
    /// quotes what it printed and how it ended; the process is gone.
    pub async fn start<S, T, F>(
        command: &PluginCommand,
        start: Start,
        router: Arc<Router<S>>,
        first: impl FnOnce(Peer) -> F,
    ) -> Result<(Plugin, T), PluginError>
    where
        S: Clone + Send + Sync + 'static,
        F: Future<Output = Result<T, CallError>>,
    {
        let (process, io) = Process::spawn(command)?;
        let connection = Connection::start_with(io, start.dialect, router, start.options);
        let plugin = Plugin {
            peer: connection.peer(),
            connection: Some(connection),
            process,
            stop: start.stop,
            has_worked: AtomicBool::new(false),
        };
        let first = plugin.unless_dead(first(plugin.peer()));
        match tokio::time::timeout(start.limit, first).await {
            Ok(Ok(answer)) => Ok((plugin, answer)),
            Ok(Err(error)) => Err(plugin.explain(error).await),
            Err(_) => Err(plugin.evidence(Problem::NoAnswer(start.limit))),
        }
    }

    /// Waits for a call, or for the end of the plugin: a descendant that holds its stdout open would keep the
    /// call waiting.
    ///
    /// # Errors
    /// Those of the call, or that the plugin has ended.
    pub async fn while_alive<T>(
        &self,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let outcome = self.unless_dead(call).await;
        if outcome.is_ok() {
            self.has_worked.store(true, Ordering::Relaxed);
        }
        outcome
    }

    async fn unless_dead<T>(
        &self,
        call: impl Future<Output = Result<T, CallError>>,
    ) -> Result<T, CallError> {
        let dead = async {
            self.process.exited().await;
            tokio::time::sleep(LAST_WORDS).await;
        };
        tokio::select! {
            biased;
            outcome = call => outcome,
            () = dead => Err(CallError::Closed(CloseReason::PeerClosed)),
        }
    }

    /// The plugin, to call it and send to it.
    pub fn peer(&self) -> Peer {
        self.peer.clone()
    }

    /// The process it runs in.
    pub fn process(&self) -> &Process {
        &self.process
    }

    /// Changes how long it gets to end.
    #[must_use]
    pub fn stop_within(mut self, limits: StopLimits) -> Plugin {
        self.stop = limits;
        self
    }

    /// Waits until the process has ended. The connection ends with it, even if a descendant
    /// holds the pipe open.
    pub async fn exited(&mut self) -> ExitStatus {
        let status = self.process.exited().await;
        let _in_time = tokio::time::timeout(LAST_WORDS, self.peer.closed()).await;
        self.connection = None;
        status
    }

    /// Turns a failed call into an error about the plugin. Waits a moment for its exit status.
    pub async fn explain(&self, error: CallError) -> PluginError {
        let has_ended = match &error {
            CallError::Closed(CloseReason::PeerClosed) => true,
            CallError::Closed(CloseReason::BrokenStream(error)) => error.is_cut,
            _ => false,
        };
        if has_ended {
            self.process.exited_within(LAST_WORDS).await;
            // What it wrote to stderr at the end may still be on its way to us.
            self.process.stderr().complete_within(LAST_WORDS).await;
        }
        self.evidence(Problem::Call(error))
    }

    fn evidence(&self, problem: Problem) -> PluginError {
        let has_worked = self.has_worked.load(Ordering::Relaxed);
        PluginError::with_evidence(problem, &self.process, &self.peer, has_worked)
    }

    /// Ends the plugin in steps: its protocol's shutdown, which `shutdown` does; the end of its
    /// stdin; SIGTERM to its group; SIGKILL.
    pub async fn stop<F: Future<Output = ()>>(
        mut self,
        shutdown: impl FnOnce(Peer) -> F,
    ) -> Stopped {
        let asked = tokio::time::Instant::now();
        self.process.see_descendants().await;
        let connection = self.connection.take();
        let close = async {
            self.while_alive(async {
                shutdown(self.peer()).await;
                Ok(())
            })
            .await
            .ok();
            if let Some(connection) = connection {
                connection.close().await;
            }
        };
        // Dropping the connection, in time or not, closes the plugin's stdin.
        let _in_time = tokio::time::timeout(self.stop.asked, close).await;
        let limits = StopLimits {
            asked: self.stop.asked.saturating_sub(asked.elapsed()),
            ..self.stop
        };
        self.process.stop(limits).await
    }
}
