//! How much a function may make of little. Without limits a line such as
//! `format("%999999999d", 1)` would take all memory.

use tenon_values::{Limits, Value};

use crate::function::FunctionError;

/// The longest text that a function makes, in bytes.
pub(super) const TEXT: usize = 16 << 20;

/// The most elements of a collection that is made of several.
pub(super) const ELEMENTS: usize = 1 << 20;

/// The most combinations of `setproduct`.
pub(super) const COMBINATIONS: usize = 100_000;

/// The most numbers of `range`, as in Terraform.
pub(super) const RANGE: usize = 1024;

/// The largest file that is read, in bytes.
pub(super) const FILE: u64 = 4 << 20;

/// The most files and folders that `fileset` looks at.
pub(super) const ENTRIES: usize = 100_000;

/// Checks the length of a text in bytes.
pub(super) fn check_text(length: usize) -> Result<(), FunctionError> {
    check("the resulting string", length, TEXT, "bytes")
}

/// Checks the number of elements of a collection.
pub(super) fn check_elements(count: usize) -> Result<(), FunctionError> {
    check("the resulting collection", count, ELEMENTS, "elements")
}

/// Checks the size of a value that is made of these, each the given number of times. It is refused before
/// it is made, since making it may mean to look at all of it: the elements of a set are sorted.
pub(super) fn check_size<'v>(
    parts: impl Iterator<Item = (&'v Value, usize)>,
) -> Result<(), FunctionError> {
    let limits = Limits::default();
    let (mut elements, mut bytes) = (0usize, 0usize);
    for (value, times) in parts {
        let size = value.size();
        elements = elements.saturating_add((size.elements as usize).saturating_mul(times));
        bytes = bytes.saturating_add((size.bytes as usize).saturating_mul(times));
    }
    let what = "the resulting value";
    check(what, elements, limits.elements, "elements at every depth")?;
    check(what, bytes, limits.size, "bytes of text")
}

pub(super) fn check(
    what: &str,
    size: usize,
    limit: usize,
    unit: &str,
) -> Result<(), FunctionError> {
    match size > limit {
        true => Err(FunctionError::new(format!(
            "{what} is too large: the limit is {limit} {unit}"
        ))),
        false => Ok(()),
    }
}

/// The text as a value, if it is not too long.
pub(super) fn text(text: &str) -> Result<Value, FunctionError> {
    check_text(text.len())?;
    Ok(Value::string(text))
}
