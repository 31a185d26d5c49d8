//! Scenarios under fault, with the real command and real providers: output, exit code, files on disk, and
//! that no process is left behind.
//!
//! The transcripts are in `scenario/snapshots/`. After a change of texts, `INSTA_UPDATE=always
//! cargo test -p tenon-cli --test scenario` writes them anew; read the difference before you keep it.

#![cfg(unix)]

mod attempts;
mod configuring;
mod damaged;
mod describing;
mod environment;
mod executing;
mod first_steps;
mod interruptions;
mod invalid;
mod junit;
mod killed;
mod lost_answers;
mod old_records;
mod outputs;
mod parallel;
mod postgres;
mod postgres_tls;
#[path = "../../../providers/tests/support/mod.rs"]
mod provider_support;
mod reports;
mod resuming;
mod schemas;
mod sealed;
mod secrets;
mod shutdown;
mod spellings;
mod stage;
mod stored;
mod strangers;
#[path = "../support/mod.rs"]
mod support;
mod undoing;
mod undoing_repeated;
mod unknown;
mod unsealed;
mod variables;
mod wire;
