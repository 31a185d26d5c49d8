//! What particular agents do differently, in one table.
//!
//! An agent is known by the name that it gives in `initialize`. A quirk changes how the guard and the client treat it,
//! never what the policy allows. Everything that many agents do (errors without an id, tool calls that are announced
//! twice, updates after the end of a turn) is not here: it is accepted from all of them.

use serde_json::Value;
use tenon_protocols::acp::InitializeResult;
use tenon_rpc::Payload;

/// A kind of difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Quirk {
    /// It does not end when its input ends, so it gets SIGTERM immediately.
    StaysAfterInput,
    /// It calls `fs/write_text_file` also if the client has not offered it, ignores the answer, and writes the file
    /// itself. The call is refused as always, but does not count as a mistake.
    WritesWithoutOffer,
    /// It reads a file before it creates it, and gives up if that fails, so a missing file is empty for it.
    ReadsBeforeCreating,
    /// It does not know `$/cancel_request` and complains about it, so it is not sent.
    IgnoresCancelRequest,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name of the agent, in lower case.
    pub agent: &'static str,
    /// The first version without the quirk, if there is one.
    pub until: Option<&'static str>,
    /// What is different.
    pub quirk: Quirk,
    /// What was observed, and in which version.
    pub reason: &'static str,
}

/// All quirks that are known.
pub static QUIRKS: &[Row] = &[
    Row {
        agent: "opencode",
        until: None,
        quirk: Quirk::WritesWithoutOffer,
        reason: "1.18.33 sends fs/write_text_file after an approved edit to clients without fs, and writes the file even if the call is refused",
    },
    Row {
        agent: "opencode",
        until: None,
        quirk: Quirk::IgnoresCancelRequest,
        reason: "1.18.33 logs $/cancel_request as an unknown notification and continues",
    },
    Row {
        agent: "@zed-industries/claude-code-acp",
        until: None,
        quirk: Quirk::StaysAfterInput,
        reason: "0.16.2 keeps running when its stdin ends",
    },
    Row {
        agent: "@zed-industries/claude-code-acp",
        until: None,
        quirk: Quirk::IgnoresCancelRequest,
        reason: "0.16.2 logs $/cancel_request as an unknown notification and continues",
    },
    Row {
        agent: "codex-acp",
        until: None,
        quirk: Quirk::StaysAfterInput,
        reason: "0.16.0 keeps running when its stdin ends",
    },
    Row {
        agent: "gemini-cli",
        until: None,
        quirk: Quirk::ReadsBeforeCreating,
        reason: "0.61.0 fails to create a file if reading it first is answered with any error",
    },
    Row {
        agent: "gemini-cli",
        until: None,
        quirk: Quirk::IgnoresCancelRequest,
        reason: "0.61.0 logs $/cancel_request as an unknown notification and continues",
    },
];

/// The quirks of one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Quirks(Vec<Quirk>);

impl Quirks {
    /// The quirks of an agent by its name and version.
    pub fn of(name: &str, version: &str) -> Quirks {
        let name = name.to_lowercase();
        let rows = QUIRKS.iter().filter(|row| {
            row.agent == name && row.until.is_none_or(|until| is_before(version, until))
        });
        Quirks(rows.map(|row| row.quirk).collect())
    }

    /// The quirks of the agent that has answered `initialize` with this result.
    pub fn of_result(result: &Payload) -> Quirks {
        let info = result.member(&["agentInfo"]);
        let info: Option<Value> = info.and_then(|info| info.decode().ok());
        let info = info.unwrap_or_default();
        let text = |name: &str| info[name].as_str().unwrap_or_default().to_owned();
        Quirks::of(&text("name"), &text("version"))
    }

    /// The same, for a result that is decoded.
    pub(crate) fn of_agent(result: &InitializeResult) -> Quirks {
        let info = result.agent_info.as_ref();
        info.map_or_else(Quirks::default, |info| {
            Quirks::of(&info.name, &info.version)
        })
    }

    /// Whether the agent has this one.
    pub fn has(&self, quirk: Quirk) -> bool {
        self.0.contains(&quirk)
    }
}

/// Whether a version comes before another one. Versions are numbers with dots; what follows a number is ignored.
fn is_before(version: &str, other: &str) -> bool {
    let numbers = |version: &str| -> Vec<u64> {
        let parts = version.trim_start_matches('v').split('.');
        let number = |part: &str| {
            let end = part
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(part.len());
            part[..end].parse().unwrap_or(0)
        };
        parts.map(number).collect()
    };
    numbers(version) < numbers(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_known_by_their_names() {
        let opencode = Quirks::of("OpenCode", "1.18.33");
        assert!(opencode.has(Quirk::WritesWithoutOffer));
        assert!(!opencode.has(Quirk::StaysAfterInput));
        assert_eq!(Quirks::of("another", "1.0"), Quirks::default());
        let result = r#"{"protocolVersion":1,"agentInfo":{"name":"codex-acp","version":"0.16.0"}}"#;
        let codex = Quirks::of_result(&Payload::from_json(result).unwrap());
        assert!(codex.has(Quirk::StaysAfterInput));
        let nameless = Payload::from_json(r#"{"protocolVersion":1}"#).unwrap();
        assert_eq!(Quirks::of_result(&nameless), Quirks::default());
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert!(is_before("0.9.0", "0.10.0"));
        assert!(is_before("v1.2.3-beta", "1.2.4"));
        assert!(!is_before("1.18.33", "1.18.33"));
        assert!(!is_before("2", "1.9.9"));
    }

    #[test]
    fn every_row_has_a_reason_with_a_version() {
        for row in QUIRKS {
            assert_eq!(row.agent, row.agent.to_lowercase());
            assert!(
                row.reason.starts_with(|c: char| c.is_ascii_digit()),
                "{}",
                row.reason
            );
        }
    }
}
