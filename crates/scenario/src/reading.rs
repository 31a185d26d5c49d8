//! From files to a model of their content.
//!
//! [`load`] reads a scenario file, `decode` turns its blocks into the [`model`], and [`variables`]
//! gathers what the scenario is given.

pub(crate) mod decode;
pub(crate) mod file;
pub(crate) mod load;
pub(crate) mod misfit;
pub(crate) mod model;
pub(crate) mod variables;
