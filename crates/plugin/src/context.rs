//! What actions, data sources and resources get in addition to their attributes.

use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError, Weak};

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

/// What a function of a [`Resource`](crate::Resource) has besides its arguments: a way to report progress, and the
/// private data of the resource, which the host keeps in the state and does not show. Both are of the call that the
/// function handles, and do nothing in protocols that have no such thing (denobridge).
///
/// ```
/// use tenon_plugin::{Created, Failure, ResourceCall};
///
/// async fn create(name: String) -> Result<Created<()>, Failure> {
///     let call = ResourceCall::current();
///     call.progress.say(format!("creating {name}")).await;
///     call.keep_private("revision 1");
///     Ok(Created::new(name, ()))
/// }
/// ```
#[derive(Clone, Debug)]
pub struct ResourceCall {
    /// Reports progress to the user.
    pub progress: Progress,
    private: Arc<Mutex<Private>>,
}

#[derive(Debug, Default)]
struct Private {
    data: Option<Vec<u8>>,
    has_changed: bool,
}

tokio::task_local! {
    static CURRENT: ResourceCall;
}

impl ResourceCall {
    pub(crate) fn new(progress: Progress, private: Option<Vec<u8>>) -> ResourceCall {
        let private = Private {
            data: private,
            has_changed: false,
        };
        ResourceCall {
            progress,
            private: Arc::new(Mutex::new(private)),
        }
    }

    /// The call that the current task handles. In a task that the function has spawned there is none: pass this one to
    /// it.
    pub fn current() -> ResourceCall {
        let current = CURRENT.try_with(Clone::clone);
        current.unwrap_or_else(|_| ResourceCall::new(Progress::none(), None))
    }

    /// Runs the work of the call.
    pub(crate) async fn run<T>(&self, work: impl Future<Output = T>) -> T {
        CURRENT.scope(self.clone(), work).await
    }

    /// The private data that was kept last; `None` if there is none.
    pub fn private(&self) -> Option<Vec<u8>> {
        let private = self.private.lock().unwrap_or_else(PoisonError::into_inner);
        private.data.clone()
    }

    /// Keeps private data with the resource, if the call succeeds. Empty data removes what was kept.
    pub fn keep_private(&self, data: impl Into<Vec<u8>>) {
        let data = data.into();
        let mut private = self.private.lock().unwrap_or_else(PoisonError::into_inner);
        *private = Private {
            data: Some(data).filter(|data| !data.is_empty()),
            has_changed: true,
        };
    }

    /// What was kept during the call, if anything was: `Some(None)` if it was removed.
    pub(crate) fn kept(&self) -> Option<Option<Vec<u8>>> {
        let private = self.private.lock().unwrap_or_else(PoisonError::into_inner);
        private.has_changed.then(|| private.data.clone())
    }
}
