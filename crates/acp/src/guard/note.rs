//! What the guard does and sees, besides forwarding.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::{Deed, Summary};
use crate::policy::Decision;
use crate::record::Source;

/// Something that the guard did or saw. It is written to the record, and given to
/// [`Settings::on_note`](super::Settings::on_note).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
#[non_exhaustive]
pub enum Note {
    /// The policy decided.
    Decision {
        /// The method.
        method: String,
        /// The file, the command or the title of the tool call.
        about: String,
        /// The session.
        session_id: String,
        /// What it decided, and why.
        #[serde(flatten)]
        decision: Decision,
    },
    /// A call was answered with an error instead of being forwarded.
    Refused {
        /// Who made the call.
        from: Source,
        /// The method.
        method: String,
        /// The code of the error.
        code: i64,
        /// The text of the error.
        message: String,
    },
    /// Something that is not a message was answered with an error.
    Unreadable {
        /// Who sent it.
        from: Source,
        /// The code of the error.
        code: i64,
        /// The text of the error.
        message: String,
    },
    /// A line of the agent is not a message, and was skipped.
    Stray {
        /// Who printed it.
        from: Source,
        /// Its beginning.
        text: String,
    },
    /// An event was not forwarded.
    Dropped {
        /// Who sent the event.
        from: Source,
        /// The method.
        method: String,
        /// Why.
        why: String,
    },
    /// An update or an answer of the agent is larger than the limit, and was forwarded.
    Large {
        /// The method.
        method: String,
        /// Its size in bytes.
        size: usize,
        /// The limit.
        limit: usize,
    },
    /// A message is longer than a line may be, and was not read.
    Oversized {
        /// Who sends it.
        from: Source,
        /// The most bytes of a line.
        limit: usize,
    },
    /// The end of that message has come.
    Skipped {
        /// Who sent it.
        from: Source,
        /// Its size in bytes.
        size: u64,
    },
    /// Nothing happened in a turn for too long, so it was cancelled.
    Timeout {
        /// The session.
        session_id: String,
    },
    /// Something was done without a request for permission, and no rule allows it.
    Undecided {
        /// The session.
        session_id: String,
        /// What was done.
        deed: Deed,
        /// The file or the command.
        name: String,
        /// Who did it: the client for the agent, or the agent itself.
        by: Source,
    },
    /// Something was done although it was rejected or denied.
    Against {
        /// The session.
        session_id: String,
        /// What was done.
        deed: Deed,
        /// The file or the command.
        name: String,
        /// Who did it: the client for the agent, or the agent itself.
        by: Source,
    },
    /// The client did not answer a question after it had cancelled the turn, so the guard did.
    Unanswered {
        /// The method of the question.
        method: String,
        /// The session.
        session_id: String,
    },
    /// The record could not be written, and has nothing after this. Only given to
    /// [`Settings::on_note`](super::Settings::on_note).
    Unrecorded {
        /// Why.
        error: String,
    },
    /// Everything that happened so far: when a session is closed, and at the end of the record.
    Summary(Summary),
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Note::Decision {
                about, decision, ..
            } => write!(f, "{about}: {decision}"),
            Note::Refused {
                from,
                method,
                code,
                message,
            } => write!(f, "refused {method} of the {from}: {message} ({code})"),
            Note::Unreadable {
                from,
                code,
                message,
            } => write!(f, "refused a line of the {from}: {message} ({code})"),
            Note::Stray { from, text } => {
                write!(
                    f,
                    "skipped a line of the {from} that is not a message: {text}"
                )
            }
            Note::Dropped { from, method, why } => {
                write!(f, "dropped {method} of the {from}: {why}")
            }
            Note::Large {
                method,
                size,
                limit,
            } => {
                let what = match &**method {
                    "session/update" => "an update",
                    _ => "an answer",
                };
                write!(
                    f,
                    "{what} has {size} bytes, more than the limit of {limit} for {method}"
                )
            }
            Note::Oversized { from, limit } => write!(
                f,
                "a message of the {from} is longer than {limit} bytes and is not read"
            ),
            Note::Skipped { from, size } => {
                write!(f, "that message of the {from} had {size} bytes")
            }
            Note::Timeout { .. } => {
                f.write_str("cancelled a turn in which nothing happened for too long")
            }
            Note::Undecided { deed, name, by, .. } => {
                write!(f, "{deed} without a decision, by the {by}: {name}")
            }
            Note::Against { deed, name, by, .. } => {
                write!(f, "{deed} although it was rejected, by the {by}: {name}")
            }
            Note::Unanswered { method, .. } => write!(
                f,
                "answered {method} for the client, which had cancelled the turn"
            ),
            Note::Unrecorded { error } => write!(f, "the record is incomplete: {error}"),
            Note::Summary(summary) => write!(f, "{summary}"),
        }
    }
}

/// A function that is called with every note, as soon as it is known.
#[derive(Clone, Default)]
pub struct OnNote(Option<Arc<See>>);

type See = dyn Fn(&Note) + Send + Sync;

impl OnNote {
    /// Calls this function.
    pub fn new(see: impl Fn(&Note) + Send + Sync + 'static) -> OnNote {
        OnNote(Some(Arc::new(see)))
    }

    pub(super) fn see(&self, note: &Note) {
        if let Some(see) = &self.0 {
            see(note);
        }
    }
}

impl fmt::Debug for OnNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "OnNote({})", self.0.is_some())
    }
}
