//! Command lines, taken apart as far as a rule needs it.

/// A command line as a shell would read it: the single commands in it.
///
/// `git status && rm -rf /` is two commands, and a rule that allows `git status*` must not allow the second one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commands {
    /// Each with the blanks around it removed.
    pub parts: Vec<String>,
    /// There is a part whose effect cannot be seen: a substitution (`$(...)`, backticks, `<(...)`), a redirection of
    /// output into a file, or a quote that does not end.
    pub is_opaque: bool,
}

impl Commands {
    /// Takes a command line apart.
    pub fn of(line: &str) -> Commands {
        let mut reader = Reader::default();
        let mut characters = line.chars().peekable();
        while let Some(character) = characters.next() {
            reader.take(character, characters.peek().copied());
        }
        reader.finish()
    }
}

#[derive(Default)]
struct Reader {
    parts: Vec<String>,
    part: String,
    quote: Option<char>,
    is_escaped: bool,
    is_opaque: bool,
}

impl Reader {
    fn take(&mut self, character: char, next: Option<char>) {
        if std::mem::take(&mut self.is_escaped) {
            self.part.push(character);
            return;
        }
        match (self.quote, character) {
            (Some('\''), '\'') => self.quote = None,
            (Some('\''), _) => {}
            (_, '\\') => self.is_escaped = true,
            (Some('"'), '"') => self.quote = None,
            (_, '`') => self.is_opaque = true,
            (_, '$') if next == Some('(') => self.is_opaque = true,
            (Some(_), _) => {}
            (None, '\'' | '"') => self.quote = Some(character),
            // What runs and what is written to is decided by other programs.
            (None, '>') => self.is_opaque = true,
            (None, '<') if next == Some('(') => self.is_opaque = true,
            (None, ';' | '&' | '|' | '\n' | '\r' | '(' | ')') => {
                self.end_part();
                return;
            }
            (None, _) => {}
        }
        self.part.push(character);
    }

    fn end_part(&mut self) {
        let part = std::mem::take(&mut self.part);
        let part = part.trim();
        if !part.is_empty() {
            self.parts.push(part.to_owned());
        }
    }

    fn finish(mut self) -> Commands {
        self.is_opaque |= self.quote.is_some() || self.is_escaped;
        self.end_part();
        Commands {
            parts: self.parts,
            is_opaque: self.is_opaque,
        }
    }
}

/// The command line of a program with arguments. Without arguments, the text is a command line already.
pub(super) fn line(command: &str, arguments: &[String]) -> String {
    match arguments {
        [] => command.to_owned(),
        arguments => line_of_words(command, arguments),
    }
}

/// The command line of a program with arguments. That of a shell is the one that it is given.
pub(super) fn line_of_words(program: &str, arguments: &[String]) -> String {
    const SHELLS: [&str; 6] = ["sh", "bash", "zsh", "dash", "ash", "ksh"];
    let name = program.rsplit('/').next().unwrap_or(program);
    if SHELLS.contains(&name)
        && let [options, script] = arguments
        && options.starts_with('-')
        && options.ends_with('c')
    {
        return script.clone();
    }
    let mut line = quoted(program);
    for argument in arguments {
        line.push(' ');
        line.push_str(&quoted(argument));
    }
    line
}

/// The word, in quotes if a shell would read it as anything else.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_=+:,./@%^".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn parts(line: &str, expected: &[&str], is_opaque: bool) {
        let commands = Commands::of(line);
        assert_eq!(commands.parts, expected, "{line}");
        assert_eq!(commands.is_opaque, is_opaque, "{line}");
    }

    #[test]
    fn lines_are_cut_at_the_operators_of_shells() {
        parts("git status", &["git status"], false);
        parts("git status && rm -rf /", &["git status", "rm -rf /"], false);
        parts(
            "a; b | c & d || e\nf",
            &["a", "b", "c", "d", "e", "f"],
            false,
        );
        parts("(cd x; make)", &["cd x", "make"], false);
        parts(
            "echo 'a; b' \"c && d\" e\\;f",
            &["echo 'a; b' \"c && d\" e\\;f"],
            false,
        );
        parts("", &[], false);
    }

    #[test]
    fn what_cannot_be_seen_is_said() {
        for line in [
            "git status $(rm x)",
            "echo \"$(rm x)\"",
            "git log `rm x`",
            "diff <(rm x) y",
            "git status > ~/.bashrc",
            "git status 'x",
            "git status \\",
        ] {
            assert!(Commands::of(line).is_opaque, "{line}");
        }
        parts("echo '$(x) `y` > z'", &["echo '$(x) `y` > z'"], false);
        parts("sort < file", &["sort < file"], false);
    }

    #[test]
    fn words_stay_words() {
        assert_eq!(
            line_of_words("git", &["log".into(), "it's".into()]),
            r"git log 'it'\''s'"
        );
        assert_eq!(
            line_of_words("/bin/sh", &["-c".into(), "a; b".into()]),
            "a; b"
        );
        assert_eq!(line_of_words("ls", &["; rm".into()]), "ls '; rm'");
        let commands = Commands::of(&line_of_words("ls", &["; rm".into()]));
        assert_eq!(commands.parts.len(), 1);
    }
}
