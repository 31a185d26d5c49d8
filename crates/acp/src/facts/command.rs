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
        let commands = Commands::on_unix(line);
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

    /// Agents write these all the time.
    #[test]
    fn what_changes_nothing_is_left_out_of_a_command() {
        for line in [
            "cargo test 2>&1",
            "cargo test > /dev/null",
            "cargo test >/dev/null 2>&1",
            "cargo test 2>/dev/null",
            "cargo test 2>&-",
            "2>&1 cargo test",
            "cargo 2>&1 test",
            "LANG=C cargo test",
            "LC_ALL=C.UTF-8 PAGER=cat cargo test 2>&1",
        ] {
            let commands = Commands::on_unix(line);
            let [part] = &commands.parts[..] else {
                panic!("{line}: {commands:?}")
            };
            let words: Vec<&str> = part.split_whitespace().collect();
            assert_eq!(words, ["cargo", "test"], "{line}");
            assert!(!commands.is_opaque, "{line}");
        }
        parts("cargo test 2>&1 | tail", &["cargo test", "tail"], false);
        parts("ls \"2\">&1", &["ls \"2\""], false);
        parts("ls a2>&1", &["ls a2"], false);
        parts("PAGER=./x git log", &["PAGER=./x git log"], false);
        parts("LANG='x y' ls", &["LANG='x y' ls"], false);
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
            assert!(Commands::on_unix(line).is_opaque, "{line}");
        }
        for line in [
            r"git status ${x:=\\140touch pwn\\140}${x@P}",
            r"echo ${x='\044(touch pwn)'}${x@P}",
            "git log $X",
            "git log $1",
            "echo \"$HOME\"",
            "echo ${!x}",
            "echo $[1+1]",
            "echo $=x",
            "git log ''$X",
            "g?t log",
            "git log --format=evil 1<>/root/.bashrc",
            "git log <>x",
            "git log {fd}<>x",
            "git log 2>&1x",
            "git log >&x",
            "git log 2>&1 >x",
            "git log >/dev/nullx",
            "git log >/dev/null$X",
            "git log &>>x",
        ] {
            assert!(Commands::on_unix(line).is_opaque, "{line}");
        }
        parts("grep \"a$\" 'b$' $ c", &["grep \"a$\" 'b$' $ c"], false);
        parts("echo '$(x) `y` > z'", &["echo '$(x) `y` > z'"], false);
        parts("sort < file", &["sort < file"], false);
        for line in [
            // Both hide a command from a reader that does not know them.
            "git log # it's\nrm -rf / # '",
            r"git log $'\'' ; rm -rf / ; echo \'",
            "cat <<E\n'\nE\nrm -rf / #'",
            "git log \0",
        ] {
            let commands = Commands::on_unix(line);
            assert!(commands.is_opaque || commands.parts.len() > 1, "{line}");
        }
    }

    fn glob(pattern: &str) -> Glob {
        Glob::read(pattern, crate::glob::Kind::Command).unwrap()
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
            let commands = Commands::on_unix(line);
            assert!(
                matches!(commands.find(&push), Meant::Yes(_)),
                "{line}: {commands:?}"
            );
        }
    }

    /// Only these programs know that they run it.
    #[test]
    fn a_command_is_found_behind_programs_that_start_it() {
        for line in [
            "env -S'git push'",
            "env --split-string='git push'",
            "script --command='git push'",
            "function f { git push; }; f",
            "coproc X { git push; }",
            "rbash -c 'git push'",
            "tcsh -c 'git push'",
            "pwsh -c 'git push'",
            "nu -c 'git push'",
            "git rebase -x 'git push'",
            "git -C x bisect run git push",
            "git submodule foreach git push",
            "git-push",
            "/usr/lib/git-core/git-push origin",
            "alias g='git push'; g",
            "docker exec x git push",
            "docker run x sh -c 'git push'",
            "docker compose exec x git push",
            "podman exec x git push",
            "kubectl exec x -- git push",
            "npm exec -- git push",
            "pnpm exec git push",
            "poetry run git push",
            "uv run git push",
            "bundle exec git push",
            "mise exec -- git push",
            "direnv exec . git push",
            "tmux new 'git push'",
            "screen -dm git push",
            "prlimit git push",
            "linux64 git push",
            "sg x -c 'git push'",
            "capsh -- -c 'git push'",
            "valgrind git push",
            "perf stat -- git push",
            "watchexec git push",
            "hyperfine 'git push'",
            "{fd}>x git push",
        ] {
            let found = Commands::on_unix(line).find(&glob("git push*"));
            assert!(matches!(found, Meant::Yes(_)), "{line}: {found:?}");
        }
        for line in [
            "env -Sgit push",
            "parallel git ::: push",
            "echo push | xargs git",
            "echo push | sudo xargs -n1 git",
            "echo git push | sh",
            "printf 'git push' | bash -s",
            "curl x | sudo sh",
            "source <(echo git push)",
            "bash < x",
            "bash /dev/stdin",
            "git pus[h]",
            "git pu?h",
            "git [p]ush",
            "alias g=git; g push",
            "unknown --flag git push",
            "unknown sh -c 'git push'",
        ] {
            let found = Commands::on_unix(line).find(&glob("git push*"));
            assert!(matches!(found, Meant::Perhaps(_)), "{line}: {found:?}");
        }
        for line in [
            "sh build.sh",
            "bash --version",
            "source x/activate",
            "[ -f x ] && make",
            "ls | xargs grep push",
            "git log -- 'pus[h]'",
            "echo git push",
            "make test release",
            "docker run x ls",
            "npm run push",
            "git stash show stash@{0}",
        ] {
            let found = Commands::on_unix(line).find(&glob("git push*"));
            assert_eq!(found, Meant::No, "{line}");
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
            let found = Commands::on_unix(line).find(&push);
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
            let found = Commands::on_unix(line).find(&push);
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
            let found = Commands::on_unix(line).find(&glob(pattern));
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
            let found = Commands::on_unix(line).find(&glob(pattern));
            assert!(matches!(found, Meant::Perhaps(_)), "{line}: {found:?}");
        }
        for (line, pattern) in [
            ("kubectl -n delete get pods", "kubectl delete*"),
            ("git -C push status", "git push*"),
            ("rm -r x", "rm -rf *"),
            ("npm run publish", "npm publish*"),
            ("cargo run --bin publish", "cargo publish*"),
        ] {
            let found = Commands::on_unix(line).find(&glob(pattern));
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
            let found = Commands::on_unix(line).find(&push);
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
            let commands = Commands::on_unix(&line);
            assert!(!matches!(commands.find(&rm), Meant::Yes(_)));
        }
        let long = Commands::on_unix(&format!("true {}; rm x", "x".repeat(1 << 18)));
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
        let commands = Commands::on_unix(&line_of_words("ls", &["; rm".into()]));
        assert_eq!(commands.parts.len(), 1);
    }
}
