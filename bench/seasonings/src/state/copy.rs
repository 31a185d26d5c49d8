//! The copy: a process that takes bytes from a socket and writes them to the pipe of another one, which keeps them,
//! and back. It does what cannot be left out, and nothing else.
//!
//! A request is one byte, `w` or `r`, and the number of bytes. A write is answered with one byte, a read with the
//! bytes that were written last.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, ExitCode, Stdio};

use bench_harness::child::Child;
use bench_harness::section::fault;
use bench_harness::watchdog::Watchdog;

use super::{PATIENCE, Store};

/// The first argument that makes the bench's own program the process between.
pub const RELAY: &str = "relay-the-bytes";

/// The first argument that makes it the process that keeps the bytes.
pub const STORE: &str = "keep-the-bytes";

/// What the kernel gives a pipe.
const CHUNK: usize = 64 * 1024;

const HEADER: usize = 9;

/// The whole life of one of those processes.
pub fn main(work: fn() -> io::Result<()>) -> ExitCode {
    match work() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Request {
    is_write: bool,
    length: u64,
}

impl Request {
    fn bytes(&self) -> [u8; HEADER] {
        let mut bytes = [if self.is_write { b'w' } else { b'r' }; HEADER];
        bytes[1..].copy_from_slice(&self.length.to_be_bytes());
        bytes
    }

    /// `None` at the end of the input.
    fn read(from: &mut impl Read) -> io::Result<Option<Request>> {
        let mut bytes = [0; HEADER];
        match from.read_exact(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            outcome => outcome?,
        }
        let mut length = [0; 8];
        length.copy_from_slice(&bytes[1..]);
        Ok(Some(Request {
            is_write: bytes[0] == b'w',
            length: u64::from_be_bytes(length),
        }))
    }
}

fn pass(from: &mut impl Read, to: &mut impl Write, length: u64) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    let mut left = length;
    while left > 0 {
        let most = CHUNK.min(usize::try_from(left).unwrap_or(CHUNK));
        let count = from.read(&mut chunk[..most])?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        to.write_all(&chunk[..count])?;
        left -= count as u64;
    }
    Ok(())
}

/// Listens, prints its port, and serves one connection.
pub fn relay() -> io::Result<()> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg(STORE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = Child::start(&mut command)?;
    let pipes = (child.inner.stdin.take(), child.inner.stdout.take());
    let (Some(mut stdin), Some(mut stdout)) = pipes else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?);
    let (mut stream, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    while let Some(request) = Request::read(&mut stream)? {
        stdin.write_all(&request.bytes())?;
        match request.is_write {
            true => {
                pass(&mut stream, &mut stdin, request.length)?;
                pass(&mut stdout, &mut stream, 1)?;
            }
            false => pass(&mut stdout, &mut stream, request.length)?,
        }
    }
    Ok(())
}

/// Keeps what is written.
pub fn store() -> io::Result<()> {
    let (mut stdin, mut stdout) = (io::stdin().lock(), unbuffered(io::stdout())?);
    let mut kept = Vec::new();
    while let Some(request) = Request::read(&mut stdin)? {
        match request.is_write {
            true => {
                kept.resize(usize::try_from(request.length).unwrap_or_default(), 0);
                stdin.read_exact(&mut kept)?;
                stdout.write_all(b"w")?;
            }
            false => stdout.write_all(&kept)?,
        }
    }
    Ok(())
}

/// The pipe itself: what the standard library prints into looks for the ends of lines.
fn unbuffered(stdout: io::Stdout) -> io::Result<std::fs::File> {
    use std::os::fd::AsFd;
    Ok(stdout.as_fd().try_clone_to_owned()?.into())
}

/// The copy, from the side of the client.
pub struct Copied {
    _watchdog: Watchdog,
    stream: TcpStream,
    /// How many bytes were written last.
    length: usize,
    _child: Child,
}

impl Copied {
    pub fn start() -> io::Result<Copied> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .arg(RELAY)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut child = Child::start(&mut command)?;
        let watchdog = Watchdog::over(child.pid(), PATIENCE);
        let stdout = child.inner.stdout.take();
        let stdout = stdout.ok_or(io::ErrorKind::BrokenPipe)?;
        let mut address = String::new();
        BufReader::new(stdout).read_line(&mut address)?;
        let stream = TcpStream::connect(address.trim_end())?;
        stream.set_nodelay(true)?;
        Ok(Copied {
            _watchdog: watchdog,
            stream,
            length: 0,
            _child: child,
        })
    }
}

impl Store for Copied {
    fn write(&mut self, state: &[u8]) -> io::Result<()> {
        self.length = state.len();
        let request = Request {
            is_write: true,
            length: state.len() as u64,
        };
        self.stream.write_all(&request.bytes())?;
        self.stream.write_all(state)?;
        let mut answer = [0];
        self.stream.read_exact(&mut answer)?;
        match answer {
            [b'w'] => Ok(()),
            other => Err(fault(other)),
        }
    }

    fn read(&mut self, state: &mut Vec<u8>) -> io::Result<()> {
        let request = Request {
            is_write: false,
            length: self.length as u64,
        };
        self.stream.write_all(&request.bytes())?;
        state.resize(self.length, 0);
        self.stream.read_exact(state)
    }
}
