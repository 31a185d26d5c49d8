//! How the shells of Windows, cmd.exe and PowerShell, read a line. Which of them runs it is not known here, nor whether it
//! is one of Unix, so a line means everything that one of them makes of it.

use super::reading::{Reading, plain_name};
use super::shell::Script;

/// Programs and words of these shells that start a program, which is among their arguments, besides those of Unix.
pub(super) const STARTERS: [&str; 19] = [
    "call",
    "cmd",
    "cscript",
    "defined",
    "errorlevel",
    "exist",
    "forfiles",
    "iex",
    "invoke-command",
    "invoke-expression",
    "powershell",
    "pwsh",
    "runas",
    "saps",
    "start",
    "start-process",
    "wmic",
    "wscript",
    "wsl",
];

/// Extensions of programs that need not be written.
pub(super) const EXTENSIONS: [&str; 5] = [".exe", ".cmd", ".bat", ".com", ".ps1"];

/// Whether shells split a line in different ways: what is quoted for one is an operator for another.
pub(super) fn is_ambiguous(line: &str) -> bool {
    let has_operator = line.contains(['&', '|', '<', '>', '(', ')', ';', '\n', '\r']);
    let has_quote = line.contains(['\'', '"']) || line.contains("\\\\") || escapes_operator(line);
    let has_variable = line.matches('%').count() > 1 || names_variable(line);
    line.contains(['^', '`']) || has_variable || has_operator && has_quote
}

fn escapes_operator(line: &str) -> bool {
    let mut letters = line.chars().peekable();
    std::iter::from_fn(|| Some((letters.next()?, letters.peek().copied())))
        .any(|(letter, next)| letter == '\\' && next.is_some_and(|next| "&|<>();".contains(next)))
}

/// What these shells may run, besides what a shell of Unix runs.
pub(super) fn script(line: &str) -> Script {
    let spelled = respelled(line);
    let mut script = Script::of(&spelled);
    // For cmd.exe, `'` is a letter, and some commands of its own take `del,x`.
    let unquoted: String = { spelled.chars() }
        .map(|letter| match letter {
            '\'' | ',' | ';' | '=' => ' ',
            other => other,
        })
        .collect();
    let other = Script::of(&unquoted);
    script.doubtful.extend(other.readings);
    script.doubtful.extend(other.doubtful);
    script.is_cut |= other.is_cut;
    script.is_diverted |= sets_variable(line);
    if has_encoded_script(&script.readings) {
        // Anything.
        script.doubtful.push(Reading::unknown());
    }
    script
}

/// `$env:PATH = "x"`, which PowerShell takes in many spellings.
fn sets_variable(line: &str) -> bool {
    line.contains('=') && names_variable(line)
}

fn names_variable(line: &str) -> bool {
    line.to_lowercase().contains("env:")
}

/// The same line for a shell of Unix: with slashes, without the characters that only separate letters, and with variables
/// that it does not know.
fn respelled(line: &str) -> String {
    let mut spelled = String::with_capacity(line.len());
    for (number, piece) in line.split('%').enumerate() {
        match number % 2 {
            0 => spelled += piece,
            _ => spelled += "${_}",
        }
    }
    // A `%` without a second one means itself.
    if line.matches('%').count() % 2 == 1 {
        let rest = line.rsplit('%').next().unwrap_or_default();
        spelled.truncate(spelled.len() - "${_}".len());
        spelled.push('%');
        spelled += rest;
    }
    let spelled = spelled.replace('\\', "/").replace(['^', '`'], "");
    spelled.trim_start_matches(['@', ' ']).to_owned()
}

/// `powershell -EncodedCommand BASE64`, in one of its many spellings.
fn has_encoded_script(readings: &[Reading]) -> bool {
    readings.iter().any(|reading| {
        let text = reading.text().to_lowercase();
        let mut words = text.split(' ');
        let program = words.next().map(plain_name);
        matches!(program.as_deref(), Some("powershell" | "pwsh"))
            && words.any(|word| word.starts_with("-e") || word.starts_with("/e"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::command::{Commands, Meant};
    use super::is_ambiguous;
    use crate::glob::{Glob, Kind};

    fn find(line: &str, pattern: &str) -> Meant {
        let pattern = Glob::read(pattern, Kind::Command).unwrap();
        Commands::on_windows(line).find(&pattern)
    }

    #[test]
    fn a_command_is_found_in_the_spellings_of_windows() {
        for line in [
            "git push",
            "GIT Push origin",
            "git.exe push",
            "Git.CMD push",
            r"C:\Git\bin\git.exe push",
            r#""C:\Program Files\Git\git.exe" push"#,
            r"& 'C:\Git\git.exe' push",
            r".\git push",
            "g^it pu^sh",
            "g`it push",
            "@git push",
            "cmd /c git push",
            r#"cmd.exe /d /s /c "git push""#,
            r"C:\Windows\System32\CMD.EXE /c git push",
            "powershell -NoProfile -Command \"git push\"",
            "pwsh -c 'cd x; git push'",
            "start /b git push",
            "call git push",
            "if exist x git push",
            "if not exist x (git push)",
            "for %i in (1) do git push",
            "cd x && git push",
            "cd x & git push",
            "iex 'git push'",
            "wsl git push",
            "Start-Process git push",
            "GIT.EXE -C x push",
            r"C:\Git\Git.exe --no-pager push",
        ] {
            assert!(matches!(find(line, "git push*"), Meant::Yes(_)), "{line}");
        }
        assert!(matches!(
            find("REMOVE-ITEM -Recurse x", "Remove-Item *"),
            Meant::Yes(_)
        ));
    }

    #[test]
    fn what_only_the_shell_knows_may_be_meant() {
        for line in [
            "%X% push",
            "git %X%",
            "%COMSPEC% /c git push",
            "$env:X push",
            "powershell -enc ZwBpAHQAIABwAHUAcwBoAA==",
            "pwsh -EncodedCommand AAAA",
            "echo 'a & git push'",
            "git,push",
            "set PATH=x& git status",
            "$env:Path = 'x'; git status",
        ] {
            assert!(!matches!(find(line, "git push*"), Meant::No), "{line}");
        }
        assert!(!matches!(find("del;x", "del *"), Meant::No));
        let behind = find("UNKNOWN.exe --flag push", "unknown push*");
        assert!(!matches!(behind, Meant::No), "{behind:?}");
        for line in [
            "git status",
            "git log --format=%h",
            r"type C:\push\git",
            "echo 50% git push",
        ] {
            assert!(matches!(find(line, "git push*"), Meant::No), "{line}");
        }
    }

    /// A rule that allows a command must not allow what another shell makes of it.
    #[test]
    fn lines_that_shells_split_in_different_ways_are_not_allowed() {
        for line in [
            "git log 'a & del x'",
            r#"git log "a\" & del x & rem ""#,
            r"git log \& del x",
            "git log ^& del x",
            "git log %A% x",
            "git log `n del x",
        ] {
            assert!(is_ambiguous(line), "{line}");
            assert!(Commands::on_windows(line).is_opaque, "{line}");
        }
        for line in [
            "git log",
            "git log 'a b'",
            r"type src\main.rs",
            "git log --format=%h",
            "a & b",
        ] {
            assert!(!is_ambiguous(line), "{line}");
        }
    }
}
