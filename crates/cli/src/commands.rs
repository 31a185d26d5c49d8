//! One function a subcommand.

pub(crate) mod call;
pub(crate) mod completions;
pub(crate) mod echo;
pub(crate) mod man;
