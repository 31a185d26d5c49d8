//! `$/progress`: the progress of a long call.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tenon_rpc::{CallError, events};

use crate::session::Session;

events! {
    /// The progress of the work with a token.
    pub Progress = "$/progress" (ProgressParams);
}

/// Params of [`Progress`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProgressParams {
    /// The token of the work.
    pub token: Token,
    /// The progress, in any form that caller and handler have agreed on.
    pub value: Value,
}

/// Names the work. The caller chooses it, and sends it in the params of the call.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Token {
    /// A number.
    Number(i64),
    /// A text.
    Text(String),
}

impl Session {
    /// Reports the progress of the work with this token to the client, before the call is answered.
    ///
    /// # Errors
    /// The connection has ended.
    pub async fn progress(&self, token: Token, value: Value) -> Result<(), CallError> {
        self.notify(Progress, ProgressParams { token, value }).await
    }
}
