//! What is not a part of a command: redirections, here-documents and comments.

use super::super::word::Word;
use super::{Document, Reader};

impl Reader<'_> {
    /// What is read from and written to is not a part of the command.
    pub(super) fn redirection(&mut self, first: char) {
        let operator_at = self.at - 1;
        self.has_redirection = true;
        // A number or a variable before it says which stream it is about: `2>`, `{fd}>`.
        let is_stream = |word: &Word| {
            let text = word.text();
            let is_variable = text.starts_with('{') && text.ends_with('}');
            is_variable || text.chars().all(|letter| letter.is_ascii_digit())
        };
        if self.word.as_ref().is_some_and(is_stream) {
            self.word = None;
        }
        self.end_word();
        let second = self.peek();
        // A here-document, whose text looks like commands, or a script that is read: `<(...)`.
        if first == '<' && matches!(second, Some('<' | '(' | '>')) {
            self.opaque();
        }
        let here = match (first, second) {
            ('<', Some('<')) => Some(self.characters.get(self.at + 1).copied()),
            _ => None,
        };
        while self.peek().is_some_and(|letter| "<>&|-".contains(letter)) {
            self.at += 1;
        }
        let operator: String = self.characters[operator_at..self.at].iter().collect();
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
        if first == '>' {
            match changes_nothing(&operator, &target) {
                true => self.cuts.push((self.stream_at(operator_at), self.at)),
                false => self.opaque(),
            }
        }
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

    /// Where the number before a redirection begins, if there is one.
    fn stream_at(&self, operator_at: usize) -> usize {
        let before = &self.characters[self.part.min(operator_at)..operator_at];
        let digits = { before.iter().rev() }.take_while(|letter| letter.is_ascii_digit());
        let start = operator_at - digits.count();
        let is_apart = start == self.part || matches!(self.characters[start - 1], ' ' | '\t');
        if is_apart { start } else { operator_at }
    }

    /// Shells differ in whether there are comments, so their text is read, but does not hide what follows.
    pub(super) fn comment(&mut self) {
        self.opaque();
        let rest = self.characters.get(self.at..).unwrap_or_default();
        let end = rest.iter().position(|letter| *letter == '\n');
        let end = end.unwrap_or(rest.len());
        let text: String = rest[..end].iter().collect();
        self.at += end;
        self.doubtful(&text);
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
            self.doubtful(&text);
        }
        self.part = self.at;
    }
}

/// Output that goes to another stream or nowhere: `2>&1`, `>&-`, `>/dev/null`.
fn changes_nothing(operator: &str, target: &Word) -> bool {
    let is_known = !target.letters.contains(&None);
    let text = target.text();
    let is_number = !text.is_empty() && text.chars().all(|letter| letter.is_ascii_digit());
    match operator {
        ">&" if is_number => is_known,
        ">&-" => target.letters.is_empty(),
        ">" | ">>" | ">|" | ">&" => is_known && text == "/dev/null",
        _ => false,
    }
}
