//! Finds and masks secrets in texts, in all common spellings and encodings.

mod credentials;
mod cuts;
mod encodings;
mod needles;
mod numbers;
mod runs;
mod spellings;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tenon_rpc::trace::Redact;
use tenon_values::{Type, Value, convert};

use cuts::Cut;
use needles::Needles;
use spellings::Wanted;

/// The text that replaces a secret.
pub const MASK: &str = "(sensitive)";

/// Secrets that were sent to a plugin or received from one. A plugin may print them or quote them in an
/// error, so all its output goes through [`Secrets::hide`].
///
/// A secret is found as it is, or without the white space around it; with the escapes of JSON,
/// Python, JavaScript, Go, Rust, C, shells, SQL, XML and URLs; in hex; in base64, also as a part of
/// something longer; by one of its lines alone; and in part where a text was cut at an ellipsis. The
/// credentials in it are found in the same way: the token in `Bearer TOKEN`, the password in a URL.
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
        // Names are not secrets: masking "token" would mask it in every sentence.
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
            if matches!(value.ty(), Type::Number) {
                let forms = numbers::floating_forms(&text);
                forms.iter().for_each(|form| self.learn_text(form));
            }
        }
    }

    /// Remembers a text, its lines, and the credentials in it.
    pub fn learn_text(&self, text: &str) {
        let mut needles = self.needles();
        if !needles.add(text) {
            return;
        }
        // All certificates begin with the same line.
        let is_armor = |line: &str| line.starts_with("-----") && line.ends_with("-----");
        if text.contains('\n') {
            let lines = text.lines().map(str::trim);
            let lines = lines.filter(|line| !is_armor(line));
            lines.for_each(|line| needles.add_line(line, text.len()));
        }
        for part in credentials::parts(text) {
            needles.add(&part);
        }
    }

    /// Remembers the credentials in a text that is not a secret itself: the password in a URL, the token after `Bearer`.
    pub fn learn_credentials(&self, text: &str) {
        let mut needles = self.needles();
        for part in credentials::parts(text) {
            needles.add(&part);
        }
    }

    /// Remembers what is secret in the environment variables that a program may see: the values whose names say that they
    /// are secrets, except ordinary words, and the credentials in the others.
    pub fn learn_variables(
        &self,
        secrets: impl IntoIterator<Item = OsString>,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) {
        for secret in secrets {
            let secret = secret.to_string_lossy();
            if !tenon_text::is_ordinary_value(&secret) {
                self.learn_text(&secret);
            }
        }
        for (_, value) in variables {
            self.learn_credentials(&value.to_string_lossy());
        }
    }

    fn needles(&self) -> MutexGuard<'_, Needles> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Marks every text in the value that contains a secret, and every number that is one.
    pub fn mark(&self, value: &Value) -> Value {
        let is_secret = |part: &Value| match part.as_str() {
            Some(text) => !self.found(text.as_bytes(), Cut::Nowhere).is_empty(),
            None => written(part).is_some_and(|number| self.needles().contains(&number)),
        };
        let marked = value.transform(&mut |_, part| {
            let is_secret = is_secret(&part);
            Ok(if is_secret { part.sensitive() } else { part })
        });
        // The function never fails.
        marked.unwrap_or_else(|_| value.sensitive())
    }

    /// The text without secrets, also where it was cut in the middle of one: the beginning of a secret
    /// right before an ellipsis is hidden, and the end of one right after it.
    pub fn hide(&self, text: &str) -> String {
        let found = self.found(text.as_bytes(), Cut::AtEllipses);
        if found.is_empty() {
            return text.to_owned();
        }
        let hidden = replaced(text.as_bytes(), &found);
        // Secrets are UTF-8, so the rest is too.
        String::from_utf8(hidden).unwrap_or_else(|_| MASK.to_owned())
    }

    /// Hides the secrets in every text of a JSON value. A number that is one becomes a text.
    pub fn hide_json(&self, value: &mut serde_json::Value) {
        use serde_json::Value;
        match value {
            Value::String(text) => *text = self.hide(text),
            Value::Number(number) => {
                let text = number.to_string();
                let hidden = self.hide(&text);
                if hidden != text {
                    *value = Value::String(hidden);
                }
            }
            Value::Array(all) => all.iter_mut().for_each(|one| self.hide_json(one)),
            Value::Object(members) => members.values_mut().for_each(|one| self.hide_json(one)),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Bytes without secrets, before they are quoted. If they are the beginning of something longer,
    /// the beginning of a secret is hidden at their end.
    pub fn hide_bytes(&self, bytes: &[u8], is_cut: bool) -> Vec<u8> {
        let cut = match is_cut {
            true => Cut::AtEnd,
            false => Cut::AtEllipses,
        };
        replaced(bytes, &self.found(bytes, cut))
    }

    /// The same for a connection, which quotes the messages that it cannot decode. Secrets that are learned
    /// later are masked as well.
    pub fn redact(&self) -> Redact {
        let secrets = self.clone();
        Arc::new(move |bytes, is_cut| secrets.hide_bytes(bytes, is_cut))
    }

    /// The places of secrets: in order, and not overlapping.
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
            cut.ends(&spelling.bytes, |end, shown| {
                let part = needles.find_beginning(&spelling.bytes, end);
                found.extend(part.map(|part| spelling.original(&(part.start..shown))));
            });
            cut.starts(&spelling.bytes, |start| {
                let part = needles.find_ending(&spelling.bytes, start);
                found.extend(part.map(|part| spelling.original(&part)));
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
