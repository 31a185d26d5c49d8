//! Properties that must hold for any input. The fuzz targets try random bytes, and the
//! `tests/regressions.rs` of each crate those under `regressions/`.

mod rpc;
mod values;

pub use rpc::*;
pub use values::*;
