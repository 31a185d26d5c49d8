//! Errors of plugins, with the evidence.

use std::fmt;
use std::io;
use std::num::NonZeroU32;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use tenon_rpc::{CallError, CloseReason, Dialect, ErrorCode, Peer, Text, trace::Quote};

use crate::environment::LeftOut;
use crate::limits::{MemoryLimit, Size};
use crate::platform;
use crate::process::Process;

/// A plugin could not be started or a call to it failed: what failed, the command line, what it printed,
/// how it ended, and what to try.
#[derive(Debug)]
pub struct PluginError {
    /// The command line.
    pub command: String,
    /// What failed.
    pub problem: Problem,
    /// The first text on its stdout that is not a message.
    pub stray: Option<Quote>,
    /// How it ended, if it has.
    pub status: Option<ExitStatus>,
    /// The first answer it sent that matches no call.
    pub unclaimed: Option<Box<str>>,
    /// The last lines it wrote to stderr.
    pub stderr: Vec<String>,
    /// The dialect of the connection, if there was one.
    pub dialect: Option<Dialect>,
    /// The environment variables that it did not get.
    pub left_out: LeftOut,
    /// It has answered a call after the first one, so its start had succeeded.
    pub has_worked: bool,
    /// It ran with permissions.
    pub is_confined: bool,
    /// Its memory limit, if it had one.
    pub memory_limit: Option<Box<MemoryLimit>>,
    /// How many processes and threads it may have, if that is limited.
    pub process_limit: Option<NonZeroU32>,
}

/// What failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// The program could not be started.
    CannotStart(io::Error),
    /// It did not answer its first call in time.
    NoAnswer(Duration),
    /// A call to it failed.
    Call(CallError),
}

impl PluginError {
    /// A failure of a command, without further evidence.
    pub fn new(command: &str, problem: Problem) -> PluginError {
        PluginError {
            command: command.to_owned(),
            problem,
            stray: None,
            status: None,
            unclaimed: None,
            stderr: Vec::new(),
            dialect: None,
            left_out: LeftOut::default(),
            has_worked: false,
            is_confined: false,
            memory_limit: None,
            process_limit: None,
        }
    }

    pub(crate) fn with_evidence(
        problem: Problem,
        process: &Process,
        peer: &Peer,
        has_worked: bool,
    ) -> PluginError {
        let broken = match &problem {
            Problem::Call(CallError::Closed(CloseReason::BrokenStream(error))) => Some(error),
            _ => None,
        };
        let is_quoted = broken.is_some();
        // After a broken stream it ends because we have closed its stdin: its status says nothing. Only if
        // its last message was cut off has it ended before.
        let ended_by_us = broken.is_some_and(|error| !error.is_cut);
        let has_no_answer = matches!(
            problem,
            Problem::NoAnswer(_) | Problem::Call(CallError::TimedOut(_))
        );
        PluginError {
            command: process.command().to_owned(),
            problem,
            stray: peer.stray().filter(|_| !is_quoted),
            unclaimed: peer.unclaimed().filter(|_| has_no_answer).map(Into::into),
            status: process.status().filter(|_| !ended_by_us),
            stderr: process.stderr().lines(),
            dialect: Some(peer.dialect()),
            left_out: process.left_out().clone(),
            has_worked,
            is_confined: process.is_confined(),
            memory_limit: process.memory_limit().map(Box::new),
            process_limit: process.process_limit(),
        }
    }

    /// The same error with `map` applied to every text that the plugin wrote: its answers and its stderr.
    /// Our own text is not changed, even if a word in it equals a secret. (What it printed to stdout is
    /// masked where it is quoted: [`tenon_rpc::Options::redact`].)
    pub fn map_said(&self, map: impl Fn(&str) -> String) -> PluginError {
        let problem = match &self.problem {
            // An io::Error cannot be cloned. Hints depend on its number.
            Problem::CannotStart(error) => Problem::CannotStart(match error.raw_os_error() {
                Some(number) => io::Error::from_raw_os_error(number),
                None => io::Error::new(error.kind(), error.to_string()),
            }),
            Problem::NoAnswer(limit) => Problem::NoAnswer(*limit),
            Problem::Call(error) => Problem::Call(match error.clone() {
                CallError::Answered(mut error) => {
                    error.message = map(&error.message);
                    if let ErrorCode::Name(name) = &error.code {
                        error.code = ErrorCode::Name(Text::from(map(name)));
                    }
                    CallError::Answered(error)
                }
                CallError::Malformed(problem) => CallError::Malformed(Text::from(map(&problem))),
                error => error,
            }),
        };
        PluginError {
            command: self.command.clone(),
            problem,
            stray: self.stray.clone(),
            status: self.status,
            unclaimed: self.unclaimed.as_deref().map(|said| map(said).into()),
            stderr: self.stderr.iter().map(|line| map(line)).collect(),
            dialect: self.dialect,
            left_out: self.left_out.clone(),
            has_worked: self.has_worked,
            is_confined: self.is_confined,
            memory_limit: self.memory_limit.clone(),
            process_limit: self.process_limit,
        }
    }

    /// Whether the plugin violated its protocol, as opposed to a call that failed.
    pub fn broke_protocol(&self) -> bool {
        match &self.problem {
            Problem::Call(CallError::Malformed(_)) => true,
            Problem::Call(CallError::Closed(CloseReason::BrokenStream(_))) => true,
            Problem::Call(CallError::Closed(_)) => self.stray.is_some(),
            _ => false,
        }
    }

    /// What to try.
    pub fn hint(&self) -> Option<String> {
        self.out_of_memory()
            .or_else(|| self.out_of_processes())
            .or_else(|| self.missing_variable())
            .or_else(|| self.missing_permission())
            .or_else(|| self.other_hint())
    }

    /// It ended because it reached its memory limit, or probably did.
    fn out_of_memory(&self) -> Option<String> {
        let memory_limit = self.memory_limit.as_ref()?;
        let limit = Size(memory_limit.bytes);
        let status = self.status.filter(|status| !status.success())?;
        if memory_limit.was_reached {
            return Some(format!("it reached its memory limit of {limit}"));
        }
        let says_so = |line: &String| line.to_ascii_lowercase().contains("memory");
        let is_likely = platform::ended_by(status).is_some() || self.stderr.iter().any(says_so);
        is_likely.then(|| memory_hint(limit))
    }

    /// That it has probably ended because it could not start a process or a thread.
    fn out_of_processes(&self) -> Option<String> {
        const REFUSED: [&str; 4] = [
            "resource temporarily unavailable",
            "eagain",
            "fork",
            "thread",
        ];
        let limit = self.process_limit?;
        let says_so = |line: &String| {
            let line = line.to_ascii_lowercase();
            REFUSED.iter().any(|word| line.contains(word))
        };
        let has_failed = self.status.is_some_and(|status| !status.success());
        (has_failed && self.stderr.iter().any(says_so)).then(|| process_hint(limit))
    }

    /// That its limits may be why it has ended.
    fn low_limits(&self) -> Option<String> {
        let memory = self.memory_limit.as_ref();
        let memory = memory.map(|limit| memory_hint(Size(limit.bytes)));
        let processes = self.process_limit.map(process_hint);
        let hints: Vec<String> = memory.into_iter().chain(processes).collect();
        (!hints.is_empty()).then(|| hints.join("; "))
    }

    /// Its output names an environment variable that it did not get.
    fn missing_variable(&self) -> Option<String> {
        let said = match &self.problem {
            Problem::CannotStart(_) => return None,
            Problem::Call(CallError::Answered(error)) => error.to_string(),
            Problem::NoAnswer(_) | Problem::Call(_) => self.stderr.join("\n"),
        };
        self.left_out.hint(&said)
    }

    /// It may have failed because of its permissions.
    fn missing_permission(&self) -> Option<String> {
        const DENIED: [&str; 6] = [
            "Permission denied",
            "PermissionError",
            "Operation not permitted",
            "EACCES",
            "EPERM",
            "cannot open shared object file",
        ];
        let says_so = |line: &String| DENIED.iter().any(|word| line.contains(word));
        (self.is_confined && self.stderr.iter().any(says_so)).then(|| {
            "its permissions may not allow what it needs: `tenon call --sandbox-report` says what was \
             denied"
                .into()
        })
    }

    fn other_hint(&self) -> Option<String> {
        let broken = match &self.problem {
            Problem::Call(CallError::Closed(CloseReason::BrokenStream(error))) => Some(error),
            _ => None,
        };
        if broken.is_some_and(|error| error.is_message) {
            return Some("every request is answered once, with its own id".into());
        }
        let wrote = self.stray.as_ref().or(broken.map(|error| &error.quote));
        let other = wrote.and_then(Quote::dialect);
        if let Some(other) = other.filter(|other| self.dialect.is_some_and(|own| own != *other)) {
            return Some(format!(
                "its output looks like the dialect {other}; tenon call and tenon serve select that with `--dialect {other}`"
            ));
        }
        // What was cut off in the plugin's own dialect is not a misplaced print.
        let is_foreign = other.is_none();
        let is_broken =
            broken.is_some_and(|error| !error.is_over_limit && (!error.is_cut || is_foreign));
        if self.stray.is_some() || is_broken {
            return Some("stdout belongs to the protocol: print to stderr instead, and check that plugin and host speak the same dialect".into());
        }
        let program = self.command.split(' ').next().unwrap_or_default();
        match &self.problem {
            Problem::CannotStart(error) => start_hint(program, error),
            Problem::NoAnswer(_) if self.status.is_none() => Some(
                "check that it reads requests from stdin, answers on stdout, and flushes".into(),
            ),
            Problem::Call(CallError::Closed(CloseReason::PeerClosed))
                if self.status.is_some_and(|status| status.success()) =>
            {
                Some("a plugin answers until its stdin ends; check its arguments".into())
            }
            Problem::NoAnswer(_) | Problem::Call(CallError::Closed(_)) if !self.has_worked => {
                let environment = |status: ExitStatus| match ended_itself(status) {
                    true => self.left_out.general_hint(),
                    false => None,
                };
                self.status
                    .and_then(|status| self.low_limits().or_else(|| environment(status)))
            }
            _ => None,
        }
    }
}

fn memory_hint(limit: Size) -> String {
    format!("its memory is limited to {limit}; raise the limit if it needs more")
}

fn process_hint(limit: NonZeroU32) -> String {
    format!("it is limited to {limit} processes and threads; raise the limit if it needs more")
}

/// Whether a program has ended by itself, as one does that lacks a variable: a signal, also that of a
/// limit, has other reasons.
fn ended_itself(status: ExitStatus) -> bool {
    platform::ended_by(status).is_none()
}

/// What to try when a program could not be started. `program` is quoted as in a shell.
pub(crate) fn start_hint(program: &str, error: &io::Error) -> Option<String> {
    let path = Path::new(program);
    match error.kind() {
        _ if program == "''" => Some("the name of the program is empty".into()),
        _ if program.contains(['/', '.']) && path.is_dir() => {
            Some(format!("{program} is a folder, not a program"))
        }
        io::ErrorKind::NotFound => Some(
            match (platform::is_path(program.as_ref()), path.is_file()) {
                (false, true) => format!("programs in this folder are started as ./{program}"),
                (true, true) => return platform::start_hint(program, error),
                _ => format!("check that {program} is installed and its name is right"),
            },
        ),
        _ => platform::start_hint(program, error),
    }
}

impl fmt::Display for PluginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Problem::CannotStart(error) => write!(f, "the plugin could not be started: {error}")?,
            Problem::NoAnswer(limit) => {
                write!(
                    f,
                    "the plugin did not answer its first call within {limit:?}"
                )?;
            }
            // The exit status below is more useful than the end of a stream.
            Problem::Call(CallError::Closed(CloseReason::PeerClosed)) => {
                f.write_str(match self.status {
                    Some(_) => "the plugin ended before it answered",
                    None => "the plugin closed its stdout before it answered",
                })?;
            }
            Problem::Call(error) => write!(f, "{error}")?,
        }
        write!(f, "\n  command: {}", tenon_text::line(&self.command))?;
        if let Some(unclaimed) = &self.unclaimed {
            write!(f, "\n  it sent {unclaimed}, which belongs to no call")?;
        }
        if let Some(stray) = &self.stray {
            write!(f, "\n  it printed to stdout: {stray}")?;
        }
        if let Some(status) = &self.status {
            write!(f, "\n  it ended with {status}")?;
        }
        if !self.stderr.is_empty() {
            /// More lines would hide the rest of the message.
            const SHOWN: usize = 10;
            f.write_str("\n  last lines of its stderr:")?;
            for line in &self.stderr[self.stderr.len().saturating_sub(SHOWN)..] {
                write!(f, "\n    {line}")?;
            }
        }
        if let Some(hint) = self.hint() {
            write!(f, "\n  hint: {}", tenon_text::line(&hint))?;
        }
        Ok(())
    }
}

impl std::error::Error for PluginError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::CannotStart(error) => Some(error),
            Problem::NoAnswer(_) => None,
            Problem::Call(error) => Some(error),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use rustix::io::Errno;

    use super::*;
    use crate::limits::Limits;

    /// Programs decide by the cause, which they find without reading texts.
    #[test]
    fn errors_have_their_causes() {
        use std::error::Error;
        use std::sync::Arc;

        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        let kind = |error: &dyn Error| {
            let cause = error.source()?.downcast_ref::<io::Error>()?;
            Some(cause.kind())
        };
        let start = || PluginError::new("x", Problem::CannotStart(denied()));
        let capture = crate::CaptureError::CannotStart {
            program: "x".into(),
            error: denied(),
        };
        let pool = crate::PoolError::Start(Arc::new(start()));
        for error in [&start() as &dyn Error, &capture, &pool] {
            assert_eq!(
                kind(error),
                Some(io::ErrorKind::PermissionDenied),
                "{error}"
            );
        }
        let call = PluginError::new("x", Problem::Call(CallError::TooLong(7)));
        let cause = call.source().and_then(|cause| cause.downcast_ref());
        assert!(matches!(cause, Some(CallError::TooLong(7))), "{cause:?}");
        let silent = PluginError::new("x", Problem::NoAnswer(Duration::ZERO));
        assert!(silent.source().is_none() && crate::PoolError::Ended.source().is_none());
    }

    #[test]
    fn a_plugin_that_ends_early_gets_a_hint_about_its_limits() {
        let closed = || Problem::Call(CallError::Closed(CloseReason::PeerClosed));
        let names = [std::ffi::OsString::from("AWS_REGION")];
        let ended = |limits: Limits, said: &str| PluginError {
            status: Some(ExitStatus::from_raw(1 << 8)),
            stderr: said.lines().map(str::to_owned).collect(),
            left_out: LeftOut::new(names.clone().into_iter(), "add `--env NAME`"),
            memory_limit: limits.memory.map(|bytes| {
                let was_reached = false;
                Box::new(MemoryLimit { bytes, was_reached })
            }),
            process_limit: limits.processes.and_then(NonZeroU32::new),
            ..PluginError::new("plugin", closed())
        };
        let hint = |limits, said: &str| ended(limits, said).hint().unwrap();
        let memory = Limits {
            memory: Some(64 << 20),
            ..Limits::default()
        };
        let processes = Limits {
            processes: Some(5),
            ..Limits::default()
        };
        assert!(hint(Limits::default(), "").contains("environment"));
        let more_memory = "its memory is limited to 64 MiB; raise the limit if it needs more";
        assert_eq!(hint(memory, "could not reserve the heap"), more_memory);
        let more_processes =
            "it is limited to 5 processes and threads; raise the limit if it needs more";
        assert_eq!(hint(processes, ""), more_processes);
        let both = Limits {
            memory: memory.memory,
            processes: processes.processes,
        };
        assert_eq!(hint(both, ""), format!("{more_memory}; {more_processes}"));
        let refused = "fork: Resource temporarily unavailable";
        assert_eq!(hint(both, refused), more_processes);
        // One that has worked had enough to start, unless it says what it lacks.
        let worked = |said: &str| PluginError {
            has_worked: true,
            ..ended(both, said)
        };
        assert_eq!(worked("").hint(), None);
        assert_eq!(worked(refused).hint().as_deref(), Some(more_processes));
    }

    #[test]
    fn a_death_by_a_signal_is_not_the_fault_of_the_environment() {
        let mut error = PluginError::new(
            "./plugin",
            Problem::Call(CallError::Closed(CloseReason::PeerClosed)),
        );
        let names = ["STAGE"].map(Into::into);
        error.left_out = LeftOut::new(names.into_iter(), "add `--env NAME`");
        for (status, has_hint) in [(1 << 8, true), (9, false), (11, false)] {
            error.status = Some(ExitStatus::from_raw(status));
            assert_eq!(error.hint().is_some(), has_hint, "{status}");
        }
    }

    #[test]
    fn hints_are_the_same_when_secrets_are_hidden() {
        let error = io::Error::from_raw_os_error(Errno::MFILE.raw_os_error());
        let error = PluginError::new("python3 a.py", Problem::CannotStart(error));
        let hint = error.map_said(str::to_owned).hint().unwrap();
        assert!(hint.contains("`ulimit -n`"), "{hint}");
        assert_eq!(error.hint(), Some(hint));
    }
}
