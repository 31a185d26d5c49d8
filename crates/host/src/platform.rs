//! What differs between systems. The rest of the crate is for any Unix.
//!
//! For Windows, a job object would take the place of the process group and the cgroup: a process is started
//! suspended and put into its job before it runs, and closing the job ends all processes in it, also when the
//! host is killed. This is not implemented.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(unix, not(target_os = "linux")))]
mod other;

#[cfg(not(unix))]
compile_error!("tenon-host starts processes on Unix only: see crates/host/src/platform.rs");

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(all(unix, not(target_os = "linux")))]
use other as system;

pub(crate) use system::{
    Cgroup, ExitDescriptor, Identity, clone_into, descendants, die_with_parent, environment, ids,
    limiting, new_group, signal_if, widen,
};
