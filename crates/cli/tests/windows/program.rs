//! Running commands, with a watchdog.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::{AS_TASK, FILE, TASK};

/// The command, by its drive: a plugin is started in another folder, which may be on another one.
pub(crate) fn tenon() -> String {
    let path = std::path::absolute(env!("CARGO_BIN_EXE_tenon")).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Nothing takes longer, also under Wine on a machine that is busy.
const WATCHDOG: Duration = Duration::from_secs(120);

/// A folder in which commands run. Its name is none that ASCII could write.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        std::fs::create_dir(place.folder()).unwrap();
        place
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.0.path().join("Prüf-Ordner 試験")
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// A name for a pipe that no other test has.
    pub(crate) fn pipe(&self) -> String {
        let name = self.0.path().file_name().unwrap().to_string_lossy();
        format!("tenon-test{name}-{}", std::process::id())
    }

    /// Runs the command with these arguments.
    pub(crate) fn tenon<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Outcome {
        self.start(arguments).ended("")
    }

    /// Starts the command with these arguments. Plugins that are this program get the task and the file of the place.
    pub(crate) fn start<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Program {
        let mut command = Command::new(tenon());
        command.args(arguments).current_dir(self.folder());
        Program::start(&mut command)
    }

    pub(crate) fn held(&self) -> PathBuf {
        self.0.path().join("held")
    }

    /// What stands behind `--` for this program with a task, and before it: its variables.
    pub(crate) fn task(&self, task: &str) -> (Vec<String>, Vec<String>) {
        let variables = [
            format!("{TASK}={task}"),
            format!("{FILE}={}", self.held().display()),
        ];
        let variables = { variables.into_iter() }.flat_map(|pair| ["--env".to_owned(), pair]);
        let own = std::env::current_exe().unwrap().display().to_string();
        let command = [own].into_iter().chain(AS_TASK.map(str::to_owned));
        (variables.collect(), command.collect())
    }
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// What it printed, if it succeeded.
    #[track_caller]
    pub(crate) fn printed(self) -> String {
        assert_eq!(self.code, Some(0), "{self:?}");
        self.stdout
    }

    /// Its error, if it failed with this code.
    #[track_caller]
    pub(crate) fn failed(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "{self:?}");
        self.stderr
    }
}

/// A running command. Dropping it kills it.
pub(crate) struct Program {
    child: Child,
    stdout: Said,
    stderr: Said,
}

impl Program {
    fn start(command: &mut Command) -> Program {
        let mut child = spawn(command.stdin(Stdio::piped()));
        Program {
            stdout: Said::listen(child.stdout.take().unwrap()),
            stderr: Said::listen(child.stderr.take().unwrap()),
            child,
        }
    }

    /// Waits until it has printed this on stderr.
    pub(crate) fn until_said(&self, text: &str) {
        until(text, || self.stderr.text().contains(text));
    }

    /// Kills it, so that nothing in it can clean up.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Gives it its input, and waits for its end.
    pub(crate) fn ended(mut self, input: &str) -> Outcome {
        // It may end without reading it.
        let mut stdin = self.child.stdin.take().unwrap();
        let _unread = stdin.write_all(input.as_bytes());
        drop(stdin);
        let mut status = None;
        until("the end of a command", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        Outcome {
            code: status.and_then(|status| status.code()),
            stdout: self.stdout.complete(),
            stderr: self.stderr.complete(),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _gone = self.child.kill();
    }
}

/// What came on a stream so far.
struct Said {
    text: Arc<Mutex<String>>,
    listening: Option<JoinHandle<()>>,
}

impl Said {
    fn listen(stream: impl Read + Send + 'static) -> Said {
        let text = Arc::<Mutex<String>>::default();
        let noted = text.clone();
        let listening = std::thread::spawn(move || {
            let mut stream = BufReader::new(stream);
            let mut line = Vec::new();
            while stream
                .read_until(b'\n', &mut line)
                .is_ok_and(|read| read > 0)
            {
                *noted.lock().unwrap() += &String::from_utf8_lossy(&line);
                line.clear();
            }
        });
        Said {
            text,
            listening: Some(listening),
        }
    }

    fn text(&self) -> String {
        self.text.lock().unwrap().clone()
    }

    fn complete(&mut self) -> String {
        self.listening.take().unwrap().join().unwrap();
        self.text()
    }
}

/// This program with a task, which is not a plugin.
pub(crate) fn again(task: &str, file: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let command = command.args(AS_TASK).env(TASK, task).env(FILE, file);
    spawn(command.stdin(Stdio::null()))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the host under test must not be looked after by another host"
)]
fn spawn(command: &mut Command) -> Child {
    let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    piped.spawn().unwrap()
}

pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < WATCHDOG, "this never came: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
