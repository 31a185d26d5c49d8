//! A server process and the raw client's two ends of the way to it.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::child::{Child, Program};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transport {
    Pipe,
    Unix,
}

impl Transport {
    pub fn name(self) -> &'static str {
        match self {
            Transport::Pipe => "pipe",
            Transport::Unix => "unix",
        }
    }
}

/// Blocking until told otherwise. The server's ends have flags of their own.
pub struct Link {
    pub reader: File,
    pub writer: File,
}

impl Link {
    pub fn set_blocking(&self, blocking: bool) -> io::Result<()> {
        for end in [self.reader.as_fd(), self.writer.as_fd()] {
            let mut flags = fcntl_getfl(end)?;
            flags.set(OFlags::NONBLOCK, !blocking);
            fcntl_setfl(end, flags)?;
        }
        Ok(())
    }
}

/// Starts a server on its stdin and stdout.
pub fn over_pipes(program: &Program) -> io::Result<(Child, Link)> {
    over_pipes_with(program, Stdio::inherit())
}

/// The same, with its stderr going elsewhere.
pub fn over_pipes_with(program: &Program, stderr: Stdio) -> io::Result<(Child, Link)> {
    let mut command = program.command();
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(stderr);
    let mut server = Child::start(&mut command)?;
    let (Some(stdin), Some(stdout)) = (server.inner.stdin.take(), server.inner.stdout.take())
    else {
        return Err(io::Error::other("the server has no pipes"));
    };
    let link = Link {
        reader: OwnedFd::from(stdout).into(),
        writer: OwnedFd::from(stdin).into(),
    };
    Ok((server, link))
}

/// Starts a server that listens on a socket, and waits until it does.
pub fn on_socket(program: &Program, path: &Path) -> io::Result<Child> {
    let _ = std::fs::remove_file(path);
    let mut command = program.with(&[&path.to_string_lossy()]).command();
    let mut server = Child::start(command.stdin(Stdio::null()).stdout(Stdio::null()))?;
    let deadline = Instant::now() + Duration::from_secs(5);
    while UnixStream::connect(path).is_err() {
        if let Some(status) = server.inner.try_wait()? {
            return Err(io::Error::other(format!(
                "the server ended before it listened: {status}"
            )));
        }
        if Instant::now() > deadline {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                "the server does not listen after 5 s",
            ));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    Ok(server)
}

pub fn connect(path: &Path) -> io::Result<Link> {
    let stream = UnixStream::connect(path)?;
    let reader = OwnedFd::from(stream.try_clone()?).into();
    Ok(Link {
        reader,
        writer: OwnedFd::from(stream).into(),
    })
}

/// The directory of the run's sockets and reports, removed when dropped.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new() -> io::Result<Self> {
        let path = std::env::temp_dir().join(format!("tenon-bench-{}", std::process::id()));
        std::fs::create_dir_all(&path)?;
        Ok(Scratch(path))
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
