//! JSON text with what is secret left out, and otherwise as it was: same order, same numbers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

use crate::json::Scanner;

/// What stands where a secret stood.
const MASK: &str = "\"***\"";

/// The text with the values of all members that have one of `names` (in lower case) masked,
/// however deep they are. `None` if it is not JSON within `depth`.
pub(crate) fn masked(text: &str, names: &[String], depth: usize) -> Option<String> {
    crate::json::check(text.as_bytes(), depth).ok()?;
    if names.is_empty() {
        // A line break between tokens means nothing, but it would break the record in two.
        return Some(text.replace(['\n', '\r'], " "));
    }
    let mut out = String::with_capacity(text.len());
    write(text, names, depth, &mut out)?;
    Some(out)
}

/// `text` has been checked. Blanks between tokens are not kept.
fn write(text: &str, names: &[String], depth: usize, out: &mut String) -> Option<()> {
    let mut scanner = Scanner::new(text.as_bytes(), depth);
    let mut is_first = true;
    let mut comma = |out: &mut String| {
        if !std::mem::take(&mut is_first) {
            out.push(',');
        }
    };
    match scanner.peek()? {
        b'{' => {
            let mut members = Vec::new();
            scanner
                .object(|key, value| members.push((key, value)))
                .ok()?;
            out.push('{');
            for (key, value) in members {
                comma(out);
                // With its quotes, just as it was written.
                out.push_str(&text[key.start - 1..key.end + 1]);
                out.push(':');
                let name = crate::json::unescape(&text.as_bytes()[key])?;
                if names.contains(&name.to_lowercase()) {
                    out.push_str(MASK);
                } else if name == "$map" {
                    write_entries(&text[value], names, depth, out)?;
                } else {
                    write(&text[value], names, depth, out)?;
                }
            }
            out.push('}');
        }
        b'[' => {
            let mut items = Vec::new();
            scanner.array(|item| items.push(item)).ok()?;
            out.push('[');
            for item in items {
                comma(out);
                write(&text[item], names, depth, out)?;
            }
            out.push(']');
        }
        _ => out.push_str(text.trim()),
    }
    Some(())
}

/// The entries of a map that JSON has no form for: `[[key, value], ..]`.
fn write_entries(text: &str, names: &[String], depth: usize, out: &mut String) -> Option<()> {
    let Ok(entries) = serde_json::from_str::<Vec<(&RawValue, &RawValue)>>(text) else {
        return write(text, names, depth, out);
    };
    let mut before = '[';
    for (key, value) in &entries {
        out.push(before);
        before = ',';
        out.push('[');
        write(key.get(), names, depth, out)?;
        out.push(',');
        if key_name(key).is_some_and(|name| names.contains(&name.to_lowercase())) {
            out.push_str(MASK);
        } else {
            write(value.get(), names, depth, out)?;
        }
        out.push(']');
    }
    out.push_str(if entries.is_empty() { "[]" } else { "]" });
    Some(())
}

/// The name that a key spells, as text or as bytes.
fn key_name(key: &RawValue) -> Option<String> {
    if let Ok(name) = serde_json::from_str(key.get()) {
        return Some(name);
    }
    let spelled: serde_json::Map<_, _> = serde_json::from_str(key.get()).ok()?;
    let bytes = STANDARD.decode(spelled.get("$binary")?.as_str()?).ok()?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_secrets_change() {
        let names = ["token".to_owned(), "password".to_owned()];
        let text = r#"{"z":1.0,"Token":{"a":1},"a":[{"p\u0061ssword":[1]},1e400],"m":"token"}"#;
        assert_eq!(
            masked(text, &names, 64).unwrap(),
            r#"{"z":1.0,"Token":"***","a":[{"p\u0061ssword":"***"},1e400],"m":"token"}"#
        );
        assert_eq!(masked(text, &[], 64).unwrap(), text);
        assert_eq!(masked("{", &names, 64), None);
    }
}
