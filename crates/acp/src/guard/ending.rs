//! The end of an input. A connection answers what was asked before it, so it may close much later.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tenon_rpc::Io;
use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::watch;

/// Whether an input has ended.
#[derive(Debug)]
pub(crate) struct Ending(watch::Receiver<bool>);

impl Ending {
    /// Watches the input of an `Io`.
    pub(crate) fn of(io: Io) -> (Io, Ending) {
        let (ended, receiver) = watch::channel(false);
        let io = io.map_reader(|reader| Watched { reader, ended });
        (io, Ending(receiver))
    }

    /// Waits for the end.
    pub(crate) async fn reached(&self) {
        let mut ended = self.0.clone();
        // An error means that the reader was dropped.
        let _dropped = ended.wait_for(|has_ended| *has_ended).await;
    }
}

struct Watched<R> {
    reader: R,
    ended: watch::Sender<bool>,
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = (buffer.filled().len(), buffer.remaining());
        let read = ready!(Pin::new(&mut self.reader).poll_read(cx, buffer));
        let is_end = before.1 > 0 && buffer.filled().len() == before.0;
        if is_end || read.is_err() {
            self.ended.send_replace(true);
        }
        Poll::Ready(read)
    }
}
