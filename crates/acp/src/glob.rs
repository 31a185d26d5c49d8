//! Patterns of paths and commands.

use std::collections::HashMap;

/// A pattern: `*` for any characters, `?` for one, `[a-z]` and `[!a-z]` for one of some, `{a,b}` for one of several,
/// and `\` before a character that has no special meaning.
///
/// In a path, `*`, `?` and `[...]` do not match `/`, and `**` between slashes matches any folders. In a command, they
/// match every character.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    text: String,
    kind: Kind,
    /// One for each choice of the braces.
    choices: Vec<Vec<Piece>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Path,
    Command,
}

/// Whether a letter is the same in another case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Exact,
    Any,
}

impl Case {
    /// What this system does with the names of files and programs.
    pub(crate) const OF_SYSTEM: Case = match cfg!(windows) {
        true => Case::Any,
        false => Case::Exact,
    };

    /// The letter, as itself and in the other case. Windows knows no letter whose other case is two letters.
    fn spellings(self, letter: char) -> [char; 3] {
        if self == Case::Exact {
            return [letter; 3];
        }
        let single = |other: char, more: Option<char>| match more {
            None => other,
            Some(_) => letter,
        };
        let (mut small, mut capital) = (letter.to_lowercase(), letter.to_uppercase());
        [
            letter,
            single(small.next().unwrap_or(letter), small.next()),
            single(capital.next().unwrap_or(letter), capital.next()),
        ]
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(char),
    /// One character.
    One,
    /// One of these ranges, or none of them.
    Class(bool, Vec<(char, char)>),
    /// Any characters, without slashes in a path.
    Star,
    /// Any characters.
    Anything,
    /// Nothing, or anything that ends with a slash.
    Folders,
}

/// Braces multiply; a pattern with more choices is a mistake.
const CHOICES: usize = 256;
const LENGTH: usize = 4096;

impl Glob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(text: &str, kind: Kind) -> Result<Glob, &'static str> {
        if text.is_empty() {
            return Err("a pattern cannot be empty");
        }
        if text.len() > LENGTH {
            return Err("a pattern can have at most 4096 bytes");
        }
        let characters: Vec<char> = text.chars().collect();
        let mut choices = Vec::new();
        expand(characters, 0, &mut choices)?;
        let choices = choices.iter().map(|choice| pieces(choice, kind));
        Ok(Glob {
            text: text.to_owned(),
            kind,
            choices: choices.collect::<Result<_, _>>()?,
        })
    }

    /// The pattern as it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        self.matches_in(text, Case::Exact)
    }

    /// Whether a text matches, perhaps with letters in another case.
    pub(crate) fn matches_in(&self, text: &str, case: Case) -> bool {
        let text: Vec<char> = text.chars().collect();
        let mut choices = self.choices.iter();
        choices.any(|choice| {
            matches(choice, &text, &|piece, letter| {
                self.takes(piece, letter, case)
            })
        })
    }

    /// Whether a command is meant by a rule that does not allow it: `git push *` is about `git push` too.
    pub(crate) fn matches_command(&self, text: &str, case: Case) -> bool {
        let is_about_arguments = self.text.ends_with(" *");
        self.matches_in(text, case)
            || is_about_arguments && self.matches_in(&format!("{text} "), case)
    }

    /// Whether only one text matches.
    pub(crate) fn is_exact(&self) -> bool {
        let is_literal = |piece: &Piece| matches!(piece, Piece::Literal(_));
        self.choices.len() == 1 && self.choices.iter().flatten().all(is_literal)
    }

    /// Whether the last part of a path is a name and not a pattern.
    pub(crate) fn ends_with_name(&self) -> bool {
        let is_name = |choice: &Vec<Piece>| {
            let last = choice
                .split(|piece| *piece == Piece::Literal('/'))
                .next_back();
            let last = last.unwrap_or_default();
            let last = last.rsplit(|piece| *piece == Piece::Folders).next();
            last.is_some_and(|last| {
                !last.is_empty() && last.iter().all(|piece| matches!(piece, Piece::Literal(_)))
            })
        };
        self.kind == Kind::Path && self.choices.iter().all(is_name)
    }

    /// Whether a text can match of which some letters are not known: each of those stands for any text. Each of the
    /// `skips` is a part of the text that may be left out: from a place to a later one, in the order of the places.
    pub(crate) fn may_match(
        &self,
        text: &[Option<char>],
        skips: &[(usize, usize)],
        case: Case,
    ) -> bool {
        let mut choices = self.choices.iter();
        choices.any(|choice| {
            may_match(choice, text, skips, &|piece, letter| {
                self.takes(piece, letter, case)
            })
        })
    }

    /// Whether a piece takes a letter.
    fn takes(&self, piece: &Piece, letter: char, case: Case) -> bool {
        let is_separator = self.kind == Kind::Path && letter == '/';
        match piece {
            Piece::Literal(literal) => case.spellings(letter).contains(literal),
            Piece::One => !is_separator,
            Piece::Class(is_negated, ranges) => {
                let is_in = |letter: char| {
                    ranges
                        .iter()
                        .any(|(from, to)| (*from..=*to).contains(&letter))
                };
                let is_in = case.spellings(letter).into_iter().any(is_in);
                is_in != *is_negated && !is_separator
            }
            Piece::Star | Piece::Anything | Piece::Folders => false,
        }
    }
}

/// Replaces the first braces by each of their choices, until there are none.
fn expand(
    pattern: Vec<char>,
    from: usize,
    choices: &mut Vec<Vec<char>>,
) -> Result<(), &'static str> {
    let mut at = from;
    while let Some(&character) = pattern.get(at) {
        match character {
            '\\' => at += 1,
            '[' => at = class_end(&pattern, at).ok_or("`[` has no `]`")?,
            '}' => return Err("`}` has no `{`; write `\\}` for the character itself"),
            '{' => {
                let (parts, end) = alternatives(&pattern, at).ok_or("`{` has no `}`")?;
                for part in parts {
                    let mut chosen = pattern[..at].to_vec();
                    chosen.extend(part);
                    chosen.extend(&pattern[end..]);
                    expand(chosen, at, choices)?;
                }
                return Ok(());
            }
            _ => {}
        }
        at += 1;
    }
    if choices.len() == CHOICES {
        return Err("a pattern can have at most 256 alternatives");
    }
    choices.push(pattern);
    Ok(())
}

/// The alternatives in the braces that begin at `start`, and where what follows them begins.
fn alternatives(pattern: &[char], start: usize) -> Option<(Vec<&[char]>, usize)> {
    let (mut depth, mut parts, mut from, mut at) = (0, Vec::new(), start + 1, start + 1);
    loop {
        match pattern.get(at)? {
            '\\' => at += 1,
            '[' => at = class_end(pattern, at)?,
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&pattern[from..at]);
                from = at + 1;
            }
            '}' => {
                parts.push(&pattern[from..at]);
                return Some((parts, at + 1));
            }
            _ => {}
        }
        at += 1;
    }
}

/// The place of the `]`.
fn class_end(pattern: &[char], start: usize) -> Option<usize> {
    let mut at = start + 1;
    at += usize::from(matches!(pattern.get(at), Some('!' | '^')));
    let first = at;
    loop {
        match pattern.get(at)? {
            ']' if at > first => return Some(at),
            '\\' => at += 1,
            _ => {}
        }
        at += 1;
    }
}

fn pieces(pattern: &[char], kind: Kind) -> Result<Vec<Piece>, &'static str> {
    let (mut pieces, mut at) = (Vec::new(), 0);
    while let Some(&character) = pattern.get(at) {
        let starts_part = at == 0 || pattern[at - 1] == '/';
        match character {
            '*' if kind == Kind::Command => pieces.push(Piece::Anything),
            '*' if starts_part && pattern.get(at + 1) == Some(&'*') => match pattern.get(at + 2) {
                None => {
                    pieces.push(Piece::Anything);
                    at += 1;
                }
                Some('/') => {
                    pieces.push(Piece::Folders);
                    at += 2;
                }
                Some(_) => pieces.push(Piece::Star),
            },
            '*' => pieces.push(Piece::Star),
            '?' => pieces.push(Piece::One),
            '[' => {
                let end = class_end(pattern, at).ok_or("`[` has no `]`")?;
                pieces.push(class(&pattern[at + 1..end])?);
                at = end;
            }
            '\\' => {
                at += 1;
                let character = pattern.get(at).ok_or("nothing follows `\\`")?;
                pieces.push(Piece::Literal(*character));
            }
            other => pieces.push(Piece::Literal(other)),
        }
        at += 1;
    }
    Ok(pieces)
}

fn class(text: &[char]) -> Result<Piece, &'static str> {
    let is_negated = matches!(text.first(), Some('!' | '^'));
    let mut text = text[usize::from(is_negated)..].iter().copied();
    let mut characters = Vec::new();
    while let Some(character) = text.next() {
        characters.push(match character {
            '\\' => (text.next().ok_or("nothing follows `\\`")?, true),
            other => (other, false),
        });
    }
    let (mut ranges, mut at) = (Vec::new(), 0);
    while let Some(&(from, _)) = characters.get(at) {
        match (characters.get(at + 1), characters.get(at + 2)) {
            (Some(('-', false)), Some(&(to, _))) => {
                if to < from {
                    return Err("a range in `[...]` ends before it begins");
                }
                ranges.push((from, to));
                at += 3;
            }
            _ => {
                ranges.push((from, from));
                at += 1;
            }
        }
    }
    Ok(Piece::Class(is_negated, ranges))
}

/// Whether a piece takes a letter.
type Takes<'t> = &'t dyn Fn(&Piece, char) -> bool;

/// Which places in the text can be reached after each piece: no pattern takes more than pieces times characters.
fn matches(pieces: &[Piece], text: &[char], takes: Takes<'_>) -> bool {
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for piece in pieces {
        let mut next = vec![false; text.len() + 1];
        match piece {
            Piece::Star | Piece::Anything | Piece::Folders => {
                let mut is_open = false;
                for at in 0..=text.len() {
                    let before = at.checked_sub(1).map(|before| text[before]);
                    if *piece == Piece::Star && before == Some('/') {
                        is_open = false;
                    }
                    is_open |= reached[at];
                    next[at] = match piece {
                        Piece::Folders => reached[at] || is_open && before == Some('/'),
                        _ => is_open,
                    };
                }
            }
            one => {
                for (at, &character) in text.iter().enumerate() {
                    next[at + 1] = reached[at] && takes(one, character);
                }
            }
        }
        reached = next;
    }
    reached[text.len()]
}

/// Which pieces can be next before each letter. After an unknown text that can be any of those that follow.
fn may_match(
    pieces: &[Piece],
    text: &[Option<char>],
    skips: &[(usize, usize)],
    takes: Takes<'_>,
) -> bool {
    let is_any = |piece: &Piece| matches!(piece, Piece::Star | Piece::Anything | Piece::Folders);
    let mut next = vec![false; pieces.len() + 1];
    next[0] = true;
    // What can be next behind a part that was left out.
    let mut behind: HashMap<usize, Vec<bool>> = HashMap::new();
    let mut skips = skips.iter().peekable();
    for at in 0..=text.len() {
        if let Some(more) = behind.remove(&at) {
            { next.iter_mut().zip(more) }.for_each(|(next, more)| *next |= more);
        }
        // A piece that takes any text also takes none.
        for (at, piece) in pieces.iter().enumerate() {
            next[at + 1] |= next[at] && is_any(piece);
        }
        while let Some((_, to)) = skips.next_if(|(from, _)| *from == at) {
            let target = { behind.entry(*to) }.or_insert_with(|| vec![false; next.len()]);
            { target.iter_mut().zip(&next) }.for_each(|(target, next)| *target |= next);
        }
        let Some(letter) = text.get(at) else {
            break;
        };
        let mut after = vec![false; pieces.len() + 1];
        match letter {
            None => {
                let first = next.iter().position(|is_next| *is_next);
                after[first.unwrap_or(pieces.len() + 1)..].fill(true);
            }
            Some(letter) => {
                for (at, piece) in pieces.iter().enumerate().filter(|(at, _)| next[*at]) {
                    after[at] |= is_any(piece);
                    after[at + 1] |= takes(piece, *letter);
                }
            }
        }
        next = after;
    }
    next[pieces.len()]
}

#[cfg(test)]
mod tests;
