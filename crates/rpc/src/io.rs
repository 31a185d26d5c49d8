//! A reader and a writer: where the bytes come from and go to.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
#[cfg(windows)]
use tokio::net::windows::named_pipe::{NamedPipeClient, NamedPipeServer};
#[cfg(unix)]
use tokio::net::{UnixStream, unix::OwnedWriteHalf};

use crate::dialect::Dialect;
use crate::error::RpcError;
use crate::message::{Id, Message, Response};

pub(crate) type Reader = Box<dyn AsyncRead + Send + Unpin>;

/// A reader and a writer.
pub struct Io {
    pub(crate) reader: Reader,
    pub(crate) writer: Writer,
}

/// Where bytes are written. Sockets are a case of their own, because they can show whether a peer has
/// disconnected or only finished sending.
pub(crate) enum Writer {
    #[cfg(unix)]
    Socket(OwnedWriteHalf),
    /// A named pipe, whose two directions end together.
    #[cfg(windows)]
    Pipe(Box<dyn AsyncWrite + Send + Unpin>),
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
    /// times faster than `tokio::io::stdin` does. On Windows neither holds: prints stay on stdout, and threads read and write.
    ///
    /// # Errors
    /// stdin or stdout is closed, or this is not called in a runtime.
    pub fn stdio() -> io::Result<Io> {
        crate::stdio::take()
    }

    /// Wraps the reader, for example to count or to slow down.
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

    /// The reader and the writer, for a program that is not spoken to in a dialect.
    pub fn into_parts(
        self,
    ) -> (
        Box<dyn AsyncRead + Send + Unpin>,
        Box<dyn AsyncWrite + Send + Unpin>,
    ) {
        (self.reader, Box::new(self.writer))
    }

    /// Detects which of `candidates` the peer speaks, by the first bytes that it sends. These bytes are
    /// read again from the returned `Io`. If the peer sends nothing, the first candidate is assumed.
    ///
    /// For a connection that handles all its dialects alike there is
    /// [`Options::detect`](crate::Options::detect).
    ///
    /// # Errors
    /// Reading failed.
    ///
    /// # Panics
    /// There are no candidates.
    pub async fn detect(mut self, candidates: &[Dialect]) -> io::Result<(Dialect, Io)> {
        let mut first = Vec::new();
        let found = match first_bytes(&mut self.reader, &mut first, candidates).await? {
            Some(found) => found,
            // Of a very long line, the part that has arrived must be enough.
            None => {
                Dialect::detect(&[&first, &b"\n"[..]].concat(), candidates).unwrap_or(candidates[0])
            }
        };
        let io = self.map_reader(|reader| io::Cursor::new(first).chain(reader));
        Ok((found, io))
    }

    /// The first line that the peer sends, without its end, or what comes before the input ends or
    /// `limit` bytes have arrived. It is read again from the returned `Io`.
    ///
    /// # Errors
    /// Reading failed.
    pub async fn first_line(mut self, limit: usize) -> io::Result<(Vec<u8>, Io)> {
        let (mut first, mut start, mut seen) = (Vec::new(), 0, 0);
        let line: &[u8] = loop {
            match memchr::memchr(b'\n', &first[seen..]) {
                Some(length) => {
                    let line = first[start..seen + length].trim_ascii();
                    if !line.is_empty() {
                        break line;
                    }
                    // Blank lines before it do not count.
                    seen += length + 1;
                    start = seen;
                }
                None => {
                    seen = first.len();
                    if seen >= limit || self.reader.read_buf(&mut first).await? == 0 {
                        break first[start..].trim_ascii();
                    }
                }
            }
        };
        let line = line.to_vec();
        let io = self.map_reader(|reader| io::Cursor::new(first).chain(reader));
        Ok((line, io))
    }

    /// Refuses a peer: sends an error with the id null, and disconnects. Nothing is read, and the caller does not
    /// wait: if it cannot be written immediately, a task tries for half a second.
    ///
    /// # Panics
    /// This is not called in a runtime.
    pub fn refuse(mut self, dialect: Dialect, error: RpcError) {
        const LONGEST: Duration = Duration::from_millis(500);
        let mut cx = Context::from_waker(std::task::Waker::noop());
        let last_words = refusal(dialect, error);
        let written = Pin::new(&mut self.writer).poll_write(&mut cx, &last_words);
        // A connection that the runtime has only just got may not be known to be writable.
        if written.is_pending() {
            tokio::spawn(async move {
                let writing = self.writer.write_all(&last_words);
                let _best_effort = tokio::time::timeout(LONGEST, writing).await;
            });
        }
    }

    /// Like [`refuse`](Io::refuse), in the dialect of `detect` that the first bytes of the peer show, if
    /// they arrive within `patience`. What the peer sent is read before disconnecting: closing a
    /// connection with unread input causes an error at the other end, which may hide our answer.
    pub async fn turn_away(
        mut self,
        dialect: Dialect,
        detect: &[Dialect],
        error: RpcError,
        patience: Duration,
    ) {
        /// How much of a refused peer is read, and for how long.
        const MOST: u64 = 64 * 1024;
        const LONGEST: Duration = Duration::from_millis(500);
        let mut first = Vec::new();
        let found = match detect {
            [] => dialect,
            _ => {
                let detecting = first_bytes(&mut self.reader, &mut first, detect);
                match tokio::time::timeout(patience, detecting).await {
                    Ok(Ok(Some(found))) => found,
                    _ => dialect,
                }
            }
        };
        let parting = async {
            self.writer.write_all(&refusal(found, error)).await?;
            self.writer.shutdown().await?;
            let mut rest = (&mut self.reader).take(MOST);
            tokio::io::copy(&mut rest, &mut tokio::io::sink()).await
        };
        let _best_effort = tokio::time::timeout(LONGEST, parting).await;
    }
}

/// Reads until the bytes show which dialect a peer speaks, or the input ends.
async fn first_bytes(
    reader: &mut Reader,
    first: &mut Vec<u8>,
    detect: &[Dialect],
) -> io::Result<Option<Dialect>> {
    loop {
        let found = Dialect::detect(first, detect);
        if found.is_some() || first.len() >= LINE || reader.read_buf(first).await? == 0 {
            return Ok(found);
        }
    }
}

/// How many bytes are examined to detect the dialect.
const LINE: usize = 4 * 1024;

/// An error for a peer that has not called anything yet.
fn refusal(dialect: Dialect, error: RpcError) -> BytesMut {
    let mut bytes = BytesMut::new();
    let response = Message::Response(Response {
        id: Id::Null,
        result: Err(Box::new(error)),
    });
    // An error without data can be written in every dialect.
    let _written = dialect.encode(&response, &mut bytes);
    bytes
}

impl Writer {
    fn get(&mut self) -> Pin<&mut (dyn AsyncWrite + Send + Unpin)> {
        match self {
            #[cfg(unix)]
            Writer::Socket(socket) => Pin::new(socket),
            #[cfg(windows)]
            Writer::Pipe(pipe) => Pin::new(pipe),
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

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().get().poll_write_vectored(cx, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            #[cfg(unix)]
            Writer::Socket(socket) => socket.is_write_vectored(),
            #[cfg(windows)]
            Writer::Pipe(pipe) => pipe.is_write_vectored(),
            Writer::Other(other) => other.is_write_vectored(),
        }
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

#[cfg(windows)]
impl From<NamedPipeServer> for Io {
    fn from(pipe: NamedPipeServer) -> Io {
        from_pipe(pipe)
    }
}

#[cfg(windows)]
impl From<NamedPipeClient> for Io {
    fn from(pipe: NamedPipeClient) -> Io {
        from_pipe(pipe)
    }
}

#[cfg(windows)]
fn from_pipe(pipe: impl AsyncRead + AsyncWrite + Send + 'static) -> Io {
    let (reader, writer) = tokio::io::split(pipe);
    Io {
        reader: Box::new(reader),
        writer: Writer::Pipe(Box::new(writer)),
    }
}

impl fmt::Debug for Io {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Io")
    }
}
