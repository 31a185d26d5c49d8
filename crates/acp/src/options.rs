//! How connections of this protocol are set up, on either side.

use tenon_protocols::Protocol;
use tenon_rpc::Options;
use tenon_rpc::options::{Limits, Oversized};

/// Events, which the message specification and some programs write with an id that is null.
const EVENTS: [&str; 4] = [
    "session/cancel",
    "session/update",
    "elicitation/complete",
    "$/cancel_request",
];

/// What holds for all connections of this protocol.
pub(crate) fn options() -> Options {
    let options = Protocol::Acp.host_options();
    Options {
        limits: Limits {
            // A line that is too long must not end a session.
            oversized: Oversized::Skip,
            // Version 1 has no batches, and there are agents that a batch ends.
            batch: 0,
            ..options.limits
        },
        events_with_null_id: &EVENTS,
        ..options
    }
}
