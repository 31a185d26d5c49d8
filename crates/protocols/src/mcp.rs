//! The Model Context Protocol: tools, prompts and resources for models.

mod list;

use std::time::Duration;

use serde_json::{Value, json};
use tenon_rpc::{Payload, Peer, options::Cancel};

use crate::lifecycle::{
    Begun, Client, Spec, Work, call, client_info, decode, quotable_version, refuse, send,
};
use crate::uri;

/// The supported versions, newest first. Their differences do not matter to a client that sends calls as
/// they are typed, nor to a server that has only tools.
pub const VERSIONS: [&str; 5] = [
    "2025-11-25",
    "2025-06-18",
    "2025-03-26",
    "2024-11-05",
    "2024-10-07",
];

/// The event that cancels a call, which is then not answered.
pub const CANCEL: Cancel = Cancel {
    method: "notifications/cancelled",
    field: "requestId",
};

const INITIALIZED: &str = "notifications/initialized";

pub(crate) static SPEC: Spec = Spec {
    name: "mcp",
    versions: &VERSIONS,
    cancel: Some(CANCEL),
    progress: Some(&["_meta", "progressToken"]),
    // `npx` may have to download a server before it starts.
    start_limit: Duration::from_secs(30),
    first_call: Some("initialize"),
    begins_once: true,
    confirmation: Some(INITIALIZED),
    begin,
    answer,
    failure,
    list: Some(list::list),
    methods: &[
        "ping",
        "tools/list",
        "tools/call",
        "prompts/list",
        "prompts/get",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "resources/subscribe",
        "resources/unsubscribe",
        "completion/complete",
        "logging/setLevel",
        "notifications/roots/list_changed",
    ],
    ..Spec::BASE
};

fn begin<'a>(peer: &'a Peer, client: &'a Client) -> Work<'a, Begun> {
    Box::pin(async move {
        let params = json!({
            "protocolVersion": VERSIONS[0],
            "capabilities": capabilities(client),
            "clientInfo": client_info(),
        });
        let answer = call(peer, "initialize", Some(params)).await?;
        check(&decode(&answer)?["protocolVersion"])?;
        send(peer, INITIALIZED, None).await?;
        Ok(Some(answer))
    })
}

/// A server answers with the version that it chooses, which may differ from the one in the request.
fn check(version: &Value) -> Result<(), tenon_rpc::CallError> {
    if version
        .as_str()
        .is_some_and(|version| VERSIONS.contains(&version))
    {
        return Ok(());
    }
    match quotable_version(version) {
        Some(version) => refuse(format!(
            "the server speaks version {version} of MCP, but this client speaks {}",
            VERSIONS.join(", ")
        )),
        None => refuse("`protocolVersion` in the answer to `initialize` is not a version"),
    }
}

/// A server calls only what is declared here.
fn capabilities(client: &Client) -> Value {
    let mut offered = json!({});
    for (method, name) in [
        ("roots/list", "roots"),
        ("sampling/createMessage", "sampling"),
        ("elicitation/create", "elicitation"),
    ] {
        if client.answers(method) {
            offered[name] = json!({});
        }
    }
    offered
}

fn answer(method: &str, _: &Value) -> Option<Value> {
    match method {
        "ping" => Some(json!({})),
        "roots/list" => Some(json!({ "roots": [uri::current_folder()] })),
        _ => None,
    }
}

/// A tool that has failed is answered with a result: models are to see what went wrong.
fn failure(method: &str, result: &Payload) -> Option<&'static str> {
    let is_error = |result: &Payload| result.member(&["isError"])?.decode().ok();
    (method == "tools/call" && is_error(result) == Some(true))
        .then_some("the tool failed: its result has \"isError\": true")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_tool_says_so_in_its_result() {
        let failure = |method, result| failure(method, &Payload::from_json(result).unwrap());
        assert!(failure("tools/call", r#"{"content":[],"isError":true}"#).is_some());
        for result in [
            r#"{"content":[]}"#,
            r#"{"content":[],"isError":false}"#,
            r#"{"isError":"true"}"#,
            "[true]",
        ] {
            assert_eq!(failure("tools/call", result), None, "{result}");
        }
        assert_eq!(failure("prompts/get", r#"{"isError":true}"#), None);
    }

    #[test]
    fn a_server_may_choose_a_version_that_is_known() {
        assert!(check(&json!("2024-11-05")).is_ok());
        for unknown in [json!("2031-01-01"), json!(1)] {
            let error = check(&unknown).unwrap_err().to_string();
            let told = format!("version {unknown} of MCP, but this client speaks 2025-11-25");
            assert!(error.contains(&told), "{error}");
        }
        for other in [Value::Null, json!({}), json!("a text that may be a secret")] {
            let error = check(&other).unwrap_err().to_string();
            let told = "`protocolVersion` in the answer to `initialize` is not a version";
            assert!(error.ends_with(told), "{error}");
        }
    }

    #[test]
    fn only_what_is_answered_is_offered() {
        assert_eq!(capabilities(&Client::default()), json!({}));
        let client = Client {
            answers: vec!["sampling/createMessage".into()],
            ..Client::default()
        };
        assert_eq!(capabilities(&client), json!({ "sampling": {} }));
    }
}
