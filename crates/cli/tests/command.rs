//! The command as a user sees it: what is typed in a shell, what comes out on stdout and stderr,
//! and the exit code.
//!
//! The transcripts are in `snapshots/`. After a change of texts, `INSTA_UPDATE=always cargo test
//! -p tenon --test command` writes them anew; read the difference before you keep it.

#[path = "command/environment.rs"]
mod environment;
#[path = "command/failures.rs"]
mod failures;
#[path = "command/help.rs"]
mod help;
#[path = "command/interruptions.rs"]
mod interruptions;
#[path = "command/limits.rs"]
mod limits;
#[path = "foreign/mark.rs"]
mod mark;
#[path = "command/options.rs"]
mod options;
#[path = "command/provider.rs"]
mod provider;
#[path = "command/results.rs"]
mod results;
#[path = "command/sandbox.rs"]
mod sandbox;
#[path = "command/shell.rs"]
mod shell;
