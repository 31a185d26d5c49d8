//! Errors: codes, texts and `data`.

use serde_json::{Map, Value, json};
use tenon_rpc::{ErrorCode, Format, Payload, RpcError};

/// Which reading of the protocol is followed where the two differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Version 1, as today's editors and agents speak it.
    #[default]
    V1,
    /// The message specification of OpenCode and Zed, by the letter.
    Seed,
}

/// The code of "authentication required" in version 1, and of "connection lost" in the other reading.
const AUTHENTICATION_REQUIRED: i64 = -32000;
/// The code of a missing file or session in version 1.
const RESOURCE_NOT_FOUND: i64 = -32002;

macro_rules! failures {
    ($($(#[doc = $about:literal])* $name:ident = $code:literal $message:literal $(v1 $official:literal)?;)+) => {
        /// A kind of failure.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Failure {
            $($(#[doc = $about])* $name,)+
        }

        impl Failure {
            /// All of them.
            pub const ALL: &'static [Failure] = &[$(Failure::$name),+];

            /// The code.
            pub fn code(self) -> i64 {
                match self { $(Failure::$name => $code,)+ }
            }

            /// The text that goes with the code.
            pub fn message(self) -> &'static str {
                match self { $(Failure::$name => $message,)+ }
            }

            /// What the code means.
            pub fn about(self) -> &'static str {
                match self { $(Failure::$name => concat!($($about),+).trim_ascii(),)+ }
            }

            /// The code that version 1 has for this, where it has another one.
            pub fn official(self) -> Option<i64> {
                match self { $(Failure::$name => failures!(@official $($official)?),)+ }
            }
        }
    };
    (@official $official:literal) => { Some($official) };
    (@official) => { None };
}

failures! {
    /// Invalid JSON received
    Parse = -32700 "Parse error";
    /// Request is not a valid JSON-RPC request
    InvalidRequest = -32600 "Invalid Request";
    /// Method does not exist
    MethodNotFound = -32601 "Method not found";
    /// Invalid method parameter(s)
    InvalidParams = -32602 "Invalid params";
    /// Internal JSON-RPC error
    Internal = -32603 "Internal error";
    /// Network connection lost
    ConnectionLost = -32000 "Connection lost" v1 -32603;
    /// Operation timed out
    Timeout = -32001 "Timeout";
    /// Specified session does not exist
    SessionNotFound = -31900 "Session not found" v1 -32002;
    /// Session has expired
    SessionExpired = -31901 "Session expired" v1 -32002;
    /// Session is locked by another operation
    SessionLocked = -31902 "Session locked";
    /// Too many requests in a session; the limits have no code of their own, so this one is Tenon's
    RateLimited = -31903 "Rate limit exceeded";
    /// Specified tool does not exist
    ToolNotFound = -31800 "Tool not found";
    /// Tool is currently disabled
    ToolDisabled = -31801 "Tool disabled";
    /// Tool execution exceeded timeout
    ToolTimeout = -31802 "Tool timeout";
    /// Specified file does not exist
    FileNotFound = -31700 "File not found" v1 -32002;
    /// File access permission denied
    PermissionDenied = -31701 "Permission denied";
    /// File exceeds size limits
    FileTooLarge = -31702 "File too large";
    /// MCP server communication failed
    McpError = -31600 "MCP server error";
    /// MCP server is not responding
    McpUnavailable = -31601 "MCP server unavailable";
    /// The caller cancelled the request
    Cancelled = -32800 "Request cancelled";
}

impl Failure {
    /// The error for the peer. `data` is an object that says more, without anything internal; where version 1 has
    /// another code, `data.acpCode` has it.
    ///
    /// "Connection lost" has the code by which editors of version 1 open a login page. So in [`Profile::V1`] it is
    /// an internal error with `data.reason`, and `data.seedCode` has its own code.
    pub fn error(self, profile: Profile, data: Value) -> RpcError {
        let mut members = match data {
            Value::Object(members) => members,
            Value::Null => Map::new(),
            other => Map::from_iter([("details".to_owned(), other)]),
        };
        let mut code = self.code();
        match (self, profile, self.official()) {
            (Failure::ConnectionLost, Profile::V1, Some(official)) => {
                members.insert("reason".into(), json!("connection_lost"));
                members.insert("seedCode".into(), json!(code));
                code = official;
            }
            (_, Profile::V1, Some(official)) => {
                members.insert("acpCode".into(), json!(official));
            }
            _ => {}
        }
        let mut error = RpcError::new(ErrorCode::Number(code), self.message());
        if !members.is_empty() {
            error.data = Payload::encode(Format::Json, &members).ok();
        }
        error
    }

    /// What an error of a peer means, if that is known. Agents have different codes for a session that they do not
    /// know; `has_auth` says whether the agent named ways to log in.
    pub fn of(error: &RpcError, has_auth: bool) -> Option<Failure> {
        let code = error.code.number();
        let data = error.data.as_ref().and_then(|data| data.decode().ok());
        let data: Value = data.unwrap_or_default();
        let says = |words: &str| {
            let in_message = error.message.to_lowercase().contains(words);
            in_message || data.to_string().to_lowercase().contains(words)
        };
        match code {
            AUTHENTICATION_REQUIRED if says("connection lost") && !has_auth => {
                Some(Failure::ConnectionLost)
            }
            AUTHENTICATION_REQUIRED => None,
            -32603 if data["reason"] == "connection_lost" => Some(Failure::ConnectionLost),
            -32602 | -32603 if says("session not found") => Some(Failure::SessionNotFound),
            RESOURCE_NOT_FOUND if data.get("sessionId").is_some() || says("session") => {
                Some(Failure::SessionNotFound)
            }
            RESOURCE_NOT_FOUND => Some(Failure::FileNotFound),
            _ => { Failure::ALL.iter() }
                .copied()
                .find(|failure| failure.code() == code),
        }
    }

    /// Whether an error of an agent means that the user has to log in first.
    pub fn is_authentication_required(error: &RpcError, has_auth: bool) -> bool {
        error.code.number() == AUTHENTICATION_REQUIRED
            && Failure::of(error, has_auth) != Some(Failure::ConnectionLost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(error: &RpcError) -> Value {
        error.data.as_ref().unwrap().decode().unwrap()
    }

    #[test]
    fn an_error_has_the_code_of_the_table_and_says_which_one_version_1_has() {
        let error = Failure::SessionNotFound.error(Profile::V1, json!({ "sessionId": "s" }));
        assert_eq!(error.code, ErrorCode::Number(-31900));
        assert_eq!(error.message, "Session not found");
        assert_eq!(data(&error), json!({ "sessionId": "s", "acpCode": -32002 }));
        let error = Failure::SessionNotFound.error(Profile::Seed, json!({ "sessionId": "s" }));
        assert_eq!(data(&error), json!({ "sessionId": "s" }));
        assert_eq!(Failure::Timeout.error(Profile::V1, Value::Null).data, None);
    }

    /// An editor opens a login page at -32000.
    #[test]
    fn a_lost_connection_is_not_taken_for_a_missing_login() {
        let error = Failure::ConnectionLost.error(Profile::V1, Value::Null);
        assert_eq!(error.code, ErrorCode::Number(-32603));
        assert_eq!(
            data(&error),
            json!({ "reason": "connection_lost", "seedCode": -32000 })
        );
        assert_eq!(Failure::of(&error, true), Some(Failure::ConnectionLost));
        let error = Failure::ConnectionLost.error(Profile::Seed, Value::Null);
        assert_eq!(error.code, ErrorCode::Number(-32000));
        assert_eq!(Failure::of(&error, false), Some(Failure::ConnectionLost));
        assert!(!Failure::is_authentication_required(&error, false));
        let login = RpcError::new(ErrorCode::Number(-32000), "Authentication required");
        assert!(Failure::is_authentication_required(&login, true));
        assert_eq!(Failure::of(&login, true), None);
    }

    /// The answers of opencode, gemini, claude-code-acp, codex-acp and Tenon.
    #[test]
    fn an_unknown_session_is_recognised_whatever_the_agent_calls_it() {
        for (code, message, data) in [
            (-31900, "Session not found", json!({})),
            (-32002, "Resource not found", json!({ "sessionId": "x" })),
            (
                -32602,
                "Invalid params: session not found: x",
                json!({ "sessionId": "x" }),
            ),
            (
                -32603,
                "Internal error",
                json!({ "details": "Session not found" }),
            ),
        ] {
            let data = Payload::encode(Format::Json, &data).unwrap();
            let error = RpcError::new(ErrorCode::Number(code), message).with_data(data);
            assert_eq!(
                Failure::of(&error, true),
                Some(Failure::SessionNotFound),
                "{error}"
            );
        }
        let other = RpcError::new(ErrorCode::Number(-32602), "Invalid params");
        assert_eq!(Failure::of(&other, true), Some(Failure::InvalidParams));
        let missing = Failure::FileNotFound.error(Profile::V1, json!({ "path": "/x" }));
        assert_eq!(Failure::of(&missing, true), Some(Failure::FileNotFound));
    }
}
