//! From blocks and attributes to the model. Every problem is noted, and reading continues.

mod action;
mod component;
mod loader;
mod module;
mod provider;
mod scenario;

use component::component_file;
pub(crate) use loader::Loader;
pub(crate) use scenario::scenarios;
