//! Patterns of paths and commands.

/// A pattern: `*` for any characters, `?` for one, `[a-z]` and `[!a-z]` for one of some, `{a,b}` for one of several,
/// and `\` before a character that has no special meaning.
///
/// In a path, `*` and `?` do not match `/`, and `**` between slashes matches any folders. In a command, `*` matches
/// everything.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    text: String,
    /// One for each choice of the braces.
    choices: Vec<Vec<Piece>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Path,
    Command,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Literal(char),
    /// One character, not a slash in a path.
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
            choices: choices.collect::<Result<_, _>>()?,
        })
    }

    /// The pattern as it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        self.choices.iter().any(|choice| matches(choice, &text))
    }

    /// Whether a text can match of which some letters are not known: each of those stands for any text.
    pub(crate) fn may_match(&self, text: &[Option<char>]) -> bool {
        self.choices.iter().any(|choice| may_match(choice, text))
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

/// Which places in the text can be reached after each piece: no pattern takes more than pieces times characters.
fn matches(pieces: &[Piece], text: &[char]) -> bool {
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

/// Which pieces can be next after each letter. After an unknown text that can be any of those that follow.
fn may_match(pieces: &[Piece], text: &[Option<char>]) -> bool {
    let is_any = |piece: &Piece| matches!(piece, Piece::Star | Piece::Anything | Piece::Folders);
    let mut next = vec![false; pieces.len() + 1];
    next[0] = true;
    // A piece that takes any text also takes none.
    let skip = |next: &mut Vec<bool>| {
        for (at, piece) in pieces.iter().enumerate() {
            next[at + 1] |= next[at] && is_any(piece);
        }
    };
    skip(&mut next);
    for letter in text {
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
        skip(&mut after);
        next = after;
    }
    next[pieces.len()]
}

fn takes(piece: &Piece, character: char) -> bool {
    match piece {
        Piece::Literal(literal) => *literal == character,
        Piece::One => character != '/',
        Piece::Class(is_negated, ranges) => {
            let is_in = { ranges.iter() }.any(|(from, to)| (*from..=*to).contains(&character));
            is_in != *is_negated && character != '/'
        }
        Piece::Star | Piece::Anything | Piece::Folders => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(pattern: &str, text: &str) -> bool {
        Glob::read(pattern, Kind::Path).unwrap().matches(text)
    }

    fn command(pattern: &str, text: &str) -> bool {
        Glob::read(pattern, Kind::Command).unwrap().matches(text)
    }

    #[test]
    fn paths_are_matched_by_their_parts() {
        assert!(path("*.rs", "main.rs") && !path("*.rs", "src/main.rs"));
        assert!(path("src/**", "src/a") && path("src/**", "src/a/b.rs"));
        assert!(!path("src/**", "src") && !path("src/**", "source/a"));
        assert!(path("**/*.env", ".env") && path("**/.env*", "a/b/.env.local"));
        assert!(path("**/.git/**", ".git/config") && path("**/.git/**", "a/.git/hooks/x"));
        assert!(path("a/**/c", "a/c") && path("a/**/c", "a/b/b/c") && !path("a/**/c", "a/bc"));
        assert!(path("**", "any/thing") && path("/etc/**", "/etc/passwd"));
        assert!(path("{src,tests}/*.{rs,toml}", "tests/a.toml") && !path("{a,b}", "c"));
        assert!(path("{a,b{c,d}}", "bd") && path("x{,y}", "x") && path("x{,y}", "xy"));
        assert!(path("[!a-c]?", "de") && !path("[^a-c]", "b") && path("[a-]", "-"));
        assert!(path(r"\*.rs", "*.rs") && !path(r"\*.rs", "a.rs") && path(r"[\]]", "]"));
        assert!(!path("a?b", "a/b") && !path("a[!x]b", "a/b"));
        assert!(path("été/*", "été/ß"));
    }

    #[test]
    fn commands_are_matched_as_a_whole() {
        assert!(command("git status*", "git status --short src/a"));
        assert!(
            command("cargo {test,check}", "cargo check") && !command("cargo test", "cargo test x")
        );
        assert!(!command("git status*", "sudo git status"));
        assert!(command("npm run *", "npm run a/b c"));
    }

    #[test]
    fn unknown_parts_of_a_text_match_what_they_can_be() {
        let may = |pattern: &str, text: &str| {
            let letters: Vec<Option<char>> = { text.chars() }
                .map(|letter| Some(letter).filter(|letter| *letter != '_'))
                .collect();
            Glob::read(pattern, Kind::Command)
                .unwrap()
                .may_match(&letters)
        };
        for (pattern, text) in [
            ("git push*", "git push"),
            ("git push*", "_"),
            ("git push*", "git _"),
            ("git push*", "_ push"),
            ("git push", "g_h"),
            ("* --force", "git push _"),
            ("{rm,mv} *", "_ x"),
            ("[a-c]x", "_x"),
        ] {
            assert!(may(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("git push*", "git pull"),
            ("git push*", "rm _"),
            ("git push", "git push_x"),
            ("git push", "_pull"),
            ("rm *", ""),
        ] {
            assert!(!may(pattern, text), "{pattern} {text}");
        }
    }

    #[test]
    fn wrong_patterns_say_what_is_wrong() {
        for (pattern, problem) in [
            ("", "empty"),
            ("[", "no `]`"),
            ("[a", "no `]`"),
            ("{a", "no `}`"),
            ("a}", "no `{`"),
            ("a\\", "nothing follows"),
            ("[z-a]", "ends before it begins"),
            ("{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "256"),
        ] {
            let error = Glob::read(pattern, Kind::Path).unwrap_err();
            assert!(error.contains(problem), "{pattern}: {error}");
        }
    }

    /// A matcher that tries everything would not end.
    #[test]
    fn many_stars_take_no_longer_than_the_text() {
        let pattern = "*a".repeat(200);
        assert!(!path(&pattern, &"a".repeat(199)));
        assert!(command(&pattern, &"a".repeat(2000)));
    }
}
