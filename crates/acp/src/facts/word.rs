//! One word of a command line.

use super::command;

/// A word of a command, without its quotes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Word {
    /// A letter that is not known stands for any text.
    pub(super) letters: Vec<Option<char>>,
    /// Where letters that were not quoted mean something to the shell: `*`, `{`, `=`.
    plain: Vec<usize>,
}

impl Word {
    pub(super) fn text(&self) -> String {
        self.letters.iter().flatten().collect()
    }

    /// A word of which everything is known.
    pub(super) fn known(text: &str) -> Word {
        Word {
            letters: text.chars().map(Some).collect(),
            plain: Vec::new(),
        }
    }

    /// The word as a part of a script, in which it is read again.
    pub(super) fn script(&self) -> String {
        let unknown = |letter: &Option<char>| letter.map_or("${_}".to_owned(), String::from);
        self.letters.iter().map(unknown).collect()
    }

    pub(super) fn push_plain(&mut self, letter: char) {
        self.plain.push(self.letters.len());
        self.letters.push(Some(letter));
    }

    /// Whether this letter is in it, and not in quotes.
    pub(super) fn has_plain(&self, wanted: char) -> bool {
        { self.plain.iter() }.any(|at| self.letters.get(*at) == Some(&Some(wanted)))
    }

    /// The word, if every shell reads it so: nothing in it that is not in quotes means something else.
    pub(super) fn literal(&self) -> Option<String> {
        let is_literal = |at: &usize| match self.letters.get(*at) {
            // In zsh, `=git` is where `git` is found.
            Some(Some('=')) => *at > 0,
            Some(Some(letter)) => command::is_literal(*letter),
            _ => false,
        };
        let is_known = self.plain.iter().all(is_literal);
        is_known.then(|| self.letters.iter().copied().collect())?
    }

    /// Whether the shell may replace it by the names of files.
    pub(super) fn is_pattern(&self) -> bool {
        let has_class = self.has_plain('[') && self.has_plain(']');
        self.has_plain('*') || self.has_plain('?') || has_class
    }

    /// The word of which nothing is known from where the shell looks for names of files.
    pub(super) fn expanded(&self) -> Word {
        let is_special =
            |at: &&usize| matches!(self.letters.get(**at), Some(Some('*' | '?' | '[')));
        match { self.plain.iter() }.find(is_special) {
            Some(at) if self.is_pattern() => Word {
                letters: [&self.letters[..*at], &[None]].concat(),
                plain: Vec::new(),
            },
            _ => self.clone(),
        }
    }

    /// A word of which nothing is known.
    pub(super) fn unknown() -> Word {
        Word {
            letters: vec![None],
            plain: Vec::new(),
        }
    }

    /// What may be the value in `--option=VALUE`, `-oVALUE` and `NAME=VALUE`.
    pub(super) fn values(&self) -> Vec<Word> {
        let at = { self.letters.iter() }.position(|letter| *letter == Some('='));
        let is_flag = matches!(self.letters[..], [Some('-'), Some(letter), _, ..] if letter != '-');
        let starts = [at.map(|at| at + 1), is_flag.then_some(2)];
        let value = |from: usize| Word {
            letters: self.letters[from..].to_vec(),
            plain: { self.plain.iter() }
                .filter_map(|at| at.checked_sub(from))
                .collect(),
        };
        starts.into_iter().flatten().map(value).collect()
    }

    /// `NAME=VALUE` before a command.
    pub(super) fn is_assignment(&self) -> bool {
        let text = self.text();
        let name = text
            .split_once('=')
            .map(|(name, _)| name.trim_end_matches('+'));
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        name.is_some_and(|name| {
            let name = name.split('[').next().unwrap_or_default();
            !name.is_empty() && name.chars().all(is_letter) && self.has_plain('=')
        })
    }

    /// The words that `{a,b}` stands for, if it is nothing but that.
    pub(super) fn alternatives(&self) -> Option<Vec<Word>> {
        let text = self.text();
        let inner = text.strip_prefix('{')?.strip_suffix('}')?;
        let is_simple = self.has_plain('{') && inner.contains(',') && !inner.contains(['{', '}']);
        is_simple.then(|| inner.split(',').map(Word::known).collect())
    }
}
