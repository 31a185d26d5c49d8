//! Words as a shell splits them, for `TF_CLI_ARGS`.

/// The words of a text with quotes and backslashes. `None` if a quote is not closed.
pub(super) fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), letter) if open == letter => quote = None,
            (Some('"') | None, '\\') => word.get_or_insert_default().push(letters.next()?),
            (Some(_), letter) => word.get_or_insert_default().push(letter),
            (None, '"' | '\'') => {
                quote = Some(letter);
                // An empty word is one, too.
                word.get_or_insert_default();
            }
            (None, letter) if letter.is_whitespace() => words.extend(word.take()),
            (None, letter) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn words_are_split_as_in_a_shell() {
        let words = |text| split(text).map(|words| words.join("|"));
        assert_eq!(words(""), Some(String::new()));
        assert_eq!(
            words(" -a  -var='x=y z' \"b \\\" c\"").as_deref(),
            Some("-a|-var=x=y z|b \" c")
        );
        assert_eq!(words(r"a\ b 'c\d' ''").as_deref(), Some(r"a b|c\d|"));
        assert_eq!(words("'a"), None);
        assert_eq!(words("a\\"), None);
    }
}
