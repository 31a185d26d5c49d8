//! The process that started this one. A Terraform that is killed cannot ask its providers to end.

use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::process::{Pid, getppid};
use tokio::io::unix::AsyncFd;

/// How often to look where the system does not tell.
const INTERVAL: Duration = Duration::from_secs(1);

/// The process that started this one.
pub(crate) struct Parent {
    /// Nothing, if it lives in another namespace of processes. A new parent is something, then.
    process: Option<Pid>,
    /// Becomes readable when it dies. Systems other than Linux, old kernels and some sandboxes have
    /// none.
    handle: Option<AsyncFd<OwnedFd>>,
}

impl Parent {
    /// Watches for the death of the current parent. If Terraform died before that, the parent is another
    /// process, and writing the line of the handshake fails.
    pub(crate) fn watch() -> Parent {
        let process = getppid();
        let handle = process.and_then(readable_at_death);
        Parent { process, handle }
    }

    /// Waits until it has died.
    pub(crate) async fn died(&mut self) {
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

#[cfg(target_os = "linux")]
#[allow(
    deprecated,
    reason = "its successor is unsafe for the sake of types that change their descriptor, which an \
              OwnedFd does not"
)]
fn readable_at_death(process: Pid) -> Option<AsyncFd<OwnedFd>> {
    use rustix::process::{PidfdFlags, pidfd_open};

    let handle = pidfd_open(process, PidfdFlags::empty()).ok()?;
    AsyncFd::with_interest(handle, tokio::io::Interest::READABLE).ok()
}

#[cfg(not(target_os = "linux"))]
fn readable_at_death(_: Pid) -> Option<AsyncFd<OwnedFd>> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn another_parent_is_noticed_with_and_without_a_handle() {
        let process = None;
        Parent {
            process,
            ..Parent::watch()
        }
        .died()
        .await;
        let handle = None;
        Parent { process, handle }.died().await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_parent_that_lives_is_watched_on() {
        let watch = Parent::watch();
        let process = watch.process;
        for handle in [watch.handle, None] {
            let mut parent = Parent { process, handle };
            let died = tokio::time::timeout(10 * INTERVAL, parent.died()).await;
            assert!(died.is_err());
        }
    }
}
