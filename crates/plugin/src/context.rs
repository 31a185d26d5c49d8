//! What an action or a data source gets in addition to its attributes.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Weak};

use crate::parts::Work;

/// The state that `configure` made, and a way to report progress.
pub struct Context<S> {
    state: Arc<S>,
    /// Reports progress to the user.
    pub progress: Progress,
}

impl<S> Context<S> {
    pub(crate) fn new(state: Arc<S>, progress: Progress) -> Context<S> {
        Context { state, progress }
    }

    /// The state that `configure` made.
    pub fn state(&self) -> &Arc<S> {
        &self.state
    }
}

/// The state.
impl<S> Deref for Context<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.state
    }
}

impl<S> Clone for Context<S> {
    fn clone(&self) -> Context<S> {
        Context::new(self.state.clone(), self.progress.clone())
    }
}

impl<S> fmt::Debug for Context<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Context").finish_non_exhaustive()
    }
}

/// Sends a message to the host.
pub(crate) type Say = dyn Fn(String) -> Work<()> + Send + Sync;

/// Reports the progress of an action to the user, if the host can show it.
///
/// It sends nothing after the action has ended: messages have no id, so a late one would be shown as
/// progress of the next action.
#[derive(Clone)]
pub struct Progress(Option<Weak<Say>>);

impl Progress {
    /// For a host that does not show progress.
    pub(crate) fn none() -> Progress {
        Progress(None)
    }

    /// Sends messages as long as `say` is there.
    pub(crate) fn new(say: &Arc<Say>) -> Progress {
        Progress(Some(Arc::downgrade(say)))
    }

    /// Shows a message.
    pub async fn say(&self, message: impl Into<String>) {
        if let Some(say) = self.0.as_ref().and_then(Weak::upgrade) {
            say(message.into()).await;
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Progress")
    }
}
