//! Lenient reading of what other languages write differently.

use serde::{Deserialize, Deserializer};

/// Reads null as an absent member: Go writes empty maps and lists that way.
pub(crate) fn null_as_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
