//! Asking for permission.

use super::{Empty, ToolCallUpdate};

record! {
    /// The params of `session/request_permission`.
    pub struct PermissionParams {
        required {
            /// The session.
            session_id: String = "sessionId",
            /// What the agent is about to do.
            tool_call: ToolCallUpdate = "toolCall",
            /// The answers to choose from.
            options: Vec<PermissionOption> = "options",
        }
        optional {}
    }
}

record! {
    /// An answer to choose.
    pub struct PermissionOption {
        required {
            /// The name for programs.
            option_id: String = "optionId",
            /// For people.
            name: String = "name",
            /// What it means.
            kind: PermissionKind = "kind",
        }
        optional {}
    }
}

words! {
    /// What an answer means.
    pub enum PermissionKind {
        /// Allow this call.
        AllowOnce = "allow_once",
        /// Allow this one, and do not ask again.
        AllowAlways = "allow_always",
        /// Refuse this call.
        RejectOnce = "reject_once",
        /// Refuse this one, and do not ask again.
        RejectAlways = "reject_always",
    }
}

record! {
    /// The result of `session/request_permission`.
    pub struct PermissionResult {
        required {
            /// What was decided.
            outcome: PermissionOutcome = "outcome",
        }
        optional {}
    }
}

union! {
    /// What was decided.
    pub enum PermissionOutcome by "outcome" {
        /// The turn was cancelled before there was a decision.
        Cancelled(Empty) = "cancelled",
        /// One of the answers.
        Selected(SelectedOption) = "selected",
    }
}

record! {
    /// One of the answers.
    pub struct SelectedOption {
        required {
            /// Its name.
            option_id: String = "optionId",
        }
        optional {}
    }
}

impl PermissionResult {
    /// One of the answers.
    pub fn selected(option_id: impl Into<String>) -> PermissionResult {
        PermissionResult::new(PermissionOutcome::Selected(SelectedOption::new(option_id)))
    }

    /// The turn was cancelled.
    pub fn cancelled() -> PermissionResult {
        PermissionResult::new(PermissionOutcome::Cancelled(Empty::default()))
    }
}
