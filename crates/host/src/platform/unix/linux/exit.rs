//! Waiting for the exit of a process.

use std::io;
use std::os::fd::OwnedFd;

use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A descriptor of a process, which is readable once the process has ended.
pub(crate) struct ExitDescriptor(AsyncFd<OwnedFd>);

impl ExitDescriptor {
    /// None if the system has no such descriptors, or does not let us use them.
    #[expect(
        deprecated,
        reason = "unsound only for types whose descriptor changes, which an owned one does not"
    )]
    pub(crate) fn of(id: Pid) -> io::Result<Option<ExitDescriptor>> {
        match pidfd_open(id, PidfdFlags::empty()) {
            Ok(process) => {
                let process = AsyncFd::with_interest(process, Interest::READABLE)?;
                Ok(Some(ExitDescriptor(process)))
            }
            Err(error) => {
                tracing::debug!(%error, "no descriptors of processes");
                Ok(None)
            }
        }
    }

    /// Waits until the process has ended, which `status` tells.
    pub(crate) async fn exited<T>(self, status: impl Fn() -> Option<T>) -> T {
        loop {
            let Ok(mut ready) = self.0.readable().await else {
                // The runtime is shutting down, and this future with it.
                return std::future::pending().await;
            };
            match status() {
                Some(status) => return status,
                None => ready.clear_ready(),
            }
        }
    }
}
