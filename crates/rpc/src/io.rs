//! A reader and a writer: where the bytes come from and go to.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite};
#[cfg(unix)]
use tokio::net::{UnixStream, unix::OwnedWriteHalf};

pub(crate) type Reader = Box<dyn AsyncRead + Send + Unpin>;

/// A reader and a writer.
pub struct Io {
    pub(crate) reader: Reader,
    pub(crate) writer: Writer,
}

/// What is written to. A socket is told apart, because it can tell a peer that has gone from one
/// that has only finished sending.
pub(crate) enum Writer {
    #[cfg(unix)]
    Socket(OwnedWriteHalf),
    Other(Box<dyn AsyncWrite + Send + Unpin>),
}

impl Io {
    /// Any reader with any writer.
    pub fn new(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Io {
        Io {
            reader: Box::new(reader),
            writer: Writer::Other(Box::new(writer)),
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
    #[cfg(unix)]
    pub fn stdio() -> io::Result<Io> {
        crate::stdio::take()
    }

    /// Puts something in front of the reader: one that counts, or slows down.
    #[must_use]
    pub fn map_reader<R>(self, map: impl FnOnce(Box<dyn AsyncRead + Send + Unpin>) -> R) -> Io
    where
        R: AsyncRead + Send + Unpin + 'static,
    {
        Io {
            reader: Box::new(map(self.reader)),
            writer: self.writer,
        }
    }

    /// Writes what fits at once and hangs up: the last words to somebody who is not let in.
    pub fn refuse(mut self, last_words: &[u8]) {
        let mut cx = Context::from_waker(std::task::Waker::noop());
        let _best_effort = Pin::new(&mut self.writer).poll_write(&mut cx, last_words);
    }
}

impl Writer {
    fn get(&mut self) -> Pin<&mut (dyn AsyncWrite + Send + Unpin)> {
        match self {
            #[cfg(unix)]
            Writer::Socket(socket) => Pin::new(socket),
            Writer::Other(other) => Pin::new(other),
        }
    }
}

impl AsyncWrite for Writer {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().get().poll_write(cx, bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().get().poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().get().poll_shutdown(cx)
    }
}

impl From<tokio::io::DuplexStream> for Io {
    fn from(stream: tokio::io::DuplexStream) -> Io {
        let (reader, writer) = tokio::io::split(stream);
        Io::new(reader, writer)
    }
}

#[cfg(unix)]
impl From<UnixStream> for Io {
    fn from(stream: UnixStream) -> Io {
        let (reader, writer) = stream.into_split();
        Io {
            reader: Box::new(reader),
            writer: Writer::Socket(writer),
        }
    }
}

impl fmt::Debug for Io {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Io")
    }
}
