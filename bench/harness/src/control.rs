//! A library's own client: a third process, told what to do over a socket.

use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::child::{Child, Program};
use bench_workload::{Answer, Measured, Task};

use crate::link::Scratch;

pub struct OwnClient {
    child: Child,
    control: BufReader<UnixStream>,
}

/// Where the client finds its server.
pub enum Target<'a> {
    Socket(&'a Path),
    /// The client's own stdin and stdout.
    Pipes(Stdio, Stdio),
}

impl OwnClient {
    pub fn start(program: &Program, target: Target<'_>, scratch: &Scratch) -> io::Result<Self> {
        let path = scratch.file("control");
        let _ = std::fs::remove_file(&path);
        let listener = UnixListener::bind(&path)?;
        listener.set_nonblocking(true)?;
        let program = program.with(&[&path.to_string_lossy()]);
        let mut child = match target {
            Target::Socket(socket) => {
                let mut command = program.with(&["unix", &socket.to_string_lossy()]).command();
                Child::start(command.stdin(Stdio::null()).stdout(Stdio::null()))?
            }
            Target::Pipes(stdin, stdout) => Child::start(
                program
                    .with(&["pipe"])
                    .command()
                    .stdin(stdin)
                    .stdout(stdout),
            )?,
        };
        let deadline = Instant::now() + Duration::from_secs(5);
        let stream = loop {
            match listener.accept() {
                Ok((stream, _)) => break stream,
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Err(error),
                Err(_) if Instant::now() > deadline => {
                    return Err(io::Error::new(
                        io::ErrorKind::TimedOut,
                        "the client does not report after 5 s",
                    ));
                }
                Err(_) => std::thread::sleep(Duration::from_millis(2)),
            }
            if let Some(status) = child.inner.try_wait()? {
                return Err(io::Error::other(format!(
                    "the client ended at once: {status}"
                )));
            }
        };
        stream.set_nonblocking(false)?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        Ok(OwnClient {
            child,
            control: BufReader::new(stream),
        })
    }

    pub fn pid(&self) -> u32 {
        self.child.pid()
    }

    /// `None` when the library cannot do this.
    pub fn run(&mut self, task: Task) -> io::Result<Option<Measured>> {
        let line = format!("{}\n", serde_json::to_string(&task)?);
        self.control.get_mut().write_all(line.as_bytes())?;
        let mut answer = String::new();
        self.control.read_line(&mut answer)?;
        if answer.is_empty() {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the client ended",
            ));
        }
        match serde_json::from_str(&answer)? {
            Answer::Done(measured) => Ok(Some(measured)),
            Answer::Unsupported => Ok(None),
            Answer::Failed(text) => Err(io::Error::other(text)),
        }
    }
}
