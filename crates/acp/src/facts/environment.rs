//! Environment variables and settings that change what a command does.

use tenon_protocols::acp::Variable;

use super::command;

/// Variables that change how a program looks and speaks, and not what it does. A name that ends with `*` stands for all
/// that begin so.
const HARMLESS: [&str; 24] = [
    "CARGO_TERM_COLOR",
    "CI",
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "DEBIAN_FRONTEND",
    "FORCE_COLOR",
    "GIT_TERMINAL_PROMPT",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "LINES",
    "NODE_ENV",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TZ",
];

/// Programs that do nothing, which agents set so that no command waits for a person.
const IDLE: [(&str, &[&str]); 2] = [
    ("cat", &["GIT_PAGER", "MANPAGER", "PAGER", "SYSTEMD_PAGER"]),
    (
        "true",
        &["EDITOR", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "VISUAL"],
    ),
];

/// Variables by which another program is run than the one that is named, or other code in it.
const DIVERTING: [&str; 59] = [
    "BASHOPTS",
    "BASH_ENV",
    "BASH_FUNC_*",
    "CARGO_BUILD_RUSTC*",
    "CARGO_HOME",
    "CARGO_TARGET_*",
    "CDPATH",
    "CLASSPATH",
    "COMSPEC",
    "DYLD_*",
    "EDITOR",
    "ENV",
    "GCONV_PATH",
    "GIT_ASKPASS",
    "GIT_CONFIG*",
    "GIT_DIR",
    "GIT_EDITOR",
    "GIT_EXEC_PATH",
    "GIT_EXTERNAL_DIFF",
    "GIT_PAGER",
    "GIT_PROXY_COMMAND",
    "GIT_SEQUENCE_EDITOR",
    "GIT_SSH*",
    "GIT_TEMPLATE_DIR",
    "GOFLAGS",
    "HOME",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LD_*",
    "LESSOPEN",
    "LUA_INIT*",
    "MAKEFILES",
    "MAKEFLAGS",
    "MANPAGER",
    "NODE_OPTIONS",
    "NODE_PATH",
    "NPM_CONFIG_*",
    "PAGER",
    "PATH",
    "PATHEXT",
    "PERL5LIB",
    "PERL5OPT",
    "PHPRC",
    "PROMPT_COMMAND",
    "PS4",
    "PSMODULEPATH",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "RUBYOPT",
    "RUSTC*",
    "SHELLOPTS",
    "VISUAL",
    "XDG_CONFIG_HOME",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
    "npm_config_*",
];

/// Settings of git by which it runs another program, or another subcommand than the one that is named.
const DIVERTING_SETTINGS: [&str; 10] = [
    "alias.",
    "core.editor",
    "core.fsmonitor",
    "core.hookspath",
    "core.pager",
    "core.sshcommand",
    "credential.",
    "diff.external",
    "include.path",
    "pager.",
];

/// Builtins of shells that set variables.
pub(super) const SETTERS: [&str; 7] = [
    "declare", "export", "local", "readonly", "set", "setenv", "typeset",
];

fn is_in(names: &[&str], name: &str) -> bool {
    // Windows ignores the case: `Path` is `PATH`.
    let name = match cfg!(windows) {
        true => &name.to_uppercase(),
        false => name,
    };
    let is_meant = |known: &&str| match known.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => *known == name,
    };
    names.iter().any(is_meant)
}

/// Whether shells take `NAME=VALUE` for a variable. Otherwise it is a program: `LC_x/y=z` is one in the folder `LC_x`.
fn is_name(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !name.is_empty()
        && name.chars().all(is_letter)
        && !name.starts_with(|first: char| first.is_ascii_digit())
}

/// Whether a variable changes nothing. A value with other signs may be more than it seems to be: `DEBIAN_FRONTEND=x;y`.
fn is_harmless(name: &str, value: &str) -> bool {
    let is_plain = { value.chars() }
        .all(|letter| letter.is_ascii_alphanumeric() || "_-+.,:/@%".contains(letter));
    let is_idle = |(program, names): &(&str, &[&str])| *program == value && is_in(names, name);
    is_plain && (is_in(&HARMLESS, name) || IDLE.iter().any(is_idle))
}

/// A command without variables before it that change nothing: `LANG=C git log`.
pub(super) fn without_harmless(command: &str) -> &str {
    let mut rest = command;
    while let Some((word, after)) = rest.split_once([' ', '\t'])
        && let Some((name, value)) = word.split_once('=')
        && is_name(name)
        && is_harmless(name, value)
    {
        rest = after.trim_start_matches([' ', '\t']);
    }
    rest
}

/// Whether a word sets a variable by which something else may be run than what is named.
pub(super) fn diverts(word: &str) -> bool {
    let Some((name, value)) = word.split_once('=') else {
        return false;
    };
    let name = name.trim_end_matches('+');
    is_in(&DIVERTING, name) && !is_harmless(name, value)
}

/// Whether options of git make it run something else.
pub(super) fn diverts_git(arguments: &[String]) -> bool {
    let is_diverting = |setting: &str| {
        let setting = setting.to_lowercase();
        DIVERTING_SETTINGS
            .iter()
            .any(|known| setting.starts_with(known))
    };
    let sets = |pair: &[String]| match pair {
        [option, setting] => (option == "-c" || option == "--config-env") && is_diverting(setting),
        _ => false,
    };
    let is_option = |word: &String| {
        let setting = word.strip_prefix("--config-env=");
        word.starts_with("--exec-path=") || setting.is_some_and(is_diverting)
    };
    arguments.windows(2).any(sets) || arguments.iter().any(is_option)
}

/// A command line with these variables before it, as a shell would be given them. Those that change nothing are left out.
pub(super) fn before(variables: &[(&str, &str)], line: &str) -> String {
    let mut text = String::new();
    // A system takes any name, also `make test` and `; ls`. A shell can set it only with a program.
    if !variables.iter().all(|(name, _)| is_name(name)) {
        text += "env ";
    }
    for (name, value) in variables {
        if !is_name(name) {
            text += &format!("{} ", command::quoted(&format!("{name}={value}")));
        } else if !is_harmless(name, value) {
            text += &format!("{name}={} ", command::quoted(value));
        }
    }
    // Each command of the line gets them, not the first alone.
    let is_several = || command::Commands::of(line).parts != [line.trim()];
    match !text.is_empty() && is_several() {
        true => text + "sh -c " + &command::quoted(line),
        false => text + line,
    }
}

/// The variables of a program, if each has a name and a value that a system accepts.
pub(crate) fn variables(given: Option<&[Variable]>) -> Result<Vec<(&str, &str)>, &'static str> {
    let pair = |variable: &'_ Variable| {
        let is_wrong = variable.name.is_empty()
            || variable.name.contains(['=', '\0'])
            || variable.value.contains('\0');
        match is_wrong {
            true => Err("a variable has an invalid name or value"),
            false => Ok(()),
        }
    };
    let given = given.unwrap_or_default();
    given.iter().try_for_each(pair)?;
    let pairs = given
        .iter()
        .map(|variable| (&*variable.name, &*variable.value));
    Ok(pairs.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_written_before_the_command_as_in_a_shell() {
        let line = |variables: &[(&str, &str)], line: &str| before(variables, line);
        assert_eq!(line(&[("CLAUDECODE", "1"), ("LC_ALL", "C")], "ls"), "ls");
        assert_eq!(line(&[("PAGER", "cat")], "git log"), "git log");
        assert_eq!(line(&[("PAGER", "./x")], "git log"), "PAGER=./x git log");
        assert_eq!(line(&[("LANG", "C;x")], "ls"), "LANG='C;x' ls");
        assert_eq!(
            line(&[("A", "b c"), ("D", "")], "ls -l"),
            "A='b c' D='' ls -l"
        );
        assert_eq!(line(&[("A", "b")], "make; ls"), "A=b sh -c 'make; ls'");
        // A shell would take these for a program and its arguments.
        assert_eq!(line(&[("make x", "")], "rm y"), "env 'make x=' rm y");
        assert_eq!(
            line(&[("A", "b c"), ("LC_x/y", "z")], "rm y"),
            "env A='b c' LC_x/y=z rm y"
        );
    }

    #[test]
    fn variables_that_change_what_runs_are_known() {
        for word in [
            "PATH=/x",
            "LD_PRELOAD=x",
            "npm_config_prefix=x",
            "PATH+=:x",
            "GIT_SSH=x",
            "PAGER=x",
        ] {
            assert!(diverts(word), "{word}");
        }
        for word in [
            "A=b",
            "PATH",
            "GIT_PAGER=cat",
            "GIT_TERMINAL_PROMPT=0",
            "CI=1",
            "=x",
        ] {
            assert!(!diverts(word), "{word}");
        }
        let git = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            diverts_git(&words)
        };
        assert!(git(&["-c", "Alias.p=push", "p"]) && git(&["--exec-path=/x", "status"]));
        assert!(!git(&["-c", "color.ui=never", "log"]) && !git(&["commit", "-m", "alias.p"]));
    }
}
