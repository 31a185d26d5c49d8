//! Format strings, cut into text and verbs.

use crate::function::FunctionError;

/// One piece of a format string.
#[derive(Debug, PartialEq)]
pub(super) enum Piece<'a> {
    /// As it is.
    Text(&'a str),
    /// A value in the place of this.
    Verb(Verb<'a>),
}

/// `%`, flags, a width, a precision behind a point, an argument's number in brackets, a letter.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Verb<'a> {
    /// As it is written, for errors.
    pub(super) written: &'a str,
    pub(super) letter: char,
    /// Which argument, from 0.
    pub(super) argument: usize,
    pub(super) width: usize,
    pub(super) precision: Option<usize>,
    pub(super) is_sharp: bool,
    pub(super) is_left: bool,
    /// Filled with zeros.
    pub(super) is_filled: bool,
    /// What stands before a number that is not negative.
    pub(super) plus: &'static str,
}

/// The pieces of a format string, in order.
pub(super) fn pieces(format: &str) -> Result<Vec<Piece<'_>>, FunctionError> {
    let mut pieces = Vec::new();
    let mut next_argument = 0;
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        let (text, verb) = rest.split_at(at);
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        if let Some(after) = verb.strip_prefix("%%") {
            pieces.push(Piece::Text("%"));
            rest = after;
            continue;
        }
        let verb = read(verb, next_argument)?;
        next_argument = verb.argument + 1;
        rest = &rest[at + verb.written.len()..];
        pieces.push(Piece::Verb(verb));
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    Ok(pieces)
}

/// The verb that this begins with.
fn read(text: &str, next_argument: usize) -> Result<Verb<'_>, FunctionError> {
    let mut verb = Verb {
        argument: next_argument,
        ..Verb::default()
    };
    let mut rest = text.strip_prefix('%').unwrap_or(text);
    while let Some(flag) = rest.chars().next() {
        match flag {
            '#' => verb.is_sharp = true,
            '-' => verb.is_left = true,
            '0' => verb.is_filled = true,
            '+' => verb.plus = "+",
            ' ' if verb.plus.is_empty() => verb.plus = " ",
            ' ' => {}
            _ => break,
        }
        rest = &rest[1..];
    }
    verb.width = digits(&mut rest).unwrap_or(0);
    if let Some(after) = rest.strip_prefix('.') {
        rest = after;
        verb.precision = Some(digits(&mut rest).unwrap_or(0));
    }
    if let Some(after) = rest.strip_prefix('[') {
        rest = after;
        let number = digits(&mut rest).filter(|number| *number > 0);
        verb.argument = number.ok_or_else(|| malformed(text))? - 1;
        rest = rest.strip_prefix(']').ok_or_else(|| malformed(text))?;
    }
    let letter = rest.chars().next().filter(char::is_ascii_alphabetic);
    verb.letter = letter.ok_or_else(|| malformed(text))?;
    verb.written = &text[..text.len() - rest.len() + 1];
    Ok(verb)
}

/// The number that this begins with, if it does.
fn digits(rest: &mut &str) -> Option<usize> {
    let end = rest.find(|character: char| !character.is_ascii_digit());
    let (digits, after) = rest.split_at(end.unwrap_or(rest.len()));
    *rest = after;
    match digits {
        "" => None,
        // Wider than any text may be: the limit is reported there.
        digits => Some(digits.parse().unwrap_or(usize::MAX / 2)),
    }
}

fn malformed(text: &str) -> FunctionError {
    let message =
        "a format verb is malformed; it is a % with flags, width and a letter, and %% for a %";
    FunctionError::new(message).at(0).quoting(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_text_and_verbs() {
        let pieces = pieces("a%%b %-08.3[2]f%s").unwrap();
        let Piece::Verb(number) = &pieces[3] else {
            panic!("{pieces:?}");
        };
        assert_eq!((number.written, number.letter), ("%-08.3[2]f", 'f'));
        assert_eq!(
            (number.argument, number.width, number.precision),
            (1, 8, Some(3))
        );
        assert!(number.is_left && number.is_filled && !number.is_sharp);
        assert!(matches!(&pieces[4], Piece::Verb(verb) if verb.argument == 2));
        assert_eq!(pieces.len(), 5);
    }

    #[test]
    fn refuses_halves() {
        for format in ["%", "a%", "%5%", "%.", "%[0]d", "%[1d", "%é"] {
            assert!(pieces(format).is_err(), "{format}");
        }
    }
}
