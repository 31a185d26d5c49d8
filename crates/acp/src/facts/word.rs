//! One word of a command line.

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
