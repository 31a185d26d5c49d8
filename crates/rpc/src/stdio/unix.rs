//! stdin and stdout as fast as the pipes behind them.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;

use rustix::fs::{FileType, Mode, OFlags};
use tokio::net::unix::pipe;

use tokio::io::AsyncWrite;

use crate::io::{Io, Reader, Writer};

/// Takes stdin and stdout for the protocol, and sends prints to stderr.
pub(crate) fn take() -> io::Result<Io> {
    let reader = reader(io::stdin().as_fd())?;
    let stdout = io::stdout().as_fd().try_clone_to_owned()?;
    let writer = writer(stdout)?;
    // A print in a library would break the protocol; on stderr it can be read.
    if let Ok(stderr) = io::stderr().as_fd().try_clone_to_owned() {
        rustix::stdio::dup2_stdout(&stderr)?;
    }
    Ok(Io { reader, writer })
}

fn file_type(fd: BorrowedFd<'_>) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(fd)?.st_mode))
}

fn reader(stdin: BorrowedFd<'_>) -> io::Result<Reader> {
    match file_type(stdin)? {
        FileType::Fifo => match reopen(stdin, OFlags::RDONLY) {
            Ok(file) => Ok(Box::new(pipe::Receiver::from_file(file)?)),
            Err(_) => blocking(stdin),
        },
        FileType::Socket => Ok(Box::new(socket(stdin.try_clone_to_owned()?)?)),
        _ => blocking(stdin),
    }
}

/// A file or a terminal, which a blocking thread has to read.
fn blocking(stdin: BorrowedFd<'_>) -> io::Result<Reader> {
    let file = File::from(stdin.try_clone_to_owned()?);
    Ok(Box::new(tokio::fs::File::from_std(file)))
}

fn writer(stdout: OwnedFd) -> io::Result<Writer> {
    let writer: Box<dyn AsyncWrite + Send + Unpin> = match file_type(stdout.as_fd())? {
        FileType::Fifo => match reopen(stdout.as_fd(), OFlags::WRONLY) {
            Ok(file) => Box::new(pipe::Sender::from_file(file)?),
            Err(_) => Box::new(tokio::fs::File::from_std(File::from(stdout))),
        },
        FileType::Socket => Box::new(socket(stdout)?),
        _ => Box::new(tokio::fs::File::from_std(File::from(stdout))),
    };
    Ok(Writer::Other(writer))
}

/// Opens the pipe once more. Making the one we inherited non-blocking would make it so for every
/// process that shares it: the shell that started us, say.
fn reopen(fd: BorrowedFd<'_>, access: OFlags) -> io::Result<File> {
    let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&fd));
    let flags = access | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

/// A socket cannot be opened again. Programs that give their children sockets (Node does) make a
/// pair for each child, so making ours non-blocking affects no other process.
fn socket(fd: OwnedFd) -> io::Result<tokio::net::UnixStream> {
    let stream = StdUnixStream::from(fd);
    stream.set_nonblocking(true)?;
    tokio::net::UnixStream::from_std(stream)
}
