//! Asking the user for something that is not permission.

use super::{Empty, Raw};

union! {
    /// The params of `elicitation/create`.
    pub enum ElicitationParams by "mode" {
        /// With a form.
        Form(FormElicitation) = "form",
        /// With a page in a browser.
        Url(UrlElicitation) = "url",
    }
}

record! {
    /// Ask with a form. It belongs to a session or to a request.
    pub struct FormElicitation {
        required {
            /// What to ask.
            message: String = "message",
            /// The fields of the form: the JSON Schema of a flat object.
            requested_schema: Raw = "requestedSchema",
        }
        optional {
            /// The session that it belongs to.
            session_id: String = "sessionId",
            /// The tool call in that session.
            tool_call_id: String = "toolCallId",
            /// The request that it belongs to.
            request_id: Raw = "requestId",
        }
    }
}

record! {
    /// Ask with a page in a browser. It belongs to a session or to a request.
    pub struct UrlElicitation {
        required {
            /// What to ask.
            message: String = "message",
            /// Its name, for `elicitation/complete`.
            elicitation_id: String = "elicitationId",
            /// The page.
            url: String = "url",
        }
        optional {
            /// The session that it belongs to.
            session_id: String = "sessionId",
            /// The tool call in that session.
            tool_call_id: String = "toolCallId",
            /// The request that it belongs to.
            request_id: Raw = "requestId",
        }
    }
}

union! {
    /// The result of `elicitation/create`.
    pub enum ElicitationResult by "action" {
        /// The user has answered.
        Accept(AcceptedElicitation) = "accept",
        /// The user does not want to answer.
        Decline(Empty) = "decline",
        /// The user has closed the question.
        Cancel(Empty) = "cancel",
    }
}

record! {
    /// What the user has answered.
    pub struct AcceptedElicitation {
        optional {
            /// The values of the form by their names: texts, numbers, flags and lists of texts.
            content: Raw = "content",
        }
    }
}

record! {
    /// The params of `elicitation/complete`.
    pub struct ElicitationCompleteParams {
        required {
            /// the question whose page was completed.
            elicitation_id: String = "elicitationId",
        }
        optional {}
    }
}
