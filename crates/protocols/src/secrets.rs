//! Texts that nobody is to see, wherever they turn up and however they are spelled.

mod credentials;
mod needles;
mod spellings;

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_rpc::Redact;
use tenon_values::{Type, Value, convert};

use needles::Needles;
use spellings::{Spelling, Wanted};

/// What stands in the place of a secret.
pub const MASK: &str = "(sensitive)";

/// Secrets that have been given to a plugin or came from one. A plugin may well print them or put
/// them into an error; everything it says goes through [`Secrets::hide`].
///
/// A secret is found as it is; with the escapes of JSON, Python, JavaScript, Go, Rust, C, shells,
/// SQL, XML and URLs; in hex; in base64, also as a part of something longer; and by one of its lines
/// alone. So are the credentials in it: the token in `Bearer TOKEN`, the password in a URL.
#[derive(Clone, Default)]
pub struct Secrets(Arc<Mutex<Needles>>);

impl Secrets {
    /// Remembers every text and number in a value that is marked.
    pub fn learn(&self, value: &Value) {
        if value.contains_marked() {
            self.learn_parts(value, false);
        }
    }

    fn learn_parts(&self, value: &Value, is_secret: bool) {
        let is_secret = is_secret || value.is_sensitive();
        let (value, _) = value.unmark();
        let parts = value.elements().unwrap_or_default();
        parts
            .iter()
            .for_each(|part| self.learn_parts(part, is_secret));
        // The names of things are no secrets: hiding "token" would hide it in every sentence.
        for (_, part) in value.entries().unwrap_or_default() {
            self.learn_parts(part, is_secret);
        }
        if let Some(attributes) = value.attributes() {
            for (_, part) in attributes.iter() {
                self.learn_parts(part, is_secret);
            }
        }
        if is_secret && let Some(text) = written(&value) {
            self.learn_text(&text);
        }
    }

    /// Remembers a text, the lines of it, and the credentials in it.
    pub fn learn_text(&self, text: &str) {
        let mut needles = self.needles();
        if !needles.add(text) {
            return;
        }
        // Every certificate begins like any other.
        let is_armor = |line: &str| line.starts_with("-----") && line.ends_with("-----");
        if text.contains('\n') {
            let lines = text.lines().map(str::trim);
            let lines = lines.filter(|line| !is_armor(line));
            lines.for_each(|line| needles.add_line(line));
        }
        for part in credentials::parts(text) {
            needles.add(&part);
        }
    }

    fn needles(&self) -> MutexGuard<'_, Needles> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value with a mark on every text that has a secret in it, and on every number that is one.
    pub fn mark(&self, value: &Value) -> Value {
        let is_secret = |part: &Value| match part.as_str() {
            Some(text) => !self.found(text.as_bytes(), Cut::Nowhere).is_empty(),
            None => written(part).is_some_and(|number| self.needles().contains(&number)),
        };
        let marked = value.transform(&mut |_, part| {
            let is_secret = is_secret(&part);
            Ok(if is_secret { part.sensitive() } else { part })
        });
        // Nothing in there fails.
        marked.unwrap_or_else(|_| value.sensitive())
    }

    /// The text without secrets.
    pub fn hide(&self, text: &str) -> String {
        self.hidden(text, Cut::Nowhere)
    }

    /// The text without secrets, also where it quotes something that was cut in the middle of one:
    /// then the beginning of a secret is right before an ellipsis, or before the quotation mark there.
    pub fn hide_quoted(&self, text: &str) -> String {
        self.hidden(text, Cut::InQuotes)
    }

    /// Bytes without secrets, before they are quoted. If they are the beginning of something longer,
    /// the beginning of a secret is hidden at their end.
    pub fn hide_bytes(&self, bytes: &[u8], is_cut: bool) -> Vec<u8> {
        let cut = match is_cut {
            true => Cut::AtEnd,
            false => Cut::Nowhere,
        };
        replaced(bytes, &self.found(bytes, cut))
    }

    /// The same for a connection, which quotes what it cannot understand. Secrets that are learned
    /// later are masked as well.
    pub fn redact(&self) -> Redact {
        let secrets = self.clone();
        Arc::new(move |bytes, is_cut| secrets.hide_bytes(bytes, is_cut))
    }

    fn hidden(&self, text: &str, cut: Cut) -> String {
        let found = self.found(text.as_bytes(), cut);
        if found.is_empty() {
            return text.to_owned();
        }
        let hidden = replaced(text.as_bytes(), &found);
        // A secret is text, and so is what is left.
        String::from_utf8(hidden).unwrap_or_else(|_| MASK.to_owned())
    }

    /// Where secrets are: in order, and none in another.
    fn found(&self, text: &[u8], cut: Cut) -> Vec<Range<usize>> {
        let needles = self.needles();
        if needles.is_empty() {
            return Vec::new();
        }
        let wanted = Wanted {
            has_blank: needles.has_blank,
            has_quote: needles.has_quote,
        };
        let mut found = Vec::new();
        spellings::each(text, wanted, |spelling| {
            needles.find(&spelling.bytes, |part| found.push(spelling.original(&part)));
            cut.ends(spelling, |end, shown| {
                let part = needles.find_cut(&spelling.bytes, end);
                found.extend(part.map(|part| spelling.original(&(part.start..shown))));
            });
        });
        found.sort_by_key(|range| range.start);
        found.dedup_by(|next, before| {
            let overlaps = next.start < before.end;
            if overlaps {
                before.end = before.end.max(next.end);
            }
            overlaps
        });
        found
    }
}

/// Where a text may have been cut.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cut {
    Nowhere,
    AtEnd,
    /// Before an ellipsis, with or without a quotation mark.
    InQuotes,
}

impl Cut {
    /// Shows where a text was cut: the end of what can be read, and the end of what is there. They
    /// differ if an escape was cut.
    fn ends(self, spelling: &Spelling<'_>, mut show: impl FnMut(usize, usize)) {
        let bytes = &*spelling.bytes;
        let mut show = |end: usize| {
            show(end, end);
            if let Some(start) = cut_escape(&bytes[..end]) {
                show(start, end);
            }
        };
        match self {
            Cut::Nowhere => {}
            Cut::AtEnd => show(bytes.len()),
            Cut::InQuotes => {
                /// Nobody quotes more than a few things, unless to keep us busy.
                const MOST: usize = 100;
                let is_cut = |at: &usize| {
                    let rest = &bytes[*at..];
                    rest.starts_with("\"…".as_bytes()) || rest.starts_with("…".as_bytes())
                };
                let ends = (0..bytes.len()).rev().filter(is_cut);
                ends.take(MOST).for_each(show);
            }
        }
    }
}

/// Where an escape begins that the text ends in the middle of: `\`, `\u00`, `%`, `%2`.
fn cut_escape(text: &[u8]) -> Option<usize> {
    /// As long as `\u{10fff`.
    const LONGEST: usize = 9;
    let first = text.len().saturating_sub(LONGEST);
    let start = first
        + text[first..]
            .iter()
            .rposition(|byte| b"\\%".contains(byte))?;
    let is_of_escape = |byte: &u8| byte.is_ascii_hexdigit() || b"uUx{".contains(byte);
    text[start + 1..].iter().all(is_of_escape).then_some(start)
}

/// A text or a number as it is written.
fn written(value: &Value) -> Option<String> {
    if !matches!(value.ty(), Type::String | Type::Number) {
        return None;
    }
    let text = convert::convert(value, &Type::String).ok()?;
    text.as_str().map(ToOwned::to_owned)
}

fn replaced(text: &[u8], found: &[Range<usize>]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(text.len());
    let mut from = 0;
    for range in found {
        replaced.extend_from_slice(&text[from..range.start]);
        replaced.extend_from_slice(MASK.as_bytes());
        from = range.end;
    }
    replaced.extend_from_slice(&text[from..]);
    replaced
}

impl fmt::Debug for Secrets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Secrets({})", self.needles().count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hides_what_is_marked_and_nothing_else() {
        let secrets = Secrets::default();
        secrets.learn(&Value::object([
            ("user", Value::from("alice")),
            ("password", Value::from("hunter2").sensitive()),
            (
                "pins",
                Value::tuple(vec![123_456.into(), Value::TRUE]).sensitive(),
            ),
            ("short", Value::from("abc").sensitive()),
        ]));
        let text = "alice has hunter2, hunter22 and 123456, true abc";
        let hidden = "alice has (sensitive), (sensitive)2 and (sensitive), true abc";
        assert_eq!(secrets.hide(text), hidden);
    }

    #[test]
    fn a_cut_or_quoted_secret_is_hidden_whole() {
        let secrets = Secrets::default();
        secrets.learn(&Value::from("tok\"en\\with-odd-letters").sensitive());
        let said = format!("{:?}", "x tok\"en\\with-odd-letters");
        assert_eq!(secrets.hide_quoted(&said), "\"x (sensitive)\"");
        let json = serde_json::Value::from("tok\"en\\with-odd-letters").to_string();
        let frame = format!("{json:?}");
        assert!(!secrets.hide_quoted(&frame).contains("odd"), "{frame}");
        assert_eq!(
            secrets.hide_quoted("it sent \"abc tok\\\"en\"…"),
            "it sent \"abc (sensitive)\"…"
        );
    }

    #[test]
    fn many_are_hidden_and_none_is_shown() {
        let secrets = Secrets::default();
        let many = (0..20_000).map(|number| Value::from(format!("secret-{number}").as_str()));
        let many = Value::tuple(many.collect()).sensitive();
        secrets.learn(&many);
        secrets.learn(&many);
        assert_eq!(secrets.hide("it is secret-19999"), "it is (sensitive)");
        assert_eq!(format!("{secrets:?}"), "Secrets(20000)");
    }

    #[test]
    fn the_longer_one_goes_first() {
        let secrets = Secrets::default();
        secrets.learn(&Value::from("pass").sensitive());
        secrets.learn(&Value::from("password").sensitive());
        assert_eq!(secrets.hide("password pass"), "(sensitive) (sensitive)");
    }

    /// A secret with everything in it that anybody escapes.
    const ODD: &str = "Zürich's \"5\"/<&>\\+key+\u{1F511}";

    #[test]
    fn a_secret_is_hidden_in_every_spelling() {
        let secrets = Secrets::default();
        secrets.learn_text(ODD);
        for (language, spelled) in [
            ("nobody's", ODD),
            ("JSON", r#"Zürich's \"5\"/<&>\\+key+🔑"#),
            ("JSON of PHP", r#"Zürich's \"5\"\/<&>\\+key+🔑"#),
            (
                "JSON of Python",
                r#"Z\u00fcrich's \"5\"/<&>\\+key+\ud83d\udd11"#,
            ),
            (
                "JSON in capitals",
                r#"Z\u00FCrich's \"5\"/<&>\\+key+\uD83D\uDD11"#,
            ),
            (
                "JSON of Go",
                r#"Zürich's \"5\"/\u003c\u0026\u003e\\+key+🔑"#,
            ),
            (
                "JSON in JSON",
                r#"Z\\u00fcrich's \\\"5\\\"/<&>\\\\+key+\\ud83d\\udd11"#,
            ),
            (
                "JSON in JSON in JSON",
                r#"Z\\\\u00fcrich's \\\\\\\"5\\\\\\\"/<&>\\\\\\\\+key+\\\\ud83d\\\\udd11"#,
            ),
            ("Python", r#"Zürich\'s "5"/<&>\\+key+🔑"#),
            (
                "Python, ASCII only",
                r#"Z\xfcrich\'s "5"/<&>\\+key+\U0001f511"#,
            ),
            (
                "Python, bytes",
                r#"Z\xc3\xbcrich\'s "5"/<&>\\+key+\xf0\x9f\x94\x91"#,
            ),
            ("Rust", r#"Zürich's \"5\"/<&>\\+key+🔑"#),
            (
                "Rust, ASCII only",
                r#"Z\u{fc}rich\'s \"5\"/<&>\\+key+\u{1f511}"#,
            ),
            ("Go", r#"Z\u00fcrich's \"5\"/<&>\\+key+\U0001f511"#),
            ("C", r#"Z\303\274rich's \"5\"/<&>\\+key+\360\237\224\221"#),
            ("a shell", r#"Zürich'\''s "5"/<&>\+key+🔑"#),
            ("Python for a shell", r#"Zürich'"'"'s "5"/<&>\+key+🔑"#),
            (
                "a shell without quotes",
                r#"Zürich\'s\ \"5\"/\<\&\>\\+key+🔑"#,
            ),
            ("SQL", r#"Zürich''s "5"/<&>\+key+🔑"#),
            ("CSV", r#"Zürich's ""5""/<&>\+key+🔑"#),
            ("XML", "Zürich's &quot;5&quot;/&lt;&amp;&gt;\\+key+🔑"),
            (
                "HTML",
                "Z&#252;rich&#39;s &quot;5&quot;/&lt;&amp;&gt;\\+key+&#x1F511;",
            ),
            (
                "a URL",
                "Z%C3%BCrich%27s%20%225%22%2F%3C%26%3E%5C%2Bkey%2B%F0%9F%94%91",
            ),
            (
                "a URL in small letters",
                "Z%c3%bcrich's%20%225%22/%3c%26%3e%5c%2bkey%2b%f0%9f%94%91",
            ),
            (
                "a form",
                "Z%C3%BCrich%27s+%225%22%2F%3C%26%3E%5C%2Bkey%2B%F0%9F%94%91",
            ),
        ] {
            let said = format!("<<{spelled}>> and {spelled}.");
            let expected = format!("<<{MASK}>> and {MASK}.");
            assert_eq!(secrets.hide(&said), expected, "{language}");
        }
        let hex: String = ODD.bytes().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(secrets.hide(&format!("0x{hex}.")), "0x(sensitive).");
        let hex = hex.to_uppercase();
        assert_eq!(secrets.hide(&format!("0x{hex}.")), "0x(sensitive).");
    }

    #[test]
    fn a_secret_is_hidden_in_base64_wherever_it_stands() {
        use base64::Engine;
        use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE};
        for secret in ["hunter2", "hunter22", "hunter222", "ü?ü>ü~ü"] {
            let secrets = Secrets::default();
            secrets.learn_text(secret);
            for engine in [&STANDARD, &STANDARD_NO_PAD, &URL_SAFE] {
                for (before, after) in
                    [("", ""), ("a", "b"), ("ab", "cd"), ("user:", ""), ("", "@")]
                {
                    let encoded = engine.encode(format!("{before}{secret}{after}"));
                    let hidden = secrets.hide(&encoded);
                    assert!(hidden.contains(MASK), "{before}{secret}{after}: {encoded}");
                    let left = hidden.replace(MASK, "");
                    // Letters of the neighbours and padding.
                    assert!(left.len() <= 8, "{encoded} became {hidden}");
                }
            }
        }
        let secrets = Secrets::default();
        secrets.learn_text("abcd");
        assert_eq!(secrets.hide("YWJjZA=="), "(sensitive)==");
    }

    #[test]
    fn long_secrets_are_hidden_line_by_line() {
        let secrets = Secrets::default();
        let key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n  hkiG9w0BAQEFAASC\nx==\n\
                   -----END PRIVATE KEY-----\n";
        secrets.learn_text(key);
        assert_eq!(secrets.hide("got MIIEvQIBADANBgkq"), "got (sensitive)");
        assert_eq!(secrets.hide("> hkiG9w0BAQEFAASC"), "> (sensitive)");
        assert_eq!(
            secrets.hide("-----BEGIN PRIVATE KEY-----"),
            "-----BEGIN PRIVATE KEY-----"
        );
        assert_eq!(secrets.hide(&format!("{key:?}")), "\"(sensitive)\"");
        let encoded = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, key);
        for width in [64, 76] {
            for line in encoded.as_bytes().chunks(width) {
                let line = std::str::from_utf8(line).unwrap();
                let hidden = secrets.hide(line);
                assert!(hidden.starts_with(MASK), "{line}: {hidden}");
            }
        }
    }

    #[test]
    fn the_credentials_in_a_secret_are_secrets() {
        for (secret, part) in [
            ("Bearer abc.def-123", "abc.def-123"),
            ("Authorization: token abc.def-123", "abc.def-123"),
            ("Basic YW5uYTpodW50ZXIyMg==", "hunter22"),
            ("Basic YW5uYTpodW50ZXIyMg==", "YW5uYTpodW50ZXIyMg"),
            ("postgres://anna:hunter22@db:5432/shop", "hunter22"),
            ("postgres://anna:hunter%2F22@db/shop", "hunter/22"),
            (
                "https://ghp_0123456789abcdefghij@github.com/x",
                "ghp_0123456789abcdefghij",
            ),
            ("Server=db;User Id=anna;Password=hunter22;", "hunter22"),
            ("host=db password='hunter 22' user=anna", "hunter 22"),
            (
                "https://x/y?user=anna&access_token=hunter22&z=1",
                "hunter22",
            ),
            (
                "{\"user\": \"anna\", \"client_secret\": \"hunter22\"}",
                "hunter22",
            ),
            (
                "AccountName=anna;AccountKey=hunter22==;Suffix=x",
                "hunter22==",
            ),
        ] {
            let secrets = Secrets::default();
            secrets.learn_text(secret);
            assert_eq!(
                secrets.hide(&format!("it is {part}.")),
                "it is (sensitive).",
                "{secret}"
            );
            for word in [
                "anna", "Bearer", "Basic", "postgres", "github", "Password", "user", "db",
            ] {
                assert_eq!(secrets.hide(word), word, "{secret}");
            }
        }
    }

    #[test]
    fn overlaps_are_hidden_once() {
        let secrets = Secrets::default();
        secrets.learn_text("abcdef");
        secrets.learn_text("defghi");
        assert_eq!(secrets.hide("<abcdefghi>"), "<(sensitive)>");
    }

    #[test]
    fn what_is_cut_in_an_escape_is_hidden() {
        let secrets = Secrets::default();
        secrets.learn_text("passwört-of-anna");
        for cut in [
            "passw",
            "passw\\",
            "passw\\u00",
            "passw\\u00f6rt-o",
            "passw%C3",
            "cGFzc3fD",
        ] {
            assert_eq!(
                secrets.hide_quoted(&format!("it said \"x {cut}\"…")),
                "it said \"x (sensitive)\"…"
            );
            let hidden = secrets.hide_bytes(format!("x {cut}").as_bytes(), true);
            assert_eq!(hidden, b"x (sensitive)", "{cut}");
        }
        assert_eq!(secrets.hide_bytes(b"x passw", false), b"x passw");
        assert_eq!(secrets.hide_quoted("a pass"), "a pass");
    }

    #[test]
    fn numbers_and_texts_that_come_back_are_marked() {
        let secrets = Secrets::default();
        secrets.learn(&Value::from("123456").sensitive());
        let returned = Value::tuple(vec![
            123_456.into(),
            1234.into(),
            "MTIzNDU2".into(),
            "x".into(),
        ]);
        let marked = secrets.mark(&returned);
        let marks: Vec<bool> = { marked.elements().unwrap().iter() }
            .map(Value::is_sensitive)
            .collect();
        assert_eq!(marks, [true, false, true, false]);
    }
}
