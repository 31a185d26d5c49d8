//! The terminals of a session: programs that the agent starts through the client.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::process::ExitStatus as ProcessStatus;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;
use tenon_host::{LAST_WORDS, PluginCommand, Process, SHELL, StopLimits};
use tenon_protocols::acp::{
    CreateTerminalParams, ExitStatus, Failure, Profile, TerminalOutput, Variable,
};
use tenon_rpc::RpcError;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::sync::watch;

use super::output::Tail;
use super::setup::Launch;

/// Output that is kept if the agent states no limit, and at most.
const OUTPUT: usize = 1024 * 1024;
const MOST_OUTPUT: usize = 16 * 1024 * 1024;
/// Released terminals whose output is remembered, and how much of it.
const RELEASED: usize = 64;
const RELEASED_OUTPUT: usize = 64 * 1024;
/// A program gets so long to end after SIGTERM.
const STOP: StopLimits = StopLimits {
    asked: Duration::ZERO,
    terminated: Duration::from_secs(2),
};

/// The terminals of one session.
#[derive(Debug)]
pub(super) struct Terminals {
    table: Mutex<HashMap<String, Arc<Terminal>>>,
    /// What released terminals have printed: tool calls continue to show it.
    released: Mutex<VecDeque<(String, TerminalOutput)>>,
    /// How many there are in all sessions.
    total: Arc<AtomicU64>,
}

/// A program and its output.
#[derive(Debug)]
pub(super) struct Terminal {
    tail: Arc<Mutex<Tail>>,
    order: watch::Sender<Order>,
    status: watch::Receiver<Option<ProcessStatus>>,
    /// Closed when the process and everything that it started is gone.
    gone: watch::Receiver<()>,
    _counted: Counted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Run,
    /// End the program; its output stays.
    Kill,
    /// End everything.
    Release,
}

/// A place among those that the limit allows.
#[derive(Debug)]
struct Counted(Arc<AtomicU64>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Terminals {
    pub(super) fn new(total: Arc<AtomicU64>) -> Terminals {
        Terminals {
            table: Mutex::default(),
            released: Mutex::default(),
            total,
        }
    }

    fn table(&self) -> MutexGuard<'_, HashMap<String, Arc<Terminal>>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a program in a folder, under this id.
    pub(super) fn create(
        &self,
        id: String,
        params: &CreateTerminalParams,
        folder: PathBuf,
        launch: &Launch,
        most: usize,
    ) -> Result<(), RpcError> {
        let refused = |details: String| {
            Failure::InvalidParams.error(Profile::V1, json!({ "details": details }))
        };
        if self.total.fetch_add(1, Ordering::AcqRel) >= most as u64 {
            drop(Counted(self.total.clone()));
            let details = format!("there are {most} terminals already; release one first");
            return Err(Failure::RateLimited.error(Profile::V1, json!({ "details": details })));
        }
        let counted = Counted(self.total.clone());
        let is_line = params.args.as_deref().unwrap_or_default().is_empty();
        if cfg!(windows) && is_line && params.command.contains(['\r', '\n']) {
            // What follows would be left out without a notice.
            return Err(refused(
                "cmd.exe runs a single line: join the commands with `&&`".to_owned(),
            ));
        }
        let command = command(params, folder, launch);
        let (process, io) = Process::spawn(&command).map_err(|error| {
            // The program is the agent's own; where this client runs is not its business.
            tracing::debug!(%error, "a terminal could not be started");
            let details = format!("{} could not be started", params.command);
            refused(details)
        })?;
        // It has no keyboard: its input ends immediately.
        let (stdout, stdin) = io.into_parts();
        drop(stdin);
        let limit = params.output_byte_limit.map_or(OUTPUT, |limit| {
            usize::try_from(limit)
                .unwrap_or(MOST_OUTPUT)
                .min(MOST_OUTPUT)
        });
        let tail = Arc::new(Mutex::new(Tail::new(limit)));
        let (order, orders) = watch::channel(Order::Run);
        let (ended, status) = watch::channel(None);
        let (alive, gone) = watch::channel(());
        tokio::spawn(attend(process, stdout, tail.clone(), orders, ended, alive));
        let terminal = Terminal {
            tail,
            order,
            status,
            gone,
            _counted: counted,
        };
        self.table().insert(id, Arc::new(terminal));
        Ok(())
    }

    pub(super) fn get(&self, id: &str) -> Result<Arc<Terminal>, RpcError> {
        self.table().get(id).cloned().ok_or_else(|| {
            let data = json!({ "terminalId": id, "details": "unknown terminal" });
            Failure::InvalidParams.error(Profile::V1, data)
        })
    }

    /// Ends a program and forgets its terminal.
    pub(super) async fn release(&self, id: &str) -> Result<(), RpcError> {
        self.get(id)?;
        let terminal = self.table().remove(id);
        if let Some(terminal) = terminal {
            terminal.end().await;
            let mut released = self.released();
            if released.len() == RELEASED {
                released.pop_front();
            }
            released.push_back((id.to_owned(), terminal.last_output()));
        }
        Ok(())
    }

    fn released(&self) -> MutexGuard<'_, VecDeque<(String, TerminalOutput)>> {
        self.released.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a program has printed, also after its terminal was released.
    pub(super) fn output_of(&self, id: &str) -> Option<TerminalOutput> {
        if let Some(terminal) = self.table().get(id) {
            return Some(terminal.last_output());
        }
        let released = self.released();
        let found = released.iter().rev().find(|(known, _)| known == id);
        found.map(|(_, output)| output.clone())
    }

    /// Ends all programs.
    pub(super) async fn end_all(&self) {
        let all = std::mem::take(&mut *self.table());
        for terminal in all.values() {
            terminal.order.send_replace(Order::Release);
        }
        for terminal in all.into_values() {
            terminal.end().await;
        }
    }
}

impl Terminal {
    /// What the program has printed, and how it ended if it has.
    pub(super) fn output(&self) -> TerminalOutput {
        let (text, is_truncated) = {
            let tail = self.tail.lock().unwrap_or_else(PoisonError::into_inner);
            tail.text()
        };
        TerminalOutput {
            exit_status: self.status.borrow().as_ref().map(exit_status),
            ..TerminalOutput::new(text, is_truncated)
        }
    }

    /// The end of what the program has printed, for people.
    fn last_output(&self) -> TerminalOutput {
        let mut output = self.output();
        if let Some(excess) = output.output.len().checked_sub(RELEASED_OUTPUT) {
            let text = &mut output.output;
            let start = (excess..=text.len()).find(|at| text.is_char_boundary(*at));
            output.truncated |= excess > 0;
            output.output.drain(..start.unwrap_or_default());
        }
        output
    }

    /// Waits for the end of the program. Also if the terminal is released meanwhile.
    pub(super) async fn exited(&self) -> ExitStatus {
        let mut status = self.status.clone();
        let ended = status.wait_for(Option::is_some).await;
        ended.map_or_else(
            |_| ExitStatus::default(),
            |status| status.as_ref().map(exit_status).unwrap_or_default(),
        )
    }

    /// Ends the program. Its output stays.
    pub(super) async fn kill(&self) {
        self.order.send_if_modified(|order| {
            let is_running = *order == Order::Run;
            if is_running {
                *order = Order::Kill;
            }
            is_running
        });
        self.exited().await;
    }

    async fn end(&self) {
        self.order.send_replace(Order::Release);
        let mut gone = self.gone.clone();
        // The sender is dropped when nothing is left.
        while gone.changed().await.is_ok() {}
    }
}

/// Reads what a program prints, and ends it when it is asked to, or when the terminal was released.
async fn attend(
    process: Process,
    stdout: Box<dyn AsyncRead + Send + Unpin>,
    tail: Arc<Mutex<Tail>>,
    mut orders: watch::Receiver<Order>,
    ended: watch::Sender<Option<ProcessStatus>>,
    alive: watch::Sender<()>,
) {
    let mut reading = tokio::spawn(read(stdout, tail));
    let exited = tokio::select! {
        status = process.exited() => Some(status),
        // An error means that the terminal was dropped.
        _ = orders.wait_for(|order| *order != Order::Run) => None,
    };
    match exited {
        Some(status) => {
            let _held_open = tokio::time::timeout(LAST_WORDS, &mut reading).await;
            ended.send_replace(Some(status));
            // What it has started in the background may continue until the terminal is released.
            drop(orders.wait_for(|order| *order != Order::Run).await);
            process.stop(STOP).await;
        }
        None => {
            let stopped = process.stop(STOP).await;
            let _held_open = tokio::time::timeout(LAST_WORDS, &mut reading).await;
            ended.send_replace(Some(stopped.status));
        }
    }
    reading.abort();
    drop(alive);
}

async fn read(mut stdout: Box<dyn AsyncRead + Send + Unpin>, tail: Arc<Mutex<Tail>>) {
    let mut chunk = vec![0; 16 * 1024];
    while let Ok(count @ 1..) = stdout.read(&mut chunk).await {
        let mut tail = tail.lock().unwrap_or_else(PoisonError::into_inner);
        tail.push(&chunk[..count]);
    }
}

/// A command without arguments is a line for a shell: that is how agents use it. Its variables were checked before.
fn command(params: &CreateTerminalParams, folder: PathBuf, launch: &Launch) -> PluginCommand {
    let arguments = params.args.as_deref().unwrap_or_default();
    let mut command = match arguments {
        [] => launch(SHELL, &[]).shell_line(&params.command),
        arguments => launch(&params.command, arguments),
    };
    for Variable { name, value, .. } in params.env.iter().flatten() {
        command = command.variable(name, value);
    }
    command.folder(folder).merge_output()
}

fn exit_status(status: &ProcessStatus) -> ExitStatus {
    ExitStatus {
        exit_code: status.code().map(i64::from),
        signal: tenon_host::signal(*status).map(signal_name),
        ..ExitStatus::default()
    }
}

fn signal_name(number: i32) -> String {
    let names = [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (6, "SIGABRT"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (14, "SIGALRM"),
        (15, "SIGTERM"),
    ];
    let known = names.iter().find(|(known, _)| *known == number);
    known.map_or_else(
        || format!("signal {number}"),
        |(_, name)| (*name).to_owned(),
    )
}
