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
    /// Whether names are the same in another case.
    case: Case,
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
        } = Script::of(line);
        Commands {
            parts,
            is_opaque: is_opaque || is_cut || has_expansions,
            readings,
            doubtful,
            is_cut,
            is_diverted,
            has_variables,
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

    /// The line in one spelling, to find out whether two lines are the same command.
    pub(crate) fn key(line: &str) -> String {
        let commands = Commands::of(line);
        // A variable may change what the command does.
        let is_plain = |reading: &Reading| !reading.has_holes() && !commands.has_variables;
        match commands.readings.first() {
            Some(reading)
                if commands.parts.len() == 1 && !commands.is_opaque && is_plain(reading) =>
            {
                reading.text()
            }
            _ => line.trim().to_owned(),
        }
    }
}

/// The command line of a program with arguments, each in quotes if a shell would read it as anything else.
pub fn command_line(program: &str, arguments: &[String]) -> String {
    let mut line = quoted(program);
    for argument in arguments {
        line.push(' ');
        line.push_str(&quoted(argument));
    }
    line
}

/// The script that a shell is given, if that is all it is given.
pub(super) fn script<'a>(program: &str, arguments: &'a [String]) -> Option<&'a str> {
    let name = program.rsplit('/').next().unwrap_or(program);
    match arguments {
        [options, script]
            if SHELLS.contains(&name) && options.starts_with('-') && options.ends_with('c') =>
        {
            Some(script)
        }
        _ => None,
    }
}

/// The word, in quotes if a shell would read it as anything else.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_=+:,./@%^".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests;
