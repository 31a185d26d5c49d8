//! The process that started this one. A Terraform that is killed cannot ask its providers to end.

use std::thread;

use tokio_util::sync::CancellationToken;

use super::kernel::{self, Process};

/// The process that started this one.
pub(crate) struct Parent {
    /// Cancelled when it has ended. Never, if it cannot be watched.
    dead: CancellationToken,
}

impl Parent {
    /// Watches for the death of the current parent. If Terraform died before that, writing the line of the handshake
    /// fails.
    pub(crate) fn watch() -> Parent {
        let dead = CancellationToken::new();
        if let Some(process) = living_parent() {
            let dead = dead.clone();
            let thread = thread::Builder::new().name("parent".into());
            // Without a thread it is not watched: Terraform can still ask for the end.
            let _not_watched = thread.spawn(move || {
                if process.wait().is_ok() {
                    dead.cancel();
                }
            });
        }
        Parent { dead }
    }

    /// Waits until it has died.
    pub(crate) async fn died(&mut self) {
        self.dead.cancelled().await;
    }
}

/// The process of our parent's id, unless that id was given to a process that is younger than this one.
fn living_parent() -> Option<Process> {
    let parent = Process::open(kernel::parent_id()?).ok()?;
    let is_older = parent.created().ok()? <= Process::current().ok()?.created().ok()?;
    is_older.then_some(parent)
}
