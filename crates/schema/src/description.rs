//! Descriptions.

/// A description in plain text or in Markdown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description {
    /// The text. Empty if there is no description.
    pub text: String,
    /// Whether the text is Markdown.
    pub is_markdown: bool,
}

impl Description {
    /// A description in Markdown.
    pub fn markdown(text: impl Into<String>) -> Description {
        Description {
            text: text.into(),
            is_markdown: true,
        }
    }
}

/// Plain text.
impl<T: Into<String>> From<T> for Description {
    fn from(text: T) -> Description {
        Description {
            text: text.into(),
            is_markdown: false,
        }
    }
}
