//! Runs a command and everything it starts, and reports the time that all of them took together.
//!
//! A process of its own, because it takes over those whose parents have ended, and waits for
//! all of them: only processes that were waited for are counted, and no process is left behind.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bench_harness::child::Child;
use bench_harness::os;
use bench_harness::watchdog::Watchdog;
use rustix::process::{WaitOptions, getpid, set_child_subreaper, wait};
use serde::{Deserialize, Serialize};

/// The first argument that makes the bench's own program a keeper.
pub const ARGUMENT: &str = "keep-the-processes-of";

/// The file in the command's folder that has what it printed.
const LOG: &str = "output.log";

/// How the provider is called in `/proc`, which keeps 15 letters.
const PROVIDER: &str = "terraform-provi";

/// How often memory is looked at.
const INTERVAL: Duration = Duration::from_millis(5);

/// What a command and everything it started have taken.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Taken {
    /// Seconds until the command itself has ended.
    pub wall: f64,
    /// Seconds on a core, of all of them.
    pub cpu: f64,
    /// The most that any provider among them ever had resident, and what it had when it was last
    /// seen, in KiB. Looked for only if that is asked for: it takes time.
    pub peak_kib: Option<f64>,
    pub resident_kib: Option<f64>,
}

/// What the keeper is to do besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    Nothing,
    Memory,
}

/// Runs a command in a folder by way of a keeper. Should that take longer than `patience`, the
/// keeper is killed, and everybody else goes with it.
pub fn run(
    command: &Command,
    folder: &Path,
    watch: Watch,
    patience: Duration,
) -> io::Result<Taken> {
    let mut keeper = Command::new(std::env::current_exe()?);
    let watch = if watch == Watch::Memory { "memory" } else { "" };
    keeper
        .args([ARGUMENT, watch])
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => keeper.env(name, value),
            None => keeper.env_remove(name),
        };
    }
    let mut child = Child::start(&mut keeper)?;
    let watchdog = Watchdog::over(child.pid(), patience);
    let stdout = child.inner.stdout.take();
    let told = stdout
        .map(io::read_to_string)
        .transpose()?
        .unwrap_or_default();
    let is_too_late = watchdog.has_bitten();
    drop(watchdog);
    let status = child.inner.wait()?;
    if status.success() {
        return Ok(serde_json::from_str(&told)?);
    }
    let log = output(folder).unwrap_or_default();
    let lines: Vec<&str> = log.lines().collect();
    let last = lines[lines.len().saturating_sub(20)..].join("\n");
    let how = match is_too_late {
        true => format!("had not ended after {patience:?}"),
        false => "failed".to_owned(),
    };
    Err(io::Error::other(format!("{command:?} {how}:\n{last}")))
}

/// What the last command in a folder printed.
///
/// # Errors
/// None was run there.
pub fn output(folder: &Path) -> io::Result<String> {
    fs::read_to_string(folder.join(LOG))
}

/// The whole life of a keeper.
pub fn main(words: impl Iterator<Item = OsString>) -> ExitCode {
    match keep(words) {
        Ok(taken) => {
            println!("{}", serde_json::json!(taken));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn keep(mut words: impl Iterator<Item = OsString>) -> io::Result<Taken> {
    let is_watching = words.next().is_some_and(|watch| watch == "memory");
    let program = words.next().ok_or(io::ErrorKind::InvalidInput)?;
    set_child_subreaper(Some(getpid()))?;
    let log = File::create(LOG)?;
    let mut command = Command::new(program);
    command
        .args(words)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log);
    let start = Instant::now();
    let mut child = Child::start(&mut command)?;
    let has_ended = AtomicBool::new(false);
    let parent = child.pid();
    let (status, wall, memory) = thread::scope(|scope| {
        let watcher = is_watching.then(|| scope.spawn(|| watch_memory(parent, &has_ended)));
        let status = child.inner.wait();
        let wall = start.elapsed();
        has_ended.store(true, Ordering::Release);
        let memory = watcher.and_then(|watcher| watcher.join().ok());
        (status, wall, memory.unwrap_or_default())
    });
    // Processes whose parents have ended. An error means that none is left.
    while wait(WaitOptions::empty()).is_ok() {}
    match status? {
        status if status.success() => Ok(Taken {
            wall: wall.as_secs_f64(),
            cpu: os::cpu_of_children()?.as_secs_f64(),
            peak_kib: memory.0,
            resident_kib: memory.1,
        }),
        status => Err(io::Error::other(format!("{command:?}: {status}"))),
    }
}

/// The peak of all providers, and what the last one had when it was last seen.
fn watch_memory(parent: u32, has_ended: &AtomicBool) -> (Option<f64>, Option<f64>) {
    let (mut peak, mut resident) = (None, None);
    while !has_ended.load(Ordering::Acquire) {
        for status in providers_of(parent) {
            let field = |name: &str| {
                let line = status.lines().find(|line| line.starts_with(name))?;
                line.split_whitespace().nth(1)?.parse::<f64>().ok()
            };
            // A process that is about to end has none any more.
            resident = field("VmRSS:").or(resident);
            peak = field("VmHWM:").map_or(peak, |now| Some(now.max(peak.unwrap_or(0.0))));
        }
        thread::sleep(INTERVAL);
    }
    (peak, resident)
}

/// What `/proc` says of the providers that a process has started.
fn providers_of(parent: u32) -> Vec<String> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_process = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.bytes().all(|byte| byte.is_ascii_digit())
    };
    let files = processes.map(|entry| entry.path()).filter(is_process);
    // A process may end between the listing and the reading.
    let texts = files.filter_map(|path| fs::read_to_string(path.join("status")).ok());
    let (name, parent) = (
        format!("Name:\t{PROVIDER}\n"),
        format!("\nPPid:\t{parent}\n"),
    );
    texts
        .filter(|text| text.starts_with(&name) && text.contains(&parent))
        .collect()
}
