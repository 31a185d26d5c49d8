//! An agent that several connections share.

use std::sync::Arc;

use tenon_protocols::acp::{AuthMethod, ContentBlock, InitializeParams, Raw, StopReason};

use super::{About, Agent, AgentError, Change, Opening, Session, Setup, Turn};

impl<A: Agent> Agent for Arc<A> {
    fn about(&self) -> About {
        (**self).about()
    }

    fn prompt(
        &self,
        turn: Turn,
        prompt: Vec<ContentBlock>,
    ) -> impl Future<Output = Result<StopReason, AgentError>> + Send {
        (**self).prompt(turn, prompt)
    }

    fn initialize(
        &self,
        client: &InitializeParams,
    ) -> impl Future<Output = Result<(), AgentError>> + Send {
        (**self).initialize(client)
    }

    fn authenticate(
        &self,
        method: &AuthMethod,
    ) -> impl Future<Output = Result<(), AgentError>> + Send {
        (**self).authenticate(method)
    }

    fn logout(&self) -> impl Future<Output = Result<(), AgentError>> + Send {
        (**self).logout()
    }

    fn open(
        &self,
        session: &Session,
        opening: Opening,
    ) -> impl Future<Output = Result<Setup, AgentError>> + Send {
        (**self).open(session, opening)
    }

    fn change(
        &self,
        session: &Session,
        change: &Change,
    ) -> impl Future<Output = Result<(), AgentError>> + Send {
        (**self).change(session, change)
    }

    fn close(&self, session: &Session) -> impl Future<Output = ()> + Send {
        (**self).close(session)
    }

    fn extension(
        &self,
        method: &str,
        params: Option<Raw>,
    ) -> impl Future<Output = Result<Raw, AgentError>> + Send {
        (**self).extension(method, params)
    }
}
