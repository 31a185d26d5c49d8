//! What an agent supports, and how its sessions are opened.

use std::path::Path;

use crate::actors::{Agent, finished, say, text};
use crate::support::{ROOT, payload, within};
use serde_json::{Value, json};
use tenon_acp::client::{Client, ClientError, Folder, Setup};
use tenon_protocols::acp::{ContentBlock, ImageContent, McpServer, StdioServer};
use tenon_rpc::{ErrorCode, RpcError};

#[tokio::test]
async fn a_loaded_session_begins_with_its_history() {
    within(async {
        let capabilities = json!({
            "loadSession": true,
            "sessionCapabilities": { "list": {}, "resume": {}, "close": {}, "delete": {} },
        });
        let (agent, _) = Agent::new(capabilities, |peer, method, params| async move {
            let answer = match method.as_str() {
                "session/load" if params["sessionId"] == "s" => {
                    for number in 0..5000 {
                        say(&peer, &number.to_string()).await;
                    }
                    Value::Null
                }
                "session/load" => {
                    let error = RpcError::new(ErrorCode::Number(-32603), "Internal error");
                    let data = payload(&json!({ "details": "Session not found" }));
                    return Some(Err(error.with_data(data)));
                }
                "session/resume" => {
                    json!({ "modes": { "currentModeId": "a", "availableModes": [] } })
                }
                "session/list" if params["cursor"] == "2" => {
                    json!({ "sessions": [{ "sessionId": "t", "cwd": ROOT }] })
                }
                "session/list" => {
                    json!({ "sessions": [{ "sessionId": "s", "cwd": ROOT }], "nextCursor": "2" })
                }
                "session/close" | "session/delete" => json!({}),
                _ => return None,
            };
            Some(Ok(payload(&answer)))
        });
        let (_agent, client) = agent.client(Setup::default()).await;
        let listed = client.sessions(None).await.unwrap();
        let ids: Vec<&str> = listed.iter().map(|one| one.session_id.as_str()).collect();
        assert_eq!(ids, ["s", "t"]);

        let mut loading = client.load_session("s", Folder::new(ROOT)).await.unwrap();
        assert_eq!(text(&loading.next().await.unwrap().unwrap()), "0");
        let mut count = 1;
        while loading.next().await.unwrap().is_some() {
            count += 1;
        }
        assert_eq!(count, 5000);
        let session = loading.session().await.unwrap();
        finished(&session).await;
        session.close().await.unwrap();

        let unknown = client.load_session("x", Folder::new(ROOT)).await.unwrap();
        let error = unknown.session().await.unwrap_err();
        assert!(matches!(error, ClientError::UnknownSession(_)), "{error}");

        let resumed = client.resume_session("s", Folder::new(ROOT)).await.unwrap();
        assert_eq!(resumed.about().modes.unwrap().current_mode_id, "a");
        client.delete_session("s").await.unwrap();
    })
    .await;
}

/// What was not stated is not called.
#[tokio::test]
async fn what_the_agent_does_not_support_is_not_sent() {
    within(async {
        let (agent, _) = Agent::new(json!({}), |_, method, _| async move {
            assert!(
                ["initialize", "session/new"].contains(&method.as_str()),
                "{method}"
            );
            None
        });
        let (_agent, client, session) = agent.session(Setup::default(), Path::new(ROOT)).await;
        let unsupported = [
            client.sessions(None).await.map(drop),
            client.delete_session("s").await,
            client.load_session("s", Folder::new(ROOT)).await.map(drop),
            client
                .resume_session("s", Folder::new(ROOT))
                .await
                .map(drop),
            client.logout().await,
            session
                .prompt(vec![ContentBlock::Image(ImageContent::new(
                    "",
                    "image/png",
                ))])
                .await
                .map(drop),
            client
                .new_session(Folder {
                    more: vec![ROOT.into()],
                    ..Folder::new(ROOT)
                })
                .await
                .map(drop),
        ];
        for outcome in unsupported {
            assert!(
                matches!(outcome, Err(ClientError::Unsupported(..))),
                "{outcome:?}"
            );
        }
        // This needs no capability, and does not tell the agent.
        session.close().await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn modes_and_models_are_options_where_the_agent_has_them() {
    within(async {
        fn options(mode: &str) -> Value {
            json!([
                { "type": "select", "id": "m", "name": "Mode", "category": "mode", "currentValue": mode,
                  "options": [{ "value": "ask", "name": "Ask" }, { "value": "code", "name": "Code" }] },
                { "type": "boolean", "id": "b", "name": "Loud", "currentValue": true },
            ])
        }
        let (agent, _) = Agent::new(json!({}), |_, method, params| async move {
            let answer = match method.as_str() {
                "session/new" => json!({
                    "sessionId": "s",
                    "configOptions": options("ask"),
                    "models": { "currentModelId": "small", "availableModels": [] },
                }),
                "session/set_config_option" if params["configId"] == "b" => {
                    assert_eq!((&params["value"], &params["type"]), (&json!(false), &json!("boolean")));
                    json!({ "configOptions": options("code") })
                }
                "session/set_config_option" => {
                    assert_eq!((&params["configId"], &params["value"]), (&json!("m"), &json!("code")));
                    json!({ "configOptions": options("code") })
                }
                "session/set_model" => {
                    assert_eq!(params["modelId"], "large");
                    Value::Null
                }
                _ => return None,
            };
            Some(Ok(payload(&answer)))
        });
        let (_agent, _client, session) = agent.session(Setup::default(), Path::new(ROOT)).await;
        session.set_mode("code").await.unwrap();
        session.set_model("large").await.unwrap();
        session.set_config_option("b", false).await.unwrap();
        let about = session.about();
        assert_eq!(about.models.unwrap().current_model_id, "large");
        let shown = serde_json::to_value(about.config_options.unwrap()).unwrap();
        assert_eq!(shown[0]["currentValue"], "code");
    })
    .await;
}

#[tokio::test]
async fn a_login_that_is_required_is_recognised() {
    within(async {
        let (agent, _) = Agent::new(json!({}), |_, method, params| async move {
            let answer = match method.as_str() {
                "initialize" => json!({
                    "protocolVersion": 1,
                    "authMethods": [
                        { "id": "key", "name": "With a key" },
                        { "type": "env_var", "id": "old", "name": "With a variable", "vars": [] },
                    ],
                }),
                "authenticate" => {
                    assert_eq!(params["methodId"], "key");
                    json!({})
                }
                "session/new" => {
                    return Some(Err(RpcError::new(ErrorCode::Number(-32000), "Log in")));
                }
                _ => return None,
            };
            Some(Ok(payload(&answer)))
        });
        let (_agent, client) = agent.client(Setup::default()).await;
        let error = client.new_session(Folder::new(ROOT)).await.unwrap_err();
        let shown = error.to_string();
        assert!(
            matches!(error, ClientError::LoginRequired { .. }),
            "{shown}"
        );
        assert!(shown.contains("key: With a key"), "{shown}");
        assert!(shown.contains("old: With a variable"), "{shown}");
        client.authenticate("key").await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn another_version_is_refused() {
    within(async {
        let (agent, _) = Agent::new(json!({}), |_, method, _| async move {
            let answer = json!({ "protocolVersion": 2 });
            (method == "initialize").then(|| Ok(payload(&answer)))
        });
        let (_agent, io) = agent.serve();
        let error = Client::connect(io, Setup::default()).await.unwrap_err();
        assert!(matches!(error, ClientError::Version(2)), "{error}");
    })
    .await;
}

/// What would be refused is not sent.
#[tokio::test]
async fn what_is_too_large_is_not_sent() {
    within(async {
        let able = json!({ "promptCapabilities": { "image": true } });
        let (agent, _) = Agent::new(able, |_, method, params| async move {
            let size = params.to_string().len();
            assert!(
                method != "session/prompt" || size < 3 * 1024 * 1024,
                "{size}"
            );
            None
        });
        let (_agent, client, session) = agent.session(Setup::default(), Path::new(ROOT)).await;
        let image =
            |size: usize| ContentBlock::Image(ImageContent::new("x".repeat(size), "image/png"));
        let text = ContentBlock::text("x".repeat(1024 * 1024));
        for (prompt, is_picture) in [
            (vec![text.clone()], false),
            (vec![text, image(1024)], false),
            (vec![image(33 * 1024 * 1024)], true),
        ] {
            let error = session.prompt(prompt).await.unwrap_err();
            let ClientError::TooLarge { is_media, .. } = error else {
                panic!("{error}");
            };
            assert_eq!(is_media, is_picture);
        }
        let turn = session.prompt(vec![image(2 * 1024 * 1024)]).await.unwrap();
        turn.finish().await.unwrap();
        let mut folder = Folder::new(ROOT);
        let server = StdioServer::new("a", "x".repeat(50 * 1024));
        folder.mcp_servers = vec![McpServer::Stdio(server)];
        let error = client.new_session(folder).await.unwrap_err();
        assert!(matches!(error, ClientError::TooLarge { .. }), "{error}");
    })
    .await;
}
