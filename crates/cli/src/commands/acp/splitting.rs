//! Command lines in texts.

/// Words as a shell divides them: quotes and backslashes keep blanks together, `~/` at the beginning of a word is the home
/// folder, and nothing else has a meaning.
pub(super) fn split(text: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut characters = text.chars().peekable();
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
            ('~', None) if word.is_none() && characters.peek() == Some(&'/') => {
                let home =
                    std::env::home_dir().and_then(|home| home.into_os_string().into_string().ok());
                word = Some(home.unwrap_or_else(|| "~".to_owned()));
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
    fn the_home_folder_is_written_as_in_a_shell() {
        let home = std::env::home_dir().unwrap();
        let words = split(r#"~/x a~/x '~/x' \~/x ~x ~"#).unwrap();
        let expected = format!("{}/x", home.display());
        assert_eq!(words, [&*expected, "a~/x", "~/x", "~/x", "~x", "~"]);
    }

    #[test]
    fn quotes_and_backslashes_keep_words_together() {
        let words = split(r#"a 'b c' "d \" e" f\ g '' "#).unwrap();
        assert_eq!(words, ["a", "b c", "d \" e", "f g", ""]);
        assert!(split("'a").unwrap_err().contains("not closed"));
        assert!(split("a\\").unwrap_err().contains("backslash"));
    }
}
