//! Masks secrets in JSON text. The rest is not changed: same order, same numbers.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::json::{self, JsonError, Scanner};

/// The text that stands for a value that is hidden as a whole: a member by its name, or a value that a schema marks as
/// sensitive.
pub const MASK: &str = "***";

/// [`MASK`] as a value in JSON.
pub const MASK_JSON: &str = "\"***\"";

/// JSON text with the values of all members that have one of `names` (in lower case) masked, as
/// the recorder of `tenon-rpc` does. `None` if it is not JSON that can be read.
pub fn mask_json(text: &str, names: &[String]) -> Option<String> {
    masked(text, names, json::MAX_DEPTH)
}

/// The same for all members whose names a function calls secret.
pub fn mask_json_by(text: &str, is_secret: &dyn Fn(&str) -> bool) -> Option<String> {
    walked(text, is_secret, json::MAX_DEPTH)
}

/// The text with the values of all members that have one of `names` (in lower case) masked,
/// however deep they are. `None` if it is not JSON within `depth`.
pub fn masked(text: &str, names: &[String], depth: usize) -> Option<String> {
    if names.is_empty() {
        json::check(text.as_bytes(), depth).ok()?;
        // A line break between tokens means nothing, but it would break the record in two.
        return Some(text.replace(['\n', '\r'], " "));
    }
    walked(text, &|name| names.contains(&name.to_lowercase()), depth)
}

fn walked(text: &str, is_secret: &dyn Fn(&str) -> bool, depth: usize) -> Option<String> {
    let mut masker = Masker {
        text,
        scanner: Scanner::new(text.as_bytes(), depth),
        is_secret,
        out: String::with_capacity(text.len()),
    };
    masker.value(depth).ok()?;
    masker.scanner.end().ok()?;
    Some(masker.out)
}

/// Walks the text once, writing as it goes. Blanks between tokens are not kept.
struct Masker<'a> {
    text: &'a str,
    scanner: Scanner<'a>,
    is_secret: &'a dyn Fn(&str) -> bool,
    out: String,
}

impl Masker<'_> {
    fn value(&mut self, depth: usize) -> Result<(), JsonError> {
        match self.scanner.peek() {
            Some(b'{') => self.object(self.scanner.deeper(depth)?),
            Some(b'[') => self.array(self.scanner.deeper(depth)?),
            _ => {
                let place = self.scanner.value()?;
                self.out.push_str(&self.text[place]);
                Ok(())
            }
        }
    }

    /// Walks a container; `element` takes and writes each of its elements.
    fn container(
        &mut self,
        [open, close]: [u8; 2],
        mut element: impl FnMut(&mut Self) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        self.scanner.take(open);
        self.out.push(char::from(open));
        let mut is_first = true;
        loop {
            let separator = if is_first { "" } else { "," };
            if !self.scanner.another(close, &mut is_first)? {
                self.out.push(char::from(close));
                return Ok(());
            }
            self.out.push_str(separator);
            element(self)?;
        }
    }

    fn object(&mut self, depth: usize) -> Result<(), JsonError> {
        self.container(*b"{}", |this| {
            let key = this.scanner.key()?;
            // With its quotes, just as it was written.
            this.out.push_str(&this.text[key.start - 1..key.end + 1]);
            this.out.push(':');
            let name = json::unescape(&this.text.as_bytes()[key]).unwrap_or_default();
            if (this.is_secret)(&name) {
                this.skip()
            } else if name == "$map" && this.scanner.peek() == Some(b'[') {
                this.entries(this.scanner.deeper(depth)?)
            } else {
                this.value(depth)
            }
        })
    }

    fn array(&mut self, depth: usize) -> Result<(), JsonError> {
        self.container(*b"[]", |this| this.value(depth))
    }

    /// The entries of a map that JSON cannot express: `[[key, value], ..]`.
    fn entries(&mut self, depth: usize) -> Result<(), JsonError> {
        self.container(*b"[]", |this| {
            if this.scanner.peek() != Some(b'[') {
                return this.value(depth);
            }
            let depth = this.scanner.deeper(depth)?;
            let mut is_secret = false;
            this.container(*b"[]", |this| {
                if is_secret {
                    return this.skip();
                }
                let start = this.out.len();
                this.value(depth)?;
                is_secret =
                    key_name(&this.out[start..]).is_some_and(|name| (this.is_secret)(&name));
                Ok(())
            })
        })
    }

    fn skip(&mut self) -> Result<(), JsonError> {
        self.out.push_str(MASK_JSON);
        self.scanner.value().map(drop)
    }
}

/// The name that a key spells, as text or as bytes.
fn key_name(key: &str) -> Option<String> {
    if let Ok(name) = serde_json::from_str(key) {
        return Some(name);
    }
    let spelled: serde_json::Map<_, _> = serde_json::from_str(key).ok()?;
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
        for broken in [
            "{",
            "[1,]",
            "[1 2]",
            "{\"a\":1,}",
            "{\"a\" 1}",
            "[}",
            "1 1",
            "",
        ] {
            assert_eq!(masked(broken, &names, 64), None, "{broken}");
        }
        assert_eq!(
            mask_json_by(r#"{"a":1,"b":[{"ab":2}]}"#, &|name| name.ends_with('b')).unwrap(),
            r#"{"a":1,"b":"***"}"#
        );
        assert_eq!(masked("[[[]]]", &names, 2), None);
        assert_eq!(masked("[[ ], { }]", &names, 2).unwrap(), "[[],{}]");
    }

    #[test]
    fn secrets_in_maps_that_are_spelled_out() {
        let names = ["token".to_owned()];
        let text = r#"{"$map":[["token",1],[2,{"token":3}],[{"$binary":"dG9rZW4="},4]]}"#;
        assert_eq!(
            masked(text, &names, 64).unwrap(),
            r#"{"$map":[["token","***"],[2,{"token":"***"}],[{"$binary":"dG9rZW4="},"***"]]}"#
        );
    }
}
