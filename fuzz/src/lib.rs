//! Properties that must hold for any input. The fuzz targets try random bytes, and the
//! `tests/regressions.rs` of each crate those under `regressions/`.

mod rpc;
mod seasonings;
mod values;

pub use rpc::*;
pub use seasonings::*;
pub use values::*;
