//! The connection that a client and its sessions share.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tenon_protocols::acp::{
    AgentCapabilities, AuthMethod, Failure, InitializeResult, Profile, SessionCapabilities, method,
};
use tenon_rpc::{CallError, CloseReason, Connection, Format, Method, Payload, Peer};

use super::attendant::Attendant;
use super::error::ClientError;
use super::state::Shared;
use crate::sizes;

/// How long an agent may take for a call that is not a turn.
const CALL: Duration = Duration::from_secs(60);

/// What a client and its sessions share.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) peer: Peer,
    pub(super) shared: Arc<Shared>,
    pub(super) agent: InitializeResult,
    pub(super) link: Link,
}

/// What keeps the connection.
#[derive(Debug)]
pub(super) enum Link {
    Process(Attendant),
    Connection(Mutex<Option<Connection>>),
}

/// Checks the size of params before they are sent: the text of an agent's refusal may say less.
pub(super) fn check_size(name: &'static str, params: &Payload) -> Result<(), ClientError> {
    let Some(entry) = method(name) else {
        return Ok(());
    };
    let checked = sizes::check_params(entry, Some(params), Profile::V1);
    checked.map_err(|too_large| ClientError::TooLarge {
        method: name,
        is_media: too_large.is_media,
        size: too_large.size,
        limit: too_large.limit,
    })
}

impl Core {
    pub(super) fn capabilities(&self) -> Option<&AgentCapabilities> {
        self.agent.agent_capabilities.as_ref()
    }

    /// Whether the agent has a further method of sessions.
    pub(super) fn can(&self, is_stated: impl FnOnce(&SessionCapabilities) -> bool) -> bool {
        let all = self
            .capabilities()
            .and_then(|all| all.session_capabilities.as_ref());
        all.is_some_and(is_stated)
    }

    pub(super) async fn call<M: Method>(
        &self,
        method: M,
        params: M::Params,
    ) -> Result<M::Result, ClientError> {
        if let Ok(encoded) = Payload::encode(Format::Json, &params) {
            check_size(M::NAME, &encoded)?;
        }
        let answer = self.peer.call_within(CALL, method, params).await;
        self.explained(M::NAME, answer).await
    }

    pub(super) async fn call_raw<P: serde::Serialize>(
        &self,
        method: &'static str,
        params: &P,
    ) -> Result<Payload, ClientError> {
        let params = Payload::encode(Format::Json, params)
            .map_err(|error| ClientError::call(method, CallError::Unsendable(error)))?;
        let answer = self.peer.call_raw(method, Some(params));
        let answer = tenon_rpc::calls::within(Some(CALL), answer).await;
        self.explained(method, answer).await
    }

    /// Says more about a failed call: how the agent ended, and what it printed.
    pub(super) async fn explained<T>(
        &self,
        method: &'static str,
        answer: Result<T, CallError>,
    ) -> Result<T, ClientError> {
        match answer {
            Ok(answer) => Ok(answer),
            Err(error @ CallError::Answered(_)) => Err(match self.lost(&error).await {
                Some(lost) => lost,
                None => ClientError::answered(method, error, self.auth_methods()),
            }),
            Err(error) => Err(match &self.link {
                Link::Process(attendant) => match attendant.explain(error.clone()).await {
                    Some(explained) => ClientError::Agent(Box::new(explained)),
                    None => ClientError::call(method, error),
                },
                Link::Connection(_) => ClientError::call(method, error),
            }),
        }
    }

    /// A proxy answers so when its agent is gone, and then ends: what it says at its end is why.
    async fn lost(&self, error: &CallError) -> Option<ClientError> {
        let (CallError::Answered(answer), Link::Process(attendant)) = (error, &self.link) else {
            return None;
        };
        let has_auth = !self.auth_methods().is_empty();
        if Failure::of(answer, has_auth) != Some(Failure::ConnectionLost) {
            return None;
        }
        let closed = CallError::Closed(CloseReason::PeerClosed);
        let explained = attendant.explain(closed).await?;
        (explained.status.is_some()).then(|| ClientError::Agent(Box::new(explained)))
    }

    pub(super) fn auth_methods(&self) -> &[AuthMethod] {
        self.agent.auth_methods.as_deref().unwrap_or_default()
    }
}
