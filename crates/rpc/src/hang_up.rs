//! Distinguishes a peer that has disconnected from one that has only finished sending: requests of
//! the first need no answer.

use std::future::Future;
use std::pin::Pin;

use crate::io::Writer;

/// Completes when the peer has disconnected.
pub(crate) type HangUp = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Watches whether a peer that sends nothing more disconnects; `None` where that cannot be seen.
#[cfg(unix)]
pub(crate) fn watch(writer: &Writer) -> Option<HangUp> {
    use std::io::ErrorKind;
    use std::os::fd::AsFd;

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use tokio::io::Interest;
    use tokio::net::UnixStream;

    let Writer::Socket(socket) = writer else {
        return None;
    };
    // A duplicate of the socket, so that events seen here are not lost for writing.
    let twin = socket.as_ref().as_fd().try_clone_to_owned().ok()?;
    let twin = UnixStream::from_std(twin.into()).ok()?;
    Some(Box::pin(async move {
        loop {
            // It can be written to immediately, and then something happens only if the peer reads or
            // goes.
            let waited = twin.writable().await;
            let mut fds = [PollFd::new(&twin, PollFlags::empty())];
            let polled = poll(&mut fds, Some(&Timespec::default()));
            let seen = fds[0].revents();
            if waited.is_err()
                || polled.is_err()
                || seen.intersects(PollFlags::HUP | PollFlags::ERR)
            {
                return;
            }
            let _forgets_what_was_seen = twin.try_io(Interest::WRITABLE, || {
                std::io::Result::<()>::Err(ErrorKind::WouldBlock.into())
            });
        }
    }))
}

/// Watches whether a peer that sends nothing more disconnects; `None` where that cannot be seen.
#[cfg(windows)]
pub(crate) fn watch(writer: &Writer) -> Option<HangUp> {
    match writer {
        // It cannot finish sending without disconnecting.
        Writer::Pipe(_) => Some(Box::pin(std::future::ready(()))),
        Writer::Other(_) => None,
    }
}
