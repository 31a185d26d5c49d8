//! The process that started this one. A Terraform that is killed cannot ask its providers to end.

use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::process::{Pid, PidfdFlags, getppid, pidfd_open};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// How often to look where the system does not tell.
const INTERVAL: Duration = Duration::from_secs(1);

/// The process that started this one.
pub(super) struct Parent {
    /// Nothing, if it lives in another namespace of processes. A new parent is something, then.
    process: Option<Pid>,
    /// Becomes readable when it dies. Old kernels and some sandboxes have none.
    handle: Option<AsyncFd<OwnedFd>>,
}

impl Parent {
    /// Watches for the death of whoever is the parent now. If Terraform died before that, this is
    /// somebody else, and writing the handshake's line fails.
    pub(super) fn watch() -> Parent {
        let process = getppid();
        let handle = process.and_then(|process| pidfd_open(process, PidfdFlags::empty()).ok());
        let handle = handle.and_then(readable_at_death);
        Parent { process, handle }
    }

    /// Waits until it has died.
    pub(super) async fn died(&mut self) {
        // Its number may have been given to another process before the handle was made.
        while getppid() == self.process {
            match &self.handle {
                Some(handle) => {
                    if handle.readable().await.is_ok() {
                        return;
                    }
                    self.handle = None;
                }
                None => tokio::time::sleep(INTERVAL).await,
            }
        }
    }
}

#[allow(
    deprecated,
    reason = "its successor is unsafe for the sake of types that change their descriptor, which an \
              OwnedFd does not"
)]
fn readable_at_death(handle: OwnedFd) -> Option<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(handle, Interest::READABLE).ok()
}
