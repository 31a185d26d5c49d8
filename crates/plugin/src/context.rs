//! What actions, functions, data sources and resources get in addition to their attributes.

use std::fmt;
use std::future::Future;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::parts::Work;
use crate::process;

/// The state that `configure` made, and ways to report progress and to write to the log.
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

    /// Writes to the log of the host, or to stderr if the host has none.
    pub async fn log(&self, level: LogLevel, message: impl Into<String>) {
        self.progress.log(level, message.into()).await;
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

/// How important a line in the log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// Every step, for authors.
    Trace,
    /// What helps to find a mistake.
    Debug,
    /// What was done.
    Info,
    /// What may be wrong.
    Warn,
    /// What went wrong.
    Error,
}

impl LogLevel {
    /// The name in the protocol.
    pub(crate) fn name(self) -> &'static str {
        match self {
            LogLevel::Trace => "trace",
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Warn => "warn",
            LogLevel::Error => "error",
        }
    }

    /// Writes a line to stderr, where hosts read the level in front of it.
    pub(crate) fn tell(self, message: &str) {
        process::tell(&format!("[{}] {message}\n", self.name().to_uppercase()));
    }
}

/// What a call tells its host before it is answered.
pub(crate) enum Said {
    Progress {
        message: String,
        /// How much of how much is done, if the author knows.
        done: Option<(u64, u64)>,
    },
    Log(LogLevel, String),
}

/// Sends what is said to the host.
pub(crate) type Say = dyn Fn(Said) -> Work<()> + Send + Sync;

/// Reports the progress of a call to the user, if the host can show it.
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
        self.report(message.into(), None).await;
    }

    /// Shows a message, and how much of how much is done.
    ///
    /// ```
    /// use tenon_plugin::{Plugin, attributes};
    ///
    /// attributes! {
    ///     struct Files { files: Vec<String> }
    /// }
    ///
    /// let plugin = Plugin::new("copier", "1.0.0").action("copy", "Copies files", |context, given: Files| async move {
    ///     for (done, file) in given.files.iter().enumerate() {
    ///         context.progress.step(file, done as u64, given.files.len() as u64).await;
    ///     }
    ///     Ok(())
    /// });
    /// ```
    pub async fn step(&self, message: impl Into<String>, done: u64, total: u64) {
        self.report(message.into(), Some((done, total))).await;
    }

    async fn report(&self, message: String, done: Option<(u64, u64)>) {
        if let Some(say) = self.host() {
            say(Said::Progress { message, done }).await;
        }
    }

    /// Unlike progress, what is logged after the call is not lost.
    async fn log(&self, level: LogLevel, message: String) {
        match self.host() {
            Some(say) => say(Said::Log(level, message)).await,
            None => level.tell(&message),
        }
    }

    fn host(&self) -> Option<Arc<Say>> {
        self.0.as_ref().and_then(Weak::upgrade)
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

    /// Writes to the log of the host, or to stderr if the host has none.
    pub async fn log(&self, level: LogLevel, message: impl Into<String>) {
        self.progress.log(level, message.into()).await;
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
