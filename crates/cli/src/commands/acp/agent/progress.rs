//! A run, as an editor shows it: the plan with its progress, and the output of the tool call.

use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tenon_acp::agent::{AgentError, Turn};
use tenon_protocols::acp::{PlanEntry, PlanPriority, PlanStatus};
use tenon_scenario::{Event, SeeLog, Status};
use tokio::time::sleep;

use super::actions::Tool;
use crate::output::run::{outcome, verdict};
use crate::output::{indented_below, on_one_line};

/// Output is sent as a whole each time, so it is sent this often.
const PACE: Duration = Duration::from_millis(150);
/// As much output as is shown: the last.
const OUTPUT: usize = 32 * 1024;
/// Longer plans would be sent over and over.
const ENTRIES: usize = 100;

/// What has happened in a run up to now. The thread of the run writes it, and the turn shows it.
#[derive(Clone, Default)]
pub(super) struct Progress(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    entries: Vec<PlanEntry>,
    /// How many entries are not shown.
    left_out: usize,
    output: String,
    record: Option<String>,
    has_new_entries: bool,
    has_new_output: bool,
}

impl Progress {
    /// These actions will be run.
    pub(super) fn expect(&self, actions: impl Iterator<Item = String>) {
        let entry = |address| PlanEntry::new(address, PlanPriority::Medium, PlanStatus::Pending);
        let mut entries: Vec<PlanEntry> = actions.map(entry).collect();
        let mut state = self.state();
        state.left_out = entries.len().saturating_sub(ENTRIES);
        entries.truncate(ENTRIES);
        state.entries = entries;
        state.has_new_entries = true;
    }

    /// Takes note of an event.
    pub(super) fn see(&self, event: Event) {
        self.state().note(event);
    }

    /// Takes note of what providers write to stderr.
    pub(super) fn log(&self) -> SeeLog {
        let progress = self.clone();
        Arc::new(move |provider: &str, line: &str| {
            let line = format!("{provider}: {}", on_one_line(line));
            progress.state().line(&line);
        })
    }

    /// All the output.
    pub(super) fn output(&self) -> String {
        self.state().output.clone()
    }

    /// The path of the record.
    pub(super) fn record(&self) -> Option<String> {
        self.state().record.clone()
    }

    /// Shows a run until it is over. A client that is gone does not stop it.
    pub(super) async fn follow<T>(
        &self,
        turn: &Turn,
        tool: &Tool<'_>,
        running: impl Future<Output = T>,
    ) -> Result<T, AgentError> {
        let mut running = pin!(running);
        let mut shown = tool.show("").await;
        loop {
            tokio::select! {
                ended = &mut running => {
                    shown?;
                    self.show(turn, tool).await?;
                    return Ok(ended);
                }
                () = sleep(PACE), if shown.is_ok() => shown = self.show(turn, tool).await,
            }
        }
    }

    async fn show(&self, turn: &Turn, tool: &Tool<'_>) -> Result<(), AgentError> {
        let (entries, output) = self.state().take_news();
        if let Some(entries) = entries {
            turn.plan(entries).await?;
        }
        match output {
            Some(output) => tool.show(&output).await,
            None => Ok(()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take_news(&mut self) -> (Option<Vec<PlanEntry>>, Option<String>) {
        let entries = std::mem::take(&mut self.has_new_entries).then(|| {
            let mut entries = self.entries.clone();
            if self.left_out > 0 {
                let text = format!("and {} more", self.left_out);
                entries.push(PlanEntry::new(text, PlanPriority::Low, PlanStatus::Pending));
            }
            entries
        });
        let output = std::mem::take(&mut self.has_new_output).then(|| self.output.clone());
        (entries, output)
    }

    fn note(&mut self, event: Event) {
        match event {
            Event::Started { scenario, .. } => self.line(&format!("scenario: {scenario}")),
            Event::ActionStarted { action, .. } => self.mark(&action, PlanStatus::InProgress),
            Event::ActionRetried {
                action,
                attempt,
                error,
                ..
            } => {
                let error = indented_below(&error);
                self.line(&format!(
                    "  retry {action}: attempt {attempt} failed: {error}"
                ));
            }
            Event::ActionFinished {
                action,
                status,
                duration_ms,
                error,
                ..
            } => {
                let is_done = status == Status::Succeeded;
                self.mark(
                    &action,
                    if is_done {
                        PlanStatus::Completed
                    } else {
                        PlanStatus::Pending
                    },
                );
                self.line(&outcome(&action, status, duration_ms, error));
            }
            Event::Output { name, value, .. } => {
                let text = serde_json::from_str::<String>(value.get());
                let text = text.unwrap_or_else(|_| value.get().to_owned());
                self.line(&format!("{name} = {}", indented_below(&text)));
            }
            Event::AssertFailed { output, message } => {
                self.line(&format!(
                    "  failed output.{output}: {}",
                    indented_below(&message)
                ));
            }
            Event::Warning { message } => {
                self.line(&format!("warning: {}", indented_below(&message)));
            }
            Event::ProviderFailed { message } => self.line(&format!("error: {message}")),
            Event::Log { provider, line } => {
                self.line(&format!("{provider}: {}", on_one_line(&line)));
            }
            Event::Interrupted { running } => {
                self.line(&format!(
                    "interrupted: no new action starts, {running} still running"
                ));
            }
            Event::Finished {
                status,
                duration_ms,
                succeeded,
                failed,
                skipped,
                maybe,
                record,
                ..
            } => {
                let counts = [succeeded, failed, skipped, maybe];
                self.line(&verdict(status, counts, duration_ms));
                if let Some(record) = &record {
                    self.line(&format!("record: {}", on_one_line(record)));
                }
                self.record = record;
            }
            Event::ProviderReady { .. } => {}
        }
    }

    fn mark(&mut self, action: &str, status: PlanStatus) {
        let entry = self
            .entries
            .iter_mut()
            .find(|entry| entry.content == action);
        if let Some(entry) = entry {
            entry.status = status;
            self.has_new_entries = true;
        }
    }

    fn line(&mut self, line: &str) {
        self.output.push_str(line);
        self.output.push('\n');
        self.has_new_output = true;
        if self.output.len() > OUTPUT {
            let mut start = self.output.len() - OUTPUT;
            while !self.output.is_char_boundary(start) {
                start += 1;
            }
            let start = self.output[start..]
                .find('\n')
                .map_or(start, |end| start + end + 1);
            self.output.replace_range(..start, "...\n");
        }
    }
}
