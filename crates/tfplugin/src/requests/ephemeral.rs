//! Ephemeral resources.

use tenon_values::Value;

use super::{ClientCapabilities, Deferred};
use crate::diagnostic::Diagnostics;

/// An ephemeral resource to open.
#[derive(Clone, Debug)]
pub struct OpenRequest {
    /// The type of the resource.
    pub type_name: String,
    /// What the user wrote.
    pub config: Value,
    /// What the Terraform that calls can do.
    pub client: ClientCapabilities,
}

/// An ephemeral resource that was opened.
#[derive(Clone, Debug)]
pub struct OpenResponse {
    /// The configuration with what is computed.
    pub result: Value,
    /// When to renew it, in seconds since 1970.
    pub renew_at: Option<i64>,
    /// What renewing and closing are given.
    pub private: Vec<u8>,
    /// Why it cannot be opened yet.
    pub deferred: Option<Deferred>,
    /// Warnings and errors.
    pub diagnostics: Diagnostics,
}

impl OpenResponse {
    /// This result, which needs no renewal.
    pub fn new(result: Value) -> OpenResponse {
        OpenResponse {
            result,
            renew_at: None,
            private: Vec::new(),
            deferred: None,
            diagnostics: Diagnostics::new(),
        }
    }
}

/// An ephemeral resource to renew.
#[derive(Clone, Debug)]
pub struct RenewRequest {
    /// The type of the resource.
    pub type_name: String,
    /// What opening it, or the last renewal, returned.
    pub private: Vec<u8>,
}

/// An ephemeral resource that was renewed.
#[derive(Clone, Debug, Default)]
pub struct RenewResponse {
    /// When to renew it again, in seconds since 1970.
    pub renew_at: Option<i64>,
    /// What the next renewal is given; `None` keeps what there is.
    pub private: Option<Vec<u8>>,
    /// Warnings and errors.
    pub diagnostics: Diagnostics,
}

/// An ephemeral resource to close.
#[derive(Clone, Debug)]
pub struct CloseRequest {
    /// The type of the resource.
    pub type_name: String,
    /// What opening it returned. Terraform does not pass on what a renewal returned.
    pub private: Vec<u8>,
}
