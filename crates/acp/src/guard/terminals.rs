//! Terminals that the client is asked for: no more than a session may have.

use std::sync::Arc;

use serde_json::json;
use tenon_protocols::acp::Failure;
use tenon_rpc::RpcError;

use super::state::Shared;
use crate::turns::TERMINALS;

/// A place for a terminal that the client has not created yet. Calls that are made at the same time count too: a terminal
/// that the guard does not know could be neither used nor released.
#[derive(Debug)]
pub(super) struct Place {
    shared: Arc<Shared>,
    session: String,
}

impl Place {
    /// Takes a place if a call creates a terminal.
    ///
    /// # Errors
    /// The session has as many as it may have.
    pub(super) fn take(
        shared: &Arc<Shared>,
        session: &str,
        method: &str,
    ) -> Result<Option<Place>, RpcError> {
        if method != "terminal/create" {
            return Ok(None);
        }
        let mut state = shared.state();
        let Some(known) = state.turns.session(session) else {
            return Ok(None);
        };
        if !known.begin_terminal() {
            drop(state);
            return Err(shared.too_many_terminals(session));
        }
        drop(state);
        Ok(Some(Place {
            shared: shared.clone(),
            session: session.to_owned(),
        }))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(session) = self.shared.state().turns.session(&self.session) {
            session.end_begun_terminal();
        }
    }
}

impl Shared {
    pub(super) fn too_many_terminals(&self, session: &str) -> RpcError {
        let details = format!("the session has {TERMINALS} terminals; release one first");
        let data = json!({ "sessionId": session, "limit": TERMINALS, "details": details });
        Failure::InvalidRequest.error(self.profile, data)
    }
}
