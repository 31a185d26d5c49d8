//! Updates: what is kept of them, and how they are divided.

use std::collections::BTreeSet;

use tenon_protocols::acp::{Chunk, ContentBlock, SessionUpdate, TextContent, ToolStatus};

use super::fitting::{end_within, fit};

/// The longest text in one update, as JSON. Longer ones are sent in several.
const TEXT: usize = 64 * 1024;
/// The longest title.
const TITLE: usize = 80;

/// Whether an update is sent again when a session is loaded. Commands, modes and options are stated anew, a title is in
/// the list, and a notice is for the moment.
pub(super) fn is_history(update: &SessionUpdate) -> bool {
    use SessionUpdate::{
        AvailableCommandsUpdate, ConfigOptionUpdate, CurrentModeUpdate, Notice, SessionInfoUpdate,
    };
    !matches!(
        update,
        AvailableCommandsUpdate(_)
            | ConfigOptionUpdate(_)
            | CurrentModeUpdate(_)
            | Notice(_)
            | SessionInfoUpdate(_)
    )
}

/// Takes note of tool calls that have not ended.
pub(super) fn note_open(open: &mut BTreeSet<String>, update: &SessionUpdate) {
    let (id, status) = match update {
        SessionUpdate::ToolCall(call) => {
            let status = call.status.clone().unwrap_or(ToolStatus::Pending);
            (&call.tool_call_id, Some(status))
        }
        SessionUpdate::ToolCallUpdate(call) => (&call.tool_call_id, call.status.clone()),
        _ => return,
    };
    match status {
        Some(ToolStatus::Pending | ToolStatus::InProgress) => {
            open.insert(id.clone());
        }
        Some(_) => {
            open.remove(id);
        }
        None => {}
    }
}

/// The updates that one is sent as: text that is too long is divided, and has no null characters. What a tool call shows is
/// cut if it is too long.
pub(super) fn split(update: SessionUpdate) -> Vec<SessionUpdate> {
    use SessionUpdate::{AgentMessageChunk, AgentThoughtChunk, UserMessageChunk};
    type Variant = fn(Chunk) -> SessionUpdate;
    let (variant, chunk): (Variant, Chunk) = match update {
        AgentMessageChunk(chunk) => (AgentMessageChunk, chunk),
        AgentThoughtChunk(chunk) => (AgentThoughtChunk, chunk),
        UserMessageChunk(chunk) => (UserMessageChunk, chunk),
        other => return vec![fit(other)],
    };
    let ContentBlock::Text(content) = &chunk.content else {
        return vec![variant(chunk)];
    };
    let text = content.text.replace('\0', "\u{fffd}");
    let mut parts = Vec::new();
    let mut left = text.as_str();
    loop {
        let (part, rest) = left.split_at(end_within(left, TEXT));
        let content = TextContent {
            text: part.to_owned(),
            ..content.clone()
        };
        parts.push(variant(Chunk {
            content: ContentBlock::Text(content),
            ..chunk.clone()
        }));
        left = rest;
        if left.is_empty() {
            return parts;
        }
    }
}

/// The first line of what the user said.
pub(super) fn title_of(prompt: &[ContentBlock]) -> Option<String> {
    let mut texts = prompt.iter().filter_map(ContentBlock::as_text);
    let line = texts.find_map(|text| text.lines().find(|line| !line.trim().is_empty()))?;
    let line: String = line
        .trim()
        .chars()
        .filter(|one| !one.is_control())
        .collect();
    Some(match line.char_indices().nth(TITLE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    })
}
