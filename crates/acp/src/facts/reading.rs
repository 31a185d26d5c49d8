//! What the words of a command run: the command itself, and those that it starts.

use super::environment::{self, SETTERS};
use super::options;
use super::word::Word;
use crate::glob::Glob;

/// A command as its program gets it: words with one blank between them. A letter that is not known stands for any text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(super) letters: Vec<Option<char>>,
    /// Options, and words that may be their values: a subcommand may come behind them.
    skips: Vec<(usize, usize)>,
}

impl Reading {
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

    /// Whether something in it is not known.
    pub(crate) fn has_holes(&self) -> bool {
        self.letters.contains(&None)
    }

    /// Whether a pattern may be about it, with whatever is not known, and without some of its options.
    pub(crate) fn may_match(&self, pattern: &Glob) -> bool {
        pattern.may_match(&self.letters, &self.skips)
    }
}

/// Words of shells that come before a command.
const RESERVED: [&str; 17] = [
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
    "coproc",
    "begin",
    "and",
    "or",
    "not",
    "noglob",
    "nocorrect",
];

/// Shells, whose arguments may be scripts.
pub(super) const SHELLS: [&str; 8] = ["sh", "bash", "zsh", "dash", "ash", "ksh", "mksh", "fish"];

/// Programs that start another one, which is among their arguments.
const STARTERS: [&str; 58] = [
    "ash",
    "bash",
    "builtin",
    "bunx",
    "busybox",
    "bwrap",
    "chroot",
    "chrt",
    "command",
    "dash",
    "doas",
    "entr",
    "env",
    "eval",
    "exec",
    "fakeroot",
    "fd",
    "fdfind",
    "find",
    "firejail",
    "fish",
    "flock",
    "ionice",
    "ksh",
    "ltrace",
    "mksh",
    "nice",
    "nohup",
    "nsenter",
    "npx",
    "parallel",
    "pkexec",
    "proot",
    "rlwrap",
    "runuser",
    "script",
    "setarch",
    "setpriv",
    "setsid",
    "sh",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "toybox",
    "trap",
    "unbuffer",
    "unshare",
    "watch",
    "winpty",
    "xargs",
    "xvfb-run",
    "zsh",
];

/// The program without its folder and without `.exe`.
fn base_name(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
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
    let starts = match words.first().is_some_and(is_starter) {
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
    let name = base_name(&name);
    let arguments = rest.get(1..).unwrap_or_default();
    let sets = rest.first().is_some_and(is_starter) || SETTERS.contains(&name);
    let diverts = |word: &Word| environment::diverts(&word.text());
    let texts = || arguments.iter().map(Word::text).collect::<Vec<_>>();
    before.iter().any(diverts)
        || sets && arguments.iter().any(diverts)
        || name == "git" && environment::diverts_git(&texts())
}

/// Whether variables are set before the command.
pub(super) fn has_variables(words: &[Word]) -> bool {
    words.len() > from_program(words).len() && words.iter().any(Word::is_assignment)
}

fn is_starter(program: &Word) -> bool {
    STARTERS.contains(&base_name(&program.text()))
}

/// With the program as it is written, and by its name alone; and from its subcommand on.
fn readings(words: &[Word]) -> Vec<Reading> {
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let text = program.text();
    let mut readings = vec![reading(&program.letters, arguments)];
    if ['*', '?', '[', '{']
        .into_iter()
        .any(|letter| program.has_plain(letter))
    {
        // A file of any name.
        readings.push(reading(&[None], arguments));
    }
    let name = base_name(&text);
    let known = Word::known(name);
    if name != text && !name.is_empty() {
        readings.push(reading(&known.letters, arguments));
    }
    if let Some(arguments) = options::from_subcommand(name, arguments) {
        readings.push(reading(&known.letters, arguments));
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
    let skips = options::skips(base_name(&name), arguments, &lengths, program.len());
    Reading { letters, skips }
}

/// Arguments that are command lines themselves: `sh -c 'a; b'`, `ssh host 'a; b'`, `eval "a b"`.
pub(super) fn scripts(words: &[Word]) -> Vec<String> {
    let words = from_program(words);
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    if !is_starter(program) {
        return Vec::new();
    }
    let is_script = |text: &String| text.contains([' ', '\t', '\n', ';', '&', '|', '$', '`', '(']);
    let words: Vec<String> = arguments.iter().map(Word::script).collect();
    match program.text() == "eval" {
        true => vec![words.join(" ")],
        false => words.into_iter().filter(is_script).collect(),
    }
}
