//! Forwarded calls. Each has a different id on each side.

use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasherDefault;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::CallError;
use crate::ids::Ids;
use crate::message::{Event, Id};
use crate::payload::{Format, Payload};
use crate::peer::Peer;
use crate::router::Call;
use crate::spread::Spread;

/// The unanswered calls of one connection that have been forwarded, by the ids that the caller chose. A
/// [`Forward`](super::Forward) has one; it is also for programs that forward the calls of one connection
/// to different peers.
#[derive(Clone, Default)]
pub struct Passed(Arc<Mutex<Table>>);

#[derive(Default)]
struct Table {
    calls: HashMap<u64, Known, BuildHasherDefault<Spread>>,
    ids: Ids<u64>,
    last: u64,
}

struct Known {
    id: Id,
    /// The peer that handles it, and its id there, once it has been sent.
    sent: Option<(Peer, Id)>,
}

/// A call in the table, until this is dropped.
pub(super) struct Entry {
    passed: Passed,
    number: u64,
}

impl Entry {
    pub(super) fn number(&self) -> u64 {
        self.number
    }
}

impl Passed {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn enter(&self, id: Id) -> Entry {
        let mut table = self.table();
        table.last += 1;
        let number = table.last;
        table.ids.insert(id.clone(), number);
        table.calls.insert(number, Known { id, sent: None });
        Entry {
            passed: self.clone(),
            number,
        }
    }

    /// A call has been sent, under this id.
    pub(super) fn sent(&self, number: u64, peer: &Peer, id: Id) {
        if let Some(call) = self.table().calls.get_mut(&number) {
            call.sent = Some((peer.clone(), id));
        }
    }

    /// The id of the caller, by the id that a call was sent with.
    pub(super) fn caller_id(&self, sent: &Id) -> Option<Id> {
        let table = self.table();
        let is_it = |call: &&Known| call.sent.as_ref().is_some_and(|(_, id)| id == sent);
        table.calls.values().find(is_it).map(|call| call.id.clone())
    }

    /// Forwards a call to a peer and waits for its outcome, in the peer's format.
    ///
    /// # Errors
    /// Those of [`Peer::call_raw`].
    pub async fn call(&self, call: Call, peer: &Peer) -> Result<Payload, CallError> {
        let entry = self.enter(call.id);
        let params = converted(call.params, peer)?;
        let sent = |id| self.sent(entry.number, peer, id);
        peer.ask_noting(call.method, params, sent).await?.await
    }

    /// Forwards an event of `from` if it is one of the [`withdrawals`](crate::Options::withdrawals) of
    /// its connection, to the peer that handles the call. Only the id in it is changed. `false` if it
    /// is another event. A cancellation of an unknown call is dropped.
    pub fn cancel(&self, from: &Peer, event: &Event) -> bool {
        let withdrawals = from.shared.options.withdrawals.iter();
        let mut cancels = withdrawals.map(|withdrawal| withdrawal.cancel);
        let Some(cancel) = cancels.find(|cancel| event.method == cancel.method) else {
            return false;
        };
        let params = event.params.as_ref();
        if let Some(id) = params.and_then(|params| cancel.id(params))
            && let Some((peer, id)) = self.sent_as(&id)
            && let Some(params) = params.and_then(|params| params.to_format(Format::Json).ok())
            && let Some(params) = params.with_member(&[cancel.field], id.to_string().as_bytes())
            && let Ok(params) = params.to_format(peer.format())
        {
            let method = event.method.clone();
            let params = Some(params);
            peer.withdraw(&id, Event { method, params });
        }
        true
    }

    /// The peer that handles a call, and the id of the call there. Of several calls with the same id
    /// it is the oldest.
    fn sent_as(&self, id: &Id) -> Option<(Peer, Id)> {
        let table = self.table();
        let number = table.ids.oldest(id)?;
        table.calls.get(&number)?.sent.clone()
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let mut table = self.passed.table();
        if let Some(call) = table.calls.remove(&self.number) {
            table.ids.remove(&call.id, self.number);
        }
    }
}

impl fmt::Debug for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Passed({})", self.table().calls.len())
    }
}

/// Params in the format of the peer that they are forwarded to.
pub(super) fn converted(
    params: Option<Payload>,
    peer: &Peer,
) -> Result<Option<Payload>, CallError> {
    let convert = |params: Payload| params.to_format_with(peer.format(), peer.ext_names());
    params
        .map(convert)
        .transpose()
        .map_err(CallError::Unsendable)
}
