//! This process's stdin and stdout.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::take;
#[cfg(windows)]
pub(crate) use windows::take;
