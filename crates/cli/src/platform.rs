//! What differs between systems. The rest of the command is for any system, but for the subcommands that only Unix has.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(crate) use unix::*;
#[cfg(windows)]
pub(crate) use windows::*;

/// What a report is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    File,
    /// It says without any text whether it takes some.
    Device,
    /// It would have to be waited for.
    Stream,
}
