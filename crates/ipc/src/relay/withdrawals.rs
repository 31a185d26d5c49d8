//! Calls that are taken back. Ids are renumbered on their way through a relay, so the id in a
//! cancellation is too, and one for a call that is not the sender's goes nowhere.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tenon_rpc::{Cancel, Event, Id, Payload, Peer, Withdrawal};

/// The cancellations of JSON-RPC protocols. In MCP a call that was taken back has no answer.
pub(super) const KNOWN: &[Withdrawal] = &[
    // LSP, and ipc's own.
    Withdrawal {
        cancel: GENERIC,
        is_answered: true,
    },
    // ACP.
    Withdrawal {
        cancel: Cancel {
            method: "$/cancel_request",
            field: "requestId",
        },
        is_answered: true,
    },
    // MCP.
    Withdrawal {
        cancel: Cancel {
            method: "notifications/cancelled",
            field: "requestId",
        },
        is_answered: false,
    },
];

/// What clients send by themselves when they give up, whoever they talk to.
pub(super) const GENERIC: Cancel = Cancel {
    method: "$/cancelRequest",
    field: "id",
};

/// The cancellation that an event is, if it is one.
pub(super) fn cancel_of(event: &Event) -> Option<Cancel> {
    let known = KNOWN.iter().map(|known| known.cancel);
    known
        .into_iter()
        .find(|cancel| event.method == cancel.method)
}

/// Passes a cancellation on to whoever works on the call, under the id that they know it by.
/// Everything else in it stays as it is.
pub(super) fn pass_on(cancel: Cancel, event: &Event, to: &Peer, id: &Id) {
    let Id::Number(number) = id else {
        return;
    };
    let params = event.params.as_ref();
    let params = params
        .and_then(|params| params.with_member(&[cancel.field], number.to_string().as_bytes()));
    let params = params.and_then(|params: Payload| params.to_format(to.format()).ok());
    if params.is_some() {
        let method = event.method.clone();
        to.withdraw(id, Event { method, params });
    }
}

/// What the plugin has asked clients and not been told yet, by the plugin's own ids.
#[derive(Debug, Default)]
pub(super) struct Questions(Mutex<HashMap<Id, (Peer, Id)>>);

/// A question that waits for its answer, until this is dropped.
pub(super) struct Asked<'a> {
    questions: &'a Questions,
    id: Id,
}

impl Questions {
    /// A client has been asked, under an id of its connection.
    pub(super) fn enter(&self, id: Id, client: &Peer, asked: Id) -> Asked<'_> {
        let mut questions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        questions.insert(id.clone(), (client.clone(), asked));
        Asked {
            questions: self,
            id,
        }
    }

    /// What a client knows a question of the plugin's by.
    pub(super) fn known_as(&self, id: &Id) -> Option<(Peer, Id)> {
        let questions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        questions.get(id).cloned()
    }
}

impl Drop for Asked<'_> {
    fn drop(&mut self) {
        let questions = &self.questions.0;
        let mut questions = questions.lock().unwrap_or_else(PoisonError::into_inner);
        questions.remove(&self.id);
    }
}
