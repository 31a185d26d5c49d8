//! What each side has said that it supports, and whether a message stays within that.
//!
//! Agents and clients send what the other side has not offered: opencode writes files through clients that have no
//! `fs`. The table of methods says what a method needs; contents of messages have gates of their own.

use serde_json::{Value, json};
use tenon_protocols::acp::{
    ConfigOption, ContentBlock, ElicitationParams, Entry, Failure, Gate, McpServer, Profile, Raw,
    Side,
};
use tenon_rpc::{Payload, RpcError};

/// The capabilities of both sides. Before `initialize` there are none.
#[derive(Clone, Debug, Default)]
pub struct Gates {
    client: Value,
    agent: Value,
    profile: Profile,
}

impl Gates {
    /// Gates whose errors have the codes of this profile.
    pub fn new(profile: Profile) -> Gates {
        Gates {
            profile,
            ..Gates::default()
        }
    }

    /// Remembers the params of `initialize`.
    pub fn learn_client(&mut self, params: &Payload) {
        self.client = capabilities(params, "clientCapabilities");
    }

    /// Remembers the result of `initialize`.
    pub fn learn_agent(&mut self, result: &Payload) {
        self.agent = capabilities(result, "agentCapabilities");
    }

    /// Whether a side has stated a capability: `true`, or an object.
    pub fn states(&self, side: Side, path: &[&str]) -> bool {
        let capabilities = match side {
            Side::Client => &self.client,
            Side::Agent => &self.agent,
        };
        let stated = path
            .iter()
            .try_fold(capabilities, |value, name| value.get(name));
        matches!(stated, Some(Value::Bool(true) | Value::Object(_)))
    }

    /// Checks a call or an event that is sent to this side: the method itself, and what is in it.
    ///
    /// # Errors
    /// It is not a method of that side, or needs something that the side has not stated.
    pub fn check(&self, entry: &Entry, to: Side, params: Option<&Payload>) -> Result<(), RpcError> {
        if !entry.is_for(to) {
            return Err(self.refuse(Failure::MethodNotFound, to, json!({ "method": entry.name })));
        }
        if let Gate::Stated(paths) = entry.gate
            && !paths.iter().any(|path| self.states(to, path))
        {
            let capability = paths.iter().map(|path| path.join(".")).collect::<Vec<_>>();
            let data = json!({ "method": entry.name, "capability": capability.join(" or ") });
            return Err(self.refuse(Failure::MethodNotFound, to, data));
        }
        match params {
            Some(params) => self.check_contents(entry.name, to, params),
            None => Ok(()),
        }
    }

    /// Checks the members of a message that need a capability. A message that does not fit its type is not checked:
    /// that is an error of its own.
    fn check_contents(&self, method: &str, to: Side, params: &Payload) -> Result<(), RpcError> {
        let need = |what: &str, path: &[&str]| match self.states(to, path) {
            true => Ok(()),
            false => {
                let data = json!({ "details": format!("the {} does not support {what}", to.name()),
                    "capability": path.join(".") });
                Err(Failure::InvalidParams.error(self.profile, data))
            }
        };
        match method {
            "session/prompt" => {
                let prompt: Vec<ContentBlock> = member(params, "prompt").unwrap_or_default();
                for block in &prompt {
                    match block {
                        ContentBlock::Image(_) => need("images", &["promptCapabilities", "image"])?,
                        ContentBlock::Audio(_) => need("audio", &["promptCapabilities", "audio"])?,
                        ContentBlock::Resource(_) => {
                            need(
                                "embedded resources",
                                &["promptCapabilities", "embeddedContext"],
                            )?;
                        }
                        _ => {}
                    }
                }
                Ok(())
            }
            "session/new" | "session/load" | "session/resume" => {
                let servers: Vec<McpServer> = member(params, "mcpServers").unwrap_or_default();
                for server in &servers {
                    match server {
                        McpServer::Http(_) => {
                            need("MCP servers by HTTP", &["mcpCapabilities", "http"])?;
                        }
                        McpServer::Sse(_) => {
                            need("MCP servers by SSE", &["mcpCapabilities", "sse"])?;
                        }
                        _ => {}
                    }
                }
                let folders: Vec<Raw> = member(params, "additionalDirectories").unwrap_or_default();
                match folders.is_empty() {
                    true => Ok(()),
                    false => need(
                        "more folders",
                        &["sessionCapabilities", "additionalDirectories"],
                    ),
                }
            }
            "elicitation/create" => match params.decode_private() {
                Ok(ElicitationParams::Form(_)) => need("forms", &["elicitation", "form"]),
                Ok(ElicitationParams::Url(_)) => need("pages", &["elicitation", "url"]),
                _ => Ok(()),
            },
            // Most updates are chunks, and there are many of them: the rest is read only if it matters.
            "session/update" => match update_kind(params).as_deref() {
                Some("notice") => need("notices", &["session", "notices"]),
                Some("compaction_update" | "compaction_summary_chunk") => {
                    need("compaction", &["session", "compaction"])
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// The options at this path without those that are on or off, if the client does not know such options. Nothing if
    /// nothing has to be changed.
    pub fn without_boolean_options(&self, payload: &Payload, path: &[&str]) -> Option<Payload> {
        if self.states(Side::Client, &["session", "configOptions", "boolean"]) {
            return None;
        }
        let options: Vec<Raw> = payload.member(path)?.decode_private().ok()?;
        let is_boolean = |option: &&Raw| {
            let option: Option<ConfigOption> = option.decode().ok();
            matches!(option, Some(ConfigOption::Boolean(_)))
        };
        let kept: Vec<&str> = { options.iter() }
            .filter(|option| !is_boolean(option))
            .map(Raw::text)
            .collect();
        if kept.len() == options.len() {
            return None;
        }
        payload.with_member(path, format!("[{}]", kept.join(",")).as_bytes())
    }

    fn refuse(&self, failure: Failure, to: Side, mut data: Value) -> RpcError {
        data["details"] = json!(format!("the {} does not support it", to.name()));
        failure.error(self.profile, data)
    }
}

fn update_kind(params: &Payload) -> Option<String> {
    params.member(&["update", "sessionUpdate"])?.decode().ok()
}

fn capabilities(payload: &Payload, name: &str) -> Value {
    member(payload, name).unwrap_or_default()
}

fn member<T: serde::de::DeserializeOwned>(payload: &Payload, name: &str) -> Option<T> {
    payload.member(&[name])?.decode_private().ok()
}

#[cfg(test)]
mod tests {
    use tenon_protocols::acp::method;

    use super::*;

    fn payload(value: &Value) -> Payload {
        Payload::from_json(value.to_string()).unwrap()
    }

    fn gates(client: &Value, agent: &Value) -> Gates {
        let mut gates = Gates::default();
        gates.learn_client(&payload(
            &json!({ "protocolVersion": 1, "clientCapabilities": client }),
        ));
        gates.learn_agent(&payload(
            &json!({ "protocolVersion": 1, "agentCapabilities": agent }),
        ));
        gates
    }

    #[track_caller]
    fn code(gates: &Gates, name: &str, to: Side, params: &Value) -> Option<i64> {
        let checked = gates.check(method(name).unwrap(), to, Some(&payload(params)));
        checked.err().map(|error| error.code.number())
    }

    #[test]
    fn a_method_needs_its_capability() {
        let none = Gates::default();
        let all = gates(
            &json!({ "fs": { "readTextFile": true, "writeTextFile": true }, "terminal": true, "elicitation": { "form": {}, "url": {} } }),
            &json!({ "loadSession": true, "sessionCapabilities": { "list": {}, "delete": {}, "resume": {}, "close": {} }, "auth": { "logout": {} } }),
        );
        for entry in tenon_protocols::acp::METHODS {
            let to = entry.to.unwrap_or(Side::Agent);
            let is_gated = entry.gate != Gate::Open;
            let refused = none.check(entry, to, None).is_err();
            assert_eq!(refused, is_gated, "{}", entry.name);
            assert!(all.check(entry, to, None).is_ok(), "{}", entry.name);
        }
    }

    #[test]
    fn only_true_and_objects_count() {
        let of = |fs: Value| {
            code(
                &gates(&json!({ "fs": fs }), &json!({})),
                "fs/read_text_file",
                Side::Client,
                &json!({}),
            )
        };
        assert_eq!(of(json!({ "readTextFile": true })), None);
        for no in [
            json!(null),
            json!(true),
            json!({}),
            json!({ "readTextFile": false }),
            json!({ "readTextFile": null }),
            json!({ "readTextFile": "yes" }),
        ] {
            assert_eq!(of(no.clone()), Some(-32601), "{no}");
        }
    }

    #[test]
    fn methods_of_the_other_side_are_refused() {
        let gates = gates(&json!({ "terminal": true }), &json!({}));
        assert_eq!(
            code(&gates, "session/prompt", Side::Client, &json!({})),
            Some(-32601)
        );
        assert_eq!(
            code(&gates, "terminal/create", Side::Agent, &json!({})),
            Some(-32601)
        );
        assert_eq!(
            code(&gates, "$/cancel_request", Side::Agent, &json!({})),
            None
        );
        assert_eq!(
            code(&gates, "$/cancel_request", Side::Client, &json!({})),
            None
        );
    }

    #[test]
    fn contents_need_their_capability() {
        let (none, all) = (
            gates(&json!({}), &json!({})),
            gates(
                &json!({ "session": { "notices": {}, "compaction": {}, "configOptions": { "boolean": {} } }, "elicitation": { "form": {}, "url": {} } }),
                &json!({ "promptCapabilities": { "image": true, "audio": true, "embeddedContext": true }, "mcpCapabilities": { "http": true, "sse": true }, "sessionCapabilities": { "additionalDirectories": {} } }),
            ),
        );
        let prompt = |block: Value| {
            (
                "session/prompt",
                Side::Agent,
                json!({ "sessionId": "s", "prompt": [{ "type": "text", "text": "x" }, block] }),
            )
        };
        let new = |member: &str, value: Value| {
            (
                "session/new",
                Side::Agent,
                json!({ "cwd": "/w", "mcpServers": [], member: value }),
            )
        };
        let update = |update: Value| {
            (
                "session/update",
                Side::Client,
                json!({ "sessionId": "s", "update": update }),
            )
        };
        for (name, to, params) in [
            prompt(json!({ "type": "image", "data": "", "mimeType": "x" })),
            prompt(json!({ "type": "audio", "data": "", "mimeType": "x" })),
            prompt(json!({ "type": "resource", "resource": { "uri": "x", "text": "" } })),
            new("additionalDirectories", json!(["/x"])),
            update(json!({ "sessionUpdate": "notice", "severity": "info", "title": "x" })),
            update(
                json!({ "sessionUpdate": "compaction_update", "compactionId": "x", "status": "failed" }),
            ),
            (
                "session/load",
                Side::Agent,
                json!({ "mcpServers": [{ "type": "http", "name": "a", "url": "b", "headers": [] }] }),
            ),
            (
                "session/resume",
                Side::Agent,
                json!({ "mcpServers": [{ "type": "sse", "name": "a", "url": "b", "headers": [] }] }),
            ),
        ] {
            // The methods that are gated themselves are not what is checked here.
            let refused = none
                .check_contents(name, to, &payload(&params))
                .unwrap_err();
            assert_eq!(refused.code.number(), -32602, "{params}");
            assert!(refused.data.is_some());
            assert!(
                all.check_contents(name, to, &payload(&params)).is_ok(),
                "{params}"
            );
        }
        let form = json!({ "mode": "form", "message": "x", "requestedSchema": {} });
        let only_url = gates(&json!({ "elicitation": { "url": {} } }), &json!({}));
        assert_eq!(
            code(&only_url, "elicitation/create", Side::Client, &form),
            Some(-32602)
        );
        assert_eq!(code(&all, "elicitation/create", Side::Client, &form), None);
        let (name, to, plain) = prompt(json!({ "type": "resource_link", "uri": "x", "name": "y" }));
        assert_eq!(code(&none, name, to, &plain), None);
        let (name, to, unknown) = update(json!({ "sessionUpdate": "hologram" }));
        assert_eq!(code(&none, name, to, &unknown), None);
        let (name, to, empty) = new("additionalDirectories", json!([]));
        assert_eq!(code(&none, name, to, &empty), None);
    }

    #[test]
    fn options_that_are_on_or_off_are_left_out_for_clients_that_do_not_know_them() {
        let text = r#"{"sessionId":"s","configOptions":[{ "type":"boolean","id":"a","name":"b","currentValue":true },{"type":"select", "id":"c","name":"d","currentValue":"e","options":[]}]}"#;
        let payload = Payload::from_json(text).unwrap();
        let knows = json!({ "session": { "configOptions": { "boolean": {} } } });
        let path = ["configOptions"];
        let same = gates(&knows, &json!({})).without_boolean_options(&payload, &path);
        assert_eq!(same, None);
        let cut = gates(&json!({}), &json!({})).without_boolean_options(&payload, &path);
        let expected = r#"{"sessionId":"s","configOptions":[{"type":"select", "id":"c","name":"d","currentValue":"e","options":[]}]}"#;
        assert_eq!(cut.unwrap().bytes(), expected);
        let none = Payload::from_json(r#"{"sessionId":"s"}"#).unwrap();
        assert_eq!(Gates::default().without_boolean_options(&none, &path), None);
    }
}
