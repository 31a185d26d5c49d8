//! `tenon serve` as its users see it: real servers with real plugins, and clients of every kind:
//! the library's, `tenon call`, and bytes on a socket.
//!
//! What is printed stands in `serve/snapshots/`; `INSTA_UPDATE=always cargo test -p tenon --test
//! serve` writes it anew.

#[path = "serve/calling.rs"]
mod calling;
#[path = "serve/cancelling.rs"]
mod cancelling;
#[path = "serve/confined.rs"]
mod confined;
#[path = "serve/crowds.rs"]
mod crowds;
#[path = "serve/descriptors.rs"]
mod descriptors;
#[path = "serve/ending.rs"]
mod ending;
#[path = "serve/events.rs"]
mod events;
#[path = "serve/failures.rs"]
mod failures;
#[path = "serve/limits.rs"]
mod limits;
#[path = "foreign/mark.rs"]
mod mark;
#[path = "serve/plugins.rs"]
mod plugins;
#[path = "serve/pressure.rs"]
mod pressure;
#[path = "serve/program.rs"]
mod program;
#[path = "serve/protocols.rs"]
mod protocols;
#[path = "serve/questions.rs"]
mod questions;
#[path = "serve/reports.rs"]
mod reports;
#[path = "serve/serving.rs"]
mod serving;
#[path = "command/shell.rs"]
#[expect(
    dead_code,
    reason = "the plugins of these tests are not programs of their own"
)]
mod shell;
#[path = "serve/sockets.rs"]
mod sockets;
#[path = "serve/starting.rs"]
mod starting;
#[path = "serve/strangers.rs"]
mod strangers;
#[path = "serve/values.rs"]
mod values;
#[path = "serve/wire.rs"]
mod wire;

#[path = "foreign/tools.rs"]
#[expect(dead_code, reason = "other tests need more of these tools")]
mod tools;
#[path = "foreign/trial.rs"]
#[expect(dead_code, reason = "other tests start plugins without a server")]
mod trial;
