//! The entries of a journal.

use serde::{Deserialize, Serialize};

use crate::event::Status;
use crate::records::node::NodeRecord;
use crate::records::undo::Undo;

/// A line of the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Entry {
    /// An action is about to be handed to its provider.
    Begin {
        action: String,
        at: String,
        /// The SHA-256 of what its provider is given, without secrets.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        attributes_sha256: Option<String>,
        /// What it comes after.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        after: Vec<String>,
        /// What undoes it, as far as that can be known before it is done.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        undo: Option<Box<Undo>>,
        /// What undoes earlier executions of it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        earlier: Vec<Undo>,
    },
    /// It is over.
    End { node: Box<NodeRecord> },
    /// What undoes it is known now: something else that is needed for that is done.
    Undo { action: String, undo: Box<Undo> },
    /// An action is about to be undone, or an earlier execution of it.
    TeardownBegin {
        action: String,
        at: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        earlier: Option<usize>,
    },
    /// That is over.
    TeardownEnd {
        action: String,
        status: Status,
        error: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        earlier: Option<usize>,
    },
}

impl Entry {
    /// The address of the action it is about.
    pub(super) fn action(&self) -> &str {
        match self {
            Entry::End { node } => &node.address,
            Entry::Begin { action, .. }
            | Entry::Undo { action, .. }
            | Entry::TeardownBegin { action, .. }
            | Entry::TeardownEnd { action, .. } => action,
        }
    }
}

/// Applies a line to the record of its action.
///
/// # Errors
/// The action was not executed as often as the line says.
pub(super) fn apply(entry: Entry, node: &mut NodeRecord) -> Result<(), String> {
    match entry {
        Entry::Begin {
            at,
            attributes_sha256,
            after,
            undo,
            earlier,
            ..
        } => {
            node.attributes_sha256 = attributes_sha256;
            node.status = Status::Maybe;
            node.started_at = Some(at);
            node.after = after;
            node.undo = undo.map(|undo| *undo);
            node.earlier = earlier;
        }
        Entry::End { node: ended } => *node = *ended,
        Entry::Undo { undo, .. } => node.undo = Some(*undo),
        Entry::TeardownBegin { earlier, .. } => {
            check_earlier(earlier, node)?;
            node.set_teardown(earlier, Status::Maybe, None);
        }
        Entry::TeardownEnd {
            status,
            error,
            earlier,
            ..
        } => {
            check_earlier(earlier, node)?;
            node.set_teardown(earlier, status, error);
        }
    }
    Ok(())
}

fn check_earlier(earlier: Option<usize>, node: &NodeRecord) -> Result<(), String> {
    match earlier {
        Some(index) if index >= node.earlier.len() => Err(format!(
            "it names {}, which is not in the record",
            crate::address::earlier_address(&node.address, index)
        )),
        _ => Ok(()),
    }
}
