//! The stdin, stdout and stderr of a child: named pipes that only their owner can open.

use std::fs::{File, OpenOptions};
use std::io;
use std::pin::pin;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};

use super::Pipes;
use super::kernel::own_pipe;

/// The ends of its pipes that a child uses.
pub(super) struct ChildPipes {
    pub(super) stdin: Stdio,
    pub(super) stdout: Stdio,
    pub(super) stderr: Stdio,
}

/// As large as those of other systems.
const SIZE: u32 = 256 * 1024;

impl ChildPipes {
    /// Pipes for a child, and the child's ends. `is_merged`: what it writes to stderr goes to stdout.
    pub(super) fn new(is_merged: bool) -> io::Result<(Pipes, ChildPipes)> {
        let (stdin, child_stdin) = pipe(Direction::ToChild)?;
        let (stdout, child_stdout) = pipe(Direction::FromChild)?;
        let (stderr, child_stderr) = pipe(Direction::FromChild)?;
        let child_stderr = match is_merged {
            true => child_stdout.try_clone()?,
            false => child_stderr,
        };
        let ours = Pipes {
            stdin,
            stdout,
            stderr,
        };
        let ends = ChildPipes {
            stdin: child_stdin.into(),
            stdout: child_stdout.into(),
            stderr: child_stderr.into(),
        };
        Ok((ours, ends))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    ToChild,
    FromChild,
}

/// Our end works without blocking, as the system's anonymous pipes cannot. The child's end is an ordinary one.
fn pipe(direction: Direction) -> io::Result<(NamedPipeServer, File)> {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let is_to_child = direction == Direction::ToChild;
    let number = LAST.fetch_add(1, Ordering::Relaxed);
    let name = format!(
        r"\\.\pipe\tenon-child.{}.{:016x}.{number}",
        std::process::id(),
        random()
    );
    let mut options = ServerOptions::new();
    options
        // If another process has a pipe of this name, this fails.
        .first_pipe_instance(true)
        .max_instances(1)
        .access_inbound(!is_to_child)
        .access_outbound(is_to_child)
        .in_buffer_size(SIZE)
        .out_buffer_size(SIZE);
    let ours = own_pipe(&options, name.as_ref())?;
    let mut open = OpenOptions::new();
    let theirs = open.read(is_to_child).write(!is_to_child).open(name)?;
    // The other end is open already, so there is nothing to wait for.
    let mut cx = Context::from_waker(Waker::noop());
    match pin!(ours.connect()).poll(&mut cx) {
        Poll::Ready(connected) => connected?,
        Poll::Pending => return Err(io::ErrorKind::NotConnected.into()),
    }
    Ok((ours, theirs))
}

/// The keys of a hash table are random, which is enough here: guessing a name can only make the start fail.
fn random() -> u64 {
    use std::hash::{BuildHasher, Hasher, RandomState};
    RandomState::new().build_hasher().finish()
}
