//! Terraform's and OpenTofu's `http` backend in front of a storage plugin.
//!
//! - [`Storage`]: where states and locks are kept. [`PluginStorage`] is a plugin that speaks Seasonings.
//! - [`Server`]: listens on a loopback address and answers Terraform with exactly the status codes that
//!   its `http` backend expects. Every request needs the password of the server, which is new for
//!   each one.
//! - [`Server::variables`]: what Terraform needs in its environment to use the server.
//! - [`Notice`]: why a request was refused or failed. Terraform shows the status code alone, so a program
//!   should print these.
//!
//! Nothing is acknowledged before the storage has confirmed it. Who holds a lock is decided by the storage;
//! for a storage without locks the server keeps them itself.

mod access;
mod answer;
mod backend;
mod locks;
mod notice;
mod path;
mod plugin;
mod recognition;
mod request;
mod server;
mod storage;

pub use locks::HeldLocks;
pub use notice::Notice;
pub use path::{InvalidPath, StatePath};
pub use plugin::{PluginOptions, PluginStorage, PluginStorageError};
pub use server::{BindError, Server, Settings};
pub use storage::{Release, Storage, StorageError};
