//! Colours of what people read.

use std::fmt::Display;

use super::is_colored;

pub(super) const RESET: &str = "\u{1b}[0m";

/// Colours on stderr.
#[derive(Clone, Copy)]
pub(crate) enum Paint {
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
    Cyan,
}

impl Paint {
    pub(super) fn code(self) -> &'static str {
        match self {
            Paint::Bold => "\u{1b}[1m",
            Paint::Dim => "\u{1b}[2m",
            Paint::Red => "\u{1b}[31m",
            Paint::Green => "\u{1b}[32m",
            Paint::Yellow => "\u{1b}[33m",
            Paint::Cyan => "\u{1b}[36m",
        }
    }

    /// Text in this colour, if stderr shows colours. Hidden characters in it are escaped.
    pub(crate) fn on(self, text: impl Display) -> String {
        let text = tenon_text::lines(&text.to_string()).into_owned();
        match is_colored() {
            true => format!("{}{text}{RESET}", self.code()),
            false => text,
        }
    }
}
