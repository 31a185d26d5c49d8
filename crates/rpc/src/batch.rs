//! Several calls in one frame.

use crate::asked::Asked;
use crate::error::CallError;
use crate::message::{Event, Message, Request, Text};
use crate::outbox::Ended;
use crate::payload::{Payload, PayloadError};
use crate::peer::Peer;

/// One part of a batch.
#[derive(Clone, Debug, PartialEq)]
pub enum BatchItem {
    /// A call by name, with params that are already encoded.
    Call(Text, Option<Payload>),
    /// An event by name, with params that are already encoded.
    Event(Text, Option<Payload>),
}

impl Peer {
    /// Sends all items in one frame and waits for the answers, which are returned in the order of
    /// the calls. Dropping the future gives up on all of them.
    ///
    /// # Errors
    /// Nothing was sent: see [`ask_batch`](Peer::ask_batch).
    pub async fn call_batch(
        &self,
        items: Vec<BatchItem>,
    ) -> Result<Vec<Result<Payload, CallError>>, CallError> {
        let waiting = self.ask_batch(items).await?;
        let mut outcomes = Vec::with_capacity(waiting.len());
        for call in waiting {
            outcomes.push(call.await);
        }
        Ok(outcomes)
    }

    /// Sends all items in one frame and returns the calls, in order. Each can be awaited or dropped
    /// separately. Waits for room in the queue.
    ///
    /// # Errors
    /// Nothing was sent: the dialect has no batches, the batch is empty, it has more calls than
    /// [`Limits::batch`](crate::options::Limits::batch), the connection has ended, or too many calls wait
    /// already.
    pub async fn ask_batch(&self, items: Vec<BatchItem>) -> Result<Vec<Asked>, CallError> {
        if items.is_empty() {
            let error = PayloadError::new("a batch must have at least one message");
            return Err(CallError::Unsendable(error));
        }
        // The answers may come in one batch too, and a larger one would not be read.
        let most = self.shared.options.limits.batch;
        let is_call = |item: &&BatchItem| matches!(item, BatchItem::Call(..));
        let calls = items.iter().filter(is_call).count();
        if calls > most {
            let problem = format!("a batch may have at most {most} calls, not {calls}");
            return Err(CallError::Unsendable(PayloadError::new(problem)));
        }
        let outbox = &self.shared.outbox;
        let size = items.iter().map(BatchItem::size).sum();
        let room = outbox.reserve(size).await;
        let room = room.map_err(|Ended| self.closed_error())?;
        let mut waiting = Vec::new();
        let mut messages = Vec::with_capacity(items.len());
        for item in items {
            messages.push(match item {
                BatchItem::Event(method, params) => Message::Event(Event { method, params }),
                BatchItem::Call(method, params) => {
                    let asked = match self.open(&method) {
                        Ok(asked) => asked,
                        Err(error) => {
                            outbox.release(room);
                            waiting.into_iter().for_each(|call| self.never_sent(call));
                            return Err(error);
                        }
                    };
                    let id = asked.id();
                    waiting.push(asked);
                    Message::Request(Request { id, method, params })
                }
            });
        }
        if let (Some(first), Some(last)) = (waiting.first(), waiting.last()) {
            self.shared.pending().join(first.number..=last.number);
        }
        if let Err(error) = outbox.push_calls(room, &messages) {
            waiting.into_iter().for_each(|call| self.never_sent(call));
            return Err(self.queue_error(error));
        }
        Ok(waiting)
    }
}

impl BatchItem {
    fn size(&self) -> usize {
        let (BatchItem::Call(method, params) | BatchItem::Event(method, params)) = self;
        method.len() + params.as_ref().map_or(0, |params| params.bytes().len())
    }
}
