//! The server under test, in a process of its own: what it holds can be told from what the test
//! does.

#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod caller;
mod service;

use std::ffi::OsStr;
use std::io::Read;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use caller::Caller;

/// How long anything here may take: one that waits longer waits forever.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// As many open files as any test here needs.
pub(crate) const MANY_FILES: u64 = 20_000;

/// What the process is: `server` or `client`.
const ROLE: &str = "TENON_IPC_TEST_ROLE";
/// Where the socket is.
const SOCKET: &str = "TENON_IPC_TEST_SOCKET";
/// How many clients the server lets in.
const CONNECTIONS: &str = "TENON_IPC_TEST_CONNECTIONS";
/// How many files the server may have open.
const FILES: &str = "TENON_IPC_TEST_FILES";

/// What a process other than the test's does. The tests start it with a role.
#[test]
#[ignore = "is not a test but what the tests start"]
fn process_of_its_own() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    // Whoever started this process holds the other end, and cannot even be killed without letting
    // go of it.
    std::thread::spawn(|| {
        let mut ignored = Vec::new();
        let _end = std::io::stdin().read_to_end(&mut ignored);
        std::process::exit(0);
    });
    let variable = |name| std::env::var(name).unwrap();
    let number = |name| variable(name).parse().unwrap();
    let socket = variable(SOCKET);
    match role.as_str() {
        "server" => {
            allow_files(number(FILES));
            service::serve(&socket, usize::try_from(number(CONNECTIONS)).unwrap());
        }
        _ => service::ask_and_wait(Path::new(&socket)),
    }
}

/// Lets this process have so many files open, or as many as the system lets it, and tells how many.
pub(crate) fn allow_files(count: u64) -> u64 {
    let most = getrlimit(Resource::Nofile).maximum;
    let count = most.map_or(count, |most| most.min(count));
    let limit = Rlimit {
        current: Some(count),
        maximum: most,
    };
    setrlimit(Resource::Nofile, limit).unwrap();
    count
}

#[expect(
    clippy::disallowed_methods,
    reason = "this crate starts no plugin, and does not know the one that does"
)]
fn start(role: &str, variables: &[(&str, &OsStr)]) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "subject::process_of_its_own"])
        .args(["--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .envs(variables.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// A client of the server in a process of its own, which has asked for something that takes
/// forever a thousand times. Dropping it kills it.
pub(crate) struct Victim(Child);

impl Drop for Victim {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// The server. Dropping it kills it.
pub(crate) struct Subject {
    server: Child,
    path: PathBuf,
    control: Mutex<Caller>,
    /// Its open files, and the kilobytes it takes up, when nothing has happened yet.
    files: usize,
    resident: u64,
    _folder: tempfile::TempDir,
    /// Two at once would get into each other's measurements.
    _alone: MutexGuard<'static, ()>,
}

impl Subject {
    /// A server for this many clients.
    pub(crate) fn start(connections: usize) -> Subject {
        Subject::with_files(connections, MANY_FILES)
    }

    /// A server that may have this many files open.
    pub(crate) fn with_files(connections: usize, files: u64) -> Subject {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("server.sock");
        let (connections, files) = (connections.to_string(), files.to_string());
        let server = start(
            "server",
            &[
                (SOCKET, path.as_os_str()),
                (CONNECTIONS, connections.as_ref()),
                (FILES, files.as_ref()),
            ],
        );
        eventually("the server listens", || Caller::try_connect(&path).is_ok());
        let control = Mutex::new(Caller::connect(&path));
        let mut subject = Subject {
            server,
            path,
            control,
            files: 0,
            resident: 0,
            _folder: folder,
            _alone: alone,
        };
        eventually("the control is alone", || subject.status().connections == 1);
        // Everything that is made once is made now.
        for _ in 0..100 {
            subject.control().call("echo", "[1]");
        }
        subject.files = subject.open_files();
        subject.resident = subject.memory("VmRSS");
        subject
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The connection by which the test itself asks.
    pub(crate) fn control(&self) -> MutexGuard<'_, Caller> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn status(&self) -> service::Status {
        let status = self.control().call("status", "[]");
        serde_json::from_value(status).unwrap()
    }

    /// A client that can be killed, once all it asked for is under way.
    pub(crate) fn victim(&self) -> Victim {
        let victim = Victim(start("client", &[(SOCKET, self.path.as_os_str())]));
        let asked = service::ASKED_BY_THE_VICTIM;
        eventually("all handlers run", || self.status().handlers == asked);
        victim
    }

    fn proc(&self, name: &str) -> PathBuf {
        Path::new("/proc")
            .join(self.server.id().to_string())
            .join(name)
    }

    pub(crate) fn open_files(&self) -> usize {
        std::fs::read_dir(self.proc("fd")).unwrap().count()
    }

    /// A line of the process's status, in kilobytes: `VmRSS` is what it takes up now, `VmHWM` the
    /// most it ever did.
    pub(crate) fn memory(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(self.proc("status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let number = line.and_then(|line| line.trim_start_matches(':').split_whitespace().next());
        number.unwrap().parse().unwrap()
    }

    /// Lets something bad happen, while a client that behaves makes one call after the other and
    /// is answered each time. Afterwards everything is as before, and the server never took up
    /// more than `megabytes` on top of what it had.
    pub(crate) fn withstands(&self, megabytes: u64, abuse: impl FnOnce()) {
        let is_over = AtomicBool::new(false);
        let slowest = std::thread::scope(|scope| {
            let polite = scope.spawn(|| self.behave(&is_over));
            {
                // Also if it panics: the scope waits for the other thread.
                let _over = SetWhenDropped(&is_over);
                abuse();
            }
            polite.join().unwrap_or_else(|panic| resume_unwind(panic))
        });
        self.settles();
        let grown = self.memory("VmHWM").saturating_sub(self.resident) / 1024;
        tell(&format!(
            "{grown} MiB more at most, slowest answer after {slowest:?}"
        ));
        assert!(grown <= megabytes, "it took up {grown} MiB more");
    }

    /// Calls until it is over; tells how long the slowest answer took. No answer may take longer
    /// than a caller waits.
    fn behave(&self, is_over: &AtomicBool) -> Duration {
        let mut caller = Caller::connect(&self.path);
        let mut slowest = Duration::ZERO;
        let mut number = 0;
        loop {
            let params = format!("[\"polite\",{number}]");
            let started = Instant::now();
            assert_eq!(caller.call("echo", &params).to_string(), params);
            slowest = slowest.max(started.elapsed());
            number += 1;
            if is_over.load(Ordering::Acquire) {
                return slowest;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits until everybody but the control has left, and nothing of them is left.
    pub(crate) fn settles(&self) {
        eventually("it is as before", || {
            let status = self.status();
            let is_alone = (status.connections, status.handlers) == (1, 0);
            is_alone && self.open_files() == self.files
        });
        assert_eq!(self.control().call("echo", "[2]").to_string(), "[2]");
    }
}

impl Drop for Subject {
    fn drop(&mut self) {
        let _already_gone = self.server.kill();
        let _reaped = self.server.wait();
    }
}

struct SetWhenDropped<'a>(&'a AtomicBool);

impl Drop for SetWhenDropped<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Waits for something that takes a moment.
#[track_caller]
pub(crate) fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "this never came: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Prints what was measured, for runs with `--nocapture`.
#[expect(clippy::print_stderr, reason = "a test's stderr is for people")]
pub(crate) fn tell(what: &str) {
    let thread = std::thread::current();
    eprintln!("{}: {what}", thread.name().unwrap_or("?"));
}
