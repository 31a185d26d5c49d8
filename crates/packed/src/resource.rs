//! Managed resources.

mod agreement;
mod apply;
mod check;
mod host_plan;
mod import;
mod plan;
mod read;
mod settle;

pub(crate) use apply::apply;
pub(crate) use check::unknown_part;
pub(crate) use import::{import, upgrade};
pub(crate) use plan::plan;
pub(crate) use read::read;
pub(crate) use settle::settle;

/// Private data as the plugin gets it: none if it is empty.
fn private(bytes: &[u8]) -> Option<&[u8]> {
    Some(bytes).filter(|bytes| !bytes.is_empty())
}
