//! Command lines, taken apart as far as a rule needs it.

use super::reading::Reading;
use super::shell::Script;
use super::starters::SHELLS;
use super::windows;
use crate::glob::{Case, Glob};

/// A command line as a shell would read it: the single commands in it.
///
/// `git status && rm -rf /` is two commands, and a rule that allows `git status*` must not allow the second one. A rule
/// that denies `rm *` must also find it in `/bin/rm -rf /`, `sudo "rm" -rf /` and `sh -c 'rm -rf /'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commands {
    /// Each as it is written, without blanks around it, harmless variables before it, and redirections that change nothing.
    pub parts: Vec<String>,
    /// There is a part whose effect cannot be seen, or that shells read in different ways: a variable or a substitution
    /// (`$x`, `$(...)`, backticks, `<(...)`), a redirection of output into a file, a here-document, a comment, a text in
    /// `$'...'`, a pattern of files as the program, or a quote that does not end.
    pub is_opaque: bool,
    /// What they run: without quotes, variables before them and folders, and what they start themselves.
    readings: Vec<Reading>,
    /// What is run if the line is read in another way.
    doubtful: Vec<Reading>,
    /// The line is too long or too deep to be read to its end.
    is_cut: bool,
    /// It sets something by which other programs are run than those that are named: `PATH`, an alias of git.
    is_diverted: bool,
    has_variables: bool,
    /// The words of the line, if it is one command that every shell divides into these.
    words: Option<Vec<String>>,
    /// Whether names are the same in another case.
    case: Case,
}

/// A command line, to find out whether two lines are the same command: however the words are quoted, but not other words.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// The words of one command.
    Words(Vec<String>),
    /// A line that shells do more with than to divide it into words.
    Line(String),
}

/// Whether one of the commands is meant by a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meant {
    /// This one.
    Yes(String),
    /// Perhaps this one: it has parts that only the shell knows.
    Perhaps(String),
    No,
}

impl Commands {
    /// Takes a command line apart. On Windows it is read as its shells do, too.
    pub fn of(line: &str) -> Commands {
        match cfg!(windows) {
            true => Commands::on_windows(line),
            false => Commands::on_unix(line),
        }
    }

    pub(super) fn on_windows(line: &str) -> Commands {
        let mut commands = Commands::on_unix(line);
        let script = windows::script(line);
        commands.readings.extend(script.readings);
        commands.doubtful.extend(script.doubtful);
        commands.is_opaque |= windows::is_ambiguous(line) || script.is_cut;
        commands.is_cut |= script.is_cut;
        commands.is_diverted |= script.is_diverted;
        // These are letters for some shells of Windows.
        commands.words = { commands.words }.filter(|_| !line.contains(['\\', '\'', '"']));
        commands.case = Case::Any;
        commands
    }

    fn on_unix(line: &str) -> Commands {
        let Script {
            parts,
            readings,
            doubtful,
            is_opaque,
            is_cut,
            is_diverted,
            has_variables,
            has_expansions,
            words,
        } = Script::of(line);
        Commands {
            parts,
            is_opaque: is_opaque || is_cut || has_expansions,
            readings,
            doubtful,
            is_cut,
            is_diverted,
            has_variables,
            words,
            case: Case::Exact,
        }
    }

    /// Whether a pattern is about one of the commands, however it is written.
    pub(crate) fn find(&self, pattern: &Glob) -> Meant {
        let written = self.parts.iter().cloned();
        let read = self.readings.iter().map(Reading::text);
        let matches = |text: &String| pattern.matches_command(text, self.case);
        if let Some(found) = written.chain(read).find(matches) {
            return Meant::Yes(found);
        }
        let mut possible = self.readings.iter().chain(&self.doubtful);
        let may_match = |reading: &&Reading| reading.may_match(pattern, self.case);
        if let Some(found) = possible.find(may_match) {
            return Meant::Perhaps(found.shown());
        }
        match () {
            () if self.is_cut => Meant::Perhaps("a command that is too long".to_owned()),
            () if self.is_diverted => Meant::Perhaps(self.parts.join("; ")),
            () => Meant::No,
        }
    }

    /// The line in one spelling.
    pub(crate) fn key(line: &str) -> Key {
        let line = line.trim_matches([' ', '\t', '\n']);
        let commands = Commands::of(line);
        // A variable may change what the command does.
        let is_plain = !commands.is_opaque && !commands.has_variables;
        match commands.words.filter(|_| is_plain) {
            Some(words) => Key::Words(words),
            None => Key::Line(line.to_owned()),
        }
    }
}

/// The command line of a program with arguments, each in quotes if a shell would read it as anything else.
pub fn command_line(program: &str, arguments: &[String]) -> String {
    let mut line = match program.contains('=') {
        // Without quotes the program `LANG=x/y` would be a variable.
        true => in_quotes(program),
        false => quoted(program),
    };
    for argument in arguments {
        line.push(' ');
        line.push_str(&quoted(argument));
    }
    line
}

/// The same without quotes: what runs if a client joins the words and gives the line to a shell. Nothing if it is the same
/// line.
pub(super) fn joined(program: &str, arguments: &[String]) -> Option<String> {
    let mut line = program.to_owned();
    for argument in arguments {
        line.push(' ');
        line.push_str(argument);
    }
    (line != command_line(program, arguments)).then_some(line)
}

/// The script that a shell is given, or something that looks like one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given<'a> {
    /// The shell runs this and nothing else.
    Script(&'a str),
    /// A program that may be another one than the shell of that name, or a word that may be anything.
    Perhaps(&'a str),
}

/// Where systems have their shells. In other folders, an agent may have put a program of that name.
const FOLDERS: [&str; 5] = [
    "/bin/",
    "/opt/homebrew/bin/",
    "/run/current-system/sw/bin/",
    "/usr/bin/",
    "/usr/local/bin/",
];

/// The script of a shell that has an option for it and no other arguments.
pub(super) fn script<'a>(program: &str, arguments: &'a [String]) -> Option<Given<'a>> {
    let [option, script] = arguments else {
        return None;
    };
    let (folder, name) = program.split_at(program.rfind('/').map_or(0, |at| at + 1));
    if !SHELLS.contains(&name) || !option.starts_with('-') || !option.ends_with('c') {
        return None;
    }
    let is_known = folder.is_empty() || FOLDERS.contains(&folder);
    // fish has other quotes.
    let is_posix = name != "fish";
    // The value of another option, as in `-oc`, would make the script the name of a file.
    let mut letters = option[1..].strip_suffix('c').unwrap_or("-").chars();
    let is_exact = letters.all(|letter| "eilux".contains(letter));
    let is_option = script.starts_with(['-', '+']);
    Some(match is_known && is_posix && is_exact && !is_option {
        true => Given::Script(script),
        false => Given::Perhaps(script),
    })
}

/// The word, in quotes if a shell would read it as anything else.
pub(super) fn quoted(word: &str) -> String {
    match !word.is_empty() && word.chars().all(is_literal) {
        true => word.to_owned(),
        false => in_quotes(word),
    }
}

fn in_quotes(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Whether a letter means itself in every shell, also without quotes.
pub(super) fn is_literal(letter: char) -> bool {
    letter.is_alphanumeric() || "-_=+:,./@%^".contains(letter)
}

#[cfg(test)]
mod tests;
