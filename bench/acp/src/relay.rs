//! The limit: a process that passes bytes on in both directions and does not look at them.

use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::thread;

/// The first argument that makes the bench's own program the relay. The agent's command line follows.
pub const ARGUMENT: &str = "relay-to-agent";

/// What the kernel gives a pipe.
const CHUNK: usize = 64 * 1024;

pub fn run(mut words: impl Iterator<Item = String>) -> io::Result<()> {
    let program = words.next().ok_or(io::ErrorKind::InvalidInput)?;
    let mut child = Command::new(program)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let (to_agent, from_agent) = (child.stdin.take(), child.stdout.take());
    let (Some(to_agent), Some(from_agent)) = (to_agent, from_agent) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    // Its end closes the agent's input.
    thread::spawn(move || pass(io::stdin().lock(), to_agent));
    pass(from_agent, io::stdout().lock())?;
    child.wait().map(drop)
}

fn pass(mut from: impl Read, mut to: impl Write) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        let count = from.read(&mut chunk)?;
        if count == 0 {
            return Ok(());
        }
        to.write_all(&chunk[..count])?;
        to.flush()?;
    }
}
