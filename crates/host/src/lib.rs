//! Starts and supervises plugin processes. None is left behind, whatever happens to it, to its children or to
//! the program that started it.
//!
//! The protocol, and a plugin's first call, are up to you.
//!
//! ```no_run
//! use std::sync::Arc;
//! use tenon_host::{Plugin, PluginCommand, Start};
//! use tenon_rpc::{Dialect, Router};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let command = PluginCommand::new("python3").arg("plugin.py");
//! let start = Start::new(Dialect::JsonRpcLines);
//! let (plugin, health) = Plugin::start(&command, start, Arc::new(Router::new(())), |peer| async move {
//!     peer.call_raw("health", None).await
//! })
//! .await?;
//! println!("{health:?}");
//! plugin.stop(|_| async {}).await;
//! # Ok(())
//! # }
//! ```
//!
//! For many independent calls there is a [`Pool`] of warm processes.
//!
//! [`Capture`] runs a command to its end and returns its output.
//!
//! To see what a plugin writes to stderr, subscribe to `tracing` events, or set
//! [`PluginCommand::on_stderr`].

mod attended;
mod capture;
mod command;
#[cfg(windows)]
pub mod console;
mod descriptors;
mod environment;
mod error;
pub mod folder;
mod limits;
pub mod own_file;
#[cfg(windows)]
pub mod own_pipe;
mod platform;
mod plugin;
mod pool;
mod process;
mod sandbox;
mod stderr;
mod supervisor;

pub use attended::Attended;
pub use capture::{Capture, CaptureError, Captured};
pub use command::{PluginCommand, SHELL, is_path};
pub use descriptors::raise_descriptor_limit;
pub use environment::{Environment, LeftOut, Variable, VariableError};
pub use error::{PluginError, Problem};
pub use limits::{Limits, MemoryLimit, parse_size};
pub use plugin::{Plugin, Start};
pub use pool::{Lease, Pool, PoolError, PoolLimits, Started};
pub use process::{Exit, HowItEnded, LAST_WORDS, Process, StopLimits, Stopped, signal};
pub use sandbox::{Denial, Grant, InvalidPermission, Permission, Permissions, Unenforceable};
pub use stderr::StderrTail;
pub use supervisor::{Down, Restart, Status, Supervisor};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
