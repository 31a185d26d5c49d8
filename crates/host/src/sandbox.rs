//! Restricts a plugin to its [`Permissions`], whatever language it is written in. The kernel enforces them,
//! so far on Linux only.

mod denial;
mod environment;
#[cfg(target_os = "linux")]
mod linux;
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "some of it is for what enforces them")
)]
mod permissions;
#[cfg(not(target_os = "linux"))]
mod unsupported;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use unsupported as system;

pub(crate) use denial::SeeDenial;
pub(crate) use environment::{inherits, is_denied};
pub(crate) use system::Sandbox;
#[cfg(unix)]
pub(crate) use system::{explained, pin};

pub use denial::Denial;
pub use permissions::{Grant, InvalidPermission, Permission, Permissions, Unenforceable};
