//! A command that runs, and everything it says.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::Child;
use tokio::task::JoinHandle;

use crate::mark::Mark;
use crate::shell::Shell;

/// Nothing that a test waits for takes longer.
const WATCHDOG: Duration = Duration::from_secs(60);

/// A command that runs.
pub(crate) struct Program {
    pub(crate) stdout: Said,
    pub(crate) stderr: Said,
    child: Child,
    mark: Mark,
}

/// How a command ended, and what it said all in all.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Program {
    /// Starts a command line, which is one command.
    pub(crate) fn start(shell: &Shell, line: &str) -> Program {
        let mark = Mark::new();
        // Whoever runs the tests may ignore SIGHUP, as nohup does, and children would inherit that.
        let line = format!("exec env --default-signal=HUP {line}");
        let mut child = shell.command(&line, &mark).spawn().expect("a shell");
        Program {
            stdout: Said::listen(child.stdout.take().expect("stdout")),
            stderr: Said::listen(child.stderr.take().expect("stderr")),
            child,
            mark,
        }
    }

    /// Whether it is over already.
    pub(crate) fn has_ended(&mut self) -> bool {
        let status = self.child.try_wait().expect("a process");
        status.is_some()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let process = self
            .child
            .id()
            .and_then(|id| Pid::from_raw(id.cast_signed()));
        kill_process(process.expect("a process"), signal).expect("a living process");
    }

    /// It and the processes it has started, with their command lines.
    pub(crate) fn processes(&self) -> Vec<(i32, String)> {
        self.mark.living()
    }

    /// Waits for its end. Nobody it started may live on.
    pub(crate) async fn ended(mut self) -> Ended {
        let ending = async {
            let status = self.child.wait().await.expect("an exit status");
            Ended {
                code: status.code(),
                stdout: self.stdout.complete().await,
                stderr: self.stderr.complete().await,
            }
        };
        let ended = in_time("the end of a command", ending).await;
        self.mark.assert_nobody_left();
        ended
    }
}

/// The lines of one stream, as they come.
pub(crate) struct Said {
    lines: Arc<Mutex<Vec<String>>>,
    listening: JoinHandle<()>,
}

impl Said {
    fn listen(stream: impl AsyncRead + Unpin + Send + 'static) -> Said {
        let lines = Arc::<Mutex<Vec<String>>>::default();
        let noted = lines.clone();
        let listening = tokio::spawn(async move {
            let mut stream = BufReader::new(stream).lines();
            while let Ok(Some(line)) = stream.next_line().await {
                let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
                noted.push(line);
            }
        });
        Said { lines, listening }
    }

    pub(crate) fn text(&self) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.join("\n")
    }

    /// Waits until a line has this in it, and gives the line.
    pub(crate) async fn line_with(&self, text: &str) -> String {
        eventually(text, || self.text().contains(text)).await;
        let said = self.text();
        let line = said.lines().find(|line| line.contains(text));
        line.expect("the line that was found").to_owned()
    }

    async fn complete(&mut self) -> String {
        (&mut self.listening).await.expect("a stream");
        self.text()
    }
}

/// Waits until something is so.
pub(crate) async fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    in_time(what, waiting).await;
}

/// Waits for something that may never come.
pub(crate) async fn in_time<T>(what: &str, waiting: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(WATCHDOG, waiting).await;
    waited.unwrap_or_else(|_| panic!("this never came: {what}"))
}
