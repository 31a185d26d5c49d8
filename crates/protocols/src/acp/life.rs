//! How a host speaks the Agent Client Protocol.

use std::time::Duration;

use serde_json::{Value, json};
use tenon_rpc::{Peer, options::Cancel};

use crate::lifecycle::{Begun, Client, Spec, Work, call, client_info};

pub(crate) static SPEC: Spec = Spec {
    name: "acp",
    versions: &["1"],
    cancel: Some(Cancel {
        method: "$/cancel_request",
        field: "requestId",
    }),
    // One diff or one image can be larger than the default limit, and agents send them in one line.
    frame: Some(64 * 1024 * 1024),
    // Agents written for Node and Python are slow to start.
    start_limit: Duration::from_secs(30),
    first_call: Some("initialize"),
    begins_once: true,
    begin,
    methods: &[
        "authenticate",
        "logout",
        "session/new",
        "session/load",
        "session/resume",
        "session/list",
        "session/delete",
        "session/close",
        "session/prompt",
        "session/cancel",
        "session/set_mode",
        "session/set_model",
        "session/set_config_option",
    ],
    ..Spec::BASE
};

fn begin<'a>(peer: &'a Peer, client: &'a Client) -> Work<'a, Begun> {
    let params = json!({
        "protocolVersion": super::VERSION,
        "clientCapabilities": capabilities(client),
        "clientInfo": client_info(),
    });
    Box::pin(async move { call(peer, "initialize", Some(params)).await.map(Some) })
}

/// An agent calls only what is declared here.
fn capabilities(client: &Client) -> Value {
    let mut offered = json!({});
    for (method, name) in [
        ("fs/read_text_file", "readTextFile"),
        ("fs/write_text_file", "writeTextFile"),
    ] {
        if client.answers(method) {
            offered["fs"][name] = json!(true);
        }
    }
    if client.answers("terminal/create") {
        offered["terminal"] = json!(true);
    }
    offered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_answered_is_offered() {
        assert_eq!(capabilities(&Client::default()), json!({}));
        let client = Client {
            answers: vec!["fs/read_text_file".into()],
            ..Client::default()
        };
        assert_eq!(
            capabilities(&client),
            json!({ "fs": { "readTextFile": true } })
        );
    }
}
