//! When a run was, and which.

/// `20261115T144033Z_1f9c03ab`
pub(crate) fn new_id() -> String {
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
    let mut letters = [0; 4];
    if getrandom::fill(&mut letters).is_err() {
        // Two runs of one process in the same second get different ids.
        letters = std::process::id().to_be_bytes();
    }
    format!("{now}_{:08x}", u32::from_be_bytes(letters))
}

/// `2026-11-15T14:40:33.123Z`
pub(crate) fn now() -> String {
    format!("{:.3}", jiff::Timestamp::now())
}
