//! The console blocks of the pages about Seasonings: each command is run, and prints what the page says.
//!
//! Commands begin with `$ `, and go on in indented lines after a backslash. In what follows them, a line of
//! `...` stands for any lines, and `...` in a line for any text. Other blocks that begin with a comment of a
//! file name, such as `# main.tf`, are written to that file. The examples of the repository are there.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::shell::Shell;
use crate::support::tools::{self, Tool};
use crate::support::trial::trial;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A fenced block of a page.
struct Block {
    language: String,
    lines: Vec<String>,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in page.lines() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(_), Some(block)) => blocks.push(block),
            (Some(language), None) => {
                open = Some(Block {
                    language: language.trim().to_owned(),
                    lines: Vec::new(),
                });
            }
            (None, Some(mut block)) => {
                block.lines.push(line.to_owned());
                open = Some(block);
            }
            (None, None) => {}
        }
    }
    blocks
}

/// The commands of a block, with what they print.
fn commands(lines: &[String]) -> Vec<(String, Vec<&str>)> {
    let mut commands: Vec<(String, Vec<&str>)> = Vec::new();
    let mut goes_on = false;
    for line in lines {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (None, Some((command, _))) if goes_on => {
                command.push('\n');
                command.push_str(line);
            }
            (Some(command), _) => commands.push((command.to_owned(), Vec::new())),
            (None, Some((_, printed))) => printed.push(line),
            (None, None) => panic!("{line} is printed by no command"),
        }
        goes_on = line.ends_with('\\');
    }
    commands
}

fn is_printed(expected: &[&str], printed: &[&str]) -> bool {
    match expected.split_first() {
        None => printed.is_empty(),
        Some((&"...", rest)) => {
            (0..=printed.len()).any(|skipped| is_printed(rest, &printed[skipped..]))
        }
        Some((first, rest)) => printed
            .split_first()
            .is_some_and(|(line, others)| is_line(first, line) && is_printed(rest, others)),
    }
}

/// `...` stands for any text.
fn is_line(expected: &str, line: &str) -> bool {
    let Some((start, rest)) = expected.split_once("...") else {
        return expected.trim_end() == line.trim_end();
    };
    let Some(line) = line.strip_prefix(start) else {
        return false;
    };
    let mut ends = line
        .char_indices()
        .map(|(place, _)| place)
        .chain([line.len()]);
    ends.any(|place| is_line(rest, &line[place..]))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("a file");
        let (name, kind) = (entry.file_name(), entry.file_type().expect("a file"));
        match kind.is_dir() {
            true if name == "__pycache__" || name == "target" => {}
            true => copy(&entry.path(), &to.join(name)),
            false => drop(fs::copy(entry.path(), to.join(name)).expect("a file")),
        }
    }
}

/// Runs the commands of a page, at least `least` of them.
async fn run(page: &str, least: usize, tool: Tool) {
    let text = fs::read_to_string(root().join(page)).expect("a page");
    trial(tool, async |_, _| {
        let shell = Shell::new();
        copy(&root().join("examples/seasonings/python"), &shell.path("examples/seasonings/python"));
        let mut count = 0;
        for block in blocks(&text) {
            if block.language != "console" {
                let name = { block.lines.first() }.and_then(|line| line.strip_prefix("# "));
                if let Some(name) = name.filter(|name| name.contains('.') && !name.contains(' ')) {
                    shell.file(name, &(block.lines.join("\n") + "\n"));
                }
                continue;
            }
            for (command, expected) in commands(&block.lines) {
                let environment = "export HOME=$PWD CHECKPOINT_DISABLE=1 TF_CLI_CONFIG_FILE=/dev/null \
                    TF_CLI_ARGS=-no-color";
                let outcome = shell.run_unnoted(&format!("{environment}; {{ {command}\n}} 2>&1")).await;
                let printed: Vec<&str> = outcome.stdout.lines().collect();
                assert!(
                    is_printed(&expected, &printed),
                    "{page} says that\n$ {command}\nprints\n{}\nbut it prints\n{}{}",
                    expected.join("\n"),
                    outcome.stdout,
                    outcome.stderr,
                );
                count += 1;
            }
        }
        assert!(count >= least, "only {count} commands were run");
    })
    .await;
}

#[tokio::test]
async fn the_reference_of_seasonings() {
    run("docs/reference/seasonings.md", 20, tools::python()).await;
}

#[tokio::test]
async fn plugins_around_terraform() {
    let tool = tools::python().and_then(|_| tools::on_path("terraform"));
    run("docs/guide/terraform-plugins.md", 4, tool).await;
}

#[test]
fn dots_stand_for_what_varies() {
    assert!(is_printed(&["a", "...", "z"], &["a", "b", "c", "z"]));
    assert!(is_printed(&["a", "..."], &["a"]));
    assert!(!is_printed(&["a"], &["a", "b"]));
    assert!(is_line("id: \"...\", x", "id: \"7\", x") && !is_line("id: ...x", "id: y"));
    assert!(is_line("é...", "é") && is_line("...é", "aé"));
}
