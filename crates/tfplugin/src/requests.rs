//! What a provider is asked, and what it answers.

mod ephemeral;
mod resource;

use tenon_values::Value;

use crate::diagnostic::Diagnostics;

pub use ephemeral::*;
pub use resource::*;

/// What the Terraform that calls can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientCapabilities {
    /// A response may be [`Deferred`].
    pub allows_deferral: bool,
    /// It never stores write-only attributes. Older ones would.
    pub allows_write_only: bool,
}

/// Why a change or a read waits for a later run. Only where
/// [`allows_deferral`](ClientCapabilities::allows_deferral) is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deferred {
    /// The configuration of the resource is not known yet.
    ResourceConfigUnknown,
    /// The configuration of the provider is not known yet.
    ProviderConfigUnknown,
    /// Something that it needs does not exist yet.
    AbsentPrerequisite,
}

/// The configuration of the provider.
#[derive(Clone, Debug)]
pub struct ConfigureRequest {
    /// The configuration. Parts of it may be unknown.
    pub config: Value,
    /// The version of the Terraform or OpenTofu that calls.
    pub terraform_version: String,
    /// What it can do.
    pub client: ClientCapabilities,
}

/// A block of a configuration, to validate, plan or invoke.
#[derive(Clone, Debug)]
pub struct ConfigRequest {
    /// The type of the block.
    pub type_name: String,
    /// What it says.
    pub config: Value,
    /// What the Terraform that calls can do.
    pub client: ClientCapabilities,
}

/// A data source to read.
#[derive(Clone, Debug)]
pub struct ReadDataRequest {
    /// The type of the data source.
    pub type_name: String,
    /// What the user wrote.
    pub config: Value,
    /// What the Terraform that calls can do.
    pub client: ClientCapabilities,
}

/// What a data source has.
#[derive(Clone, Debug)]
pub struct ReadDataResponse {
    /// The configuration with what is computed. Not sent if there is an error.
    pub state: Value,
    /// Why it cannot be read yet.
    pub deferred: Option<Deferred>,
    /// Warnings and errors.
    pub diagnostics: Diagnostics,
}

impl ReadDataResponse {
    /// This state.
    pub fn new(state: Value) -> ReadDataResponse {
        ReadDataResponse {
            state,
            deferred: None,
            diagnostics: Diagnostics::new(),
        }
    }
}

/// Why a function has no result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionError {
    /// What is wrong. Terraform puts a full stop behind it.
    pub text: String,
    /// The argument that is wrong, counted from 0.
    pub argument: Option<usize>,
}

/// An error about no argument in particular.
impl<T: Into<String>> From<T> for FunctionError {
    fn from(text: T) -> FunctionError {
        FunctionError {
            text: text.into(),
            argument: None,
        }
    }
}

/// An action that can be invoked, or cannot yet.
#[derive(Clone, Debug, Default)]
pub struct PlanActionResponse {
    /// Why it has to wait.
    pub deferred: Option<Deferred>,
    /// Warnings and errors.
    pub diagnostics: Diagnostics,
}
