//! The transcripts in `conformance/` against commands: `plugins/` against the weather plugin in every language, and
//! `exchanges/` against the servers that the README of `conformance` describes.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use bytes::BytesMut;
use tenon_protocols::seasonings::EXT_NAMES;
use tenon_rpc::options::Limits;
use tenon_rpc::wire::Decoder;
use tenon_rpc::{Dialect, Format, Payload};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::exchange::{File, Server, Step, files, last_call, play};
use crate::languages::{Language, built};
use crate::mark::Mark;
use crate::tools;

/// No exchange takes longer, not even on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(60);

/// A server for the exchanges, in one language.
struct Desk {
    name: &'static str,
    /// The command, without the name of the dialect, which is its last argument; or why it cannot be run.
    command: fn() -> Result<Vec<PathBuf>, String>,
    dialects: &'static [Dialect],
    /// The exchanges that it cannot reproduce: the beginning of the name, and the reason.
    exceptions: &'static [(&'static str, &'static str)],
}

const DESKS: &[Desk] = &[Desk {
    name: "Rust",
    command: || match built("examples/desk") {
        desk if desk.is_file() => Ok(vec![desk]),
        _ => Err("cargo build -p tenon-rpc --example desk".to_owned()),
    },
    dialects: &[Dialect::JsonRpcLines, Dialect::Orchard],
    exceptions: &[],
}];

/// A process that is spoken to.
struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    dialect: Dialect,
    decoder: Decoder,
    received: BytesMut,
}

impl Process {
    fn start(
        command: &[PathBuf],
        argument: Option<&str>,
        dialect: Dialect,
        mark: &Mark,
    ) -> (Process, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let mut child = new_command(&command[0])
            .args(&command[1..])
            .args(argument)
            .current_dir(folder.path())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .env_remove("TENON_DEBUG")
            .env(Mark::VARIABLE, mark.value())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let process = Process {
            stdin: child.stdin.take(),
            stdout: child.stdout.take().unwrap(),
            child,
            dialect,
            decoder: Decoder::new(dialect, Limits::default()),
            received: BytesMut::new(),
        };
        (process, folder)
    }
}

impl Server for Process {
    async fn send(&mut self, bytes: Vec<u8>) {
        let bytes = match self.dialect {
            // Exchanges are written in JSON.
            Dialect::MsgpackRpc => {
                let text = Payload::new(Format::Json, bytes.trim_ascii().to_vec());
                let packed = text.to_format_with(Format::Msgpack, EXT_NAMES).unwrap();
                packed.bytes().to_vec()
            }
            Dialect::JsonRpcHeaders => {
                let text = bytes.trim_ascii();
                let head = format!("Content-Length: {}\r\n\r\n", text.len());
                [head.as_bytes(), text].concat()
            }
            Dialect::JsonRpcLines | Dialect::Orchard => bytes,
        };
        if let Some(stdin) = &mut self.stdin {
            let _ended = stdin.write_all(&bytes).await;
            let _ended = stdin.flush().await;
        }
    }

    async fn finish(&mut self) {
        self.stdin = None;
    }

    async fn line(&mut self) -> Option<String> {
        loop {
            let decoded = self.decoder.decode(&mut self.received);
            if let Some(frame) = decoded.expect("sound frames") {
                let frame = Payload::new(self.dialect.format(), frame.bytes);
                let text = frame.to_format_with(Format::Json, EXT_NAMES).unwrap();
                return Some(String::from_utf8(text.bytes().to_vec()).expect("text"));
            }
            if self.stdout.read_buf(&mut self.received).await.ok()? == 0 {
                return None;
            }
        }
    }
}

/// Plays an exchange against a new process, which has to end by itself.
async fn played(
    command: &[PathBuf],
    argument: Option<&str>,
    dialect: Dialect,
    steps: Vec<Step>,
    mark: &Mark,
) -> Result<(), String> {
    let (mut process, _folder) = Process::start(command, argument, dialect, mark);
    let work = async {
        play(&mut process, steps).await?;
        process.finish().await;
        let status = process
            .child
            .wait()
            .await
            .map_err(|error| error.to_string())?;
        match status.success() {
            true => Ok(()),
            false => Err(format!("it ended with {status}")),
        }
    };
    let in_time = tokio::time::timeout(WATCHDOG, work).await;
    in_time.unwrap_or_else(|_| Err("it hangs".to_owned()))
}

#[tokio::test]
async fn every_language_reproduces_the_transcripts_of_the_plugin() {
    for (language, command) in Language::each() {
        let mark = Mark::new();
        let mut problems = Vec::new();
        let mut count = 0;
        for File {
            name: file,
            dialect,
            exchanges,
        } in files("plugins")
        {
            for (name, mut steps) in exchanges {
                if !steps.iter().any(|step| matches!(step, Step::ExpectEnd)) {
                    // The plugin ends with its host, and says nothing more.
                    steps.extend([Step::Finish, Step::ExpectEnd]);
                }
                if let Err(problem) = played(&command, None, dialect, steps, &mark).await {
                    problems.push(format!("{}: {file}: {name}: {problem}", language.name));
                }
                count += 1;
            }
        }
        assert!(problems.is_empty(), "\n{}", problems.join("\n"));
        assert!(count >= 15, "{count}");
        mark.assert_nobody_left();
    }
}

#[tokio::test]
async fn every_server_reproduces_the_exchanges() {
    for desk in DESKS {
        let command = match (desk.command)() {
            Ok(command) => command,
            Err(why) => {
                let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
                assert!(!is_ci, "{} is needed under CI=true: {why}", desk.name);
                tools::say(&format!("skipped: {}: {why}", desk.name));
                continue;
            }
        };
        let mark = Mark::new();
        let mut problems = Vec::new();
        let mut count = 0;
        for file in files("exchanges") {
            if !desk.dialects.contains(&file.dialect) {
                continue;
            }
            for (name, mut steps) in file.exchanges {
                let title = format!("{}: {name}", file.name);
                let is_excepted = desk
                    .exceptions
                    .iter()
                    .any(|(start, _)| title.starts_with(start));
                if is_excepted {
                    continue;
                }
                if !steps.iter().any(|step| matches!(step, Step::ExpectEnd)) {
                    steps.extend(last_call(file.dialect));
                }
                let dialect = Some(file.dialect.name());
                let played = played(&command, dialect, file.dialect, steps, &mark).await;
                if let Err(problem) = played {
                    problems.push(format!("{}: {title}: {problem}", desk.name));
                }
                count += 1;
            }
        }
        assert!(problems.is_empty(), "\n{}", problems.join("\n"));
        assert!(count >= 50, "{count}");
        mark.assert_nobody_left();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the test plays the host, byte by byte"
)]
fn new_command(program: &PathBuf) -> Command {
    Command::new(program)
}
