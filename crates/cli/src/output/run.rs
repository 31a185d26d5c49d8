//! What happens in a run: lines as it happens, and on a terminal also what runs right now.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use tenon_scenario::{Event, RunStatus, SeeLog, Status};

use super::{data, indented_below, json_data, on_one_line, talk};
use crate::args::WorkArgs;

/// Shows a run while it happens.
pub(crate) struct Progress {
    is_json: bool,
    is_verbose: bool,
    /// Lines that stay at the bottom of a terminal.
    bars: Option<MultiProgress>,
    running: RefCell<BTreeMap<String, ProgressBar>>,
    outputs: RefCell<Vec<String>>,
    /// What to do about unknown outcomes.
    next_step: &'static str,
    /// Lines of providers that came from other threads.
    logs: Arc<Mutex<()>>,
}

/// What to do about actions whose outcome is unknown after a run.
const AFTER_RUN: &str = "an unknown outcome means that the action may have been done: check, then \
     run it again with `--resume RECORD --redo-maybe`, or undo the run with `tenon teardown RECORD`";

/// The same after a teardown.
const AFTER_TEARDOWN: &str = "an unknown outcome means that the action may have been undone: \
     check, then run the teardown again, or confirm with `--undone ADDRESS`";

/// The same after a run without a record.
const WITHOUT_RECORD: &str = "an unknown outcome means that the action may have been done: check, \
     and undo it by hand if it was; this run has no record, so it can be neither resumed nor undone";

/// A provider that writes without end must not bury everything else.
const SHOWN_LOG_LINES: usize = 1000;

impl Progress {
    /// Shows a run.
    pub(crate) fn of_run(args: &WorkArgs) -> Progress {
        Progress::new(args, AFTER_RUN)
    }

    /// Shows a teardown.
    pub(crate) fn of_teardown(args: &WorkArgs) -> Progress {
        Progress::new(args, AFTER_TEARDOWN)
    }

    fn new(args: &WorkArgs, next_step: &'static str) -> Progress {
        let is_live = io::stderr().is_terminal() && !args.json;
        Progress {
            is_json: args.json,
            is_verbose: args.verbose,
            bars: is_live.then(MultiProgress::new),
            running: RefCell::default(),
            outputs: RefCell::default(),
            next_step,
            logs: Arc::default(),
        }
    }

    /// Shows what providers write to stderr, if that was requested.
    pub(crate) fn log(&self) -> Option<SeeLog> {
        let is_json = self.is_json;
        if !is_json && !self.is_verbose {
            return None;
        }
        let (bars, lock) = (self.bars.clone(), self.logs.clone());
        let shown = AtomicUsize::new(0);
        Some(Arc::new(move |provider: &str, line: &str| {
            let _one_at_a_time = lock.lock().unwrap_or_else(PoisonError::into_inner);
            match shown.fetch_add(1, Ordering::Relaxed) {
                count if count < SHOWN_LOG_LINES => {}
                SHOWN_LOG_LINES if !is_json => {
                    return talk(format_args!("further lines of providers are not shown"));
                }
                _ => return,
            }
            if is_json {
                print_json(&Event::Log {
                    provider: provider.to_owned(),
                    line: line.to_owned(),
                });
            } else {
                print_above(bars.as_ref(), &format!("{provider}: {}", on_one_line(line)));
            }
        }))
    }

    /// Shows what happened.
    pub(crate) fn see(&self, event: Event) {
        if self.is_json {
            return print_json(&event);
        }
        match event {
            Event::Started {
                scenario,
                actions,
                done,
                ..
            } => {
                self.line(&format!("scenario: {scenario}"));
                if actions == 0 {
                    self.line("there is nothing to do");
                }
                if done > 0 {
                    self.line(&format!("{done} of {actions} actions are done already"));
                }
            }
            Event::ActionStarted { action, .. } => self.begin(action),
            Event::ActionRetried {
                action,
                attempt,
                error,
                delay_ms,
            } => {
                let wait = time(delay_ms);
                self.line(&format!(
                    "  retry {action}: attempt {attempt} failed, the next one in {wait}\n{}",
                    indent(&error)
                ));
            }
            Event::ActionFinished {
                action,
                status,
                duration_ms,
                error,
                ..
            } => self.finished(&action, status, duration_ms, error),
            Event::Output { name, value, .. } => {
                // A text is shown without its quotes, anything else as it is written.
                let text = serde_json::from_str::<String>(value.get());
                let text = text.unwrap_or_else(|_| value.get().to_owned());
                let line = format!("{name} = {}", indented_below(&text));
                self.outputs.borrow_mut().push(line);
            }
            Event::AssertFailed { output, message } => {
                self.line(&format!("  failed output.{output}\n{}", indent(&message)));
            }
            Event::Warning { message } => {
                self.line(&format!("warning: {}", indented_below(&message)));
            }
            Event::ProviderFailed { message } => self.line(&format!("error: {message}")),
            Event::Interrupted { running } => {
                self.line(&format!(
                    "interrupted: no new action starts, {running} still running; press Ctrl-C again to stop immediately"
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
                self.finish();
                for output in self.outputs.borrow_mut().drain(..) {
                    let _gone = data(output);
                }
                let counts = [succeeded, failed, skipped, maybe];
                talk(verdict(status, counts, duration_ms));
                if maybe > 0 {
                    talk(match record {
                        Some(_) => self.next_step,
                        None => WITHOUT_RECORD,
                    });
                }
                if let Some(record) = record {
                    talk(format_args!("record: {}", on_one_line(&record)));
                }
            }
            Event::ProviderReady { .. } | Event::Log { .. } => {}
        }
    }

    fn begin(&self, action: String) {
        let Some(bars) = &self.bars else { return };
        let bar = bars.add(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template("  {spinner} {msg} ({elapsed})") {
            bar.set_style(style);
        }
        bar.set_message(on_one_line(&action).into_owned());
        bar.enable_steady_tick(Duration::from_millis(120));
        self.running.borrow_mut().insert(action, bar);
    }

    fn finished(&self, action: &str, status: Status, duration_ms: u64, error: Option<String>) {
        if let Some(bar) = self.running.borrow_mut().remove(action) {
            bar.finish_and_clear();
        }
        self.line(&outcome(action, status, duration_ms, error));
    }

    fn line(&self, line: &str) {
        let _one_at_a_time = self.logs.lock().unwrap_or_else(PoisonError::into_inner);
        print_above(self.bars.as_ref(), line);
    }

    /// Nothing is running.
    pub(crate) fn finish(&self) {
        for bar in std::mem::take(&mut *self.running.borrow_mut()).into_values() {
            bar.finish_and_clear();
        }
    }
}

/// How an action ended.
pub(crate) fn outcome(
    action: &str,
    status: Status,
    duration_ms: u64,
    error: Option<String>,
) -> String {
    let word = match status {
        Status::Succeeded => "ok",
        Status::Failed => "failed",
        Status::Skipped => "skipped",
        Status::Maybe => "outcome unknown",
        Status::Pending => "not started",
    };
    let mut line = match status {
        Status::Skipped => format!("  {word} {action}"),
        _ => format!("  {word} {action} ({})", time(duration_ms)),
    };
    match (status, error) {
        (Status::Skipped, Some(error)) => line += &format!(": {}", on_one_line(&error)),
        (_, Some(error)) => line += &format!("\n{}", indent(&error)),
        (_, None) => {}
    }
    line
}

/// How a run ended: how many actions are done, failed, were skipped, and have an unknown outcome.
pub(crate) fn verdict(status: RunStatus, counts: [usize; 4], duration_ms: u64) -> String {
    let words = ["done", "failed", "skipped", "outcome unknown"];
    let counts: Vec<String> = { counts.iter().zip(words) }
        .filter(|(count, what)| **count > 0 || *what == "done")
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let verdict = match status {
        RunStatus::Succeeded => "succeeded",
        RunStatus::Interrupted => "interrupted",
        _ => "failed",
    };
    format!("{verdict}: {} in {}", counts.join(", "), time(duration_ms))
}

fn print_above(bars: Option<&MultiProgress>, line: &str) {
    match bars {
        Some(bars) => bars.suspend(|| talk(line)),
        None => talk(line),
    }
}

fn print_json(event: &Event) {
    if let Ok(line) = serde_json::to_string(event) {
        // A closed pipe is not an error.
        let _gone = json_data(line);
    }
}

fn indent(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("      {line}")).collect();
    lines.join("\n")
}

fn time(milliseconds: u64) -> String {
    match milliseconds {
        0..1000 => format!("{milliseconds}ms"),
        1000..60_000 => format!("{:.1}s", milliseconds as f64 / 1000.0),
        _ => format!("{}m{:02}s", milliseconds / 60_000, milliseconds / 1000 % 60),
    }
}
