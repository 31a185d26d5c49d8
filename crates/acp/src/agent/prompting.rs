//! `session/prompt`: a turn, in a task of its own.

use std::sync::Arc;

use tenon_protocols::acp::{ContentBlock, Profile, PromptParams, PromptResult, StopReason};
use tenon_rpc::RpcError;

use super::handlers::Shared;
use super::session::{Running, Session};
use super::{Agent, AgentError, Turn};

impl<A: Agent> Shared<A> {
    /// Nothing may wait before the turn has begun: an event that cancels it may be the next message.
    pub(super) async fn prompt(
        self: Arc<Self>,
        params: PromptParams,
    ) -> Result<PromptResult, RpcError> {
        let session = self.session(&params.session_id)?;
        let running = session.begin_turn()?;
        // If the client cancels the request instead of the turn, this is dropped.
        let dropped = running.cancelled.clone().drop_guard();
        // Whoever drops this, the turn ends in order.
        let turn = tokio::spawn(self.turn(session, running, params.prompt));
        let outcome = match turn.await {
            Ok(outcome) => outcome,
            Err(error) => Err(AgentError::from(error).into_answer(Profile::V1)),
        };
        dropped.disarm();
        outcome
    }

    /// A turn, up to its end.
    async fn turn(
        self: Arc<Self>,
        session: Session,
        running: Running,
        prompt: Vec<ContentBlock>,
    ) -> Result<PromptResult, RpcError> {
        let work = self.clone().work(session.clone(), running.clone(), prompt);
        let outcome = match tokio::spawn(work).await {
            Ok(outcome) => outcome,
            // A panic, whose text went to stderr.
            Err(error) => Err(error.into()),
        };
        // Everything is sent and stored before the answer, also after a panic.
        let settled = session.settle().await;
        session.end_turn();
        let stop_reason = match outcome {
            _ if running.cancelled.is_cancelled() => StopReason::Cancelled,
            Err(AgentError::Cancelled) => StopReason::Cancelled,
            outcome => self.answered(outcome.and_then(|reason| settled.map(|()| reason)))?,
        };
        Ok(PromptResult::new(stop_reason))
    }

    async fn work(
        self: Arc<Self>,
        session: Session,
        running: Running,
        prompt: Vec<ContentBlock>,
    ) -> Result<StopReason, AgentError> {
        let work = async {
            session.hear(&prompt).await?;
            let turn = Turn::new(session.clone(), running.cancelled.clone());
            self.agent.prompt(turn, prompt).await
        };
        let too_late = async {
            running.cancelled.cancelled().await;
            tokio::time::sleep(self.settings.grace).await;
        };
        tokio::select! {
            outcome = work => outcome,
            () = too_late => {
                tracing::warn!(session = session.id(), "a cancelled turn did not end and was stopped");
                Err(AgentError::Cancelled)
            }
        }
    }
}
