//! Running a command to its end.

use std::fmt;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};

use crate::command::PluginCommand;
use crate::error::start_hint;
use crate::platform::Pipes;
use crate::process::{LAST_WORDS, Process};

/// How a command is run to its end: what it reads, how much it may write, how long it may take.
///
/// However it ends, and also if the future is dropped, all processes that it started are killed.
///
/// ```no_run
/// use tenon_host::{Capture, PluginCommand};
///
/// # async fn example() -> Result<(), tenon_host::CaptureError> {
/// let sort = Capture { stdin: b"b\na\n".to_vec(), ..Capture::default() };
/// let sorted = sort.run(&PluginCommand::new("sort")).await?;
/// assert_eq!(sorted.stdout, b"a\nb\n");
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Capture {
    /// What it reads from stdin. It need not read all of it, or any.
    pub stdin: Vec<u8>,
    /// How many bytes it may write to stdout, and how many to stderr; 16 MiB.
    pub limit: usize,
    /// How long it may take. `None`, the default, means no limit.
    pub time_limit: Option<Duration>,
}

/// The result of a command that has ended.
#[derive(Clone, PartialEq, Eq)]
pub struct Captured {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to stdout.
    pub stdout: Vec<u8>,
    /// What it wrote to stderr.
    pub stderr: Vec<u8>,
}

/// Why a command was not run to its end. It names the program without its arguments, which may
/// hold secrets.
#[derive(Debug)]
#[non_exhaustive]
pub enum CaptureError {
    /// The program could not be started.
    CannotStart {
        /// Its name, as one would type it.
        program: String,
        /// Why.
        error: io::Error,
    },
    /// It took too long and was killed.
    TimedOut {
        /// Its name, as one would type it.
        program: String,
        /// How long it was allowed to take.
        limit: Duration,
    },
    /// It wrote too much and was killed.
    TooMuch {
        /// Its name, as one would type it.
        program: String,
        /// `stdout` or `stderr`.
        stream: &'static str,
        /// How many bytes it was allowed to write.
        limit: usize,
    },
}

impl Default for Capture {
    fn default() -> Capture {
        Capture {
            stdin: Vec::new(),
            limit: 16 * 1024 * 1024,
            time_limit: None,
        }
    }
}

impl Capture {
    /// Runs a command to its end. An exit status other than 0 is not an error: check the status.
    ///
    /// Once it has ended, descendants that hold its stdout open are not waited for.
    ///
    /// # Errors
    /// The program could not be started, wrote too much or took too long.
    pub async fn run(self, command: &PluginCommand) -> Result<Captured, CaptureError> {
        let program = PluginCommand::new(&command.program).to_string();
        let (process, pipes) = match Process::start(command) {
            Ok(started) => started,
            Err(error) => return Err(CaptureError::CannotStart { program, error }),
        };
        let limit = self.limit;
        let time_limit = self.time_limit;
        let work = self.follow(&process, pipes);
        let outcome = match time_limit {
            Some(limit) => match tokio::time::timeout(limit, work).await {
                Ok(outcome) => outcome,
                Err(_) => return Err(CaptureError::TimedOut { program, limit }),
            },
            None => work.await,
        };
        process.end().await;
        outcome.map_err(|stream| CaptureError::TooMuch {
            program,
            stream,
            limit,
        })
    }

    /// Waits for the end of a process. Fails with the name of the stream that exceeded the limit.
    async fn follow(self, process: &Process, pipes: Pipes) -> Result<Captured, &'static str> {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let mut stdin = pipes.stdin;
        let feed = async move {
            // A process need not read its stdin to the end. Its status says whether it succeeded.
            let _not_read = stdin.write_all(&self.stdin).await;
            Ok(())
        };
        let status = {
            // Concurrently: a process that blocks on writing to stdout does not read its stdin.
            let mut streams = std::pin::pin!(async {
                tokio::try_join!(
                    feed,
                    read_within(self.limit, pipes.stdout, &mut stdout, "stdout"),
                    read_within(self.limit, pipes.stderr, &mut stderr, "stderr"),
                )
            });
            tokio::select! {
                done = &mut streams => {
                    done?;
                    process.exited().await
                }
                status = process.exited() => {
                    if let Ok(done) = tokio::time::timeout(LAST_WORDS, streams).await {
                        done?;
                    }
                    status
                }
            }
        };
        Ok(Captured {
            status,
            stdout,
            stderr,
        })
    }
}

/// Reads to the end. If this is dropped before, `into` has what was read so far.
async fn read_within(
    limit: usize,
    mut pipe: impl AsyncRead + Unpin,
    into: &mut Vec<u8>,
    name: &'static str,
) -> Result<(), &'static str> {
    into.reserve(8 * 1024);
    while let Ok(1..) = pipe.read_buf(into).await {
        if into.len() > limit {
            return Err(name);
        }
    }
    Ok(())
}

impl fmt::Display for CaptureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CaptureError::CannotStart { program, error } => {
                write!(f, "{program} could not be started: {error}")?;
                match start_hint(program, error) {
                    Some(hint) => write!(f, "\n  hint: {hint}"),
                    None => Ok(()),
                }
            }
            CaptureError::TimedOut { program, limit } => write!(
                f,
                "{program} was killed because it took longer than {limit:?}\n  \
                 hint: check whether it waits for something, or allow it more time"
            ),
            CaptureError::TooMuch {
                program,
                stream,
                limit,
            } => write!(
                f,
                "{program} was killed because it wrote more than {limit} bytes to {stream}\n  \
                 hint: have it write to a file instead"
            ),
        }
    }
}

impl std::error::Error for CaptureError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            CaptureError::CannotStart { error, .. } => Some(error),
            CaptureError::TimedOut { .. } | CaptureError::TooMuch { .. } => None,
        }
    }
}

impl fmt::Debug for Capture {
    /// What it reads may be a secret: only its length is shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Capture")
            .field("stdin", &format_args!("{} bytes", self.stdin.len()))
            .field("limit", &self.limit)
            .field("time_limit", &self.time_limit)
            .finish()
    }
}

impl fmt::Debug for Captured {
    /// What it wrote may be a secret: only the lengths are shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Captured")
            .field("status", &self.status)
            .field("stdout", &format_args!("{} bytes", self.stdout.len()))
            .field("stderr", &format_args!("{} bytes", self.stderr.len()))
            .finish()
    }
}
