//! The content of a scenario file, with the place of every part, before anything is evaluated.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tenon_hcl::{Attribute, Defaults, Expression, Name, Place};
use tenon_host::Limits;
use tenon_settings::PermissionWords;
use tenon_values::{Type, Value, convert};

use crate::environment::ProviderEnvironment;
use crate::masked::Masked;

/// `scenario "name" { ... }`
#[derive(Clone, Debug)]
pub struct Scenario {
    /// Its label.
    pub name: Name,
    /// What `tenon list` shows.
    pub description: Option<String>,
    /// What it can be chosen by.
    pub tags: Vec<String>,
    /// The path of its file, as it was given.
    pub file: PathBuf,
    /// The programs it needs, by the names it has for them.
    pub required_providers: BTreeMap<String, RequiredProvider>,
    /// How they are configured.
    pub providers: Vec<ProviderBlock>,
    /// Everything that components have, too.
    pub module: Module,
}

/// What a scenario and a component have in common.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The folder of its file; paths in it are relative to that.
    pub folder: PathBuf,
    /// Values it is given.
    pub variables: BTreeMap<String, Variable>,
    /// Values it has names for.
    pub locals: BTreeMap<String, Attribute>,
    /// Components it uses, in the order of the file.
    pub components: Vec<ComponentUse>,
    /// What it does, in the order of the file.
    pub actions: Vec<Action>,
    /// Its outputs, in the order of the file.
    pub outputs: Vec<Output>,
}

/// An entry of `required_providers`.
#[derive(Clone, Debug)]
pub struct RequiredProvider {
    /// The name that the scenario has for it.
    pub name: Name,
    /// Where its program is.
    pub source: ProviderSource,
    /// Where its permissions are written, if it has any.
    pub permissions_place: Option<Place>,
    /// Which environment variables it gets, besides those that every program needs.
    pub environment: ProviderEnvironment,
}

/// Where a provider's program is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ProviderSource {
    /// `builtin/NAME`: one that Tenon has.
    #[serde(rename = "builtin")]
    Builtin(String),
    /// `exec:PATH`: a program, by its absolute path.
    #[serde(rename = "exec")]
    Program(PathBuf),
    /// One of these, held to permissions. They are part of the source, so that the
    /// program of a record is never used without them.
    #[serde(rename = "confined")]
    Confined {
        /// Where its program is.
        program: Box<ProviderSource>,
        /// What it may do.
        permissions: ProviderPermissions,
    },
    /// One of these, with limits on what it uses up.
    #[serde(rename = "limited")]
    Limited {
        /// Where its program is.
        program: Box<ProviderSource>,
        /// How much it may use up.
        limits: ProviderLimits,
    },
}

/// `permissions = { allow = [...], deny = [...] }`, in the words of denobridge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ProviderPermissions {
    /// What it may do.
    #[serde(default)]
    pub allow: Vec<String>,
    /// What it may not do, even if it is allowed.
    #[serde(default)]
    pub deny: Vec<String>,
}

impl From<PermissionWords> for ProviderPermissions {
    fn from(PermissionWords { allow, deny }: PermissionWords) -> ProviderPermissions {
        ProviderPermissions { allow, deny }
    }
}

/// `limits = { memory = "512MiB", processes = 32 }`
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct ProviderLimits {
    /// Bytes of memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// Processes and threads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<u32>,
}

impl From<Limits> for ProviderLimits {
    fn from(Limits { memory, processes }: Limits) -> ProviderLimits {
        ProviderLimits { memory, processes }
    }
}

impl ProviderSource {
    /// The path of its program, if that is not one that Tenon has.
    pub fn path(&self) -> Option<&Path> {
        match self.program() {
            ProviderSource::Program(path) => Some(path),
            _ => None,
        }
    }

    /// Where its program is, whatever it may do.
    pub fn program(&self) -> &ProviderSource {
        match self {
            ProviderSource::Confined { program, .. } | ProviderSource::Limited { program, .. } => {
                program.program()
            }
            source => source,
        }
    }

    /// What it may do, if that is restricted.
    pub(crate) fn permissions(&self) -> Option<&ProviderPermissions> {
        match self {
            ProviderSource::Confined { permissions, .. } => Some(permissions),
            ProviderSource::Limited { program, .. } => program.permissions(),
            ProviderSource::Builtin(_) | ProviderSource::Program(_) => None,
        }
    }
}

/// `provider "name" { ... }`
#[derive(Clone, Debug)]
pub struct ProviderBlock {
    /// Which of the required providers.
    pub name: Name,
    /// What distinguishes it from others of the same provider.
    pub alias: Option<String>,
    /// What it is configured with.
    pub config: Vec<Attribute>,
    /// Its first line.
    pub place: Place,
}

/// `variable "name" { ... }`
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its label.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// The defaults of optional attributes in the type.
    pub type_defaults: Defaults,
    /// Its value if none is given.
    pub default: Option<Value>,
    /// What it is for.
    pub description: Option<String>,
    /// It is a secret.
    pub is_sensitive: bool,
}

/// `component "type" "name" { source = ..., inputs = { ... } }`
#[derive(Clone, Debug)]
pub struct ComponentUse {
    /// The first label: what the component calls itself.
    pub kind: Name,
    /// The second label.
    pub name: Name,
    /// The component in that file.
    pub component: Arc<Component>,
    /// What its variables are.
    pub inputs: Vec<(Name, Expression)>,
    /// Whether there are several of it.
    pub repeat: Option<Repeat>,
    /// What must be done before it.
    pub depends_on: Vec<Expression>,
    /// Its first line.
    pub place: Place,
}

/// A component file.
#[derive(Debug)]
pub struct Component {
    /// What it calls itself.
    pub name: Name,
    /// The file.
    pub file: PathBuf,
    /// Its content.
    pub module: Module,
}

/// `action "type" "name" { ... }`
#[derive(Clone, Debug)]
pub struct Action {
    /// The first label: what a provider calls it.
    pub kind: Name,
    /// The second label.
    pub name: Name,
    /// The provider that runs it, if one is chosen.
    pub provider: Option<ProviderChoice>,
    /// What the provider is given.
    pub attributes: Vec<Attribute>,
    /// Whether there are several of it.
    pub repeat: Option<Repeat>,
    /// What must be done before it.
    pub depends_on: Vec<Expression>,
    /// How long it may take.
    pub timeout: Option<Expression>,
    /// What happens if it fails.
    pub retry: Option<Retry>,
    /// Whether running it again changes nothing more.
    pub idempotent: Option<Expression>,
    /// What undoes it: attributes of the same action.
    pub teardown: Option<Vec<Attribute>>,
    /// Its first line.
    pub place: Place,
}

/// `provider = name` or `provider = name.alias`
#[derive(Clone, Debug)]
pub struct ProviderChoice {
    /// Which of the required providers.
    pub name: String,
    /// Which of its declarations.
    pub alias: Option<String>,
    /// Where it is chosen.
    pub place: Place,
}

/// What repeats a block.
#[derive(Clone, Debug)]
pub enum Repeat {
    /// `for_each = ...`: one for each element, known by its key.
    ForEach(Expression),
    /// `count = ...`: a number of instances, numbered from 0.
    Count(Expression),
}

/// `retry { ... }`
#[derive(Clone, Debug)]
pub struct Retry {
    /// How often it is tried in all.
    pub attempts: Expression,
    /// How long to wait before the second time.
    pub delay: Option<Expression>,
    /// How much longer to wait each time.
    pub backoff: Option<Expression>,
    /// How long to wait at most.
    pub max_delay: Option<Expression>,
    /// Only for errors with these codes.
    pub on: Option<Expression>,
}

/// `output "name" { value = ... }`
#[derive(Clone, Debug)]
pub struct Output {
    /// Its label.
    pub name: Name,
    /// What it is.
    pub value: Expression,
    /// What it is for.
    pub description: Option<String>,
    /// It is a secret.
    pub is_sensitive: bool,
    /// Its asserts.
    pub asserts: Vec<Assert>,
}

/// `assert { condition = ..., message = ... }`
#[derive(Clone, Debug)]
pub struct Assert {
    /// What must be true; `self.value` is the output.
    pub condition: Expression,
    /// The message if it is not.
    pub message: Option<Expression>,
    /// Its first line.
    pub place: Place,
}

impl Variable {
    /// A value as one of the variable's type, with the defaults of optional attributes.
    ///
    /// # Errors
    /// It does not fit the type.
    pub(crate) fn fit(&self, value: &Value) -> Result<Value, tenon_values::Error> {
        convert::convert(&self.type_defaults.apply(value), &self.ty)
    }

    /// The value that an earlier run had, as far as its record has it: secrets are unknown, and marked.
    ///
    /// # Errors
    /// It no longer fits the type.
    pub(crate) fn recorded(&self, masked: &Masked) -> Result<Value, tenon_values::Error> {
        self.fit(&masked.filled(|_| None)?)
    }
}

impl Scenario {
    /// Its label.
    pub fn name(&self) -> &str {
        self.name.text()
    }
}
