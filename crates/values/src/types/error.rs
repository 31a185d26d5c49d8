//! Errors in texts of types.

/// Why a text is not a type, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} at line {line}, column {column} of the type {text:?}")]
pub struct TypeError {
    /// What is wrong there.
    pub message: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The beginning of the text.
    pub text: String,
}

impl TypeError {
    /// `message` about the byte at `offset` of `text`.
    pub(crate) fn at(text: &str, offset: usize, message: impl Into<String>) -> TypeError {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        TypeError {
            message: message.into(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            text: text.chars().take(60).collect(),
        }
    }
}
