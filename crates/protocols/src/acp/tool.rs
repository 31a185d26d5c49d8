//! Tool calls: what an agent does.

use super::{ContentBlock, Raw};

words! {
    /// What a tool does.
    pub enum ToolKind {
        /// It reads files or other data.
        Read = "read",
        /// It changes files.
        Edit = "edit",
        /// It deletes files.
        Delete = "delete",
        /// It moves or renames files.
        Move = "move",
        /// It searches.
        Search = "search",
        /// It runs a command.
        Execute = "execute",
        /// It thinks or plans.
        Think = "think",
        /// It gets data from elsewhere.
        Fetch = "fetch",
        /// It changes the mode of the session.
        SwitchMode = "switch_mode",
        /// Anything else. What is not stated is this.
        Unspecified = "other",
    }
}

words! {
    /// How far a tool call is.
    pub enum ToolStatus {
        /// It has not begun: its input is not complete, or it waits for permission.
        Pending = "pending",
        /// It runs.
        InProgress = "in_progress",
        /// It is done.
        Completed = "completed",
        /// It has failed.
        Failed = "failed",
    }
}

record! {
    /// A new tool call. Some agents announce the same one again.
    pub struct ToolCall {
        required {
            /// Its name in the session.
            tool_call_id: String = "toolCallId",
            /// What it does, for people.
            title: String = "title",
        }
        optional {
            /// The name of the tool.
            name: String = "name",
            /// What it does, for programs.
            kind: ToolKind = "kind",
            /// How far it is.
            status: ToolStatus = "status",
            /// What it has produced.
            content: Vec<ToolContent> = "content",
            /// The files that it is about.
            locations: Vec<Location> = "locations",
            /// Its input.
            raw_input: Raw = "rawInput",
            /// Its output.
            raw_output: Raw = "rawOutput",
        }
    }
}

record! {
    /// Changes of a tool call. Lists replace the earlier ones.
    pub struct ToolCallUpdate {
        required {
            /// Its name in the session.
            tool_call_id: String = "toolCallId",
        }
        optional {
            /// What it does, for people.
            title: String = "title",
            /// The name of the tool.
            name: String = "name",
            /// What it does, for programs.
            kind: ToolKind = "kind",
            /// How far it is.
            status: ToolStatus = "status",
            /// What it has produced.
            content: Vec<ToolContent> = "content",
            /// The files that it is about.
            locations: Vec<Location> = "locations",
            /// Its input.
            raw_input: Raw = "rawInput",
            /// Its output.
            raw_output: Raw = "rawOutput",
        }
    }
}

record! {
    /// A file that a tool call is about.
    pub struct Location {
        required {
            /// Its absolute path.
            path: String = "path",
        }
        optional {
            /// A line in it, from 1. Some agents send 0.
            line: u32 = "line",
        }
    }
}

union! {
    /// What a tool call has produced.
    pub enum ToolContent by "type" {
        /// Content of any kind.
        Content(ContentItem) = "content",
        /// A change of a file.
        Diff(Diff) = "diff",
        /// The output of a terminal of the client.
        Terminal(TerminalItem) = "terminal",
    }
}

record! {
    /// Content of any kind.
    pub struct ContentItem {
        required {
            /// The content.
            content: ContentBlock = "content",
        }
        optional {}
    }
}

record! {
    /// A change of a file.
    pub struct Diff {
        required {
            /// Its absolute path.
            path: String = "path",
            /// What it contains afterwards.
            new_text: String = "newText",
        }
        optional {
            /// What it contained before; nothing if it is new.
            old_text: String = "oldText",
        }
    }
}

record! {
    /// The output of a terminal of the client.
    pub struct TerminalItem {
        required {
            /// The terminal.
            terminal_id: String = "terminalId",
        }
        optional {}
    }
}

/// A new call as a change of nothing, such as the one that a request for permission has.
impl From<&ToolCall> for ToolCallUpdate {
    fn from(call: &ToolCall) -> ToolCallUpdate {
        ToolCallUpdate {
            title: Some(call.title.clone()),
            name: call.name.clone(),
            kind: call.kind.clone(),
            status: call.status.clone(),
            content: call.content.clone(),
            locations: call.locations.clone(),
            raw_input: call.raw_input.clone(),
            raw_output: call.raw_output.clone(),
            rest: call.rest.clone(),
            ..ToolCallUpdate::new(call.tool_call_id.clone())
        }
    }
}
