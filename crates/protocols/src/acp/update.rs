//! What an agent reports.

use super::{ConfigOptions, ContentBlock, Raw, ToolCall, ToolCallUpdate};

record! {
    /// The params of `session/update`.
    pub struct UpdateParams {
        required {
            /// The session.
            session_id: String = "sessionId",
            /// What is new.
            update: SessionUpdate = "update",
        }
        optional {}
    }
}

union! {
    /// What is new in a session.
    pub enum SessionUpdate by "sessionUpdate" {
        /// A part of what the user said, when a session is loaded.
        UserMessageChunk(Chunk) = "user_message_chunk",
        /// A part of what the agent says.
        AgentMessageChunk(Chunk) = "agent_message_chunk",
        /// A part of what the agent thinks.
        AgentThoughtChunk(Chunk) = "agent_thought_chunk",
        /// A new tool call.
        ToolCall(ToolCall) = "tool_call",
        /// Changes of a tool call.
        ToolCallUpdate(ToolCallUpdate) = "tool_call_update",
        /// What the agent plans. It replaces the last plan.
        Plan(Plan) = "plan",
        /// The commands of the agent. They replace the last ones.
        AvailableCommandsUpdate(AvailableCommands) = "available_commands_update",
        /// Another mode is on.
        CurrentModeUpdate(CurrentMode) = "current_mode_update",
        /// Options have other values.
        ConfigOptionUpdate(ConfigOptions) = "config_option_update",
        /// The session has another title.
        SessionInfoUpdate(SessionInfoUpdate) = "session_info_update",
        /// How much of the context is used.
        UsageUpdate(Usage) = "usage_update",
        /// A message to the user that is not part of the history.
        Notice(Notice) = "notice",
        /// The history is being summarised.
        CompactionUpdate(Compaction) = "compaction_update",
        /// A part of the summary.
        CompactionSummaryChunk(CompactionChunk) = "compaction_summary_chunk",
    }
}

record! {
    /// A part of a message.
    pub struct Chunk {
        required {
            /// The part.
            content: ContentBlock = "content",
        }
        optional {
            /// Parts with the same one belong to the same message.
            message_id: String = "messageId",
        }
    }
}

record! {
    /// What the agent plans.
    pub struct Plan {
        required {
            /// All entries.
            entries: Vec<PlanEntry> = "entries",
        }
        optional {}
    }
}

record! {
    /// An entry of a plan.
    pub struct PlanEntry {
        required {
            /// What is to be done.
            content: String = "content",
            /// How important it is.
            priority: PlanPriority = "priority",
            /// How far it is.
            status: PlanStatus = "status",
        }
        optional {}
    }
}

words! {
    /// How important an entry of a plan is.
    pub enum PlanPriority {
        /// Necessary.
        High = "high",
        /// Useful.
        Medium = "medium",
        /// Optional.
        Low = "low",
    }
}

words! {
    /// How far an entry of a plan is.
    pub enum PlanStatus {
        /// It has not begun.
        Pending = "pending",
        /// The agent works on it.
        InProgress = "in_progress",
        /// It is done.
        Completed = "completed",
    }
}

record! {
    /// The commands of an agent.
    pub struct AvailableCommands {
        required {
            /// All of them.
            available_commands: Vec<Command> = "availableCommands",
        }
        optional {}
    }
}

record! {
    /// A command: a prompt that begins with `/` and its name.
    pub struct Command {
        required {
            /// Its name.
            name: String = "name",
            /// For people.
            description: String = "description",
        }
        optional {
            /// What follows the name, if anything does.
            input: CommandInput = "input",
        }
    }
}

record! {
    /// What follows the name of a command.
    pub struct CommandInput {
        required {
            /// For people.
            hint: String = "hint",
        }
        optional {}
    }
}

record! {
    /// Another mode is on.
    pub struct CurrentMode {
        required {
            /// The mode.
            current_mode_id: String = "currentModeId",
        }
        optional {}
    }
}

record! {
    /// What has changed about a session. A member that is `null` is cleared: see [`Rest::is_null`](super::Rest).
    pub struct SessionInfoUpdate {
        optional {
            /// Its title.
            title: String = "title",
            /// When it was changed last, in ISO 8601.
            updated_at: String = "updatedAt",
        }
    }
}

record! {
    /// How much of the context is used.
    pub struct Usage {
        required {
            /// Tokens in the context.
            used: u64 = "used",
            /// Tokens that the context has room for.
            size: u64 = "size",
        }
        optional {
            /// What the session has cost.
            cost: Cost = "cost",
        }
    }
}

record! {
    /// A price.
    pub struct Cost {
        required {
            /// A number.
            amount: Raw = "amount",
            /// Its currency in ISO 4217, such as `EUR`.
            currency: String = "currency",
        }
        optional {}
    }
}

words! {
    /// How serious a notice is.
    pub enum NoticeSeverity {
        /// Good to know.
        Info = "info",
        /// Probably a problem.
        Warning = "warning",
        /// Something failed.
        Error = "error",
    }
}

record! {
    /// A message to the user.
    pub struct Notice {
        required {
            /// How serious it is.
            severity: NoticeSeverity = "severity",
            /// In one line.
            title: String = "title",
        }
        optional {
            /// More about it.
            description: String = "description",
        }
    }
}

words! {
    /// How far a compaction is.
    pub enum CompactionStatus {
        /// It runs.
        InProgress = "in_progress",
        /// It is done.
        Completed = "completed",
        /// It has failed.
        Failed = "failed",
    }
}

record! {
    /// The history is being summarised.
    pub struct Compaction {
        required {
            /// Its name in the session.
            compaction_id: String = "compactionId",
            /// How far it is.
            status: CompactionStatus = "status",
        }
        optional {
            /// The summary.
            summary: Raw = "summary",
            /// Why it has failed.
            error: Raw = "error",
        }
    }
}

record! {
    /// A part of a summary.
    pub struct CompactionChunk {
        required {
            /// Its compaction.
            compaction_id: String = "compactionId",
            /// The part.
            content: ContentBlock = "content",
        }
        optional {}
    }
}
