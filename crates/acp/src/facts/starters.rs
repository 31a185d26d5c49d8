//! Programs that start others.

use super::options;
use super::reading::plain_name;
use super::windows;
use super::word::Word;

/// Shells of Unix, whose arguments may be scripts.
pub(super) const SHELLS: [&str; 10] = [
    "ash", "bash", "dash", "fish", "ksh", "mksh", "rbash", "sh", "yash", "zsh",
];

/// Programs and words of shells that start a program, which is among their arguments.
const STARTERS: [&str; 84] = [
    "alias",
    "builtin",
    "bunx",
    "busybox",
    "bwrap",
    "capsh",
    "chroot",
    "chrt",
    "command",
    "concurrently",
    "coproc",
    "cross-env",
    "csh",
    "dbus-run-session",
    "doas",
    "dumb-init",
    "elvish",
    "entr",
    "env",
    "eval",
    "exec",
    "fakeroot",
    "faketime",
    "fd",
    "fdfind",
    "find",
    "firejail",
    "flock",
    "function",
    "gdb",
    "gosu",
    "hyperfine",
    "ionice",
    "linux32",
    "linux64",
    "ltrace",
    "nice",
    "nix-shell",
    "nodemon",
    "nohup",
    "npx",
    "nsenter",
    "nu",
    "numactl",
    "parallel",
    "perf",
    "pkexec",
    "prlimit",
    "proot",
    "pwsh",
    "rlwrap",
    "runuser",
    "screen",
    "script",
    "sem",
    "setarch",
    "setpriv",
    "setsid",
    "sg",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "su-exec",
    "sudo",
    "systemd-run",
    "taskset",
    "tcsh",
    "time",
    "timeout",
    "tini",
    "tmux",
    "toybox",
    "trap",
    "unbuffer",
    "unshare",
    "uvx",
    "valgrind",
    "watch",
    "watchexec",
    "winpty",
    "xargs",
    "xonsh",
    "xvfb-run",
];

/// Programs that do so with one of these subcommands.
const LAUNCHERS: [(&[&str], &[&str]); 8] = [
    (
        &["git"],
        &[
            "bisect",
            "difftool",
            "filter-branch",
            "mergetool",
            "rebase",
            "submodule",
        ],
    ),
    (&["docker", "nerdctl", "podman"], &["exec", "run"]),
    (&["kubectl", "oc"], &["debug", "exec", "run"]),
    (&["npm", "pnpm", "yarn"], &["dlx", "exec", "x"]),
    (
        &[
            "bun", "pdm", "pipenv", "poetry", "uv", "hatch", "conda", "mamba", "rustup", "op",
            "flatpak", "heroku",
        ],
        &["exec", "run", "x"],
    ),
    (
        &[
            "bundle",
            "mise",
            "asdf",
            "direnv",
            "rbenv",
            "pyenv",
            "lxc",
            "aws-vault",
            "chezmoi",
        ],
        &["exec", "x"],
    ),
    (&["nix"], &["develop", "run", "shell"]),
    (&["machinectl"], &["shell"]),
];

/// Programs and words of shells whose arguments are texts and files. Of those that are not listed here or above, it is not
/// known what they do with their arguments.
const TEXTS: [&str; 74] = [
    "[",
    "[[",
    "ag",
    "basename",
    "case",
    "cat",
    "cd",
    "chmod",
    "chown",
    "cmp",
    "comm",
    "cp",
    "curl",
    "cut",
    "date",
    "df",
    "diff",
    "dirname",
    "du",
    "echo",
    "egrep",
    "fgrep",
    "file",
    "for",
    "grep",
    "head",
    "jq",
    "kill",
    "less",
    "ln",
    "ls",
    "man",
    "md5sum",
    "mkdir",
    "more",
    "mv",
    "nl",
    "od",
    "printf",
    "ps",
    "pushd",
    "pwd",
    "read",
    "readlink",
    "realpath",
    "rg",
    "rm",
    "rmdir",
    "rsync",
    "sed",
    "select",
    "set",
    "sha256sum",
    "sleep",
    "sort",
    "stat",
    "tail",
    "tar",
    "tee",
    "test",
    "touch",
    "tr",
    "tree",
    "true",
    "type",
    "uniq",
    "unset",
    "unzip",
    "wc",
    "wget",
    "whence",
    "whereis",
    "which",
    "zip",
];

/// Options of these programs that start another one, which is their value.
const STARTING_OPTIONS: [(&str, &[&str]); 9] = [
    ("ag", &["--pager"]),
    ("man", &["-H", "-P", "--html", "--pager"]),
    ("rg", &["--hostname-bin", "--pre"]),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("sort", &["--compress-program"]),
    (
        "tar",
        &[
            "-F",
            "-I",
            "--checkpoint-action",
            "--info-script",
            "--new-volume-script",
            "--rmt-command",
            "--rsh-command",
            "--to-command",
            "--use-compress-program",
        ],
    ),
    ("wget", &["--use-askpass"]),
    ("zip", &["-T", "--unzip-command"]),
    ("less", &["+"]),
];

fn name(program: &Word) -> String {
    plain_name(&program.text())
}

fn is_shell(name: &str) -> bool {
    const OTHERS: [&str; 6] = ["csh", "elvish", "nu", "pwsh", "tcsh", "xonsh"];
    SHELLS.contains(&name) || OTHERS.contains(&name)
}

/// Whether a command starts another one, which is among its arguments.
pub(super) fn is_starter(words: &[Word]) -> bool {
    let Some((program, arguments)) = words.split_first() else {
        return false;
    };
    let name = &*name(program);
    let lists: [&[&str]; 3] = [&SHELLS, &STARTERS, &windows::STARTERS];
    let launches = |(programs, subcommands): &(&[&str], &[&str])| {
        let rest = options::from_subcommand(name, arguments).unwrap_or(arguments);
        // `docker compose exec`.
        let mut rest = rest.iter().take(2);
        programs.contains(&name) && rest.any(|word| subcommands.contains(&&*word.text()))
    };
    lists.iter().any(|list| list.contains(&name)) || LAUNCHERS.iter().any(launches)
}

/// Whether it is not known what a command does with its arguments. Of programs with subcommands those are known that start
/// others.
pub(super) fn may_start(words: &[Word]) -> bool {
    let name = words.first().map(name).unwrap_or_default();
    let has_subcommands = options::with_value(&name).is_some() || { LAUNCHERS.iter() }
        .any(|(programs, _)| programs.contains(&&*name));
    !is_starter(words) && !has_subcommands && !TEXTS.contains(&&*name)
}

/// Whether a program that only uses texts and files has an option by which it starts another one. Long options may be
/// shortened, and those of one letter may be written together: `tar -xIf`.
pub(super) fn has_starting_option(words: &[Word]) -> bool {
    let Some((program, arguments)) = words.split_first() else {
        return false;
    };
    let name = name(program);
    let known = STARTING_OPTIONS.iter().find(|(known, _)| *known == name);
    let is_option = |text: &str, option: &str| match option.strip_prefix("--") {
        Some(_) => {
            let text = text.split('=').next().unwrap_or_default();
            text.len() > "--".len() && option.starts_with(text)
        }
        None => match option.strip_prefix('-') {
            Some(letter) => {
                text.starts_with('-') && !text.starts_with("--") && text.contains(letter)
            }
            None => text.starts_with(option),
        },
    };
    known.is_some_and(|(_, options)| {
        let mut texts = arguments.iter().map(Word::text);
        texts.any(|text| options.iter().any(|option| is_option(&text, option)))
    })
}

/// What a script of `sed` may run: the text after its command `e`, and the new text of `s///e`.
pub(super) fn scripts_of_sed(words: &[Word]) -> Vec<String> {
    const SIGNS: [char; 12] = ['/', '|', ',', '#', ';', '{', '}', '\n', '@', ':', '!', '%'];
    if words.first().map(name).as_deref() != Some("sed") {
        return Vec::new();
    }
    let scripts = words[1..].iter().map(Word::script).filter(|script| {
        // The command, or a flag at the end: `1e ls`, `s/a/b/ge`.
        script.split(SIGNS).any(|piece| {
            let piece = piece.trim_start_matches(|letter: char| {
                letter.is_ascii_digit() || letter.is_whitespace() || "$gpiImM".contains(letter)
            });
            piece.trim_end() == "e" || piece.starts_with("e ") || piece.starts_with("e\t")
        })
    });
    let pieces = |script: String| -> Vec<String> {
        let pieces = script.split(SIGNS).map(|piece| {
            let after = piece.split_once("e ").map(|(_, after)| after.to_owned());
            [Some(piece.to_owned()), after]
        });
        pieces.flatten().flatten().collect()
    };
    scripts.flat_map(pieces).collect()
}

/// Whether a program puts words from its input behind its arguments.
pub(super) fn takes_words(program: &Word) -> bool {
    matches!(&*name(program), "xargs" | "parallel" | "sem")
}

/// Whether a shell is given its script on its input: `curl x | sh`, `source <(x)`.
pub(super) fn reads_script(words: &[Word]) -> bool {
    let Some((program, arguments)) = words.split_first() else {
        return false;
    };
    let name = &*name(program);
    let is_given = |word: &Word| {
        let text = word.text();
        let asks = text == "--version" || text == "--help";
        asks || !text.starts_with('-') && !text.starts_with("/dev/")
    };
    (is_shell(name) || matches!(name, "source" | ".")) && !arguments.iter().any(is_given)
}
