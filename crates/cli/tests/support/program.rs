//! A running command, and everything it prints.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::Child;
use tokio::task::JoinHandle;

use super::mark::Mark;
use super::shell::{Outcome, Shell};

/// Nothing that a test waits for takes longer.
const WATCHDOG: Duration = Duration::from_secs(60);

/// A running command.
pub(crate) struct Program {
    pub(crate) stdout: Said,
    pub(crate) stderr: Said,
    child: Child,
    mark: Mark,
}

impl Program {
    /// Starts a command line, which is one command.
    pub(crate) fn start(shell: &Shell, line: &str) -> Program {
        let mark = Mark::new();
        // The tests may run under nohup, which ignores SIGHUP, and children inherit that.
        let line = format!("exec env --default-signal=HUP {line}");
        let mut child = shell.command(&line, &mark).spawn().expect("a shell");
        Program {
            stdout: Said::listen(child.stdout.take().expect("stdout")),
            stderr: Said::listen(child.stderr.take().expect("stderr")),
            child,
            mark,
        }
    }

    /// Whether it has ended.
    pub(crate) fn has_ended(&mut self) -> bool {
        let status = self.child.try_wait().expect("a process");
        status.is_some()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let process = self
            .child
            .id()
            .and_then(|id| Pid::from_raw(id.cast_signed()));
        kill_process(process.expect("a process"), signal).expect("a running process");
    }

    /// It and the processes it has started, with their command lines.
    pub(crate) fn processes(&self) -> Vec<(i32, String)> {
        self.mark.living()
    }

    /// How much processor time it has used itself, in hundredths of a second.
    pub(crate) fn processor_time(&self) -> u64 {
        let id = self.child.id().expect("a running process");
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The name stands before the last parenthesis, and may contain anything.
        let fields = stat.rsplit(')').next().unwrap_or_default();
        let used = fields.split_whitespace().nth(11);
        used.and_then(|used| used.parse().ok()).unwrap_or(0)
    }

    /// Kills it with SIGKILL, and waits until everything it started is gone.
    pub(crate) async fn kill(self) {
        self.signal(Signal::KILL);
        assert_eq!(self.ended().await.code, None);
    }

    /// Waits for its end. No process that it started may be left.
    pub(crate) async fn ended(mut self) -> Outcome {
        let ending = async {
            let status = self.child.wait().await.expect("an exit status");
            Outcome {
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
            let mut stream = BufReader::new(stream).split(b'\n');
            while let Ok(Some(line)) = stream.next_segment().await {
                let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
                noted.push(String::from_utf8_lossy(&line).into_owned());
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

/// Waits until a condition holds.
pub(crate) async fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let waiting = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    in_time(what, waiting).await;
}

/// Waits for something, but not longer than the watchdog.
pub(crate) async fn in_time<T>(what: &str, waiting: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(WATCHDOG, waiting).await;
    waited.unwrap_or_else(|_| panic!("this never came: {what}"))
}
