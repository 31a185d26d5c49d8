//! Calls that are answered after a stream of updates: turns, and the loading of a session.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use tenon_protocols::acp::{
    Cancel, Prompt, PromptParams, PromptResult, SessionParams, SessionUpdate,
};
use tenon_rpc::{CallError, EventKind, Format, Method, Payload, Peer};
use tokio::time::{Instant, sleep_until};

use super::Core;
use super::connection::check_size;
use super::error::ClientError;
use super::session_state::State;

type Call<T> = Pin<Box<dyn Future<Output = Result<T, CallError>> + Send>>;

/// A call, and the updates of its session until it is answered.
pub(super) struct Following<T> {
    pub(super) core: Arc<Core>,
    pub(super) state: Arc<State>,
    method: &'static str,
    call: Call<T>,
    answer: Option<Result<T, CallError>>,
    /// It was cancelled because nothing happened for this long.
    expired: Option<Duration>,
    has_ended: bool,
}

impl<T: DeserializeOwned + 'static> Following<T> {
    /// Sends the call of a session that has begun to stream.
    pub(super) async fn begin<M: Method<Result = T>>(
        core: Arc<Core>,
        state: Arc<State>,
        _method: M,
        params: &M::Params,
    ) -> Result<Following<T>, ClientError> {
        let encoded = Payload::encode(Format::Json, params);
        if let Ok(params) = &encoded
            && let Err(error) = check_size(M::NAME, params)
        {
            state.end();
            return Err(error);
        }
        let sent = match encoded {
            Ok(params) => core.peer.ask(M::NAME, Some(params)).await,
            Err(error) => Err(CallError::Unsendable(error)),
        };
        let asked = match core.explained(M::NAME, sent).await {
            Ok(asked) => asked,
            Err(error) => {
                state.end();
                return Err(error);
            }
        };
        let call = async {
            asked
                .await?
                .decode_private()
                .map_err(CallError::Undecodable)
        };
        Ok(Following {
            core,
            state,
            method: M::NAME,
            call: Box::pin(call),
            answer: None,
            expired: None,
            has_ended: false,
        })
    }
}

impl<T> Following<T> {
    /// The next update; nothing when the call has been answered and all updates before that have been read.
    pub(super) async fn next(
        &mut self,
        limit: Option<Duration>,
    ) -> Result<Option<SessionUpdate>, ClientError> {
        loop {
            if let Some(update) = self.state.pop() {
                return Ok(Some(update));
            }
            if self.answer.is_some() || self.has_ended {
                return self.end().await.map(|()| None);
            }
            let deadline = self.deadline(limit);
            let expiry = async {
                match deadline {
                    Some((at, _)) => sleep_until(at).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = self.state.changed.notified() => {}
                answer = &mut self.call => self.answer = Some(answer),
                // Something may have happened meanwhile that has moved it.
                () = expiry => match self.deadline(limit).filter(|(at, _)| *at <= Instant::now()) {
                    Some((_, Expiry::Silence(limit))) => {
                        self.expired = Some(limit);
                        cancel(&self.core.peer, &self.state);
                    }
                    Some((_, Expiry::Cancelled(limit))) => {
                        self.finish();
                        return Err(match self.expired {
                            Some(limit) => ClientError::Inactive(limit),
                            None => ClientError::CancelIgnored(limit),
                        });
                    }
                    None => {}
                },
            }
        }
    }

    /// When the agent must have done something.
    fn deadline(&self, limit: Option<Duration>) -> Option<(Instant, Expiry)> {
        let inner = self.state.inner();
        if let Some(cancelled) = inner.cancelled_at {
            let limit = self.core.shared.setup.cancel_limit;
            return Some((cancelled + limit, Expiry::Cancelled(limit)));
        }
        let limit = limit.filter(|_| inner.waiting == 0)?;
        Some((inner.active + limit, Expiry::Silence(limit)))
    }

    async fn end(&mut self) -> Result<(), ClientError> {
        self.finish();
        match (self.expired, &self.answer) {
            (Some(limit), _) => Err(ClientError::Inactive(limit)),
            (None, Some(Err(error))) => {
                let error = Err(error.clone());
                self.core.explained(self.method, error).await
            }
            (None, _) => Ok(()),
        }
    }

    fn finish(&mut self) {
        if !self.has_ended {
            self.has_ended = true;
            self.state.end();
        }
    }

    pub(super) fn result(&self) -> Option<&T> {
        self.answer.as_ref()?.as_ref().ok()
    }

    pub(super) fn take_result(&mut self) -> Option<T> {
        self.answer.take()?.ok()
    }
}

#[derive(Clone, Copy)]
enum Expiry {
    Silence(Duration),
    Cancelled(Duration),
}

impl<T> Drop for Following<T> {
    /// A turn that is no longer read is cancelled: agents do not listen to `$/cancel_request`.
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        if self.answer.is_none() && self.method == Prompt::NAME {
            let params = Payload::encode(Format::Json, &SessionParams::new(self.state.id.clone()));
            let peer = &self.core.peer;
            // The runtime may have ended.
            let _best_effort = peer.try_send_raw(Cancel::NAME, params.ok());
            self.state.withdraw_questions();
        }
        self.finish();
    }
}

impl<T> fmt::Debug for Following<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {:?}", self.method, self.state.id)
    }
}

/// Cancels what runs in a session, and then answers its open questions with `cancelled`. An agent that gets such an
/// answer first takes it for a rejection: opencode ends the turn with `end_turn` then.
pub(super) fn cancel(peer: &Peer, state: &State) {
    state.inner().cancelled_at.get_or_insert_with(Instant::now);
    send_cancel(peer, state);
    state.withdraw_questions();
    state.changed.notify_one();
}

/// An agent that does not read must not keep the one who cancels waiting: the event follows when there is room.
fn send_cancel(peer: &Peer, state: &State) {
    let params = Payload::encode(Format::Json, &SessionParams::new(state.id.clone())).ok();
    match peer.try_send_raw(Cancel::NAME, params.clone()) {
        Ok(true) => {}
        Ok(false) => {
            let peer = peer.clone();
            tokio::spawn(async move { peer.send_raw(Cancel::NAME, params).await });
        }
        Err(error) => tracing::debug!(%error, "a turn could not be cancelled"),
    }
}

/// A turn: a prompt that is being answered. Dropping it before its end cancels it.
#[derive(Debug)]
pub struct Turn {
    follow: Following<PromptResult>,
}

impl Turn {
    pub(super) async fn begin(
        core: Arc<Core>,
        state: Arc<State>,
        params: &PromptParams,
    ) -> Result<Turn, ClientError> {
        let follow = Following::begin(core, state, Prompt, params).await?;
        Ok(Turn { follow })
    }

    /// The next update, in the order in which they were sent; nothing at the end of the turn. The future can be dropped
    /// while it waits without losing an update.
    ///
    /// # Errors
    /// The agent answered with an error, ended, was silent for too long, or did not end a cancelled turn.
    pub async fn next(&mut self) -> Result<Option<SessionUpdate>, ClientError> {
        let limit = self.follow.core.shared.setup.inactivity;
        self.follow.next(limit).await
    }

    /// Why the turn ended, once it has.
    pub fn result(&self) -> Option<&PromptResult> {
        self.follow.result()
    }

    /// Reads the turn to its end, without its updates.
    ///
    /// # Errors
    /// As for [`next`](Turn::next).
    pub async fn finish(mut self) -> Result<Option<PromptResult>, ClientError> {
        while self.next().await?.is_some() {}
        Ok(self.follow.take_result())
    }

    /// Something to cancel the turn with from elsewhere.
    pub fn canceller(&self) -> Canceller {
        Canceller {
            core: self.follow.core.clone(),
            state: self.follow.state.clone(),
        }
    }
}

/// Cancels a turn.
#[derive(Clone, Debug)]
pub struct Canceller {
    core: Arc<Core>,
    state: Arc<State>,
}

impl Canceller {
    /// Asks the agent to end the turn. Its open requests for permission are answered with `cancelled`. The turn goes
    /// on until the agent has answered, which should be with `cancelled`.
    pub fn cancel(&self) {
        if self.state.is_streaming() {
            cancel(&self.core.peer, &self.state);
        }
    }
}
