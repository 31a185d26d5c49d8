//! Waiting for the exit of a process, by an event of the kernel.

#![expect(
    unsafe_code,
    reason = "one call that registers an event, see the comment at it"
)]

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::kqueue::{Event, EventFilter, EventFlags, ProcessEvents, kevent, kqueue};
use rustix::process::Pid;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Between looks at a process whose exit was announced.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// A queue of events with one event in it: the exit of a process. It is readable once the event has happened.
pub(crate) struct ExitDescriptor(AsyncFd<OwnedFd>);

impl ExitDescriptor {
    /// None if the process has ended already, or if the system does not let us watch it.
    #[expect(
        deprecated,
        reason = "unsound only for types whose descriptor changes, which an owned one does not"
    )]
    pub(crate) fn of(id: Pid) -> io::Result<Option<ExitDescriptor>> {
        let queue = kqueue()?;
        rustix::io::fcntl_setfd(&queue, rustix::io::FdFlags::CLOEXEC)?;
        let filter = EventFilter::Proc {
            pid: id,
            flags: ProcessEvents::EXIT,
        };
        let exit = Event::new(filter, EventFlags::ADD, std::ptr::null_mut());
        let mut none: [Event; 0] = [];
        // SAFETY: the event refers to a process, not to a descriptor that could be closed before the queue.
        let registered = unsafe { kevent(&queue, &[exit], &mut none[..], None) };
        match registered {
            Ok(_) => {
                let queue = AsyncFd::with_interest(queue, Interest::READABLE)?;
                Ok(Some(ExitDescriptor(queue)))
            }
            Err(error) => {
                tracing::debug!(%error, "no event for the exit of a process");
                Ok(None)
            }
        }
    }

    /// Waits until the process has ended, which `status` tells.
    pub(crate) async fn exited<T>(self, status: impl Fn() -> Option<T>) -> T {
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = status() {
                return status;
            }
            // The event may come a moment before the status of the process can be read. The queue stays readable, because
            // the event is never taken out of it.
            if self.0.readable().await.is_err() {
                // The runtime is shutting down, and this future with it.
                return std::future::pending().await;
            }
            match status() {
                Some(status) => return status,
                None => tokio::time::sleep(pause).await,
            }
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}
