//! What differs between systems. The rest of the crate is for any system.
//!
//! On Unix, a plugin is a process group; Linux has cgroups, process file descriptors and `/proc` as well. On Windows, it
//! is a job object: the process is started suspended and put into its job before it runs, and closing the job ends all
//! processes in it, also when the host is killed.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub(crate) use system::{
    Attendance, Family, Pipes, SHELL, USUAL_VARIABLES, compared, end, ended_by, files, folder,
    is_in_path, is_path, raise_descriptor_limit, shell_arguments, signal, split_once, start,
    start_hint,
};
#[cfg(windows)]
pub(crate) use system::{console, is_own_pipe, own_pipe};
