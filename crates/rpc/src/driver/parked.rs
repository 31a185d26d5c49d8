//! Requests that wait because too many are being handled.

use std::collections::{HashMap, VecDeque};

use crate::message::{Id, Request};
use crate::reply::ReplyTo;

/// The requests that wait, in the order in which they came.
#[derive(Default)]
pub(super) struct Parked {
    requests: VecDeque<(Request, ReplyTo)>,
    bytes: usize,
    /// How many of them have this id, so that most cancellations need not look through all.
    ids: HashMap<Id, usize>,
}

impl Parked {
    pub(super) fn is_empty(&self) -> bool {
        self.requests.is_empty()
    }

    /// What they cost.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn push(&mut self, request: Request, reply_to: ReplyTo) {
        self.bytes += size(&request);
        *self.ids.entry(request.id.clone()).or_default() += 1;
        self.requests.push_back((request, reply_to));
    }

    /// Takes the one that has waited longest.
    pub(super) fn pop(&mut self) -> Option<(Request, ReplyTo)> {
        self.take(0)
    }

    /// Takes the oldest one with this id away, and tells where its answer goes.
    pub(super) fn cancel(&mut self, id: &Id) -> Option<ReplyTo> {
        self.ids.get(id)?;
        let index = self
            .requests
            .iter()
            .position(|(request, _)| request.id == *id)?;
        self.take(index).map(|(_, reply_to)| reply_to)
    }

    fn take(&mut self, index: usize) -> Option<(Request, ReplyTo)> {
        let (request, reply_to) = self.requests.remove(index)?;
        self.bytes -= size(&request);
        if let Some(count) = self.ids.get_mut(&request.id) {
            *count -= 1;
            if *count == 0 {
                self.ids.remove(&request.id);
            }
        }
        Some((request, reply_to))
    }
}

/// What a waiting request costs.
fn size(request: &Request) -> usize {
    /// Besides what the peer chose the length of.
    const OVERHEAD: usize = 128;
    let params = request
        .params
        .as_ref()
        .map_or(0, |params| params.bytes().len());
    OVERHEAD + request.id.size() + request.method.len() + params
}
