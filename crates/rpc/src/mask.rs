//! JSON text with what is secret left out, and otherwise as it was: same order, same numbers.

use crate::json::Scanner;

/// What stands where a secret stood.
const MASK: &str = "\"***\"";

/// The text with the values of all members that have one of `names` (in lower case) masked,
/// however deep they are. `None` if it is not JSON within `depth`.
pub(crate) fn masked(text: &str, names: &[String], depth: usize) -> Option<String> {
    crate::json::check(text.as_bytes(), depth).ok()?;
    if names.is_empty() {
        return Some(text.to_owned());
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
