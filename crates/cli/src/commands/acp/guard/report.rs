//! The summary at the end.

use std::path::Path;

use serde_json::json;
use tenon_acp::guard::Summary;
use tenon_host::own_file;
use tenon_protocols::Secrets;

use crate::exit::Failure;
use crate::output;

/// More names than these are only counted.
const SHOWN: usize = 8;

/// Prints the summary on stderr, with the hash of the record. There may be secrets in commands.
pub(super) fn print(summary: &Summary, record: Option<(&Path, &str)>, secrets: &Secrets) {
    output::talk(secrets.hide(&text(summary, record)));
}

/// Writes the summary to a file.
pub(super) fn write(
    path: &Path,
    summary: &Summary,
    hash: Option<&str>,
    secrets: &Secrets,
) -> Result<(), Failure> {
    let failed = |error: std::io::Error| {
        let path = tenon_text::path(path);
        Failure::usage(format!(
            "the summary could not be written to {path}: {error}"
        ))
    };
    let text = json!({ "summary": summary, "sha256": hash }).to_string();
    let mut text = secrets.hide(&text);
    text.push('\n');
    // Paths and commands are private to the owner.
    let mut file = own_file::overwrite(path).map_err(failed)?;
    std::io::Write::write_all(&mut file, text.as_bytes()).map_err(failed)
}

fn text(summary: &Summary, record: Option<(&Path, &str)>) -> String {
    let agent = summary.agent.as_deref().unwrap_or("the agent");
    let agent = output::on_one_line(agent);
    let (sessions, turns) = (summary.sessions, summary.turns);
    let mut text = format!(
        "guard: {agent}, {}, {}",
        counted(sessions, "session"),
        counted(turns, "turn")
    );
    let mut row = |name: &str, count: u64, rest: String| {
        if count > 0 {
            text += &format!("\n  {name:<11}{count:>4}  {rest}");
            text.truncate(text.trim_end().len());
        }
    };
    let answers = format!(
        "approved {}, rejected {}",
        summary.approved, summary.rejected
    );
    row("asked", summary.asked, answers);
    row("allowed", summary.allowed, "by the policy".into());
    let denied = "by the policy, or outside the folders of the session";
    row("denied", summary.denied, denied.into());
    row(
        "refused",
        summary.refused,
        "messages that are not valid here".into(),
    );
    row(
        "too long",
        summary.oversized,
        "messages over 64 MiB, which were not read".into(),
    );
    row(
        "skipped",
        summary.skipped,
        "lines of the agent that are not messages".into(),
    );
    for (name, list) in [
        ("read", summary.all_read()),
        ("written", summary.all_written()),
        ("run", summary.all_run()),
        (
            "undecided",
            summary.undecided.keys().map(String::as_str).collect(),
        ),
        (
            "against",
            summary.against.keys().map(String::as_str).collect(),
        ),
    ] {
        row(name, list.len() as u64, names(&list));
    }
    if !summary.rules.is_empty() {
        text += &format!("\n  decisions by rule: {}", rules(summary));
    }
    if !summary.undecided.is_empty() {
        text += "\n  undecided: done without asking, and no rule allows it";
    }
    if !summary.against.is_empty() {
        text += "\n  against: done although it was rejected or denied";
    }
    if let Some((path, hash)) = record {
        text += &format!("\n  record {}\n  sha256 {hash}", tenon_text::path(path));
    }
    text
}

/// Which rules decided, and how often.
fn rules(summary: &Summary) -> String {
    let rules = { summary.rules.iter() }.map(|(rule, count)| format!("{rule:?} {count}"));
    rules.collect::<Vec<_>>().join(", ")
}

fn names(list: &[&str]) -> String {
    let shown = { list.iter().take(SHOWN) }.map(|name| output::on_one_line(name).into_owned());
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if list.len() > SHOWN {
        text += &format!(" and {} more", list.len() - SHOWN);
    }
    text
}

fn counted(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}
