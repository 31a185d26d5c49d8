//! Where an answer goes: back on its own, or together with the rest of its batch.

use std::sync::{Arc, Mutex, PoisonError};

use crate::error::RpcError;
use crate::message::{Id, Message, Response};
use crate::metrics::{Outcome, Timer};
use crate::outbox::{Ended, Outbox, QueueError, Room};
use crate::payload::Payload;

/// The outcome of a handler: an encoded result, or the error for the caller.
pub type Reply = Result<Payload, RpcError>;

/// Where the answer to one request goes.
#[derive(Debug)]
pub(crate) struct ReplyTo {
    id: Id,
    batch: Option<(Arc<Batch>, usize)>,
    timer: Option<Timer>,
}

/// An answer, or the answers to a whole batch, on the way out.
pub(crate) enum Answer {
    One(Response),
    Batch(Vec<Response>),
}

impl ReplyTo {
    pub(crate) fn new(id: Id, batch: Option<(Arc<Batch>, usize)>) -> ReplyTo {
        let timer = None;
        ReplyTo { id, batch, timer }
    }

    /// Measures how long the answer takes.
    pub(crate) fn timed(self, timer: Option<Timer>) -> ReplyTo {
        ReplyTo { timer, ..self }
    }

    /// The answer is no longer needed; there may still be one.
    pub(crate) fn give_up(&mut self) {
        self.timer = None;
    }

    pub(crate) fn id(&self) -> &Id {
        &self.id
    }

    pub(crate) fn is_in_batch(&self) -> bool {
        self.batch.is_some()
    }

    /// What must be sent now; `None` while other answers of the same batch are missing.
    pub(crate) fn answer(self, result: Reply) -> Option<Answer> {
        if let Some(timer) = self.timer {
            timer.finish(match result {
                Ok(_) => Outcome::Ok,
                Err(_) => Outcome::Error,
            });
        }
        let response = Response {
            id: self.id,
            result: result.map_err(Box::new),
        };
        match self.batch {
            None => Some(Answer::One(response)),
            Some((batch, index)) => batch.complete(index, response).map(Answer::Batch),
        }
    }
}

/// The answers to a batch, until all of them are there.
#[derive(Debug)]
pub(crate) struct Batch(Mutex<Slots>);

#[derive(Debug)]
struct Slots {
    answers: Vec<Option<Response>>,
    missing: usize,
}

impl Batch {
    pub(crate) fn new(size: usize) -> Arc<Batch> {
        Arc::new(Batch(Mutex::new(Slots {
            answers: vec![None; size],
            missing: size,
        })))
    }

    fn complete(&self, index: usize, response: Response) -> Option<Vec<Response>> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = slots.answers.get_mut(index)?;
        if slot.replace(response).is_none() {
            slots.missing -= 1;
        }
        (slots.missing == 0).then(|| {
            std::mem::take(&mut slots.answers)
                .into_iter()
                .flatten()
                .collect()
        })
    }
}

impl Answer {
    /// About how many bytes it takes.
    pub(crate) fn size(&self) -> usize {
        let size = |response: &Response| {
            response.id.size()
                + match &response.result {
                    Ok(payload) => payload.bytes().len(),
                    Err(error) => {
                        let data = error.data.as_ref().map_or(0, |data| data.bytes().len());
                        error.message.len() + data
                    }
                }
        };
        match self {
            Answer::One(response) => size(response),
            Answer::Batch(responses) => responses.iter().map(size).sum(),
        }
    }

    /// Queues the answer. One that cannot be written becomes an error that can, because there
    /// must be an answer.
    pub(crate) fn push(self, outbox: &Outbox, room: Room) -> Result<(), Ended> {
        match self {
            Answer::One(mut response) => {
                let id = response.id.clone();
                outbox.reword(&mut response);
                let pushed = outbox.push(room, &Message::Response(response));
                or_apologise(outbox, pushed, std::iter::once(id))
            }
            Answer::Batch(mut responses) => {
                let ids: Vec<Id> = responses
                    .iter()
                    .map(|response| response.id.clone())
                    .collect();
                for response in &mut responses {
                    outbox.reword(response);
                }
                let pushed = outbox.push_batch(room, responses);
                or_apologise(outbox, pushed, ids.into_iter())
            }
        }
    }
}

fn or_apologise(
    outbox: &Outbox,
    pushed: Result<(), QueueError>,
    ids: impl Iterator<Item = Id>,
) -> Result<(), Ended> {
    let problem = match pushed {
        Ok(()) => return Ok(()),
        Err(QueueError::Ended) => return Err(Ended),
        Err(QueueError::Unsendable(problem)) => problem,
    };
    tracing::error!(%problem, "an answer could not be written");
    let error = RpcError::internal(format!("the answer could not be written: {problem}"));
    for id in ids {
        let mut response = Response {
            id,
            result: Err(Box::new(error.clone())),
        };
        outbox.reword(&mut response);
        // If even this cannot be written, the dialect cannot express the id.
        let _sent = outbox.push(outbox.no_room_needed(), &Message::Response(response));
    }
    Ok(())
}
