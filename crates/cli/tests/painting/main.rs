//! Text from plugins, peers, files and arguments does nothing to a terminal and forges no line,
//! wherever it is printed: a table of paths and of what is hostile.

#![cfg(unix)]

mod paths;
#[path = "../support/mod.rs"]
mod support;

use paths::{PATHS, Path, Pipe};
use support::shell::Shell;
use support::terminal::at_a_terminal;

/// What is hostile, by name. Each has characters that must not be printed as they are.
const HOSTILE: &[(&str, &str)] = &[
    ("cursor", "\u{1b}[7;7H"),
    ("title", "\u{1b}]0;mine\u{7}"),
    ("reset", "\u{1b}c"),
    ("C1 control", "\u{9b}7;7H\u{90}\u{85}"),
    ("delete", "\u{7f}"),
    ("backspace", "\u{8}"),
    ("carriage return", "\rFORGED"),
    ("line feed", "\nFORGED"),
    ("bidi", "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}"),
    ("isolates", "\u{2066}\u{2067}\u{2068}\u{2069}"),
    ("marks of direction", "\u{200e}\u{200f}\u{61c}"),
    ("zero width", "\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}"),
    ("separators", "\u{2028}FORGED\u{2029}FORGED"),
    ("invisible", "\u{ad}\u{180e}\u{2062}\u{3164}"),
    ("annotations", "\u{fff9}\u{fffb}"),
    ("tags", "\u{e0001}\u{e0041}\u{e007f}"),
    ("markup", "<img src=x onerror=alert(1)>\"];%%{init: {}}%%"),
];

/// Stands before and behind, so that a test sees that the text was printed at all.
const SHOWN: &str = "shown";

fn hostile() -> String {
    let parts: Vec<&str> = HOSTILE.iter().map(|(_, text)| *text).collect();
    format!("{SHOWN}{}{SHOWN}", parts.join("a"))
}

/// A folder with everything that a path uses.
async fn folder(path: &Path) -> Shell {
    let shell = Shell::new();
    let text = hostile();
    shell.file("hostile.txt", &text);
    shell.file("hostile.py", include_str!("hostile.py"));
    for role in ["works", "fails", "dies", "prints"] {
        let start = "here=$(dirname \"$0\")\nexec python3 \"$here/hostile.py\"";
        shell.program(
            role,
            &format!("#!/bin/sh\n{start} provider {role} \"$@\"\n"),
        );
        shell.file(&format!("{role}.hcl"), &paths::scenario(role));
    }
    // HCL has no way to write a carriage return or a line feed in a name of one line.
    let inside: String = text.replace(['\n', '\r'], "");
    let quoted = inside.replace('"', "\\\"").replace("%{", "%%{");
    shell.file(
        "comment.hcl",
        &format!("# {inside}\nscenario \"a\" {{\n  nope \"{quoted}\" {{}}\n}}\n"),
    );
    std::fs::create_dir(shell.path("listed")).expect("a folder");
    let listed = format!(
        "scenario \"listed\" {{\n  description = \"{quoted}\"\n  tags = [\"{quoted}\"]\n}}\n"
    );
    let name: String = text.replace('/', "");
    shell.file(&format!("listed/{}.hcl", cut(&name)), &listed);
    std::fs::create_dir(shell.path("broken")).expect("a folder");
    shell.file(
        &format!("broken/{}.hcl", cut(&name)),
        "scenario \"a\" {\n  nope = 1\n}\n",
    );
    if let Some(before) = path.before {
        shell.run_unnoted(before).await;
    }
    shell
}

/// As much as a file may be called.
fn cut(name: &str) -> &str {
    let end = (0..=240).rev().find(|end| name.is_char_boundary(*end));
    &name[..end.expect("a start")]
}

/// The escape sequences that Tenon itself writes: colours, and the lines of progress.
fn without_own_escapes(screen: &str) -> String {
    let mut pieces = screen.split("\u{1b}[");
    let mut rest = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.trim_start_matches(|one: char| one.is_ascii_digit() || one == ';');
        let is_cursor = piece.starts_with("7;7");
        match end.strip_prefix(['m', 'A', 'B', 'K', 'J']) {
            Some(end) if !is_cursor => rest.push_str(end),
            _ => rest.push_str(&format!("\u{1b}[{piece}")),
        }
    }
    rest
}

/// What is wrong with what was printed.
fn problem(printed: &str, is_terminal: bool) -> Option<String> {
    let printed = match is_terminal {
        true => without_own_escapes(printed),
        false => printed.to_owned(),
    };
    if !printed.contains(SHOWN) {
        return Some(format!("nothing is shown: {printed:?}"));
    }
    for (name, text) in HOSTILE.iter().filter(|(name, _)| *name != "markup") {
        let is_hidden = |one: char| !one.is_ascii_graphic() && !matches!(one, '\n' | ' ');
        // The terminal itself ends lines with a carriage return.
        let is_own = |one: char| is_terminal && one == '\r';
        let mut hidden = text.chars().filter(|one| is_hidden(*one) && !is_own(*one));
        if let Some(found) = hidden.find(|one| printed.contains(*one)) {
            return Some(format!("{name}, {found:?}: {printed:?}"));
        }
    }
    let is_forged = |line: &str| line.starts_with("FORGED");
    let mut lines = printed.split(['\n', '\r']);
    lines
        .any(is_forged)
        .then(|| format!("a forged line: {printed:?}"))
}

/// What is wrong in a pipe, and what on a terminal.
async fn problems(path: &Path) -> [Option<String>; 2] {
    let shell = folder(path).await;
    let piped = shell.run_unnoted(path.line).await;
    let both = format!("{}\n{}", piped.stdout, piped.stderr);
    let in_pipe = match path.pipe {
        Pipe::Escaped => problem(&both, false),
        Pipe::Exact => {
            let is_exact = ['\u{202e}', '\u{9b}'].map(|one| piped.stdout.contains(one));
            (is_exact != [true, true]).then(|| format!("not exact: {both:?}"))
        }
    };
    let has_markup = path.has_no_markup && (both.contains('<') || both.contains("%%"));
    let in_pipe = in_pipe.or(has_markup.then_some(both));

    let shell = folder(path).await;
    let session = at_a_terminal(&shell, path.line, &[]).await;
    [in_pipe, problem(&session.raw, true)]
}

#[tokio::test]
async fn nothing_hostile_reaches_a_terminal() {
    let mut wrong = Vec::new();
    for path in PATHS {
        let [in_pipe, on_terminal] = problems(path).await;
        wrong.extend(in_pipe.map(|problem| format!("{} in a pipe: {problem}", path.name)));
        wrong.extend(on_terminal.map(|problem| format!("{} on a terminal: {problem}", path.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
