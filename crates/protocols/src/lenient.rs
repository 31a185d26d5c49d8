//! Reading what other languages write differently.

use serde::{Deserialize, Deserializer};

/// Reads null as if the member were absent: Go writes empty maps and lists so.
pub(crate) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
