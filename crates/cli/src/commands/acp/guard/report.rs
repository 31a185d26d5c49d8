//! The summary at the end.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde_json::json;
use tenon_acp::guard::Summary;
use tenon_host::own_file;
use tenon_protocols::Secrets;

use crate::exit::{Code, Failure};
use crate::output;

/// More names than these are only counted.
const SHOWN: usize = 8;

/// Prints the summary on stderr, with the hash of the record. There may be secrets in commands.
pub(super) fn print(summary: &Summary, record: Option<(&Path, &str)>, secrets: &Secrets) {
    output::talk(secrets.hide(&text(summary, record)));
}

/// The file of `--summary`. It always has a whole summary, also if the guard is killed.
pub(super) struct SummaryFile {
    path: PathBuf,
    secrets: Secrets,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Nothing is written after the last summary.
    is_ended: bool,
    /// It is said once that it cannot be written.
    has_failed: bool,
}

impl SummaryFile {
    /// Writes an empty summary.
    pub(super) fn open(path: PathBuf, secrets: Secrets) -> Result<SummaryFile, Failure> {
        let file = SummaryFile {
            path,
            secrets,
            state: Mutex::default(),
        };
        let written = file.write(&Summary::default(), None, false);
        written.map_err(|error| Failure::usage(file.explained(&error)))?;
        Ok(file)
    }

    /// Writes the summary so far. The session continues if that is not possible.
    pub(super) fn update(&self, summary: &Summary) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_ended {
            return;
        }
        if let Err(error) = self.write(summary, None, false)
            && !std::mem::replace(&mut state.has_failed, true)
        {
            output::talk(format_args!("guard: {}", self.explained(&error)));
        }
    }

    /// Writes the last summary.
    pub(super) fn end(&self, summary: &Summary, hash: Option<&str>) -> Result<(), Failure> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_ended = true;
        let written = self.write(summary, hash, true);
        written.map_err(|error| Failure::new(Code::Failed, self.explained(&error)))
    }

    fn write(&self, summary: &Summary, hash: Option<&str>, is_ended: bool) -> io::Result<()> {
        // A link or a device in its place is not replaced.
        match own_file::open(&self.path, own_file::Access::Read) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            found => drop(found?),
        }
        let text = json!({ "summary": summary, "ended": is_ended, "sha256": hash }).to_string();
        let mut text = self.secrets.hide(&text);
        text.push('\n');
        // Paths and commands are private to the owner.
        own_file::replace(&self.path, u64::MAX, |out| out.write_all(text.as_bytes()))
    }

    fn explained(&self, error: &io::Error) -> String {
        let path = tenon_text::path(&self.path);
        format!("the summary could not be written to {path}: {error}")
    }
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
