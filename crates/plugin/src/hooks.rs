//! Hooks: what Terraform plans and does, and what a plugin thinks of it.

use tenon_protocols::seasonings::Segment;
use tenon_values::{Type, Value};

use crate::Failure;
use crate::context::Progress;
use crate::parts::Work;

/// A hook that is called for each resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceHook {
    /// Before the plan, for each resource in the state. A failure stops the command.
    PrePlan,
    /// After the plan. A failure stops the command before anything is applied.
    PostPlan,
    /// Before the apply. A failure stops the command.
    PreApply,
    /// After the apply, for each resource that was changed. A failure gives an exit code; the state is
    /// saved.
    PostApply,
    /// Before the refresh, for each resource in the state. A failure stops the command.
    PreRefresh,
    /// After the refresh, for each resource in the state.
    PostRefresh,
}

/// A hook that is called once for a part of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageHook {
    /// Before `init`.
    InitStart,
    /// After `init`.
    InitCompleted,
    /// After an `init` that failed.
    InitFailed,
    /// Before the plan.
    PlanStart,
    /// After the plan, with all planned changes. A failure stops the command before anything is applied.
    PlanCompleted,
    /// After a plan that failed.
    PlanFailed,
    /// Before the apply.
    ApplyStart,
    /// After the apply, with all changes.
    ApplyCompleted,
    /// After an apply that failed.
    ApplyFailed,
}

impl ResourceHook {
    /// The name of the capability.
    pub(crate) fn capability(self) -> &'static str {
        match self {
            ResourceHook::PrePlan => "hooks.prePlan",
            ResourceHook::PostPlan => "hooks.postPlan",
            ResourceHook::PreApply => "hooks.preApply",
            ResourceHook::PostApply => "hooks.postApply",
            ResourceHook::PreRefresh => "hooks.preRefresh",
            ResourceHook::PostRefresh => "hooks.postRefresh",
        }
    }
}

impl StageHook {
    /// The name of the capability.
    pub(crate) fn capability(self) -> &'static str {
        match self {
            StageHook::InitStart => "hooks.initStageStart",
            StageHook::InitCompleted => "hooks.initStageCompleted",
            StageHook::InitFailed => "hooks.initStageFailed",
            StageHook::PlanStart => "hooks.planStageStart",
            StageHook::PlanCompleted => "hooks.planStageCompleted",
            StageHook::PlanFailed => "hooks.planStageFailed",
            StageHook::ApplyStart => "hooks.applyStageStart",
            StageHook::ApplyCompleted => "hooks.applyStageCompleted",
            StageHook::ApplyFailed => "hooks.applyStageFailed",
        }
    }
}

/// A resource, and what happens to it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Change {
    /// The whole address, such as `module.a.aws_instance.b[0]`.
    pub address: String,
    /// The source of its provider.
    pub provider: String,
    /// Its type, such as `aws_instance`.
    pub resource_type: String,
    /// Its name.
    pub resource_name: String,
    /// `managed`, or `data` for a data source.
    pub resource_mode: String,
    /// The address of its module, unless it is in the root module.
    pub module: Option<String>,
    /// Its key among the instances of `count` or `for_each`: a number or a string.
    pub index: Option<Value>,
    /// What is planned or was done: [`Action::Read`] before the plan, `None` if the host does not say.
    pub action: Option<Action>,
    /// Its values before; null if it is created.
    pub before: Value,
    /// Its values after; null if it is deleted. What is known only after the apply is unknown.
    pub after: Value,
    /// Its configuration: constants, and unknown where there is an expression.
    pub config: Value,
    /// Where values are null because they are sensitive.
    pub sensitive_paths: Vec<Vec<Segment>>,
    /// What earlier plugins noted about it: an object by their names, or null.
    pub metadata: Value,
}

impl Change {
    /// A change of the resource at this address, without values, for a test. The address tells the type, the name
    /// and the module:
    ///
    /// ```
    /// use tenon_plugin::{Action, Change};
    ///
    /// let change = Change::new("module.a.weather_station.roof[0]", Some(Action::Delete));
    /// assert_eq!((&*change.resource_type, &*change.resource_name), ("weather_station", "roof"));
    /// assert_eq!(change.module.as_deref(), Some("module.a"));
    /// ```
    pub fn new(address: impl Into<String>, action: Option<Action>) -> Change {
        let address = address.into();
        // An index comes last, and may contain dots.
        let plain = match address.rsplit_once('[') {
            Some((plain, _)) if address.ends_with(']') => plain,
            _ => &address,
        };
        let mut steps: Vec<&str> = plain.split('.').collect();
        let resource_name = steps.pop().unwrap_or_default().to_owned();
        let resource_type = steps.pop().unwrap_or_default().to_owned();
        let is_data = steps.last() == Some(&"data");
        if is_data {
            steps.pop();
        }
        Change {
            provider: String::new(),
            resource_mode: if is_data { "data" } else { "managed" }.to_owned(),
            module: (!steps.is_empty()).then(|| steps.join(".")),
            resource_type,
            resource_name,
            index: None,
            action,
            before: Value::NULL,
            after: Value::NULL,
            config: Value::NULL,
            sensitive_paths: Vec::new(),
            metadata: Value::NULL,
            address,
        }
    }

    /// The value at this path in [`after`](Change::after), if it is known and not null.
    ///
    /// ```
    /// # use tenon_plugin::Change;
    /// fn is_large(change: &Change) -> bool {
    ///     let size = change.after_at(&["input", "size"]);
    ///     size.and_then(|size| size.as_str()) == Some("large")
    /// }
    /// ```
    pub fn after_at(&self, path: &[&str]) -> Option<&Value> {
        let mut value = &self.after;
        for name in path {
            value = value.attributes()?.get(name)?;
        }
        (value.is_known() && !value.is_null()).then_some(value)
    }
}

/// What happens to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// It is created.
    Create,
    /// It is read: a data source.
    Read,
    /// It is updated in place.
    Update,
    /// It is deleted and created again, in either order.
    Replace,
    /// It is deleted.
    Delete,
    /// Nothing.
    NoOp,
    /// Terraform forgets it; it continues to exist.
    Forget,
}

impl Action {
    const ALL: [Action; 7] = [
        Action::Create,
        Action::Read,
        Action::Update,
        Action::Replace,
        Action::Delete,
        Action::NoOp,
        Action::Forget,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Action::Create => "Create",
            Action::Read => "Read",
            Action::Update => "Update",
            Action::Replace => "Replace",
            Action::Delete => "Delete",
            Action::NoOp => "NoOp",
            Action::Forget => "Forget",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Action> {
        Action::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// A part of a command.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Stage {
    /// `init`, `plan` or `apply`.
    pub name: String,
    /// All resources; none at a start.
    pub resources: Vec<Change>,
    /// How many resources are added.
    pub add: u64,
    /// How many are changed.
    pub change: u64,
    /// How many are destroyed.
    pub destroy: u64,
    /// How many are imported.
    pub import: u64,
    /// What went wrong, after a failure.
    pub errors: Vec<String>,
    /// The SHA-256 of the plan file, where there is one.
    pub plan_sha256: Option<String>,
}

/// What a plugin thinks of a change or a stage. A [`Failure`] has the effect of [`fail`](Verdict::fail).
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub(crate) status: &'static str,
    pub(crate) message: Option<String>,
    pub(crate) warnings: Vec<String>,
    pub(crate) metadata: Vec<(String, Value)>,
}

impl Verdict {
    fn new(status: &'static str, message: Option<String>) -> Verdict {
        Verdict {
            status,
            message,
            warnings: Vec::new(),
            metadata: Vec::new(),
        }
    }

    /// Nothing is wrong.
    pub fn pass() -> Verdict {
        Verdict::new("success", None)
    }

    /// The user should know this, and the command continues.
    pub fn warn(message: impl Into<String>) -> Verdict {
        Verdict::new("warning", Some(message.into()))
    }

    /// The command is stopped, or if it is too late for that, fails.
    pub fn fail(message: impl Into<String>) -> Verdict {
        Verdict::new("fail", Some(message.into()))
    }

    /// With another warning.
    #[must_use]
    pub fn warning(mut self, text: impl Into<String>) -> Verdict {
        self.warnings.push(text.into());
        self
    }

    /// With a note about the resource: later plugins see it, and it is kept in `.tenon/metadata.json`.
    #[must_use]
    pub fn metadata(mut self, name: impl Into<String>, value: impl Into<Value>) -> Verdict {
        self.metadata.push((name.into(), value.into()));
        self
    }
}

type Run<T> = Box<dyn Fn(Progress, T) -> Work<Result<Verdict, Failure>> + Send + Sync>;

/// A hook of a configured plugin.
pub(crate) enum AnyHook {
    Resource(Run<Change>),
    Stage(Run<Stage>),
}

/// Values in hooks have no types of their own.
pub(crate) const ANY: Type = Type::Dynamic;
