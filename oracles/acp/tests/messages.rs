//! Every example message, read and written by our types and by the official ones.

use agent_client_protocol_schema::v1 as official;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tenon_protocols::acp;

/// What our types write is read by theirs, and what theirs write by ours. Ours lose nothing of it.
fn compare<Theirs, Ours>(text: &str)
where
    Theirs: Serialize + DeserializeOwned,
    Ours: Serialize + DeserializeOwned,
{
    let ours: Ours = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let written = serde_json::to_string(&ours).unwrap();
    let theirs: Theirs =
        serde_json::from_str(&written).unwrap_or_else(|error| panic!("{error}: {written}"));
    let official = serde_json::to_string(&theirs).unwrap();
    let again: Ours =
        serde_json::from_str(&official).unwrap_or_else(|error| panic!("{error}: {official}"));
    let again: Value = serde_json::to_value(&again).unwrap();
    let official: Value = serde_json::from_str(&official).unwrap();
    assert_eq!(again, official);
}

macro_rules! table {
    ($($method:literal: $request:ident $(-> $response:ident)?, $params:ident $(-> $result:ident)?;)+) => {
        /// The methods that are compared.
        const METHODS: &[&str] = &[$($method),+];

        fn compare_message(method: &str, params: Option<&str>, result: Option<&str>) {
            match method {
                $($method => {
                    if let Some(params) = params {
                        compare::<official::$request, acp::$params>(params);
                    }
                    $(if let Some(result) = result {
                        compare::<official::$response, acp::$result>(result);
                    })?
                    let _events_have_none = result;
                })+
                // Removed from version 1.
                "session/set_model" => {}
                other => panic!("{other} is not compared"),
            }
        }
    };
}

table! {
    "initialize": InitializeRequest -> InitializeResponse, InitializeParams -> InitializeResult;
    "authenticate": AuthenticateRequest -> AuthenticateResponse, AuthenticateParams -> Empty;
    "logout": LogoutRequest -> LogoutResponse, Empty -> Empty;
    "session/new": NewSessionRequest -> NewSessionResponse, NewSessionParams -> NewSessionResult;
    "session/load": LoadSessionRequest -> LoadSessionResponse, OpenSessionParams -> OpenSessionResult;
    "session/resume": ResumeSessionRequest -> ResumeSessionResponse, OpenSessionParams -> OpenSessionResult;
    "session/list": ListSessionsRequest -> ListSessionsResponse, ListSessionsParams -> ListSessionsResult;
    "session/delete": DeleteSessionRequest -> DeleteSessionResponse, SessionParams -> Empty;
    "session/close": CloseSessionRequest -> CloseSessionResponse, SessionParams -> Empty;
    "session/set_mode": SetSessionModeRequest -> SetSessionModeResponse, SetModeParams -> Empty;
    "session/set_config_option": SetSessionConfigOptionRequest -> SetSessionConfigOptionResponse, SetConfigOptionParams -> ConfigOptions;
    "session/prompt": PromptRequest -> PromptResponse, PromptParams -> PromptResult;
    "session/request_permission": RequestPermissionRequest -> RequestPermissionResponse, PermissionParams -> PermissionResult;
    "fs/read_text_file": ReadTextFileRequest -> ReadTextFileResponse, ReadTextFileParams -> ReadTextFileResult;
    "fs/write_text_file": WriteTextFileRequest -> WriteTextFileResponse, WriteTextFileParams -> Empty;
    "terminal/create": CreateTerminalRequest -> CreateTerminalResponse, CreateTerminalParams -> CreateTerminalResult;
    "terminal/output": TerminalOutputRequest -> TerminalOutputResponse, TerminalParams -> TerminalOutput;
    "terminal/wait_for_exit": WaitForTerminalExitRequest -> WaitForTerminalExitResponse, TerminalParams -> ExitStatus;
    "terminal/kill": KillTerminalRequest -> KillTerminalResponse, TerminalParams -> Empty;
    "terminal/release": ReleaseTerminalRequest -> ReleaseTerminalResponse, TerminalParams -> Empty;
    "elicitation/create": CreateElicitationRequest -> CreateElicitationResponse, ElicitationParams -> ElicitationResult;
    "session/cancel": CancelNotification, SessionParams;
    "session/update": SessionNotification, UpdateParams;
    "elicitation/complete": CompleteElicitationNotification, ElicitationCompleteParams;
    "$/cancel_request": CancelRequestNotification, CancelRequestParams;
}

#[test]
fn every_message_is_the_same_to_both() {
    #[derive(serde::Deserialize)]
    struct Line {
        method: String,
        params: Option<acp::Raw>,
        result: Option<acp::Raw>,
    }
    let text = include_str!("../../../crates/protocols/tests/data/acp/messages.json");
    let lines: Vec<Line> = serde_json::from_str(text).unwrap();
    for line in &lines {
        let part = |raw: &'_ Option<acp::Raw>| raw.as_ref().map(|raw| raw.text().to_owned());
        let (params, result) = (part(&line.params), part(&line.result));
        compare_message(&line.method, params.as_deref(), result.as_deref());
    }
    assert_eq!(METHODS.len() + 1, acp::METHODS.len());
}
