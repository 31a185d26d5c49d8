//! What ends the process.

use std::fmt;

use tokio_util::sync::CancellationToken;

use super::error::StartError;
use super::platform::{self, Parent, Signal};

/// What ends the process. It is watched for from the moment this is made.
pub(super) struct Endings {
    /// A handler must be there even where Ctrl-C is not for us: it reaches Terraform's whole
    /// process group, and Terraform then waits for calls that run here. To have the system ignore
    /// the signal would do as well, but the scripts would inherit that.
    interrupt: Signal,
    ends_on_interrupt: bool,
    terminate: Signal,
    hang_up: Signal,
    requested: CancellationToken,
    ends_on_request: bool,
    parent: Option<Parent>,
}

/// Why the process ends.
#[derive(Debug)]
pub(super) enum Reason {
    Requested,
    Signal(&'static str),
    ParentDied,
}

impl Endings {
    /// Terraform's request, a signal other than Ctrl-C, or Terraform's death.
    ///
    /// # Errors
    /// The handlers of the signals cannot be installed.
    pub(super) fn of_terraform() -> Result<Endings, StartError> {
        let endings = Endings::of_debugging()?;
        Ok(Endings {
            ends_on_interrupt: false,
            ends_on_request: true,
            parent: Some(Parent::watch()),
            ..endings
        })
    }

    /// A signal; one Terraform that is done with the provider does not speak for the next.
    ///
    /// # Errors
    /// The handlers of the signals cannot be installed.
    pub(super) fn of_debugging() -> Result<Endings, StartError> {
        Ok(Endings {
            interrupt: platform::interrupt().map_err(StartError::Signals)?,
            ends_on_interrupt: true,
            terminate: platform::terminate().map_err(StartError::Signals)?,
            hang_up: platform::hang_up().map_err(StartError::Signals)?,
            requested: CancellationToken::new(),
            ends_on_request: false,
            parent: None,
        })
    }

    /// What to cancel when Terraform asks the plugin to end.
    pub(super) fn requested(&self) -> CancellationToken {
        self.requested.clone()
    }

    /// Whether calls in progress may finish before the process ends.
    pub(super) fn lets_calls_finish(&self, reason: &Reason) -> bool {
        self.parent.is_some() && matches!(reason, Reason::Signal(platform::TERMINATE))
    }

    /// Waits for the first of them.
    pub(super) async fn wait(&mut self) -> Reason {
        let parent_died = async {
            match &mut self.parent {
                Some(parent) => parent.died().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.requested.cancelled(), if self.ends_on_request => Reason::Requested,
            _ = self.interrupt.recv(), if self.ends_on_interrupt => Reason::Signal(platform::INTERRUPT),
            _ = self.terminate.recv() => Reason::Signal(platform::TERMINATE),
            _ = self.hang_up.recv() => Reason::Signal(platform::HANG_UP),
            () = parent_died => Reason::ParentDied,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Requested => f.write_str("Terraform asked for it"),
            Reason::Signal(name) => write!(f, "{name} was sent"),
            Reason::ParentDied => f.write_str("Terraform is gone"),
        }
    }
}
