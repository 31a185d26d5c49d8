//! The Language Server Protocol: editors and language servers.

mod capabilities;

use std::time::Duration;

use serde_json::{Value, json};
use tenon_rpc::{Dialect, Peer, options::Cancel};

use crate::lifecycle::{Begun, Client, Spec, Work, call, client_info, send};
use crate::uri;

const INITIALIZED: &str = "initialized";

pub(crate) static SPEC: Spec = Spec {
    name: "lsp",
    dialect: Dialect::JsonRpcHeaders,
    cancel: Some(Cancel {
        method: "$/cancelRequest",
        field: "id",
    }),
    progress: Some(&["workDoneToken"]),
    // Some servers index before they answer.
    start_limit: Duration::from_secs(30),
    first_call: Some("initialize"),
    begins_once: true,
    confirmation: Some(INITIALIZED),
    begin,
    end,
    goodbye: |method| matches!(method, "shutdown" | "exit").then_some(Value::Null),
    answer,
    list: Some(capabilities::list),
    methods: capabilities::METHODS,
    ..Spec::BASE
};

fn begin<'a>(peer: &'a Peer, client: &'a Client) -> Work<'a, Begun> {
    Box::pin(async move {
        let folder = uri::current_folder();
        let params = json!({
            "processId": std::process::id(),
            "clientInfo": client_info(),
            "rootUri": folder["uri"],
            "workspaceFolders": [folder],
            "capabilities": {
                "general": { "positionEncodings": ["utf-16"] },
                "window": { "workDoneProgress": true },
                "workspace": {
                    "applyEdit": client.answers("workspace/applyEdit"),
                    "configuration": true,
                    "workspaceFolders": true,
                },
                "textDocument": {
                    "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
                    "hover": { "contentFormat": ["markdown", "plaintext"] },
                    "publishDiagnostics": {},
                },
            },
        });
        let answer = call(peer, "initialize", Some(params)).await?;
        send(peer, INITIALIZED, Some(json!({}))).await?;
        Ok(Some(answer))
    })
}

fn end(peer: &Peer) -> Work<'_, ()> {
    Box::pin(async move {
        // The process is ended in any case.
        let _gone = call(peer, "shutdown", None).await;
        let _gone = send(peer, "exit", None).await;
    })
}

/// Answers routine calls of servers: nothing is configured, and nothing was done.
fn answer(method: &str, params: &Value) -> Option<Value> {
    Some(match method {
        "workspace/configuration" => {
            let count = params["items"].as_array().map_or(0, Vec::len);
            Value::Array(vec![Value::Null; count])
        }
        "workspace/workspaceFolders" => json!([uri::current_folder()]),
        "workspace/applyEdit" => {
            json!({ "applied": false, "failureReason": "this client does not edit files" })
        }
        "window/showDocument" => json!({ "success": false }),
        "client/registerCapability"
        | "client/unregisterCapability"
        | "window/workDoneProgress/create"
        | "window/showMessageRequest" => Value::Null,
        // There is nothing on screen that could be drawn again.
        _ if method.starts_with("workspace/") && method.ends_with("/refresh") => Value::Null,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_of_the_configuration_is_answered() {
        let params = json!({ "items": [{ "section": "a" }, { "section": "b" }] });
        let answered = answer("workspace/configuration", &params);
        assert_eq!(answered, Some(json!([null, null])));
        assert_eq!(
            answer("workspace/configuration", &Value::Null),
            Some(json!([]))
        );
        let refreshed = answer("workspace/semanticTokens/refresh", &Value::Null);
        assert_eq!(refreshed, Some(Value::Null));
        assert_eq!(answer("window/unheardOf", &Value::Null), None);
    }
}
