//! What is not a part of a command: redirections, here-documents and comments.

use super::super::word::Word;
use super::{Document, Reader, Script};

impl Reader<'_> {
    /// What is read from and written to is not a part of the command.
    pub(super) fn redirection(&mut self, first: char) {
        // A number before it says which stream it is about.
        let is_number = |word: &Word| word.text().chars().all(|letter| letter.is_ascii_digit());
        if self.word.as_ref().is_some_and(is_number) {
            self.word = None;
        }
        self.end_word();
        let second = self.peek();
        // A here-document, whose text looks like commands, or a script that is read: `<(...)`.
        if first == '>' || matches!(second, Some('<' | '(')) {
            self.opaque();
        }
        let here = match (first, second) {
            ('<', Some('<')) => Some(self.characters.get(self.at + 1).copied()),
            _ => None,
        };
        while self.peek().is_some_and(|letter| "<>&|-".contains(letter)) {
            self.at += 1;
        }
        while self
            .peek()
            .is_some_and(|letter| letter == ' ' || letter == '\t')
        {
            self.at += 1;
        }
        let words = self.words.len();
        while let Some(letter) = self.peek() {
            if " \t;&|\n\r()<>".contains(letter) {
                break;
            }
            self.at += 1;
            match letter {
                '\\' => self.escape(),
                '\'' => self.single_quotes(),
                '"' => self.double_quotes(),
                '`' => self.backticks(),
                '$' => self.expansion(false),
                other => self.push(other),
            }
        }
        self.words.truncate(words);
        let target = self.word.take().unwrap_or_default();
        match here {
            // `sh <<< "script"`.
            Some(Some('<')) => self.nested(&target.script()),
            Some(next) => self.documents.push(Document {
                end: target.text(),
                is_indented: next == Some('-'),
            }),
            None => {}
        }
    }

    /// Shells differ in whether there are comments, so their text is read, but does not hide what follows.
    pub(super) fn comment(&mut self) {
        self.opaque();
        let rest = self.characters.get(self.at..).unwrap_or_default();
        let end = rest.iter().position(|letter| *letter == '\n');
        let end = end.unwrap_or(rest.len());
        let text: String = rest[..end].iter().collect();
        self.at += end;
        let mut nested = Script::read(&text, self.depth + 1, self.budget);
        nested.doubtful.append(&mut nested.readings);
        self.script.absorb(nested);
    }

    /// The texts of here-documents. What becomes of them is up to the command that reads them.
    pub(super) fn read_documents(&mut self) {
        for document in std::mem::take(&mut self.documents) {
            let mut text = String::new();
            while self.at < self.characters.len() {
                let rest = &self.characters[self.at..];
                let end = rest.iter().position(|letter| *letter == '\n');
                let line: String = rest[..end.unwrap_or(rest.len())].iter().collect();
                self.at += end.map_or(rest.len(), |end| end + 1);
                let shown = match document.is_indented {
                    true => line.trim_start_matches('\t'),
                    false => &line,
                };
                if shown == document.end {
                    break;
                }
                text += &line;
                text.push('\n');
            }
            let mut nested = Script::read(&text, self.depth + 1, self.budget);
            nested.doubtful.append(&mut nested.readings);
            self.script.absorb(nested);
        }
        self.part = self.at;
    }
}
