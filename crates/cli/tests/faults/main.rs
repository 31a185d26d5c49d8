//! Bad luck, over and over: kills at any moment, bits that flip, disks that are full. Whatever
//! happens, a resumed run does nothing twice unless it was told to, and a teardown forgets nothing.
//!
//! `scripts/faults 500` does the same with more rounds.

#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    reason = "the host under test must not be looked after by another host"
)]

mod disks;
mod flips;
mod kills;
mod scene;
