//! Tool calls as they are now: what agents say about them comes in pieces.

use std::collections::{HashMap, VecDeque};

use tenon_protocols::acp::{
    Location, Raw, SessionUpdate, ToolCallUpdate, ToolContent, ToolKind, ToolStatus,
};

/// As many as are remembered.
const MOST: usize = 1024;

/// A tool call with everything that was said about it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ToolState {
    /// Its id.
    pub id: String,
    /// What it does, for people; the id until there is a title.
    pub title: String,
    /// What it does, for programs.
    pub kind: ToolKind,
    /// How far it is.
    pub status: ToolStatus,
    /// What it has produced.
    pub content: Vec<ToolContent>,
    /// The files that it is about.
    pub locations: Vec<Location>,
    /// Its input.
    pub raw_input: Option<Raw>,
    /// Its output.
    pub raw_output: Option<Raw>,
}

/// The tool calls of a session. The oldest are forgotten.
///
/// An agent may announce a call twice, or begin with a change or a request for permission: whatever comes is added to
/// what is known.
#[derive(Clone, Debug, Default)]
pub struct ToolCalls {
    table: HashMap<String, ToolState>,
    order: VecDeque<String>,
}

impl ToolCalls {
    /// No tool calls.
    pub fn new() -> ToolCalls {
        ToolCalls::default()
    }

    /// Adds what an update says. Returns the call as it is now, and as it was before if it was known; nothing if the
    /// update is not about a tool call.
    pub fn note(&mut self, update: &SessionUpdate) -> Option<(&ToolState, Option<ToolState>)> {
        match update {
            SessionUpdate::ToolCall(call) => Some(self.apply(&ToolCallUpdate::from(call))),
            SessionUpdate::ToolCallUpdate(call) => Some(self.apply(call)),
            _ => None,
        }
    }

    /// Adds what a change, or a request for permission, says.
    pub fn apply(&mut self, change: &ToolCallUpdate) -> (&ToolState, Option<ToolState>) {
        let id = &change.tool_call_id;
        let before = self.table.get(id).cloned();
        if before.is_none() {
            if self.order.len() == MOST
                && let Some(oldest) = self.order.pop_front()
            {
                self.table.remove(&oldest);
            }
            self.order.push_back(id.clone());
        }
        let state = self.table.entry(id.clone()).or_insert_with(|| ToolState {
            id: id.clone(),
            title: id.clone(),
            kind: ToolKind::Unspecified,
            status: ToolStatus::Pending,
            content: Vec::new(),
            locations: Vec::new(),
            raw_input: None,
            raw_output: None,
        });
        if let Some(title) = { &change.title }.as_ref().filter(|title| !title.is_empty()) {
            state.title.clone_from(title);
        }
        let ToolCallUpdate {
            kind,
            status,
            content,
            locations,
            ..
        } = change.clone();
        state.kind = kind.unwrap_or_else(|| state.kind.clone());
        state.status = status.unwrap_or_else(|| state.status.clone());
        state.content = content.unwrap_or_else(|| std::mem::take(&mut state.content));
        state.locations = locations.unwrap_or_else(|| std::mem::take(&mut state.locations));
        if change.raw_input.is_some() {
            state.raw_input.clone_from(&change.raw_input);
        }
        if change.raw_output.is_some() {
            state.raw_output.clone_from(&change.raw_output);
        }
        (state, before)
    }

    /// A call by its id.
    pub fn get(&self, id: &str) -> Option<&ToolState> {
        self.table.get(id)
    }

    /// All calls, the oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &ToolState> {
        self.order.iter().filter_map(|id| self.table.get(id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(json: &str) -> SessionUpdate {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_tool_call_is_the_sum_of_its_updates() {
        let mut calls = ToolCalls::new();
        let first = update(
            r#"{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"in_progress"}"#,
        );
        let (state, before) = calls.note(&first).unwrap();
        assert_eq!((state.title.as_str(), before), ("t", None));
        let second = update(
            r#"{"sessionUpdate":"tool_call","toolCallId":"t","title":"Read","kind":"read","content":[]}"#,
        );
        let (state, before) = calls.note(&second).unwrap();
        assert_eq!(before.unwrap().status, ToolStatus::InProgress);
        // It was announced a second time without a status: that says nothing new about it.
        assert_eq!(state.status, ToolStatus::InProgress);
        assert_eq!(
            (state.title.as_str(), &state.kind),
            ("Read", &ToolKind::Read)
        );
        assert_eq!(calls.iter().count(), 1);
        let other = update(r#"{"sessionUpdate":"plan","entries":[]}"#);
        assert!(calls.note(&other).is_none());
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut calls = ToolCalls::new();
        for number in 0..MOST + 5 {
            calls.apply(&ToolCallUpdate::new(number.to_string()));
        }
        assert_eq!(calls.iter().count(), MOST);
        assert!(calls.get("4").is_none() && calls.get("5").is_some());
    }
}
