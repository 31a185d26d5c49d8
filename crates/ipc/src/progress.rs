//! `$/progress`: how far a long call has come.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tenon_rpc::{CallError, events};

use crate::session::Session;

events! {
    /// How far the work with a token has come.
    pub Progress = "$/progress" (ProgressParams);
}

/// Params of [`Progress`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgressParams {
    /// Whose progress it is.
    pub token: Token,
    /// How far it has come: whatever caller and handler have agreed on.
    pub value: Value,
}

/// What the caller called the work: it comes in the params of the call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Token {
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
}

impl Session {
    /// Tells the client how far the work with this token has come, before the call is answered.
    ///
    /// # Errors
    /// The connection has ended.
    pub async fn progress(&self, token: Token, value: Value) -> Result<(), CallError> {
        self.notify(Progress, ProgressParams { token, value }).await
    }
}
