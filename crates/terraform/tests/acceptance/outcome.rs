//! The outcome of a Terraform command, and its output.

use std::fmt;

/// A command that has ended.
pub(crate) struct Outcome {
    pub(crate) command: String,
    /// `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    #[track_caller]
    pub(crate) fn succeeds(self) -> Outcome {
        assert_eq!(self.code, Some(0), "{self}");
        self
    }

    #[track_caller]
    pub(crate) fn fails(self) -> Outcome {
        assert_eq!(self.code, Some(1), "{self}");
        self
    }

    /// A plan with -detailed-exitcode that has something to do.
    #[track_caller]
    pub(crate) fn has_changes(self) -> Outcome {
        assert_eq!(self.code, Some(2), "{self}");
        self
    }

    /// Checks that the output has this text. Line breaks and frames of Terraform are ignored.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) -> &Outcome {
        assert!(self.has_said(text), "not said: {text}\n{self}");
        self
    }

    #[track_caller]
    pub(crate) fn says_nothing_of(&self, text: &str) -> &Outcome {
        assert!(!self.has_said(text), "said: {text}\n{self}");
        self
    }

    pub(crate) fn has_said(&self, text: &str) -> bool {
        self.words().contains(&words(text))
    }

    /// How often the output has this text.
    pub(crate) fn count(&self, text: &str) -> usize {
        self.words().matches(&words(text)).count()
    }

    fn words(&self) -> String {
        words(&format!("{} {}", self.stdout, self.stderr))
    }
}

/// A text without line breaks and frames.
fn words(text: &str) -> String {
    let words: Vec<&str> = text
        .split_whitespace()
        .filter(|word| !["│", "╷", "╵"].contains(word))
        .collect();
    words.join(" ")
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Outcome {
            command,
            code,
            stdout,
            stderr,
        } = self;
        write!(
            formatter,
            "{command} ended with {code:?}\nstdout:\n{stdout}\nstderr:\n{stderr}"
        )
    }
}
