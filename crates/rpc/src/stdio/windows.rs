//! stdin and stdout by threads. What a process inherits was usually opened for calls that block, and cannot be changed
//! afterwards.

use std::fs::File;
use std::io::{self, Read};
use std::os::windows::io::AsHandle;
use std::thread;

use tokio::io::{AsyncWriteExt, DuplexStream};
use tokio::runtime::Handle;

use crate::io::{Io, Writer};

/// How much of stdin is on its way to the connection.
const CAPACITY: usize = 64 * 1024;

/// Takes stdin and stdout for the protocol. Prints still go to stdout: the system has no safe call that would change
/// that.
pub(crate) fn take() -> io::Result<Io> {
    let runtime = Handle::try_current().map_err(io::Error::other)?;
    let stdin = File::from(io::stdin().as_handle().try_clone_to_owned()?);
    let stdout = File::from(io::stdout().as_handle().try_clone_to_owned()?);
    let (reader, to) = tokio::io::duplex(CAPACITY);
    // Not a thread of the runtime: it waits for its threads when it ends, and one that reads from a terminal would not
    // come back.
    { thread::Builder::new().name("tenon-stdin".into()) }
        .spawn(move || pass_on(stdin, to, &runtime))?;
    Ok(Io {
        reader: Box::new(reader),
        writer: Writer::Other(Box::new(tokio::fs::File::from_std(stdout))),
    })
}

/// Passes stdin on up to its end, or until the connection is gone.
fn pass_on(mut stdin: File, mut to: DuplexStream, runtime: &Handle) {
    let mut buffer = vec![0; CAPACITY];
    loop {
        match stdin.read(&mut buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            // A pipe whose other end was closed ends with an error.
            Ok(0) | Err(_) => return,
            Ok(length) => {
                if runtime.block_on(to.write_all(&buffer[..length])).is_err() {
                    return;
                }
            }
        }
    }
}
