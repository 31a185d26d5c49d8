//! The client with agents in memory: turns, sessions, permissions, questions and bad input.

#[path = "client/actors.rs"]
mod actors;
#[path = "client/cancelling.rs"]
mod cancelling;
#[path = "client/opening.rs"]
mod opening;
#[path = "client/queues.rs"]
mod queues;
#[allow(dead_code, reason = "each test file uses its own part")]
mod support;

use std::path::Path;
use std::sync::Arc;

use actors::{Agent, Scripted, ask, end_turn, finished, hello, permission, say, text};
use serde_json::{Value, json};
use support::{ROOT, payload, within};
use tenon_acp::client::{Client, ClientError, Folder, Offered, Setup};
use tenon_acp::policy::Policy;
use tenon_hcl::Source;
use tenon_protocols::acp::{AcceptedElicitation, ElicitationResult, Raw, StopReason};
use tenon_rpc::{CallError, ErrorCode, Io};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

fn with_user(user: &Arc<Scripted>) -> Setup {
    Setup {
        user: user.clone(),
        ..Setup::default()
    }
}

fn policy(text: &str) -> Policy {
    Policy::parse(&Source::new("policy", text)).unwrap()
}

#[tokio::test]
async fn a_turn_is_a_stream_of_updates_that_ends_with_the_stop_reason() {
    within(async {
        let (agent, _) = Agent::with_turns(|peer| async move {
            for number in 0..3 {
                say(&peer, &number.to_string()).await;
            }
            end_turn()
        });
        let (_agent, _client, session) = agent.session(Setup::default(), Path::new(ROOT)).await;
        let mut turn = session.prompt(hello()).await.unwrap();
        assert!(matches!(
            session.prompt(hello()).await,
            Err(ClientError::Busy)
        ));
        let mut said = Vec::new();
        while let Some(update) = turn.next().await.unwrap() {
            said.push(text(&update));
        }
        assert_eq!(said, ["0", "1", "2"]);
        assert_eq!(turn.result().unwrap().stop_reason, StopReason::EndTurn);
        assert!(turn.next().await.unwrap().is_none());
        drop(turn);
        finished(&session).await;
    })
    .await;
}

#[tokio::test]
async fn policies_decide_before_the_user() {
    within(async {
        let (agent, _) = Agent::with_turns(|peer| async move {
            let mut outcomes = Vec::new();
            for (id, path) in [("a", "w/src/a"), ("b", "w/.env"), ("c", "w/other")] {
                let request = permission(id, json!({ "path": path }));
                let answer = ask(&peer, "session/request_permission", request)
                    .await
                    .unwrap();
                outcomes.push(answer["outcome"]["optionId"].as_str().unwrap().to_owned());
            }
            assert_eq!(outcomes, ["yes", "no", "ever"]);
            end_turn()
        });
        let user = Scripted::with(&["ever"]);
        let setup = Setup {
            policies: vec![
                policy("rule \"env\" {\n  action = \"deny\"\n  path = [\"w/.env\"]\n}\n"),
                policy("rule \"src\" {\n  action = \"allow\"\n  path = [\"w/src/**\"]\n}\n"),
            ],
            ..with_user(&user)
        };
        let (_agent, _client, session) = agent.session(setup, Path::new(ROOT)).await;
        finished(&session).await;
        assert_eq!(user.titles(), ["Do it"]);
        let decided = user.decided.lock().unwrap();
        assert!(decided[0].starts_with("allow: rule \"src\""), "{decided:?}");
        assert!(decided[1].starts_with("deny: rule \"env\""), "{decided:?}");
    })
    .await;
}

#[tokio::test]
async fn questions_with_a_form_go_to_the_user() {
    within(async {
        let (agent, _) = Agent::with_turns(|peer| async move {
            let form = json!({
                "mode": "form", "sessionId": "s", "message": "Which?",
                "requestedSchema": { "type": "object", "properties": { "a": { "type": "string" } } },
            });
            let answer = ask(&peer, "elicitation/create", form).await.unwrap();
            assert_eq!(answer, json!({ "action": "accept", "content": { "a": "b" } }));
            // A form that cannot be filled in is refused, and the user does not see it.
            let nested = json!({ "type": "object", "properties": { "x": { "type": "object" } } });
            let nested = json!({ "sessionId": "s", "mode": "form", "message": "?", "requestedSchema": nested });
            let error = ask(&peer, "elicitation/create", nested).await.unwrap_err();
            assert_eq!(error.code, ErrorCode::Number(-32602));
            let page = json!({ "mode": "url", "message": "Log in", "elicitationId": "e", "url": "https://example.org" });
            let error = ask(&peer, "elicitation/create", page).await.unwrap_err();
            assert_eq!(error.code, ErrorCode::Number(-32602));
            let done = payload(&json!({ "elicitationId": "e" }));
            peer.send_raw("elicitation/complete", Some(done)).await.unwrap();
            end_turn()
        });
        let user = Arc::new(Scripted {
            form: Some(ElicitationResult::Accept(AcceptedElicitation {
                content: Some(Raw::of(&json!({ "a": "b" })).unwrap()),
                ..AcceptedElicitation::default()
            })),
            ..Scripted::default()
        });
        let setup = Setup {
            offered: Offered {
                forms: true,
                ..Offered::default()
            },
            ..with_user(&user)
        };
        let (_agent, _client, session) = agent.session(setup, Path::new(ROOT)).await;
        finished(&session).await;
        assert_eq!(*user.completed.lock().unwrap(), ["e"]);
    })
    .await;
}

/// Everything that agents print besides messages, and messages that are not quite right.
#[tokio::test]
async fn bad_lines_do_not_end_a_session() {
    within(async {
        let (here, there) = Io::pair();
        let (reader, mut writer) = there.into_parts();
        let agent = tokio::spawn(async move {
            let mut lines = BufReader::new(reader).lines();
            while let Some(line) = lines.next_line().await.unwrap() {
                let message: Value = serde_json::from_str(&line).unwrap();
                let id = &message["id"];
                let result = match message["method"].as_str() {
                    Some("initialize") => json!({ "protocolVersion": 1 }),
                    Some("session/new") => json!({ "sessionId": "s" }),
                    Some("session/prompt") => {
                        let bad = [
                            "migrating the database...",
                            r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#,
                            r#"{"jsonrpc":"2.0","id":999,"result":{}}"#,
                            r#"[{"jsonrpc":"2.0","method":"session/update"}]"#,
                            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"x","update":{"sessionUpdate":"plan","entries":[]}}}"#,
                            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call"}}}"#,
                            r#"{"jsonrpc":"2.0","method":"session/update"}"#,
                            r#"{"jsonrpc":"2.0","method":"_vendor/news","params":{}}"#,
                            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"hologram","x":[1.50]}}}"#,
                            r#"{"jsonrpc":"2.0","id":null,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}"#,
                            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"A"}}}"#,
                            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"t","title":"A"}}}"#,
                        ];
                        for line in bad {
                            writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
                        }
                        json!({ "stopReason": "something_new", "usage": {} })
                    }
                    _ => continue,
                };
                let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
                writer.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
            }
        });
        let client = Client::connect(here, Setup::default()).await.unwrap();
        let session = client.new_session(Folder::new(ROOT)).await.unwrap();
        let mut turn = session.prompt(hello()).await.unwrap();
        let mut updates = Vec::new();
        while let Some(update) = turn.next().await.unwrap() {
            updates.push(serde_json::to_string(&update).unwrap());
        }
        assert_eq!(updates.len(), 4, "{updates:?}");
        assert_eq!(updates[0], r#"{"sessionUpdate":"hologram","x":[1.50]}"#);
        // Some agents write events with an id that is null.
        assert_eq!(updates[1], r#"{"sessionUpdate":"plan","entries":[]}"#);
        assert_eq!(updates[2], updates[3]);
        let stop_reason = &turn.result().unwrap().stop_reason;
        assert_eq!(*stop_reason, StopReason::Other("something_new".into()));
        client.close().await;
        agent.await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn an_agent_that_goes_away_fails_its_turn() {
    within(async {
        let (agent, _) = Agent::with_turns(|peer| async move {
            say(&peer, "so far").await;
            std::future::pending().await
        });
        let (agent, _client, session) = agent.session(Setup::default(), Path::new(ROOT)).await;
        let mut turn = session.prompt(hello()).await.unwrap();
        assert_eq!(text(&turn.next().await.unwrap().unwrap()), "so far");
        drop(agent);
        let error = turn.next().await.unwrap_err();
        let is_closed = matches!(&error, ClientError::Call { error, .. } if matches!(**error, CallError::Closed(_)));
        assert!(is_closed, "{error}");
        assert!(session.prompt(hello()).await.is_err());
    })
    .await;
}
