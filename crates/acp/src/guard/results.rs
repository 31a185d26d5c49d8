//! What the agent has answered, before the client gets it.

use serde_json::json;
use tenon_protocols::acp::{Entry, Failure, Profile, VERSION, view};
use tenon_rpc::{CallError, ErrorCode, Format, Payload, Peer, Reply, RpcError};

use super::Note;
use super::state::Shared;

impl Shared {
    /// The answer for the client.
    pub(super) fn answered(
        &self,
        entry: Option<&Entry>,
        outcome: Result<Payload, CallError>,
        caller: &Peer,
    ) -> Reply {
        let result = self.relayed(outcome, caller)?;
        match entry.map(|entry| entry.name) {
            Some("initialize") => self.check_version(&result)?,
            Some("session/new") => self.check_new(&result)?,
            _ => {}
        }
        let Some(entry) = entry else {
            return Ok(result);
        };
        self.check_result_size(entry, &result)?;
        self.check_result(entry, &result)?;
        Ok(self.adapted(entry, result))
    }

    /// Says what may be missing if the agent answers that the user is not logged in, and whether it is said. The code and the
    /// data stay: editors open a login page.
    pub(super) fn with_login_hint(&self, answer: Reply) -> (Reply, bool) {
        match (answer, &self.login_hint) {
            (Err(mut error), Some(hint)) if Failure::is_authentication_required(&error, false) => {
                error.message = format!("{} ({hint})", error.message);
                (Err(error), true)
            }
            (answer, _) => (answer, false),
        }
    }

    /// The message specification limits both directions. In version 1 a list of models may well be larger.
    fn check_result_size(&self, entry: &Entry, result: &Payload) -> Result<(), RpcError> {
        let size = result.bytes().len();
        let Some(limit) = { entry.size }.filter(|limit| self.limits.sizes && size > *limit) else {
            return Ok(());
        };
        if self.profile == Profile::V1 {
            let method = entry.name.to_owned();
            self.note(&Note::Large {
                method,
                size,
                limit,
            });
            return Ok(());
        }
        let data = json!({ "reason": "message_too_large", "method": entry.name, "limit": limit, "size": size });
        Err(Failure::Internal.error(self.profile, data))
    }

    /// The guard can check version 1 alone. Another version would fail later, without a visible reason.
    fn check_version(&self, result: &Payload) -> Result<(), RpcError> {
        let version = result.member(&["protocolVersion"]);
        let version = version.map_or("none".to_owned(), |version| {
            String::from_utf8_lossy(version.bytes()).into_owned()
        });
        if version == VERSION.to_string() {
            return Ok(());
        }
        let message = format!(
            "the agent answered with version {version} of the protocol, and the guard knows version {VERSION}"
        );
        let details =
            "set the editor or the agent to version 1, or start the agent without the guard";
        let data = json!({ "reason": "unsupported_version", "details": details });
        let code = ErrorCode::Number(Failure::Internal.code());
        let data = Payload::encode(Format::Json, &data).ok();
        let mut error = RpcError::new(code, message);
        error.data = data;
        Err(error)
    }

    /// A new session must not have the name of one that is open, which has other folders.
    fn check_new(&self, result: &Payload) -> Result<(), RpcError> {
        let id: Option<view::OfSession<'_>> = result.decode_borrowed().ok();
        let Some(id) = id.filter(|id| self.state().turns.session(&id.session_id).is_some()) else {
            return Ok(());
        };
        let details = "the agent gave the new session the name of one that is open";
        let data = json!({ "method": "session/new", "reason": "invalid_result", "sessionId": id.session_id, "details": details });
        Err(Failure::Internal.error(self.profile, data))
    }

    /// A result without what the client does not know.
    fn adapted(&self, entry: &Entry, result: Payload) -> Payload {
        const WITH_OPTIONS: [&str; 4] = [
            "session/new",
            "session/load",
            "session/resume",
            "session/set_config_option",
        ];
        if !WITH_OPTIONS.contains(&entry.name) {
            return result;
        }
        let state = self.state();
        let adapted = { &state.gates }.without_boolean_options(&result, &["configOptions"]);
        adapted.unwrap_or(result)
    }
}
