//! A connection that an exchange is played on: the pipes of a process, or a socket.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use bytes::BytesMut;
use tempfile::TempDir;
use tenon_protocols::seasonings::EXT_NAMES;
use tenon_rpc::options::Limits;
use tenon_rpc::wire::Decoder;
use tenon_rpc::{Dialect, Format, Payload};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::process::{Child, Command};

use crate::exchange::{Server, Step, play};
use crate::mark::Mark;

/// No exchange takes longer, not even on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(120);

/// The client's end of a connection.
struct Talk {
    reader: Box<dyn AsyncRead + Unpin + Send>,
    writer: Option<Box<dyn AsyncWrite + Unpin + Send>>,
    dialect: Dialect,
    decoder: Decoder,
    received: BytesMut,
}

impl Talk {
    fn new(
        reader: impl AsyncRead + Unpin + Send + 'static,
        writer: impl AsyncWrite + Unpin + Send + 'static,
        dialect: Dialect,
    ) -> Talk {
        Talk {
            reader: Box::new(reader),
            writer: Some(Box::new(writer)),
            dialect,
            decoder: Decoder::new(dialect, Limits::default()),
            received: BytesMut::new(),
        }
    }
}

impl Server for Talk {
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
        if let Some(writer) = &mut self.writer {
            let _ended = writer.write_all(&bytes).await;
            let _ended = writer.flush().await;
        }
    }

    async fn finish(&mut self) {
        if let Some(mut writer) = self.writer.take() {
            // A pipe ends when it is dropped, a socket goes on in the other direction.
            let _ended = writer.shutdown().await;
        }
    }

    async fn line(&mut self) -> Option<String> {
        loop {
            let decoded = self.decoder.decode(&mut self.received);
            if let Some(frame) = decoded.expect("sound frames") {
                let frame = Payload::new(self.dialect.format(), frame.bytes);
                let text = frame.to_format_with(Format::Json, EXT_NAMES).unwrap();
                return Some(String::from_utf8(text.bytes().to_vec()).expect("text"));
            }
            if self.reader.read_buf(&mut self.received).await.ok()? == 0 {
                return None;
            }
        }
    }
}

/// Starts a process in an empty folder, which it can be found in until it is dropped.
fn start(command: &[PathBuf], argument: &[&str], mark: &Mark) -> (Child, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let child = new_command(&command[0])
        .args(&command[1..])
        .args(argument)
        .current_dir(folder.path())
        .env("HOME", folder.path())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env_remove("TENON_DEBUG")
        .env(Mark::VARIABLE, mark.value())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    (child, folder)
}

async fn good_end(mut child: Child) -> Result<(), String> {
    drop(child.stdin.take());
    let status = child.wait().await.map_err(|error| error.to_string())?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("it ended with {status}")),
    }
}

async fn in_time(work: impl Future<Output = Result<(), String>>) -> Result<(), String> {
    let in_time = tokio::time::timeout(WATCHDOG, work).await;
    in_time.unwrap_or_else(|_| Err("it hangs".to_owned()))
}

/// Plays an exchange against a new process, which has to end by itself.
pub(crate) async fn on_stdio(
    command: &[PathBuf],
    arguments: &[&str],
    dialect: Dialect,
    steps: Vec<Step>,
    mark: &Mark,
) -> Result<(), String> {
    let (mut child, _folder) = start(command, arguments, mark);
    let stdout = child.stdout.take().unwrap();
    let mut talk = Talk::new(stdout, child.stdin.take().unwrap(), dialect);
    in_time(async {
        play(&mut talk, steps).await?;
        talk.finish().await;
        good_end(child).await
    })
    .await
}

/// A server on a socket, which ends with its stdin.
pub(crate) struct SocketServer {
    child: Child,
    /// Where the socket is.
    place: TempDir,
    _folder: TempDir,
}

impl SocketServer {
    pub(crate) async fn start(command: &[PathBuf], mark: &Mark) -> Result<SocketServer, String> {
        let place = tempfile::tempdir().unwrap();
        let socket = place.path().join("desk");
        let (mut child, folder) = start(command, &[socket.to_str().unwrap()], mark);
        in_time(async {
            while UnixStream::connect(&socket).await.is_err() {
                if let Ok(Some(status)) = child.try_wait() {
                    return Err(format!("it ended with {status}"));
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            Ok(())
        })
        .await?;
        Ok(SocketServer {
            child,
            place,
            _folder: folder,
        })
    }

    /// Plays an exchange on a new connection.
    pub(crate) async fn play(&self, dialect: Dialect, steps: Vec<Step>) -> Result<(), String> {
        let socket: &Path = &self.place.path().join("desk");
        let stream = UnixStream::connect(socket).await;
        let (reader, writer) = stream.map_err(|error| error.to_string())?.into_split();
        let mut talk = Talk::new(reader, writer, dialect);
        in_time(play(&mut talk, steps)).await
    }

    pub(crate) async fn stop(self) -> Result<(), String> {
        in_time(good_end(self.child)).await
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the test plays the host, byte by byte"
)]
fn new_command(program: &PathBuf) -> Command {
    Command::new(program)
}
