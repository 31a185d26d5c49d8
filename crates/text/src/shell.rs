//! A word as a shell reads it.

use std::borrow::Cow;

/// A word for a command line that can be copied into a shell: in single quotes, unless a shell reads it as it is.
///
/// ```
/// assert_eq!(tenon_text::shell_word("./tool"), "./tool");
/// assert_eq!(tenon_text::shell_word("it's $HOME"), r"'it'\''s $HOME'");
/// ```
pub fn shell_word(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=:,@%+".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => Cow::Borrowed(word),
        // There are no escapes within single quotes, so they are closed and opened again.
        false => Cow::Owned(format!("'{}'", word.replace('\'', r"'\''"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_a_shell_changes_are_quoted() {
        for plain in ["sh", "-c", "a/b.c", "NAME=x,y:1@2%3+4", "größe"] {
            assert_eq!(shell_word(plain), plain);
        }
        for (word, quoted) in [
            ("", "''"),
            ("a b", "'a b'"),
            ("$x", "'$x'"),
            ("*", "'*'"),
            ("~", "'~'"),
            ("a'b", r"'a'\''b'"),
        ] {
            assert_eq!(shell_word(word), quoted);
        }
    }
}
