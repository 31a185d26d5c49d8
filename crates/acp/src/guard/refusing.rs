//! Errors that the guard answers with, and what it drops.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tenon_host::LAST_WORDS;
use tenon_protocols::Protocol;
use tenon_protocols::acp::{Failure, Rate, Side};
use tenon_rpc::forward::reply;
use tenon_rpc::{CallError, CloseReason, Id, Payload, Peer, Reply, RpcError, Text};
use tokio::sync::Mutex;

use super::Note;
use super::state::Shared;
use crate::merge::Bucket;
use crate::record::Source;

/// Errors that are answered immediately. Further errors of the peer are answered with a delay.
const ERRORS: Rate = Rate { per_minute: 600 };

/// More of a line on stderr is not shown.
const SHOWN: usize = 300;

/// What the other side has answered, if it has: every other answer is the guard's own, and is recorded as such.
pub(super) struct Given {
    is_result: Option<bool>,
}

impl Given {
    pub(super) fn of(outcome: Option<&Result<Payload, CallError>>) -> Given {
        let is_result = match outcome {
            Some(Ok(_)) => Some(true),
            Some(Err(CallError::Answered(_))) => Some(false),
            _ => None,
        };
        Given { is_result }
    }

    /// Whether this answer is the one that was given.
    pub(super) fn is(&self, answer: &Reply) -> bool {
        self.is_result == Some(answer.is_ok())
    }
}

/// When errors may be sent: to each side at its own rate, in the order in which they were caused. No more wait than a
/// connection may have open calls.
#[derive(Debug)]
pub(super) struct Errors {
    client: Mutex<Bucket>,
    agent: Mutex<Bucket>,
}

impl Default for Errors {
    fn default() -> Errors {
        let bucket = || Mutex::new(Bucket::new(ERRORS));
        Errors {
            client: bucket(),
            agent: bucket(),
        }
    }
}

impl Errors {
    /// Waits until an error may be sent to a side.
    async fn wait(&self, to: Side, now: impl Fn() -> Duration) {
        // Whoever waits holds the bucket, and the lock is given to the others in their order.
        let mut bucket = match to {
            Side::Client => self.client.lock().await,
            Side::Agent => self.agent.lock().await,
        };
        loop {
            let now = now();
            if bucket.take(now) {
                return;
            }
            tokio::time::sleep(bucket.next_at().saturating_sub(now)).await;
        }
    }
}

/// An id as it is written in a message.
pub(super) fn json_id(id: &Id) -> Option<Box<RawValue>> {
    let text = match id {
        Id::Text(text) => json!(&**text).to_string(),
        id => id.to_string(),
    };
    RawValue::from_string(text).ok()
}

impl Shared {
    /// The answer to a call that is refused. Whoever causes many of them waits.
    pub(super) async fn refuse(
        &self,
        from: Side,
        (id, method): (&Id, &Text),
        error: RpcError,
    ) -> Reply {
        // What is denied was counted as such.
        if error.code.number() != Failure::PermissionDenied.code() {
            self.state().summary.refused += 1;
        }
        self.note(&Note::Refused {
            from: from.into(),
            method: method.to_string(),
            code: error.code.number(),
            message: self.explained(&error),
        });
        self.send_error(from, id, error).await
    }

    /// The answer to something that is not a message. Its id is null if none could be read.
    pub(super) async fn unreadable(
        self: Arc<Shared>,
        from: Side,
        id: Id,
        error: RpcError,
    ) -> Reply {
        self.state().summary.refused += 1;
        self.note(&Note::Unreadable {
            from: from.into(),
            code: error.code.number(),
            message: self.explained(&error),
        });
        self.send_error(from, &id, error).await
    }

    /// A message is longer than a line may be. A call is answered with an error, and so is the caller if it is an answer;
    /// events are not answered.
    pub(super) fn oversized(&self, from: Side) {
        self.state().summary.oversized += 1;
        let limit = Protocol::Acp.host_options().limits.frame;
        self.note(&Note::Oversized {
            from: from.into(),
            limit,
        });
    }

    /// Something that an agent has printed, and that is not a message.
    pub(super) fn stray(&self, from: Side, line: &[u8]) {
        self.state().summary.skipped += 1;
        let line = String::from_utf8_lossy(line);
        let line: String = line.trim().chars().take(SHOWN).collect();
        let text = self.masks.secrets().hide(&line);
        let from = from.into();
        self.note(&Note::Stray { from, text });
    }

    /// Records an error, and waits until it may be sent.
    pub(super) async fn send_error(&self, to: Side, id: &Id, error: RpcError) -> Reply {
        let refused = Err(error);
        self.record_answer(to, id, &refused);
        self.errors.wait(to, || self.now()).await;
        refused
    }

    /// Records an answer that the guard gives itself: it comes from neither side.
    pub(super) fn record_answer(&self, to: Side, id: &Id, answer: &Reply) {
        let Some(record) = &self.record else {
            return;
        };
        let id = json_id(id);
        let decoded = |payload: &Payload| payload.decode::<Value>().unwrap_or_default();
        let answer = match answer {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": decoded(result) }),
            Err(error) => {
                let data = error.data.as_ref().map(decoded);
                json!({ "jsonrpc": "2.0", "id": id, "error": {
                    "code": error.code.number(), "message": error.message, "data": data,
                } })
            }
        };
        let mut record = record.lock().unwrap_or_else(PoisonError::into_inner);
        let recorded = record.answer(to.into(), &answer.to_string());
        drop(record);
        self.check_record(recorded);
    }

    /// The text of an error, with its details.
    pub(super) fn explained(&self, error: &RpcError) -> String {
        let data = error.data.as_ref().and_then(|data| data.decode().ok());
        let data: Value = data.unwrap_or_default();
        match data["details"].as_str().or(data.as_str()) {
            Some(details) => format!("{}: {details}", error.message),
            None => error.message.clone(),
        }
    }

    /// Notes an event that is not forwarded.
    pub(super) fn drop_event(&self, from: Side, method: &Text, why: &str) {
        self.state().summary.refused += 1;
        tracing::warn!(?method, why, "an event was dropped");
        self.note(&Note::Dropped {
            from: Source::from(from),
            method: method.to_string(),
            why: why.to_owned(),
        });
    }

    /// The answer of one side, for the other. One that cannot be read as an answer is an error of its own.
    pub(super) fn relayed(&self, outcome: Result<Payload, CallError>, caller: &Peer) -> Reply {
        match outcome {
            Err(error @ (CallError::Malformed(_) | CallError::TooLong(_))) => {
                let data = json!({ "reason": "invalid_answer", "details": error.to_string() });
                Err(Failure::Internal.error(self.profile, data))
            }
            outcome => reply(outcome, caller),
        }
    }

    /// The error for a call that the agent will never answer. It says how the agent ended.
    pub(super) async fn agent_lost(&self, reason: &CloseReason) -> RpcError {
        let details = match &self.exit {
            // The guard ends an agent that cannot be understood, so how it ends says nothing.
            _ if matches!(reason, CloseReason::BrokenStream(_)) => {
                let reason = self.masks.secrets().hide(&reason.to_string());
                format!(
                    "the agent broke the protocol: {}",
                    tenon_text::line(&reason)
                )
            }
            // If the guard itself ends the connection, the agent may be running.
            Some(exit) if exit.status().is_some() || !matches!(reason, CloseReason::ClosedHere) => {
                let (status, line) = exit.last_words(LAST_WORDS).await;
                let mut details = match status {
                    Some(status) => format!("the agent ended with {status}"),
                    None => "the agent closed its output".to_owned(),
                };
                if let Some(line) = line {
                    let line = self.masks.secrets().hide(&line);
                    let line: String = line.trim().chars().take(SHOWN).collect();
                    details += &format!("; its last line on stderr: {}", tenon_text::line(&line));
                }
                details
            }
            _ => match reason {
                CloseReason::ClosedHere => "the guard is ending".to_owned(),
                _ => "the agent closed its output".to_owned(),
            },
        };
        Failure::ConnectionLost.error(self.profile, json!({ "details": details }))
    }
}
