//! Command lines, taken apart as far as a rule needs it.

use super::reading::{Reading, SHELLS};
use super::shell::Script;

/// A command line as a shell would read it: the single commands in it.
///
/// `git status && rm -rf /` is two commands, and a rule that allows `git status*` must not allow the second one. A rule
/// that denies `rm *` must also find it in `/bin/rm -rf /`, `sudo "rm" -rf /` and `sh -c 'rm -rf /'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commands {
    /// Each as it is written, with the blanks around it removed.
    pub parts: Vec<String>,
    /// There is a part whose effect cannot be seen, or that shells read in different ways: a substitution (`$(...)`,
    /// backticks, `<(...)`), a redirection of output into a file, a here-document, a comment, a text in `$'...'`, or a
    /// quote that does not end.
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
    /// Takes a command line apart.
    pub fn of(line: &str) -> Commands {
        let Script {
            parts,
            readings,
            doubtful,
            is_opaque,
            is_cut,
            is_diverted,
            has_variables,
        } = Script::of(line);
        Commands {
            parts,
            is_opaque: is_opaque || is_cut,
            readings,
            doubtful,
            is_cut,
            is_diverted,
            has_variables,
        }
    }

    /// Whether a pattern is about one of the commands, however it is written.
    pub(crate) fn find(&self, pattern: &crate::glob::Glob) -> Meant {
        let written = self.parts.iter().cloned();
        let read = self.readings.iter().map(Reading::text);
        if let Some(found) = written
            .chain(read)
            .find(|text| pattern.matches_command(text))
        {
            return Meant::Yes(found);
        }
        let mut possible = self.readings.iter().chain(&self.doubtful);
        if let Some(found) = possible.find(|reading| reading.may_match(pattern)) {
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

/// The command line of a program with arguments.
pub(super) fn line_of_words(program: &str, arguments: &[String]) -> String {
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
        for line in [
            // Both hide a command from a reader that does not know them.
            "git log # it's\nrm -rf / # '",
            r"git log $'\'' ; rm -rf / ; echo \'",
            "cat <<E\n'\nE\nrm -rf / #'",
            "git log \0",
        ] {
            let commands = Commands::of(line);
            assert!(commands.is_opaque || commands.parts.len() > 1, "{line}");
        }
    }

    fn glob(pattern: &str) -> crate::glob::Glob {
        crate::glob::Glob::read(pattern, crate::glob::Kind::Command).unwrap()
    }

    /// Spellings of a command that a shell runs all the same.
    #[test]
    fn a_command_is_found_in_every_spelling() {
        let push = glob("git push*");
        for line in [
            "git push",
            " git   push  origin",
            "git\tpush",
            "\"git\" push",
            "g'i't pu\"sh\"",
            r"\git pu\sh",
            "git \\\n  push",
            "gi\\\nt push",
            "git$IFS''push",
            "git${IFS}push",
            "g${x}it push",
            "g$@it push",
            "$'git' push",
            r"$'\x67it' $'pus\150'",
            "{git,push,origin}",
            "/usr/bin/git push",
            "./git push",
            "~/bin/git push",
            "$HOME/bin/git push",
            "X=1 git push",
            "X=1 Y='a b' git push",
            "env X=1 git push",
            "env -i -u HOME X=1 /usr/bin/git push",
            "env -S 'git push'",
            "time git push",
            "time -p git push",
            "nice -n 5 git push",
            "sudo -u root -- git push",
            "doas git push",
            "command git push",
            "command -p git push",
            "builtin command git push",
            "exec git push",
            "exec -a x git push",
            "nohup git push &",
            "timeout -k 5 10 git push",
            "stdbuf -oL git push",
            "setsid -w git push",
            "echo origin | xargs git push",
            "xargs -n1 -I{} git push {}",
            "find . -exec git push ;",
            "sh -c 'git push'",
            "bash -lc \"git push\"",
            "/bin/sh -ec 'cd x && git push'",
            "sudo sh -c 'env X=1 bash -c \"git push\"'",
            "eval git push",
            "eval 'git' \"push\"",
            "ssh host 'cd x; git push'",
            "trap 'git push' EXIT",
            "(git push)",
            "( cd x; git push )",
            "{ git push; }",
            "! git push",
            "if git push; then :; fi",
            "while :; do git push; done",
            "for x in a; do git push; done",
            "case a in a) git push;; esac",
            "f() { git push; }; f",
            "true;git push",
            "true&&git push",
            "false||git push",
            "true|git push",
            "true&git push",
            "true\ngit push",
            "echo $(git push)",
            "echo \"a $(git push) b\"",
            "echo \"$(echo ')' ; git push)\"",
            "echo `git push`",
            "echo \"`git push`\"",
            "echo `echo \\`git push\\``",
            "diff <(git push) x",
            "tee >(git push)",
            "echo ${x:-$(git push)}",
            ">/dev/null git push",
            "git >/dev/null 2>&1 push",
            "git 2>&1 push",
            "</dev/null git push",
            "bash <<< 'git push'",
            "coproc git push",
            "sudo -E env X=1 nice time git push",
            "git -C . push",
            "git --no-pager -c a=b push origin",
            "git --git-dir=x --work-tree y push",
            "git -C $X push",
            "sh -c 'git -C x push'",
            "sudo -u me git -c a=b push",
            "git -c alias.p=push push",
        ] {
            let commands = Commands::of(line);
            assert!(
                matches!(commands.find(&push), Meant::Yes(_)),
                "{line}: {commands:?}"
            );
        }
    }

    /// Only the shell knows what these run.
    #[test]
    fn a_command_with_unknown_parts_may_be_meant() {
        let push = glob("git push*");
        for line in [
            "$X push",
            "git $X",
            "git \"$X\"",
            "${X}",
            "$(echo git) push",
            "`echo git` push",
            "gi* push",
            "/usr/bin/g?t push",
            "g{i,o}t push",
            "git p{ull,ush}",
            "sh -c \"git $X\"",
            "cat <<E | sh\ngit push\nE",
            "echo # git push",
            "echo $(case a in a) git push;; esac)",
            "cat <<E\n'\nE\ngit push #'",
        ] {
            let found = Commands::of(line).find(&push);
            assert!(!matches!(found, Meant::No), "{line}: {found:?}");
        }
        for line in [
            "git status",
            "git log --grep push",
            "echo 'git push'",
            "echo \"$HOME\"",
            "cargo test \"$X\"",
            "grep -r 'git push' src",
            "git commit -m 'git push'",
            "git commit -m \"$(date)\"",
            "ls *.rs",
            "git -C push status",
            "git -c color.ui=never log",
            "X=1 git status",
            "echo PATH=x",
        ] {
            let found = Commands::of(line).find(&push);
            assert_eq!(found, Meant::No, "{line}");
        }
    }

    /// Which options have a value is known of some programs, and others are asked about.
    #[test]
    fn a_subcommand_is_found_behind_options() {
        for (line, pattern) in [
            ("npm --prefix x publish", "npm publish*"),
            ("npm --prefix=x publish --tag a", "npm publish*"),
            ("docker --host tcp://x run a", "docker run*"),
            ("docker -H tcp://x --tls run a", "docker run *"),
            ("kubectl -n x delete pod y", "kubectl delete*"),
            ("kubectl --context=a -n x delete pod y", "kubectl delete *"),
            ("cargo +nightly -Z a publish", "cargo publish*"),
            ("systemctl --user -M x stop y", "systemctl stop*"),
            ("/usr/bin/git -C 'a b' push", "git push"),
            ("gh -R a/b pr merge 1", "gh pr merge*"),
        ] {
            let found = Commands::of(line).find(&glob(pattern));
            assert!(matches!(found, Meant::Yes(_)), "{line}: {found:?}");
        }
        for (line, pattern) in [
            ("unknown -C x push", "unknown push*"),
            ("unknown --flag push", "unknown push*"),
            ("docker compose -f x up -d", "docker compose up*"),
            ("npm --some-option x publish", "npm publish*"),
            ("gh pr -R a/b merge 1", "gh pr merge*"),
            ("git stash --quiet push", "git stash push*"),
            ("rm -v -rf x", "rm -rf *"),
            ("rm -fr x", "rm -rf *"),
            ("rm -r -f x", "rm -rf *"),
            ("sudo -u me rm -vfr x", "rm -rf *"),
            ("rm -rfv x", "rm -rf *"),
        ] {
            let found = Commands::of(line).find(&glob(pattern));
            assert!(matches!(found, Meant::Perhaps(_)), "{line}: {found:?}");
        }
        for (line, pattern) in [
            ("kubectl -n delete get pods", "kubectl delete*"),
            ("git -C push status", "git push*"),
            ("rm -r x", "rm -rf *"),
            ("npm run publish", "npm publish*"),
            ("cargo run --bin publish", "cargo publish*"),
        ] {
            let found = Commands::of(line).find(&glob(pattern));
            assert_eq!(found, Meant::No, "{line}");
        }
    }

    /// With these, the name of a program says nothing.
    #[test]
    fn what_is_set_may_change_what_runs() {
        let push = glob("git push*");
        for line in [
            "PATH=/x git status",
            "env LD_PRELOAD=x git status",
            "export PATH=/x; git status",
            "sudo BASH_ENV=x sh -c ls",
            "sh -c 'GIT_SSH_COMMAND=x git fetch'",
            "git -c alias.p=push p",
            "git --exec-path=/x status",
        ] {
            let found = Commands::of(line).find(&push);
            assert!(matches!(found, Meant::Perhaps(_)), "{line}: {found:?}");
        }
    }

    /// Whatever it is given, it ends soon and does not fill the memory.
    #[test]
    fn long_and_deep_lines_are_not_read_to_their_end() {
        let rm = glob("rm *");
        for line in [
            "$(".repeat(200_000),
            "sudo ".repeat(200_000),
            "sudo -ab ".repeat(10_000),
            format!("sudo {}", "a ".repeat(60_000)),
            "PATH=x ".repeat(10_000),
            format!("git {}", "-c x ".repeat(20_000)),
            format!("sudo {}", "a ".repeat(500_000)),
            "`".repeat(200_001),
            "\"$(".repeat(50_000),
            "{a,".repeat(200_000),
            "((((".repeat(200_000),
            "<<E\n".repeat(100_000),
            "x".repeat(1 << 20),
        ] {
            let commands = Commands::of(&line);
            assert!(!matches!(commands.find(&rm), Meant::Yes(_)));
        }
        let long = Commands::of(&format!("true {}; rm x", "x".repeat(1 << 18)));
        assert!(long.is_opaque && matches!(long.find(&rm), Meant::Perhaps(_)));
    }

    #[test]
    fn one_command_has_one_key() {
        for line in ["git push", " git  push ", "'git' \"push\"", "git \\\n push"] {
            assert_eq!(Commands::key(line), "git push", "{line}");
        }
        assert_eq!(Commands::key("git push; ls"), "git push; ls");
        assert_eq!(Commands::key("sudo git push"), "sudo git push");
        assert_eq!(Commands::key("git push > x"), "git push > x");
        assert_eq!(Commands::key("X=1 git push"), "X=1 git push");
    }

    #[test]
    fn words_stay_words() {
        assert_eq!(
            line_of_words("git", &["log".into(), "it's".into()]),
            r"git log 'it'\''s'"
        );
        let script_of = |program, words: [&str; 2]| {
            script(program, &words.map(str::to_owned)).map(str::to_owned)
        };
        assert_eq!(script_of("/bin/sh", ["-c", "a; b"]), Some("a; b".into()));
        assert_eq!(script_of("python", ["-c", "a; b"]), None);
        assert_eq!(line_of_words("ls", &["; rm".into()]), "ls '; rm'");
        let commands = Commands::of(&line_of_words("ls", &["; rm".into()]));
        assert_eq!(commands.parts.len(), 1);
    }
}
