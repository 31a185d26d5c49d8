//! Regular expressions as Go's RE2 reads them, rewritten for the `regex` crate.
//!
//! Both run in linear time and have no look-around. What differs is rewritten: `\d`, `\s`, `\w` and
//! `\b` mean ASCII in RE2, `\Q...\E` quotes, and in a class `[`, `&&`, `--` and `~~` are nothing
//! special. What stays different: octal escapes such as `\101` and `\C` are refused, the flag `x`
//! is known, and a large pattern is refused by the size of its program, not by its repetitions.

use std::iter::Peekable;
use std::str::Chars;

use regex::Regex;

use crate::function::FunctionError;

/// Compiles a pattern that was given as the argument at this place.
pub(super) fn compile(pattern: &str, argument: usize) -> Result<Regex, FunctionError> {
    Regex::new(&rewritten(pattern)).map_err(|error| {
        let message = match error {
            regex::Error::CompiledTooBig(_) => "the regular expression is too large",
            _ => "the regular expression is not valid RE2 syntax",
        };
        FunctionError::new(message).at(argument).quoting(pattern)
    })
}

fn rewritten(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => escape(&mut characters, &mut out, false),
            '[' => class(&mut characters, &mut out),
            other => out.push(other),
        }
    }
    out
}

/// What follows a backslash.
fn escape(characters: &mut Peekable<Chars>, out: &mut String, is_in_class: bool) {
    let Some(character) = characters.next() else {
        out.push('\\');
        return;
    };
    let set = match character {
        'd' => "[0-9]",
        'D' => "[^0-9]",
        's' => r"[\t\n\x0c\r ]",
        'S' => r"[^\t\n\x0c\r ]",
        'w' => "[0-9A-Za-z_]",
        'W' => "[^0-9A-Za-z_]",
        'b' if !is_in_class => r"(?-u:\b)",
        'B' if !is_in_class => r"(?-u:\B)",
        'Q' if !is_in_class => return quotation(characters, out),
        other => {
            out.extend(['\\', other]);
            return;
        }
    };
    out.push_str(set);
}

/// Everything up to `\E` or the end, as it is.
fn quotation(characters: &mut Peekable<Chars>, out: &mut String) {
    let mut quoted = String::new();
    while let Some(character) = characters.next() {
        if character == '\\' && characters.next_if_eq(&'E').is_some() {
            break;
        }
        quoted.push(character);
    }
    out.push_str(&regex::escape(&quoted));
}

/// A class in brackets, of which the first is read.
fn class(characters: &mut Peekable<Chars>, out: &mut String) {
    out.push('[');
    if characters.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    // A bracket that comes first closes nothing.
    if characters.next_if_eq(&']').is_some() {
        out.push_str(r"\]");
    }
    let mut previous = '[';
    while let Some(character) = characters.next() {
        match character {
            ']' => {
                out.push(']');
                return;
            }
            '\\' => escape(characters, out, true),
            '[' if characters.peek() == Some(&':') => {
                // A named class such as [:alpha:].
                out.push('[');
                for inside in characters.by_ref() {
                    out.push(inside);
                    if inside == ']' {
                        break;
                    }
                }
            }
            '[' | '&' | '~' => out.extend(['\\', character]),
            '-' if previous == '-' => out.push_str(r"\-"),
            other => out.push(other),
        }
        previous = character;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(pattern: &str, text: &'a str) -> Option<&'a str> {
        compile(pattern, 0)
            .unwrap()
            .find(text)
            .map(|found| found.as_str())
    }

    #[test]
    fn classes_of_letters_are_ascii() {
        assert_eq!(found(r"\d+", "\u{663}7"), Some("7"));
        assert_eq!(found(r"[\w-]+", "é-a"), Some("-a"));
        assert_eq!(found(r"\W", "é"), Some("é"));
        assert_eq!(found(r"[^\D]", "a1"), Some("1"));
        assert_eq!(found(r"\ba", "éa"), Some("a"));
    }

    #[test]
    fn brackets_in_a_class_are_themselves() {
        assert_eq!(found(r"[[a]+", "x[a]"), Some("[a"));
        assert_eq!(found(r"[]a]+", "x]a"), Some("]a"));
        assert_eq!(found(r"[a&&b]+", "&b"), Some("&b"));
        assert_eq!(found(r"[+--]+", "a,-"), Some(",-"));
        assert_eq!(found(r"[[:digit:]x]+", "a1x"), Some("1x"));
    }

    #[test]
    fn quotes() {
        assert_eq!(found(r"\Qa.b\E.", "axb a.bc"), Some("a.bc"));
        assert_eq!(found(r"\Q(", "("), Some("("));
    }

    #[test]
    fn large_programs_are_refused() {
        let error = compile(r"(?:(?:\pL{1000}){1000}){1000}", 0).unwrap_err();
        assert_eq!(error.message, "the regular expression is too large");
    }
}
