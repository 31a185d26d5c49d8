//! Command lines in texts.

/// Words as a shell divides them: quotes and backslashes keep blanks together, nothing else has a meaning.
pub(super) fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            (_, Some(open)) if character == open => quote = None,
            ('\\', None | Some('"')) => {
                let next = characters.next().ok_or("a backslash ends the line")?;
                word.get_or_insert_default().push(next);
            }
            ('\'' | '"', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (_, None) if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    match quote {
        Some(_) => Err("a quotation mark is not closed".to_owned()),
        None => {
            words.extend(word);
            Ok(words)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_keep_words_together() {
        let words = split(r#"a 'b c' "d \" e" f\ g '' "#).unwrap();
        assert_eq!(words, ["a", "b c", "d \" e", "f g", ""]);
        assert!(split("'a").unwrap_err().contains("not closed"));
        assert!(split("a\\").unwrap_err().contains("backslash"));
    }
}
