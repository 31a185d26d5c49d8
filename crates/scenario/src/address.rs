//! Addresses of actions and components, as text.

/// The address of an earlier execution, by its place among them.
pub(crate) fn earlier_address(address: &str, index: usize) -> String {
    format!("{address}@earlier{}", index + 1)
}

/// The rest of a name after an address, as in `action.put.a.token`.
pub(crate) fn part_of<'n>(address: &str, name: &'n str) -> Option<&'n str> {
    let rest = name.strip_prefix(address)?;
    (rest.is_empty() || rest.starts_with(['.', '['])).then_some(rest)
}
