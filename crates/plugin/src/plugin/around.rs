//! Adding what works around Terraform: the storage of its states, and hooks.

use std::future::Future;
use std::sync::Arc;

use super::Plugin;
use crate::hooks::AnyHook;
use crate::parts::Work;
use crate::{Change, Context, Failure, ResourceHook, Stage, StageHook, Storage, Verdict};

impl<S: Send + Sync + 'static> Plugin<S> {
    /// Adds the storage of Terraform's states. `make` gets the state that `configure` made.
    ///
    /// # Panics
    /// The plugin has a storage already.
    #[must_use]
    #[track_caller]
    pub fn storage<T, F>(mut self, make: F) -> Plugin<S>
    where
        T: Storage,
        F: Fn(Arc<S>) -> T + Send + Sync + 'static,
    {
        assert!(!self.around.has_storage, "there are two storages");
        self.around.has_storage = true;
        self.parts.push(Box::new(move |state, parts| {
            parts.storage = Some(Arc::new(make(state.clone())));
        }));
        self
    }

    /// Adds a hook that is called for each resource. It gets the state and the change.
    ///
    /// ```
    /// use tenon_plugin::{Action, Plugin, ResourceHook, Verdict};
    ///
    /// let plugin = Plugin::new("guard", "1.0.0").resource_hook(ResourceHook::PostPlan, |_, change| async move {
    ///     Ok(match change.action {
    ///         Some(Action::Delete) => Verdict::fail(format!("{} must not be deleted", change.address)),
    ///         _ => Verdict::pass(),
    ///     })
    /// });
    /// ```
    ///
    /// # Panics
    /// The plugin has this hook already.
    #[must_use]
    #[track_caller]
    pub fn resource_hook<F, W>(self, hook: ResourceHook, run: F) -> Plugin<S>
    where
        F: Fn(Context<S>, Change) -> W + Send + Sync + 'static,
        W: Future<Output = Result<Verdict, Failure>> + Send + 'static,
    {
        let run = Arc::new(run);
        self.add_hook(hook.capability(), move |state| {
            let run = run.clone();
            AnyHook::Resource(Box::new(move |progress, change| -> Work<_> {
                Box::pin(run(Context::new(state.clone(), progress), change))
            }))
        })
    }

    /// Adds a hook that is called once for a part of a command. It gets the state, and everything that is
    /// planned or was done.
    ///
    /// # Panics
    /// The plugin has this hook already.
    #[must_use]
    #[track_caller]
    pub fn stage_hook<F, W>(self, hook: StageHook, run: F) -> Plugin<S>
    where
        F: Fn(Context<S>, Stage) -> W + Send + Sync + 'static,
        W: Future<Output = Result<Verdict, Failure>> + Send + 'static,
    {
        let run = Arc::new(run);
        self.add_hook(hook.capability(), move |state| {
            let run = run.clone();
            AnyHook::Stage(Box::new(move |progress, stage| -> Work<_> {
                Box::pin(run(Context::new(state.clone(), progress), stage))
            }))
        })
    }

    #[track_caller]
    fn add_hook(
        mut self,
        capability: &'static str,
        make: impl Fn(Arc<S>) -> AnyHook + Send + Sync + 'static,
    ) -> Plugin<S> {
        let is_there = self.around.hooks.contains(&capability);
        assert!(!is_there, "there are two hooks called {capability}");
        self.around.hooks.push(capability);
        self.parts.push(Box::new(move |state, parts| {
            parts.hooks.insert(capability, make(state.clone()));
        }));
        self
    }
}
