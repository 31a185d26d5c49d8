//! Blocks as values: their parts, and copies with other parts.

use tenon_values::Value;

/// A part of a block; null if the block has none or is null itself.
pub fn part(block: &Value, name: &str) -> Value {
    let found = block
        .attributes()
        .and_then(|parts| parts.get(name).cloned());
    found.unwrap_or(Value::NULL)
}

/// The text of a part, if it is known and there.
pub fn text(block: &Value, name: &str) -> Option<String> {
    part(block, name)
        .as_text()
        .map(|text| text.to_string_lossy().into_owned())
}

/// The block with other values in some places.
pub fn with<const N: usize>(block: &Value, changes: [(&str, Value); N]) -> Value {
    let Some(parts) = block.attributes() else {
        return block.clone();
    };
    Value::object(parts.iter().map(|(name, value)| {
        let change = changes.iter().find(|(changed, _)| *changed == name);
        (name, change.map_or(value, |(_, value)| value).clone())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_replaced() {
        let block = Value::object([("a", Value::from("x")), ("b", Value::from(1))]);
        let changed = with(&block, [("b", Value::from(2))]);
        assert_eq!(text(&changed, "a").as_deref(), Some("x"));
        assert_eq!(part(&changed, "b"), Value::from(2));
        assert!(part(&changed, "c").is_null());
    }
}
