//! What holds for every type and value, tried on random ones.

#[path = "properties/conversion.rs"]
mod conversion;
#[path = "properties/equality.rs"]
mod equality;
#[path = "properties/garbage.rs"]
mod garbage;
#[path = "properties/json.rs"]
mod json;
#[path = "properties/marks.rs"]
mod marks;
#[path = "properties/msgpack.rs"]
mod msgpack;
#[path = "properties/numbers.rs"]
mod numbers;
#[path = "properties/paths.rs"]
mod paths;
#[path = "properties/types.rs"]
mod types;
#[path = "properties/unification.rs"]
mod unification;
#[path = "properties/values.rs"]
mod values;

use proptest::prelude::*;

/// So many cases, and no file of failures: what was found once becomes a test with a name.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
