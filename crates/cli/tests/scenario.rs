//! Scenarios under fault, with the real command and real providers: what is said, which exit code
//! it comes to, what is on disk afterwards, and that nobody is left behind.
//!
//! The transcripts are in `scenario/snapshots/`. After a change of texts, `INSTA_UPDATE=always
//! cargo test -p tenon --test scenario` writes them anew; read the difference before you keep it.

#[path = "scenario/attempts.rs"]
mod attempts;
#[path = "scenario/configuring.rs"]
mod configuring;
#[path = "scenario/damaged.rs"]
mod damaged;
#[path = "scenario/describing.rs"]
mod describing;
#[path = "scenario/environment.rs"]
mod environment;
#[path = "scenario/executing.rs"]
mod executing;
#[path = "scenario/first_steps.rs"]
mod first_steps;
#[path = "scenario/interruptions.rs"]
mod interruptions;
#[path = "scenario/invalid.rs"]
mod invalid;
#[path = "scenario/junit.rs"]
mod junit;
#[path = "scenario/killed.rs"]
mod killed;
#[path = "scenario/lost_answers.rs"]
mod lost_answers;
#[path = "foreign/mark.rs"]
mod mark;
#[path = "scenario/parallel.rs"]
mod parallel;
#[path = "scenario/postgres.rs"]
mod postgres;
#[path = "scenario/reports.rs"]
mod reports;
#[path = "scenario/resuming.rs"]
mod resuming;
#[path = "scenario/schemas.rs"]
mod schemas;
#[path = "scenario/sealed.rs"]
mod sealed;
#[path = "scenario/secrets.rs"]
mod secrets;
#[path = "command/shell.rs"]
mod shell;
#[path = "scenario/shutdown.rs"]
mod shutdown;
#[path = "scenario/stage.rs"]
mod stage;
#[path = "scenario/stored.rs"]
mod stored;
#[path = "scenario/strangers.rs"]
mod strangers;
#[path = "../../providers/tests/support/mod.rs"]
mod support;
#[path = "scenario/undoing.rs"]
mod undoing;
#[path = "scenario/unknown.rs"]
mod unknown;
#[path = "scenario/variables.rs"]
mod variables;
#[path = "scenario/wire.rs"]
mod wire;
