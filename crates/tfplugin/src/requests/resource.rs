//! Managed resources.

use tenon_values::Value;

use super::{ClientCapabilities, Deferred};
use crate::diagnostic::{AttributePath, Diagnostics};

/// A state of an older version.
#[derive(Clone, Debug)]
pub struct UpgradeRequest {
    /// The type of the resource.
    pub type_name: String,
    /// The version of the schema it was written with.
    pub version: u64,
    /// The state as JSON.
    pub json: Vec<u8>,
}

/// A change to plan.
#[derive(Clone, Debug)]
pub struct PlanRequest {
    /// The type of the resource.
    pub type_name: String,
    /// The resource as it is; null for a create.
    pub prior: Value,
    /// The configuration, and what was there before for what is computed; null for a delete.
    pub proposed: Value,
    /// What the user wrote; null for a delete.
    pub config: Value,
    /// The private data of the resource.
    pub private: Vec<u8>,
    /// The identity of the resource.
    pub identity: Option<Value>,
    /// What the Terraform that calls can do.
    pub client: ClientCapabilities,
}

/// A planned change.
#[derive(Clone, Debug)]
pub struct PlanResponse {
    /// The resource as it will be. What is known after the change only is unknown; write-only
    /// attributes are null.
    pub planned: Value,
    /// The attributes whose change needs a new resource.
    pub requires_replace: Vec<AttributePath>,
    /// Private data for the change; `None` keeps what there is.
    pub private: Option<Vec<u8>>,
    /// The identity; `None` keeps what there is.
    pub identity: Option<Value>,
    /// Why the change has to wait.
    pub deferred: Option<Deferred>,
    /// Warnings and errors.
    pub diagnostics: Diagnostics,
}

impl PlanResponse {
    /// This plan: nothing is replaced, and private data and identity stay as they are.
    pub fn new(planned: Value) -> PlanResponse {
        PlanResponse {
            planned,
            requires_replace: Vec::new(),
            private: None,
            identity: None,
            deferred: None,
            diagnostics: Diagnostics::new(),
        }
    }
}

/// A change to make.
#[derive(Clone, Debug)]
pub struct ApplyRequest {
    /// The type of the resource.
    pub type_name: String,
    /// The resource as it is; null for a create.
    pub prior: Value,
    /// The resource as it was planned; null for a delete.
    pub planned: Value,
    /// What the user wrote; null for a delete.
    pub config: Value,
    /// The private data of the plan.
    pub private: Vec<u8>,
    /// The identity of the plan.
    pub identity: Option<Value>,
}

/// A change that was made, or as much of it as could be made.
#[derive(Clone, Debug)]
pub struct ApplyResponse {
    /// The current state of the resource; null if it no longer exists.
    pub state: Value,
    /// Its private data; `None` keeps what was planned.
    pub private: Option<Vec<u8>>,
    /// Its identity; `None` keeps what was planned.
    pub identity: Option<Value>,
    /// Warnings and errors. With an error, Terraform saves the state and marks a new resource as
    /// tainted.
    pub diagnostics: Diagnostics,
}

impl ApplyResponse {
    /// This state; private data and identity are those of the plan.
    pub fn new(state: Value) -> ApplyResponse {
        ApplyResponse {
            state,
            private: None,
            identity: None,
            diagnostics: Diagnostics::new(),
        }
    }
}

/// A resource to read.
#[derive(Clone, Debug)]
pub struct ReadRequest {
    /// The type of the resource.
    pub type_name: String,
    /// The resource as the state has it.
    pub state: Value,
    /// Its private data.
    pub private: Vec<u8>,
    /// Its identity.
    pub identity: Option<Value>,
    /// What the Terraform that calls can do.
    pub client: ClientCapabilities,
}

/// A resource as it is.
#[derive(Clone, Debug)]
pub struct ReadResponse {
    /// The resource; null if it no longer exists.
    pub state: Value,
    /// Its private data; `None` keeps what there is.
    pub private: Option<Vec<u8>>,
    /// Its identity; `None` keeps what there is.
    pub identity: Option<Value>,
    /// Why it cannot be read yet.
    pub deferred: Option<Deferred>,
    /// Warnings and errors.
    pub diagnostics: Diagnostics,
}

impl ReadResponse {
    /// This state; private data and identity stay as they are.
    pub fn new(state: Value) -> ReadResponse {
        ReadResponse {
            state,
            private: None,
            identity: None,
            deferred: None,
            diagnostics: Diagnostics::new(),
        }
    }
}

/// A resource to import, by a text or by its identity.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// The type of the resource.
    pub type_name: String,
    /// The text; empty if there is an identity.
    pub id: String,
    /// The identity.
    pub identity: Option<Value>,
    /// What the Terraform that calls can do.
    pub client: ClientCapabilities,
}

/// What was found for an import.
#[derive(Clone, Debug, Default)]
pub struct ImportResponse {
    /// The resource, and others that belong to it.
    pub resources: Vec<ImportedResource>,
    /// Warnings and errors.
    pub diagnostics: Diagnostics,
}

/// A resource that was found.
#[derive(Clone, Debug)]
pub struct ImportedResource {
    /// The type of the resource.
    pub type_name: String,
    /// What is known of it.
    pub state: Value,
    /// Its private data.
    pub private: Vec<u8>,
    /// Its identity.
    pub identity: Option<Value>,
}

/// A resource of another type or provider to take over.
#[derive(Clone, Debug)]
pub struct MoveRequest {
    /// The provider it is of: `registry.terraform.io/hashicorp/null`.
    pub source_provider: String,
    /// The type it is of.
    pub source_type: String,
    /// The version of the schema its state was written with.
    pub source_version: i64,
    /// Its state as JSON.
    pub source_json: Vec<u8>,
    /// Its private data.
    pub source_private: Vec<u8>,
    /// The type that it becomes.
    pub type_name: String,
}

/// A resource that was taken over.
#[derive(Clone, Debug)]
pub struct MoveResponse {
    /// Its state.
    pub state: Value,
    /// Its private data.
    pub private: Vec<u8>,
    /// Its identity.
    pub identity: Option<Value>,
    /// Warnings and errors.
    pub diagnostics: Diagnostics,
}
