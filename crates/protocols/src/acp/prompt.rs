//! Turns: a prompt, and how it ended.

use super::{ContentBlock, Raw};

record! {
    /// The params of `session/prompt`.
    pub struct PromptParams {
        required {
            /// The session.
            session_id: String = "sessionId",
            /// What the user wants.
            prompt: Vec<ContentBlock> = "prompt",
        }
        optional {}
    }
}

record! {
    /// The result of `session/prompt`.
    pub struct PromptResult {
        required {
            /// Why the turn ended.
            stop_reason: StopReason = "stopReason",
        }
        optional {}
    }
}

words! {
    /// Why a turn ended.
    pub enum StopReason {
        /// The agent has finished.
        EndTurn = "end_turn",
        /// The model reached its limit of tokens.
        MaxTokens = "max_tokens",
        /// The agent reached its limit of requests to the model.
        MaxTurnRequests = "max_turn_requests",
        /// The agent refuses to continue.
        Refusal = "refusal",
        /// The client cancelled the turn.
        Cancelled = "cancelled",
    }
}

record! {
    /// The params of `$/cancel_request`.
    pub struct CancelRequestParams {
        required {
            /// The id of the request, with the type that it had there.
            request_id: Raw = "requestId",
        }
        optional {}
    }
}
