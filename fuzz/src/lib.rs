//! What has to hold for any bytes at all. The fuzz targets feed it with random ones, and the
//! `tests/regressions.rs` of each crate with those under `regressions/`.

mod rpc;
mod values;

pub use rpc::*;
pub use values::*;
