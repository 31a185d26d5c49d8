//! Reads a command line as a shell does, as far as its text alone tells what it runs.

mod expansions;
mod redirections;

use super::environment;
use super::reading::{self, Reading, started_by};
use super::word::Word;

/// Deeper scripts in scripts are not read.
const DEEPEST: usize = 8;
/// More letters are not read, and not kept of readings: deciding must be quick, and systems do not take longer arguments.
const LONGEST: usize = 1 << 18;

/// What a command line runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Script {
    /// The single commands as they are written, without the blanks around them.
    pub(super) parts: Vec<String>,
    /// The same without quotes, variables before them and redirections, and the commands that they start or contain.
    pub(super) readings: Vec<Reading>,
    /// Commands that are run only if the text is read in another way than here.
    pub(super) doubtful: Vec<Reading>,
    /// What runs cannot be determined from the text alone, or depends on the shell.
    pub(super) is_opaque: bool,
    /// Not everything was read.
    pub(super) is_cut: bool,
    /// Something is set by which other programs are run than those that are named.
    pub(super) is_diverted: bool,
    /// Variables are set before a command.
    pub(super) has_variables: bool,
    /// Variables or patterns of files stand for text that only the shell knows, so no rule can allow it.
    pub(super) has_expansions: bool,
    /// The words of the line, if it is one command without redirections that every shell divides into these.
    pub(super) words: Option<Vec<String>>,
}

impl Script {
    pub(super) fn of(line: &str) -> Script {
        let mut budget = LONGEST;
        Script::read(line, 0, &mut budget)
    }

    fn read(line: &str, depth: usize, budget: &mut usize) -> Script {
        let mut script = Script::default();
        if depth > DEEPEST || line.len() > *budget {
            script.is_opaque = true;
            script.is_cut = true;
            return script;
        }
        *budget -= line.len();
        let characters: Vec<char> = line.chars().collect();
        let mut reader = Reader {
            characters: &characters,
            at: 0,
            script,
            part: 0,
            words: Vec::new(),
            word: None,
            documents: Vec::new(),
            cuts: Vec::new(),
            has_redirection: false,
            depth,
            budget,
        };
        reader.read_all();
        let mut script = reader.script;
        if depth == 0 && script.is_opaque {
            script.doubt(line, budget);
        }
        script
    }

    /// Adds what a script inside of this one runs.
    fn absorb(&mut self, nested: Script) {
        self.readings.extend(nested.readings);
        self.doubtful.extend(nested.doubtful);
        self.is_cut |= nested.is_cut;
        self.is_diverted |= nested.is_diverted;
        self.has_variables |= nested.has_variables;
    }

    /// Adds what is run if quotes and brackets do not mean what they seem to mean.
    fn doubt(&mut self, line: &str, budget: &mut usize) {
        let line = line.replace("\\\n", "").replace("\\\r\n", "");
        for piece in line.split([
            ';', '&', '|', '\n', '\r', '(', ')', '{', '}', '`', '\'', '"',
        ]) {
            let words: Vec<Word> = piece.split_whitespace().map(Word::known).collect();
            if !spend(budget, started_by(&words), &mut self.doubtful) {
                self.is_cut = true;
                return;
            }
        }
    }
}

/// Adds readings as long as there is room.
fn spend(budget: &mut usize, from: impl Iterator<Item = Reading>, to: &mut Vec<Reading>) -> bool {
    for reading in from {
        match budget.checked_sub(reading.letters.len()) {
            Some(left) => *budget = left,
            None => return false,
        }
        to.push(reading);
    }
    true
}

struct Reader<'a> {
    characters: &'a [char],
    at: usize,
    script: Script,
    /// Where the command that is being read begins.
    part: usize,
    words: Vec<Word>,
    word: Option<Word>,
    /// The ends of here-documents that begin with the next line.
    documents: Vec<Document>,
    /// Redirections in that command that change nothing: from a place to a later one.
    cuts: Vec<(usize, usize)>,
    has_redirection: bool,
    depth: usize,
    budget: &'a mut usize,
}

/// A text in the lines after a command: `<<END`.
struct Document {
    end: String,
    /// Tabs before its end do not count: `<<-END`.
    is_indented: bool,
}

impl Reader<'_> {
    fn read_all(&mut self) {
        while let Some(character) = self.next() {
            match character {
                ' ' | '\t' => self.end_word(),
                ';' | '&' | '|' | '(' | ')' => self.end_command(),
                // The end of a line for some, a letter of the word before it for others.
                '\r' => {
                    self.opaque();
                    self.end_command();
                }
                '\n' => {
                    self.end_command();
                    self.read_documents();
                }
                '\\' => self.escape(),
                '\'' => self.single_quotes(),
                '"' => self.double_quotes(),
                '`' => self.backticks(),
                '$' => self.expansion(false),
                '>' | '<' => self.redirection(character),
                '#' if self.word.is_none() => self.comment(),
                // No program can be given one, so its effect is unknown.
                '\0' => {
                    self.opaque();
                    self.hole();
                }
                other => self.word().push_plain(other),
            }
        }
        self.end_word();
        // No operator was in front of what is read now.
        if self.part == 0 && !self.has_redirection {
            self.script.words = self.words.iter().map(Word::literal).collect();
        }
        self.at = self.characters.len() + 1;
        self.end_command();
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek();
        self.at += 1;
        character
    }

    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn push(&mut self, letter: char) {
        self.word().letters.push(Some(letter));
    }

    /// Something that only the shell knows.
    fn hole(&mut self) {
        self.word().letters.push(None);
    }

    fn opaque(&mut self) {
        self.script.is_opaque = true;
    }

    fn escape(&mut self) {
        match self.next() {
            // A line that continues in the next one.
            Some('\n') => {}
            // For a shell of Unix, the line ends behind the escaped letter.
            Some('\r') => {
                self.opaque();
                self.push('\r');
            }
            Some(letter) => self.push(letter),
            None => self.opaque(),
        }
    }

    fn single_quotes(&mut self) {
        self.word();
        let mut last = '\'';
        loop {
            match self.next() {
                Some('\'') => {
                    // In fish, the text does not end here.
                    self.script.is_opaque |= last == '\\';
                    return;
                }
                Some(letter) => {
                    self.push(letter);
                    last = letter;
                }
                None => return self.opaque(),
            }
        }
    }

    fn double_quotes(&mut self) {
        self.word();
        loop {
            match self.next() {
                Some('"') => return,
                Some('\\') => match self.next() {
                    Some('\n') => {}
                    Some(letter @ ('$' | '`' | '"' | '\\')) => self.push(letter),
                    Some(letter) => {
                        self.push('\\');
                        self.push(letter);
                    }
                    None => return self.opaque(),
                },
                Some('`') => self.backticks(),
                Some('$') => self.expansion(true),
                Some(letter) => self.push(letter),
                None => return self.opaque(),
            }
        }
    }

    fn backticks(&mut self) {
        self.opaque();
        self.hole();
        let mut inner = String::new();
        while let Some(letter) = self.next().filter(|letter| *letter != '`') {
            match (letter, self.peek()) {
                ('\\', Some('`' | '\\' | '$')) => inner.extend(self.next()),
                _ => inner.push(letter),
            }
        }
        self.nested(&inner);
    }

    fn nested(&mut self, text: &str) {
        let nested = Script::read(text, self.depth + 1, self.budget);
        self.script.absorb(nested);
    }

    /// A script that is run only if the line means something else than it seems to mean.
    fn doubtful(&mut self, text: &str) {
        let mut nested = Script::read(text, self.depth + 1, self.budget);
        nested.doubtful.append(&mut nested.readings);
        self.script.absorb(nested);
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    fn end_command(&mut self) {
        self.end_word();
        let end = (self.at - 1).min(self.characters.len());
        let start = std::mem::replace(&mut self.part, self.at).min(end);
        let cuts = std::mem::take(&mut self.cuts);
        let is_kept = |at: &usize| !cuts.iter().any(|(from, to)| (*from..*to).contains(at));
        let part: String = (start..end)
            .filter(is_kept)
            .map(|at| self.characters[at])
            .collect();
        // Other blanks are letters for a shell.
        let part = environment::without_harmless(part.trim_matches([' ', '\t']));
        if !part.is_empty() {
            self.script.parts.push(part.to_owned());
        }
        let words = std::mem::take(&mut self.words);
        self.script.has_expansions |= reading::is_pattern(&words);
        if !spend(self.budget, started_by(&words), &mut self.script.readings) {
            self.script.is_cut = true;
        }
        let others = reading::with_other_flags(&words);
        let others = others.chain(reading::perhaps_started_by(&words));
        if !spend(self.budget, others, &mut self.script.doubtful) {
            self.script.is_cut = true;
        }
        self.script.is_diverted |= reading::is_diverted(&words);
        self.script.has_variables |= reading::has_variables(&words);
        for script in reading::scripts(&words) {
            self.nested(&script);
        }
        for script in reading::perhaps_scripts(&words) {
            self.doubtful(&script);
        }
    }
}
