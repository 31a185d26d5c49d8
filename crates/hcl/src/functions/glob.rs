//! Patterns of paths.

use std::iter::Peekable;
use std::str::Chars;

use regex::Regex;

/// A pattern: `*` for any name, `?` for one character, `[a-z]` and `[^a-z]` for one of some,
/// `{a,b}` for one of several, and `**` between slashes for any folders.
pub(super) struct Glob(Regex);

impl Glob {
    /// Nothing if the pattern is malformed.
    pub(super) fn read(pattern: &str) -> Option<Glob> {
        let mut expression = String::from("(?s)^");
        let parts: Vec<&str> = pattern.split('/').collect();
        let mut depth = 0;
        for (index, part) in parts.iter().enumerate() {
            let is_last = index + 1 == parts.len();
            match (*part, is_last) {
                ("**", true) => expression.push_str(".*"),
                ("**", false) => expression.push_str("(?:.*/)?"),
                (part, _) => {
                    write_part(part, &mut expression, &mut depth)?;
                    if !is_last {
                        expression.push('/');
                    }
                }
            }
        }
        expression.push('$');
        // Braces may go over slashes, so they are counted over all parts.
        if depth != 0 {
            return None;
        }
        Regex::new(&expression).ok().map(Glob)
    }

    pub(super) fn matches(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

fn write_part(part: &str, out: &mut String, depth: &mut usize) -> Option<()> {
    let mut characters = part.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '*' => out.push_str("[^/]*"),
            '?' => out.push_str("[^/]"),
            '[' => write_class(&mut characters, out)?,
            '{' => {
                *depth += 1;
                out.push_str("(?:");
            }
            '}' if *depth > 0 => {
                *depth -= 1;
                out.push(')');
            }
            ',' if *depth > 0 => out.push('|'),
            '\\' => push_literal(characters.next()?, out),
            other => push_literal(other, out),
        }
    }
    Some(())
}

fn write_class(characters: &mut Peekable<Chars>, out: &mut String) -> Option<()> {
    let is_negated = characters
        .next_if(|next| matches!(next, '^' | '!'))
        .is_some();
    out.push_str(if is_negated { "[^/" } else { "[" });
    let mut is_empty = true;
    loop {
        match characters.next()? {
            ']' if !is_empty => break,
            ']' => return None,
            '-' => out.push('-'),
            '\\' => push_literal(characters.next()?, out),
            other => push_literal(other, out),
        }
        is_empty = false;
    }
    out.push(']');
    Some(())
}

fn push_literal(character: char, out: &mut String) {
    out.push_str(&regex::escape(character.encode_utf8(&mut [0; 4])));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_paths() {
        let matches = |pattern: &str, path: &str| Glob::read(pattern).unwrap().matches(path);
        assert!(matches("*.tf", "main.tf") && !matches("*.tf", "a/main.tf"));
        assert!(matches("**/*.tf", "main.tf") && matches("**/*.tf", "a/b/main.tf"));
        assert!(matches("a/**", "a/b/c") && !matches("a/**", "b/c"));
        assert!(matches("a/**/c", "a/c") && matches("a/**/c", "a/b/b/c"));
        assert!(matches("{a,b*}.x", "bb.x") && !matches("{a,b}.x", "c.x"));
        assert!(matches("{a/b,c}/d", "a/b/d"));
        assert!(matches("[!a-c]", "d") && !matches("[^a-c]", "b") && matches("[a-]", "-"));
        assert!(matches(r"\*.(x)", "*.(x)") && !matches(r"\*", "a"));
        assert!(matches("a**", "abc") && !matches("a**", "a/b"));
        for wrong in ["[", "[]", "[a", "{a", r"\"] {
            assert!(Glob::read(wrong).is_none(), "{wrong}");
        }
    }
}
