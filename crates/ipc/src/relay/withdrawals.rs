//! How calls are cancelled. A relay renumbers ids, also those in cancellations; a cancellation of
//! another client's call is dropped.

use tenon_rpc::{
    Event,
    options::{Cancel, Withdrawal},
};

/// The cancellations of JSON-RPC protocols. In MCP a cancelled call has no answer.
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

/// What client libraries send when a call is dropped, whatever the protocol of the plugin.
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
