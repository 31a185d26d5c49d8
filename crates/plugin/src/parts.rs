//! The parts of a configured plugin, which take and return values instead of types.

use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use tenon_schema::{Attribute, Block};
use tenon_values::{Error, Value};

use crate::context::Progress;
use crate::ephemeral::AnyEphemeral;
use crate::hooks::AnyHook;
use crate::resource::AnyResource;
use crate::storage::AnyStorage;
use crate::{Data, Existing, Failure, Typed};

pub(crate) type Work<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// An action, a data source or a function.
pub(crate) type Run = dyn Fn(Progress, Value) -> Work<Result<Data<Value>, Refusal>> + Send + Sync;

/// Everything that needs the state that `configure` makes.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) actions: BTreeMap<String, Part<Run>>,
    /// The functions that have a context.
    pub(crate) functions: BTreeMap<String, Arc<Run>>,
    pub(crate) resources: BTreeMap<String, Part<dyn AnyResource>>,
    pub(crate) data_sources: BTreeMap<String, Part<Run>>,
    pub(crate) ephemeral_resources: BTreeMap<String, Part<dyn AnyEphemeral>>,
    pub(crate) storage: Option<Arc<dyn AnyStorage>>,
    /// By the names of their capabilities.
    pub(crate) hooks: BTreeMap<&'static str, AnyHook>,
    pub(crate) stop: Option<Box<dyn Fn() -> Work<()> + Send + Sync>>,
}

/// What is known of the things that a plugin has without its state: hosts may ask before `configure`.
#[derive(Default)]
pub(crate) struct Kinds {
    /// Whether a configuration fits the author's type.
    pub(crate) config: Option<Check>,
    pub(crate) resources: BTreeMap<String, ResourceKind>,
    pub(crate) data_sources: BTreeMap<String, Kind>,
    pub(crate) ephemeral_resources: BTreeMap<String, Kind>,
}

/// Checks a value against the author's type.
pub(crate) type Check = fn(&Value) -> Result<(), Refusal>;

/// A kind of thing.
pub(crate) struct Kind {
    pub(crate) shape: Arc<Shape>,
    /// Whether props fit the author's type.
    pub(crate) check: Check,
}

impl Kind {
    pub(crate) fn new<P: Typed>(shape: &Arc<Shape>) -> Kind {
        Kind {
            shape: shape.clone(),
            check: |props| read::<P>(Given::Props, props).map(drop),
        }
    }
}

/// A kind of resource.
pub(crate) struct ResourceKind {
    pub(crate) kind: Kind,
    /// Props as the author's type writes them, with all defaults.
    pub(crate) rewrite: fn(&Value) -> Result<Value, Refusal>,
    pub(crate) upgrade: Upgrade,
}

/// Upgrades what was stored with an older version of the schema.
pub(crate) type Upgrade = fn(u64, Value) -> Work<Result<Existing<Value, Value>, Refusal>>;

/// One of the things that a plugin has.
pub(crate) struct Part<T: ?Sized> {
    pub(crate) shape: Arc<Shape>,
    pub(crate) work: Arc<T>,
}

impl<T: ?Sized> Clone for Part<T> {
    fn clone(&self) -> Part<T> {
        let Part { shape, work } = self;
        Part {
            shape: shape.clone(),
            work: work.clone(),
        }
    }
}

/// Which attributes users give, and which the plugin returns.
#[derive(Default)]
pub(crate) struct Shape {
    pub(crate) given: Vec<Attribute>,
    /// The blocks that users write.
    pub(crate) blocks: Vec<Block>,
    pub(crate) returned: Vec<Attribute>,
}

impl Shape {
    /// The names of everything that users give.
    pub(crate) fn given_names(&self) -> impl Iterator<Item = &str> {
        let blocks = self.blocks.iter().map(|one| one.name.as_str());
        names(&self.given).chain(blocks)
    }
}

pub(crate) fn names(attributes: &[Attribute]) -> impl Iterator<Item = &str> {
    attributes.iter().map(|one| one.name.as_str())
}

/// Which of the values that a host sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// What the configuration says.
    Props,
    /// The part of it that is never stored, as a whole.
    WriteOnly,
    /// What the configuration said before.
    Current,
    /// The state.
    State,
    /// The sensitive part of the state, as a whole.
    Sensitive,
    /// What an ephemeral resource left for later.
    Private,
}

/// Why a call was not answered with a result.
pub(crate) enum Refusal {
    /// What was sent does not fit the author's type.
    Unfit(Given, Error),
    /// The author's function failed.
    Failed(Failure),
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        Refusal::Failed(failure)
    }
}

/// Reads what was sent as a type of the author's.
pub(crate) fn read<T: Typed>(given: Given, value: &Value) -> Result<T, Refusal> {
    T::from_value(value).map_err(|error| Refusal::Unfit(given, error))
}

/// Runs work of the author's. If it panics, the call fails as `panicked` says. What the panic says goes
/// to stderr alone: it may quote a secret.
pub(crate) async fn guarded<T>(
    begin: impl FnOnce() -> Work<Result<T, Refusal>>,
    panicked: fn() -> Failure,
) -> Result<T, Refusal> {
    let mut work = catch_unwind(AssertUnwindSafe(begin)).map_err(|_| panicked())?;
    poll_fn(|cx| {
        let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(cx)));
        polled.unwrap_or_else(|_| Poll::Ready(Err(panicked().into())))
    })
    .await
}

/// An action that panics may have done anything until then.
pub(crate) fn panicked() -> Failure {
    Failure::outcome_unknown("the action panicked; see stderr for the place")
}
