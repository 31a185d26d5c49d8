//! Conversations with `tenon call`: scripts, terminals, batches, TCP, and servers that others
//! wrote, as real processes.
//!
//! What is printed stands in `call/snapshots/`; `INSTA_UPDATE=always cargo test -p tenon --test
//! call` writes it anew. `scripts/tools` installs the servers. A test whose server is missing says
//! so and passes; under CI=true it fails.

#[path = "call/batches.rs"]
mod batches;
#[path = "call/conversations.rs"]
mod conversations;
#[path = "call/language_server.rs"]
mod language_server;
#[path = "call/listing.rs"]
mod listing;
#[path = "foreign/mark.rs"]
mod mark;
#[path = "call/mcp_server.rs"]
mod mcp_server;
#[path = "call/reaching.rs"]
mod reaching;
#[path = "command/shell.rs"]
#[expect(
    dead_code,
    reason = "the plugins of these tests are not programs of their own"
)]
mod shell;
#[path = "call/terminal.rs"]
mod terminal;
#[path = "foreign/tools.rs"]
#[expect(dead_code, reason = "the foreign peers use the rest of it")]
mod tools;
#[path = "foreign/trial.rs"]
#[expect(dead_code, reason = "the foreign peers use the rest of it")]
mod trial;
