//! How many files this process and its plugins may have open.

use std::sync::OnceLock;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What the limit was before it was raised.
static ORIGINAL: OnceLock<Rlimit> = OnceLock::new();

/// See [`raise_descriptor_limit`](crate::raise_descriptor_limit).
pub(crate) fn raise_descriptor_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    // Where there is no limit to raise it to, or it may not be raised, it stays.
    if limit.maximum.is_some()
        && limit.current != limit.maximum
        && setrlimit(Resource::Nofile, raised).is_ok()
    {
        // Only the first one is what this process was started with.
        ORIGINAL.get_or_init(|| limit);
    }
}

/// The limit for children, if it is not ours.
pub(crate) fn limit_for_children() -> Option<Rlimit> {
    ORIGINAL.get().copied()
}
