//! A reader and a writer: where the bytes come from and go to.

use std::fmt;
use std::io;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;

pub(crate) type Reader = Box<dyn AsyncRead + Send + Unpin>;
pub(crate) type Writer = Box<dyn AsyncWrite + Send + Unpin>;

/// A reader and a writer.
pub struct Io {
    pub(crate) reader: Reader,
    pub(crate) writer: Writer,
}

impl Io {
    /// Any reader with any writer.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Io {
        Io {
            reader: Box::new(reader),
            writer: Box::new(writer),
        }
    }

    /// Two ends that are connected in memory: what one writes, the other reads.
    pub fn pair() -> (Io, Io) {
        const CAPACITY: usize = 64 * 1024;
        let (one, other) = tokio::io::duplex(CAPACITY);
        (Io::from(one), Io::from(other))
    }

    /// The stdin and stdout of this process.
    ///
    /// From then on `println!` goes to stderr, so that a stray print cannot break the protocol.
    /// Pipes and sockets are used without blocking threads, which makes a round trip several
    /// times faster than `tokio::io::stdin` does.
    ///
    /// # Errors
    /// stdin or stdout is closed.
    pub fn stdio() -> io::Result<Io> {
        crate::stdio::take()
    }
}

impl From<tokio::io::DuplexStream> for Io {
    fn from(stream: tokio::io::DuplexStream) -> Io {
        let (reader, writer) = tokio::io::split(stream);
        Io::new(reader, writer)
    }
}

impl From<UnixStream> for Io {
    fn from(stream: UnixStream) -> Io {
        let (reader, writer) = stream.into_split();
        Io::new(reader, writer)
    }
}

impl fmt::Debug for Io {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Io")
    }
}
