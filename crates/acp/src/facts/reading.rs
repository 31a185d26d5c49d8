//! What the words of a command run: the command itself, and those that it starts.

use super::environment::{self, SETTERS};
use super::options;
use super::starters::{self, is_starter};
use super::windows;
use super::word::Word;
use crate::glob::{Case, Glob};

/// A command as its program gets it: words with one blank between them. A letter that is not known stands for any text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(super) letters: Vec<Option<char>>,
    /// Options, and words that may be their values: a subcommand may come behind them.
    skips: Vec<(usize, usize)>,
}

impl Reading {
    /// A command of which nothing is known.
    pub(super) fn unknown() -> Reading {
        Reading {
            letters: vec![None],
            skips: Vec::new(),
        }
    }

    /// What is known of it.
    pub(crate) fn text(&self) -> String {
        self.letters.iter().flatten().collect()
    }

    /// The same for people, with a mark for what is not known.
    pub(crate) fn shown(&self) -> String {
        { self.letters.iter() }
            .map(|letter| letter.unwrap_or('…'))
            .collect()
    }

    /// Whether a pattern may be about it, with whatever is not known, and without some of its options.
    pub(crate) fn may_match(&self, pattern: &Glob, case: Case) -> bool {
        pattern.may_match(&self.letters, &self.skips, case)
    }
}

/// Words of shells that come before a command.
const RESERVED: [&str; 16] = [
    "!",
    "{",
    "}",
    "if",
    "then",
    "elif",
    "else",
    "while",
    "until",
    "do",
    "begin",
    "and",
    "or",
    "not",
    "noglob",
    "nocorrect",
];

/// The program without its folder and without `.exe`. In zsh, `=git` is where `git` is found.
fn base_name(program: &str) -> &str {
    let program = program.strip_prefix('=').unwrap_or(program);
    let name = program.rsplit('/').next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// The same in small letters and without any extension: the file systems of Windows and macOS ignore the case, and on Windows
/// the extension need not be written.
pub(super) fn plain_name(program: &str) -> String {
    let name = base_name(program).to_lowercase();
    let short = { windows::EXTENSIONS.iter() }.find_map(|end| name.strip_suffix(end));
    short.map(str::to_owned).unwrap_or(name)
}

/// The words from the program on.
fn from_program(words: &[Word]) -> &[Word] {
    let is_before = |word: &Word| {
        let text = word.text();
        RESERVED.contains(&text.as_str()) || word.is_assignment()
    };
    let start = words.iter().position(|word| !is_before(word));
    &words[start.unwrap_or(words.len())..]
}

/// The words from the program on, and how many of them may be a program that is started. Which options of a program take
/// an argument is not known here, so every argument of a program that starts another one may be that program.
fn started(words: &[Word]) -> (Vec<Word>, usize) {
    let words: Vec<Word> = { words.iter() }
        .flat_map(|word| word.alternatives().unwrap_or_else(|| vec![word.clone()]))
        .collect();
    let words = from_program(&words).to_vec();
    let starts = match is_starter(&words) {
        true => words.len(),
        false => words.len().min(1),
    };
    (words, starts)
}

/// The command, and what it may start.
pub(super) fn started_by(words: &[Word]) -> impl Iterator<Item = Reading> {
    let (words, starts) = started(words);
    (0..starts).flat_map(move |start| readings(from_program(&words[start..])))
}

/// The same with flags in other orders.
pub(super) fn with_other_flags(words: &[Word]) -> impl Iterator<Item = Reading> {
    let (words, starts) = started(words);
    (0..starts).flat_map(move |start| {
        let words = from_program(&words[start..]);
        let others = words.split_first().map(|(program, arguments)| {
            let other = |arguments: Vec<Word>| {
                readings(&[std::slice::from_ref(program), &*arguments].concat())
            };
            let others = options::other_flags(arguments).into_iter();
            others.flat_map(other).collect::<Vec<_>>()
        });
        others.unwrap_or_default()
    })
}

/// Whether the command sets something by which another program is run than the one that is named.
pub(super) fn is_diverted(words: &[Word]) -> bool {
    let rest = from_program(words);
    let before = &words[..words.len() - rest.len()];
    let name = rest.first().map(Word::text).unwrap_or_default();
    let name = plain_name(&name);
    let arguments = rest.get(1..).unwrap_or_default();
    let sets = is_starter(rest) || SETTERS.contains(&&*name);
    let diverts = |word: &Word| environment::diverts(&word.text());
    let texts = || arguments.iter().map(Word::text).collect::<Vec<_>>();
    before.iter().any(diverts)
        || sets && arguments.iter().any(diverts)
        || name == "git" && environment::diverts_git(&texts())
        || name == "alias" && arguments.iter().any(|word| word.has_plain('='))
}

/// Whether variables are set before the command.
pub(super) fn has_variables(words: &[Word]) -> bool {
    words.len() > from_program(words).len() && words.iter().any(Word::is_assignment)
}

/// Whether the program is a pattern, which the shell replaces by the name of a file.
pub(super) fn is_pattern(words: &[Word]) -> bool {
    let program = from_program(words).first();
    program.is_some_and(|program| program.is_pattern() || program.has_plain('{'))
}

/// What is run if a word means something else than it seems to: if it is the value of an option (`env -Sgit push`), if
/// the program starts others, which is not known here, or if it gets more words or its script from its input.
pub(super) fn perhaps_started_by(words: &[Word]) -> impl Iterator<Item = Reading> {
    let (words, starts) = started(words);
    let unknown: Vec<Reading> = unknown_starts(&words).flat_map(readings).collect();
    let perhaps = (0..starts).flat_map(move |start| {
        let words = from_program(&words[start..]);
        let Some((program, rest)) = words.split_first() else {
            return Vec::new();
        };
        let mut perhaps = Vec::new();
        if starters::reads_script(words) {
            perhaps.push(Reading::unknown());
        }
        if starters::takes_words(program) {
            let own = { rest.iter() }.take_while(|word| !word.text().starts_with(":::"));
            let own: Vec<Word> = own.cloned().chain([Word::unknown()]).collect();
            let starts = 0..(own.len() - 1).min(MOST_WORDS);
            perhaps.extend(starts.flat_map(|at| readings(&own[at..])));
        }
        let values = program.values().into_iter().filter(|_| start > 0);
        perhaps.extend(values.flat_map(|value| readings(&[&[value], rest].concat())));
        perhaps
    });
    perhaps.chain(unknown)
}

/// The same for arguments that are command lines.
pub(super) fn perhaps_scripts(words: &[Word]) -> Vec<String> {
    let (words, _) = started(words);
    let of_options = words.iter().skip(1);
    let of_options = of_options.filter(|_| starters::has_starting_option(&words));
    let of_options = of_options.flat_map(|word| {
        let text = word.script();
        // `--checkpoint-action=exec=a`, and `+!a` for `less`.
        let values = text.match_indices('=').map(|(at, _)| &text[at + 1..]);
        let values = values.chain([text.trim_start_matches(['+', '!'])]);
        let values: Vec<String> = values.map(str::to_owned).collect();
        let joined = word.values().into_iter().map(|value| value.script());
        values.into_iter().chain(joined)
    });
    let unknown = unknown_starts(&words).flat_map(scripts);
    // `bash -c "'a; b'"`: a client that joins these words gives `a; b` to the inner shell.
    let program = { words.first() }
        .map(Word::script)
        .filter(|word| is_script(word));
    unknown
        .chain(of_options)
        .chain(program)
        .chain(starters::scripts_of_sed(&words))
        .collect()
}

/// Arguments of a program of which it is not known whether it starts another one.
fn unknown_starts(words: &[Word]) -> impl Iterator<Item = &[Word]> {
    let is_unknown = words.len() <= MOST_WORDS && starters::may_start(words);
    let starts = if is_unknown { 1..words.len() } else { 0..0 };
    { starts.map(|start| &words[start..]) }.filter(|words| {
        let is_name = |word: &Word| !word.letters.contains(&None) && !word.text().starts_with('-');
        words.first().is_some_and(is_name)
    })
}

/// Of a longer command, not every word is taken for a program that might be started.
const MOST_WORDS: usize = 64;

/// With the program as it is written, and by its name alone; and from its subcommand on.
fn readings(words: &[Word]) -> Vec<Reading> {
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let text = program.text();
    let mut readings = vec![reading(&program.letters, arguments)];
    if arguments.iter().any(Word::is_pattern) {
        // `git pus[h]`.
        let arguments: Vec<Word> = arguments.iter().map(Word::expanded).collect();
        readings.push(reading(
            &Word::known(&plain_name(&text)).letters,
            &arguments,
        ));
    }
    if program.is_pattern() || program.has_plain('{') {
        // A file of any name.
        readings.push(reading(&[None], arguments));
    }
    let mut names = vec![base_name(&text).to_owned(), plain_name(&text)];
    names.dedup();
    for name in names.iter().filter(|name| !name.is_empty()) {
        let known = Word::known(name);
        if *name != text {
            readings.push(reading(&known.letters, arguments));
        }
        if let Some(subcommand) = name.strip_prefix("git-") {
            let arguments = [&[Word::known(subcommand)], arguments].concat();
            readings.push(reading(&Word::known("git").letters, &arguments));
        }
        if let Some(arguments) = options::from_subcommand(name, arguments) {
            readings.push(reading(&known.letters, arguments));
        }
    }
    readings
}

fn reading(program: &[Option<char>], arguments: &[Word]) -> Reading {
    let mut letters = program.to_vec();
    let mut lengths = Vec::new();
    for argument in arguments {
        letters.push(Some(' '));
        let start = letters.len();
        // `p{ull,ush}`.
        match argument.has_plain('{') {
            true => letters.push(None),
            false => letters.extend(&argument.letters),
        }
        lengths.push(letters.len() - start);
    }
    let name: String = program.iter().flatten().collect();
    let skips = options::skips(&plain_name(&name), arguments, &lengths, program.len());
    Reading { letters, skips }
}

/// Whether a word is more than a name, if a shell reads it again.
fn is_script(word: &str) -> bool {
    word.contains([' ', '\t', '\n', ';', '&', '|', '$', '`', '('])
}

/// Arguments that are command lines themselves: `sh -c 'a; b'`, `ssh host 'a; b'`, `eval "a b"`.
pub(super) fn scripts(words: &[Word]) -> Vec<String> {
    let words = from_program(words);
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    if !is_starter(words) {
        return Vec::new();
    }
    let texts = arguments.iter().map(Word::script);
    if program.text() == "eval" {
        return vec![texts.collect::<Vec<_>>().join(" ")];
    }
    // `env -S'a b'`, `script --command='a b'`, `alias x='a b'`.
    let values = arguments.iter().flat_map(Word::values);
    let values = values.map(|value| value.script());
    texts.chain(values).filter(|text| is_script(text)).collect()
}
