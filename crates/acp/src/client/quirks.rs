//! What certain agents need that the protocol does not say. An agent is told by the name that it states.

use tenon_protocols::acp::InitializeResult;

/// What is done for an agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Quirks {
    /// A file that does not exist is read as an empty one. The agent reads a file before it creates it, and takes any
    /// error for a failure.
    pub(super) missing_is_empty: bool,
}

/// Parts of names, in lower case.
const TABLE: [(&str, Quirks); 1] = [(
    "gemini",
    Quirks {
        missing_is_empty: true,
    },
)];

impl Quirks {
    pub(super) fn of(agent: &InitializeResult) -> Quirks {
        let name = agent
            .agent_info
            .as_ref()
            .map(|info| info.name.to_lowercase());
        let known = TABLE
            .iter()
            .find(|(part, _)| name.as_ref().is_some_and(|name| name.contains(part)));
        known.map(|(_, quirks)| *quirks).unwrap_or_default()
    }
}
