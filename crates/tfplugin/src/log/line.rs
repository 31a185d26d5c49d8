//! One event as a line.

use std::error::Error;
use std::fmt::{self, Display};

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Level};

use super::Mask;

/// Terraform reads 64 KiB as one line and shows the rest as another one that is not JSON. No text of an
/// event may be so long that this happens.
const LONGEST_TEXT: usize = 16 * 1024;

/// One event, without secrets.
pub(super) struct Line<'m> {
    mask: Option<&'m Mask>,
    level: Level,
    message: String,
    fields: Map<String, Value>,
}

impl<'m> Line<'m> {
    pub(super) fn of(event: &Event<'_>, mask: Option<&'m Mask>) -> Line<'m> {
        let mut line = Line {
            mask,
            level: *event.metadata().level(),
            message: String::new(),
            fields: Map::new(),
        };
        event.record(&mut line);
        line
    }

    /// As Terraform expects it.
    pub(super) fn into_json(self, provider: &str, now: impl Display) -> String {
        let level = self.level.as_str().to_ascii_lowercase();
        let mut object = Map::new();
        object.insert("@level".to_owned(), level.into());
        object.insert("@message".to_owned(), self.message.into());
        object.insert("@module".to_owned(), provider.into());
        object.insert("@timestamp".to_owned(), now.to_string().into());
        object.extend(self.fields);
        let mut text = Value::Object(object).to_string();
        text.push('\n');
        text
    }

    /// For a person.
    pub(super) fn into_text(self) -> String {
        let mut text = format!("{:5} {}", self.level.as_str(), self.message);
        for (name, value) in &self.fields {
            text.push_str(&format!(" {name}={value}"));
        }
        text.push('\n');
        text
    }

    fn add(&mut self, field: &Field, value: Value) {
        self.fields.insert(field.name().to_owned(), value);
    }

    fn add_text(&mut self, field: &Field, text: String) {
        // Before it is cut: no half of a secret may be left.
        let text = match self.mask {
            Some(mask) => mask(&text),
            None => text,
        };
        // Terraform decodes the JSON and prints what it says, a line break included.
        let text = shortened(tenon_text::line(&text).into_owned());
        if field.name() == "message" {
            self.message = text;
        } else {
            self.add(field, text.into());
        }
    }
}

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add_text(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add_text(field, value.to_owned());
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.add_text(field, value.to_string());
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, value.into());
    }
}

fn shortened(mut text: String) -> String {
    if text.len() > LONGEST_TEXT {
        let is_boundary = |end: &usize| text.is_char_boundary(*end);
        let end = (0..=LONGEST_TEXT).rev().find(is_boundary).unwrap_or(0);
        let rest = text.len() - end;
        text.truncate(end);
        text.push_str(&format!("… ({rest} bytes more)"));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing::span::{Attributes, Id, Record};
    use tracing::{Metadata, Subscriber};

    use super::*;

    /// Keeps the last event, as JSON and as text.
    #[derive(Clone, Default)]
    struct Kept(Arc<Mutex<(String, String)>>, Option<Arc<Mask>>);

    impl Subscriber for Kept {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn event(&self, event: &Event<'_>) {
            let lines = (
                Line::of(event, self.1.as_deref()).into_json("denobridge", "now"),
                Line::of(event, self.1.as_deref()).into_text(),
            );
            *self.0.lock().unwrap() = lines;
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    fn lines(log: impl FnOnce()) -> (String, String) {
        lines_of(Kept::default(), log)
    }

    fn lines_of(kept: Kept, log: impl FnOnce()) -> (String, String) {
        tracing::subscriber::with_default(kept.clone(), log);
        let lines = kept.0.lock().unwrap();
        lines.clone()
    }

    #[test]
    fn fields_keep_their_kind() {
        let (json, text) = lines(|| {
            let error = std::io::Error::other("full");
            let error: &(dyn Error + 'static) = &error;
            tracing::warn!(
                count = 2,
                yes = true,
                name = "a\"b",
                error,
                "two {}",
                "words"
            );
        });
        assert_eq!(
            json,
            "{\"@level\":\"warn\",\"@message\":\"two words\",\"@module\":\"denobridge\",\
             \"@timestamp\":\"now\",\"count\":2,\"error\":\"full\",\"name\":\"a\\\"b\",\
             \"yes\":true}\n"
        );
        let fields = "count=2 error=\"full\" name=\"a\\\"b\" yes=true";
        assert_eq!(text, format!("WARN  two words {fields}\n"));
    }

    #[test]
    fn no_field_has_a_secret_even_where_it_is_cut() {
        let mask = |text: &str| text.replace("hunter22", "***");
        let kept = Kept(Arc::default(), Some(Arc::new(mask)));
        let long = format!("{}hunter22", "x".repeat(LONGEST_TEXT - 4));
        let (json, text) = lines_of(kept, || {
            tracing::info!(?long, method = "hunter22", "it is hunter22");
        });
        for line in [json, text] {
            assert!(!line.contains("hunt"), "{line}");
        }
    }

    #[test]
    fn a_line_stays_one_and_short_enough_for_terraform() {
        let (json, _) = lines(|| tracing::info!("{}\n{}", "ä".repeat(100_000), "end"));
        assert_eq!(json.matches('\n').count(), 1);
        assert!(json.len() < 64 * 1024);
        assert!(json.contains("ä… (183621 bytes more)"), "{json}");
    }

    #[test]
    fn hidden_characters_and_line_breaks_are_escaped() {
        let (json, text) = lines(|| tracing::info!(name = "a\nb", "c\u{1b}[2J\n\u{202e}d"));
        let line: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(line["@message"], r"c\u{1b}[2J\n\u{202e}d");
        assert_eq!(line["name"], r"a\nb");
        assert!(text.contains(r"c\u{1b}[2J\n\u{202e}d"), "{text}");
    }
}
