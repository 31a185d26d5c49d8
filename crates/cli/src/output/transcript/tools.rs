//! Tool calls, with their changes and their output, and plans.

use std::hash::{DefaultHasher, Hash, Hasher};

use tenon_acp::client::ToolState;
use tenon_protocols::acp::{Plan, PlanStatus, ToolContent, ToolStatus};

use super::Transcript;
use super::text::described;
use crate::exit::Failure;
use crate::output::diff::{Line, diff};
use crate::output::on_one_line;
use crate::output::paint::Paint;

/// Lines of a diff and of a tool's output that are shown.
const DIFF_LINES: usize = 60;
const DIFF_LINE: usize = 400;
const OUTPUT_LINES: usize = 6;

/// How much of a diff is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Its beginning: it was decided, or no permission is needed.
    Short,
    /// All of it.
    Whole,
}

impl Transcript {
    pub(super) fn tool(
        &mut self,
        now: &ToolState,
        before: Option<&ToolState>,
    ) -> Result<(), Failure> {
        let is_begun =
            |status: &ToolStatus| matches!(status, ToolStatus::Pending | ToolStatus::InProgress);
        let is_news = before.is_none_or(|before| {
            let has_moved = before.status != now.status;
            before.title != now.title
                || (has_moved && !(is_begun(&before.status) && is_begun(&now.status)))
        });
        if is_news {
            let kind = on_one_line(now.kind.as_str()).into_owned();
            let title = on_one_line(&now.title).into_owned();
            let line = match &now.status {
                ToolStatus::Completed => Paint::Green.on(format_args!("✓ {kind}: {title}")),
                ToolStatus::Failed => Paint::Red.on(format_args!("✗ {kind}: {title}")),
                _ => Paint::Cyan.on(format_args!("· {kind}: {title}")),
            };
            self.painted(&line)?;
        }
        self.diffs(now, Extent::Short)?;
        let is_over =
            before.is_none_or(|before| is_begun(&before.status)) && !is_begun(&now.status);
        match is_over {
            true => self.tool_output(now),
            false => Ok(()),
        }
    }

    fn tool_output(&mut self, now: &ToolState) -> Result<(), Failure> {
        for item in &now.content {
            let text = match item {
                ToolContent::Content(item) => described(&item.content),
                ToolContent::Terminal(item) => {
                    let terminals = self.terminals.as_ref();
                    let output = terminals.and_then(|output| output(&item.terminal_id));
                    output.unwrap_or_default()
                }
                _ => continue,
            };
            self.output_lines(&text)?;
        }
        Ok(())
    }

    /// The last lines, which say how it ended.
    fn output_lines(&mut self, text: &str) -> Result<(), Failure> {
        let text = tenon_text::without_colours(text).into_owned();
        // Many agents write output as a block of Markdown.
        let is_fence = |line: &&str| line.trim_start().starts_with("```");
        let lines: Vec<&str> = text.lines().filter(|line| !is_fence(line)).collect();
        let skipped = lines.len().saturating_sub(OUTPUT_LINES);
        if skipped > 0 {
            self.painted(&Paint::Dim.on(format_args!("  … {skipped} lines before")))?;
        }
        for line in &lines[skipped..] {
            let line = shortened(&on_one_line(line), 200);
            self.painted(&Paint::Dim.on(format_args!("  {line}")))?;
        }
        Ok(())
    }

    /// The diffs of a tool call: all of them for a question, which has to show what it is about, and otherwise those that
    /// were not shown yet.
    pub(super) fn diffs(&mut self, now: &ToolState, extent: Extent) -> Result<(), Failure> {
        for item in &now.content {
            let ToolContent::Diff(change) = item else {
                continue;
            };
            let old = change.old_text.as_deref().unwrap_or_default();
            let lines = diff(old, &change.new_text);
            let is_long =
                lines.len() > DIFF_LINES || lines.iter().any(|line| line.is_longer(DIFF_LINE));
            let is_whole = extent == Extent::Whole || !is_long;
            let is_new = self.is_new(&(&now.id, &change.path, &change.new_text, is_whole));
            if is_new || extent == Extent::Whole {
                self.diff(&change.path, &lines, is_whole)?;
            }
        }
        Ok(())
    }

    fn diff(&mut self, path: &str, lines: &[Line<'_>], is_whole: bool) -> Result<(), Failure> {
        let path = on_one_line(path).into_owned();
        self.painted(&Paint::Bold.on(format_args!("  {path}")))?;
        let shown = if is_whole { lines.len() } else { DIFF_LINES };
        for line in lines.iter().take(shown) {
            let (paint, sign, text) = match line {
                Line::Same(text) => (Paint::Dim, " ", *text),
                Line::Removed(text) => (Paint::Red, "-", *text),
                Line::Added(text) => (Paint::Green, "+", *text),
                Line::Skipped(count) => {
                    self.painted(&Paint::Dim.on(format_args!("  … {count} equal lines")))?;
                    continue;
                }
            };
            // A tab is not dangerous, and indents code.
            let text = on_one_line(text).replace("\\t", "\t");
            let text = match is_whole {
                true => text,
                false => shortened(&text, DIFF_LINE),
            };
            self.painted(&paint.on(format_args!("  {sign} {text}")))?;
        }
        if lines.len() > shown {
            let more = lines.len() - shown;
            self.painted(&Paint::Dim.on(format_args!("  … {more} more lines")))?;
        }
        Ok(())
    }

    /// A plan as a whole, or what has changed in it.
    pub(super) fn plan(&mut self, plan: &Plan) -> Result<(), Failure> {
        let before = std::mem::replace(&mut self.entries, plan.entries.clone());
        let is_same = before.len() == plan.entries.len() && { before.iter().zip(&plan.entries) }
            .all(|(old, new)| old.content == new.content);
        if !is_same && !plan.entries.is_empty() {
            self.painted(&Paint::Bold.on("plan:"))?;
        }
        for (at, entry) in plan.entries.iter().enumerate() {
            if is_same && before[at].status == entry.status {
                continue;
            }
            let text = on_one_line(&entry.content).into_owned();
            let line = match entry.status {
                PlanStatus::Completed => Paint::Green.on(format_args!("  ✓ {text}")),
                PlanStatus::InProgress => Paint::Yellow.on(format_args!("  ▸ {text}")),
                _ => Paint::Dim.on(format_args!("  ○ {text}")),
            };
            self.painted(&line)?;
        }
        Ok(())
    }

    /// Whether this was not printed before.
    fn is_new(&mut self, what: &impl Hash) -> bool {
        /// A long session must not fill the memory; then some things are printed twice.
        const MOST: usize = 10_000;
        if self.shown.len() > MOST {
            self.shown.clear();
        }
        let mut hasher = DefaultHasher::new();
        what.hash(&mut hasher);
        self.shown.insert(hasher.finish())
    }
}

/// The first `most` characters.
fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
