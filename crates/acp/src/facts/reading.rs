//! What the words of a command run: the command itself, and those that it starts.

use super::word::Word;

/// A command as its program gets it: words with one blank between them. A letter that is not known stands for any text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reading(pub(crate) Vec<Option<char>>);

impl Reading {
    /// What is known of it.
    pub(crate) fn text(&self) -> String {
        self.0.iter().flatten().collect()
    }

    /// The same for people, with a mark for what is not known.
    pub(crate) fn shown(&self) -> String {
        self.0.iter().map(|letter| letter.unwrap_or('…')).collect()
    }

    /// Whether something in it is not known.
    pub(crate) fn has_holes(&self) -> bool {
        self.0.contains(&None)
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

/// The command, and what it may start. Which options of a program take an argument is not known here, so every argument
/// of a program that starts another one may be that program.
pub(super) fn started_by(words: &[Word]) -> impl Iterator<Item = Reading> {
    let words: Vec<Word> = { words.iter() }
        .flat_map(|word| word.alternatives().unwrap_or_else(|| vec![word.clone()]))
        .collect();
    let words = from_program(&words).to_vec();
    let starts = match words.first().is_some_and(is_starter) {
        true => words.len(),
        false => words.len().min(1),
    };
    (0..starts).flat_map(move |start| readings(from_program(&words[start..])))
}

/// The command without the options before its first argument: `git -C x push` is a push. Whether `x` belongs to the option
/// is not known here, so this is only what the command may be.
pub(super) fn without_options(words: &[Word]) -> Vec<Reading> {
    /// More options than these are not removed.
    const MOST: usize = 16;
    let words = from_program(words);
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let is_option = |word: &Word| word.letters.first() == Some(&Some('-'));
    let mut found = Vec::new();
    for start in 1..arguments.len().min(MOST) {
        let is_possible =
            is_option(&arguments[start - 1]) || start > 1 && is_option(&arguments[start - 2]);
        if !is_possible {
            break;
        }
        if !is_option(&arguments[start]) {
            let shorter = [std::slice::from_ref(program), &arguments[start..]].concat();
            found.extend(readings(&shorter));
        }
    }
    found
}

fn is_starter(program: &Word) -> bool {
    STARTERS.contains(&base_name(&program.text()))
}

/// With the program as it is written, and by its name alone.
fn readings(words: &[Word]) -> Vec<Reading> {
    let Some((program, arguments)) = words.split_first() else {
        return Vec::new();
    };
    let mut written = Vec::new();
    for argument in arguments {
        written.push(Some(' '));
        // `p{ull,ush}`.
        match argument.has_plain('{') {
            true => written.push(None),
            false => written.extend(&argument.letters),
        }
    }
    let reading = |program: &[Option<char>]| Reading([program, &written].concat());
    let text = program.text();
    let mut readings = vec![reading(&program.letters)];
    if ['*', '?', '[', '{']
        .into_iter()
        .any(|letter| program.has_plain(letter))
    {
        // A file of any name.
        readings.push(reading(&[None]));
    }
    let name = base_name(&text);
    if name != text && !name.is_empty() {
        let name = Word::known(name);
        readings.push(reading(&name.letters));
    }
    readings
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
