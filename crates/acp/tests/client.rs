//! The client with agents in memory: turns, sessions, permissions, questions and bad input.

#[path = "client/actors.rs"]
mod actors;
#[allow(dead_code, reason = "each test file uses its own part")]
mod support;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use actors::{Agent, Scripted, ask, end_turn, finished, hello, permission, say, text, update};
use serde_json::{Value, json};
use support::{ROOT, payload, within};
use tenon_acp::client::{Answer, Client, ClientError, Folder, Offered, Setup, User};
use tenon_acp::policy::Policy;
use tenon_hcl::Source;
use tenon_protocols::acp::{
    AcceptedElicitation, ContentBlock, ElicitationResult, ImageContent, PermissionParams,
    PermissionResult, Raw, SessionUpdate, StopReason,
};
use tenon_rpc::{CallError, ErrorCode, Io, RpcError};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc::Receiver;

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

/// Agents send the commands of a session before, with or after the answer that names it.
#[tokio::test]
async fn updates_before_the_answer_that_names_their_session_are_the_first() {
    within(async {
        let (agent, _) = Agent::new(json!({}), |peer, method, _| async move {
            if method == "session/new" {
                let commands = json!([{ "name": "init", "description": "Begin" }]);
                update(&peer, json!({ "sessionUpdate": "available_commands_update", "availableCommands": commands })).await;
                say(&peer, "early").await;
            }
            None
        });
        let (_agent, _client, session) = agent.session(Setup::default(), Path::new(ROOT)).await;
        assert_eq!(session.about().commands[0].name, "init");
        let first = session.try_next();
        assert!(matches!(first, Some(SessionUpdate::AvailableCommandsUpdate(_))));
        assert_eq!(text(&session.try_next().unwrap()), "early");
        assert!(session.try_next().is_none());
    })
    .await;
}

/// As many as are kept are the first ones; the others are counted.
#[tokio::test]
async fn updates_that_come_too_early_are_counted() {
    within(async {
        let (agent, _) = Agent::new(json!({}), |peer, method, _| async move {
            if method == "session/new" {
                for number in 0..300 {
                    say(&peer, &number.to_string()).await;
                }
            }
            None
        });
        let (_agent, _client, session) = agent.session(Setup::default(), Path::new(ROOT)).await;
        assert_eq!(session.missed(), 300 - 256);
        assert_eq!(text(&session.try_next().unwrap()), "0");
    })
    .await;
}

#[tokio::test]
async fn an_update_after_the_end_of_a_turn_is_not_lost() {
    within(async {
        let (agent, _) = Agent::with_turns(|peer| async move {
            tokio::spawn(async move {
                // After the answer, which is sent when this function returns.
                tokio::task::yield_now().await;
                say(&peer, "late").await;
            });
            end_turn()
        });
        let (_agent, _client, session) = agent.session(Setup::default(), Path::new(ROOT)).await;
        let mut turn = session.prompt(hello()).await.unwrap();
        let mut said = Vec::new();
        while let Some(update) = turn.next().await.unwrap() {
            said.push(text(&update));
        }
        while said.is_empty() {
            tokio::task::yield_now().await;
            said.extend(session.try_next().as_ref().map(text));
        }
        assert_eq!(said, ["late"]);
    })
    .await;
}

#[tokio::test]
async fn cancelling_answers_the_permissions_that_wait() {
    within(async {
        let (agent, mut cancelled) = Agent::with_turns(|peer| async move {
            let answer = ask(
                &peer,
                "session/request_permission",
                permission("t", json!({})),
            )
            .await;
            assert_eq!(
                answer.unwrap(),
                json!({ "outcome": { "outcome": "cancelled" } })
            );
            // One that asks after it was cancelled gets the same answer.
            let answer = ask(
                &peer,
                "session/request_permission",
                permission("u", json!({})),
            )
            .await;
            assert_eq!(
                answer.unwrap(),
                json!({ "outcome": { "outcome": "cancelled" } })
            );
            say(&peer, "stopped").await;
            Ok(payload(&json!({ "stopReason": "cancelled" })))
        });
        let user = Scripted::with(&[]);
        let (_agent, _client, session) = agent.session(with_user(&user), Path::new(ROOT)).await;
        let mut turn = session.prompt(hello()).await.unwrap();
        let canceller = turn.canceller();
        let asked = user.clone();
        tokio::spawn(async move {
            until_asked(&asked).await;
            canceller.cancel();
        });
        assert_eq!(text(&turn.next().await.unwrap().unwrap()), "stopped");
        assert!(turn.next().await.unwrap().is_none());
        assert_eq!(turn.result().unwrap().stop_reason, StopReason::Cancelled);
        cancelled.recv().await.unwrap();
        assert_eq!(
            user.asked.lock().unwrap().len(),
            1,
            "the second is not shown"
        );
    })
    .await;
}

/// An agent that gets the answer first takes it for a rejection, and goes on.
#[tokio::test]
async fn a_cancellation_arrives_before_the_answers_that_it_causes() {
    within(async {
        let cancelled = Arc::new(Mutex::new(None::<Receiver<()>>));
        let seen = cancelled.clone();
        let (agent, received) = Agent::with_turns(move |peer| {
            let seen = seen.clone();
            async move {
                let request = permission("t", json!({}));
                let answer = ask(&peer, "session/request_permission", request).await;
                assert_eq!(answer.unwrap()["outcome"]["outcome"], "cancelled");
                let mut seen = seen.lock().unwrap();
                assert!(
                    seen.as_mut().unwrap().try_recv().is_ok(),
                    "not cancelled yet"
                );
                Ok(payload(&json!({ "stopReason": "cancelled" })))
            }
        });
        *cancelled.lock().unwrap() = Some(received);
        let user = Scripted::with(&[]);
        let (_agent, _client, session) = agent.session(with_user(&user), Path::new(ROOT)).await;
        let turn = session.prompt(hello()).await.unwrap();
        until_asked(&user).await;
        turn.canceller().cancel();
        let result = turn.finish().await.unwrap().unwrap();
        assert_eq!(result.stop_reason, StopReason::Cancelled);
    })
    .await;
}

/// Waits until the user is asked for a permission.
async fn until_asked(user: &Scripted) {
    while user.asked.lock().unwrap().is_empty() {
        tokio::task::yield_now().await;
    }
}

/// A user who never answers; what is asked holds a part of it.
struct Patient(Arc<()>);

impl User for Patient {
    fn permission(&self, _: PermissionParams) -> Answer<PermissionResult> {
        let asked = self.0.clone();
        Box::pin(async move {
            std::future::pending::<()>().await;
            drop(asked);
            PermissionResult::cancelled()
        })
    }
}

/// Nobody waits for the answer any more, so the user must not be left with the question.
#[tokio::test]
async fn a_turn_that_is_dropped_withdraws_its_questions() {
    within(async {
        let (agent, _) = Agent::with_turns(|peer| async move {
            let request = permission("t", json!({}));
            // The call itself goes on when the turn is dropped.
            let asking =
                tokio::spawn(
                    async move { ask(&peer, "session/request_permission", request).await },
                );
            let answer = asking.await.unwrap();
            assert_eq!(answer.unwrap()["outcome"]["outcome"], "cancelled");
            end_turn()
        });
        let asked = Arc::new(());
        let setup = Setup {
            user: Arc::new(Patient(asked.clone())),
            ..Setup::default()
        };
        let (_agent, _client, session) = agent.session(setup, Path::new(ROOT)).await;
        let turn = session.prompt(hello()).await.unwrap();
        while Arc::strong_count(&asked) < 3 {
            tokio::task::yield_now().await;
        }
        drop(turn);
        while Arc::strong_count(&asked) == 3 {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_turn_that_is_dropped_is_cancelled() {
    within(async {
        let (agent, mut cancelled) = Agent::with_turns(|_| std::future::pending());
        let (_agent, _client, session) = agent.session(Setup::default(), Path::new(ROOT)).await;
        drop(session.prompt(hello()).await.unwrap());
        cancelled.recv().await.unwrap();
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

/// Tokio's clock is stopped: it goes on when everything waits.
#[tokio::test(start_paused = true)]
async fn a_silent_turn_is_cancelled_and_fails() {
    let (agent, mut cancelled) = Agent::with_turns(|_| async {
        tokio::time::sleep(Duration::from_secs(100_000)).await;
        end_turn()
    });
    let (_agent, _client, session) = agent.session(Setup::default(), Path::new(ROOT)).await;
    let error = session
        .prompt(hello())
        .await
        .unwrap()
        .finish()
        .await
        .unwrap_err();
    assert!(
        matches!(error, ClientError::Inactive(limit) if limit.as_secs() == 300),
        "{error}"
    );
    cancelled.recv().await.unwrap();
    // The session can be used again.
    session.prompt(hello()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn time_that_the_user_takes_is_not_silence() {
    let (agent, _) = Agent::with_turns(|peer| async move {
        let answer = ask(
            &peer,
            "session/request_permission",
            permission("t", json!({})),
        )
        .await;
        assert_eq!(answer.unwrap()["outcome"]["optionId"], "yes");
        end_turn()
    });
    struct Slow;
    impl User for Slow {
        fn permission(&self, _: PermissionParams) -> Answer<PermissionResult> {
            Box::pin(async {
                tokio::time::sleep(Duration::from_secs(10_000)).await;
                PermissionResult::selected("yes")
            })
        }
    }
    let setup = Setup {
        user: Arc::new(Slow),
        ..Setup::default()
    };
    let (_agent, _client, session) = agent.session(setup, Path::new(ROOT)).await;
    finished(&session).await;
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_ignores_a_cancellation_is_not_waited_for() {
    let (agent, _) = Agent::with_turns(|_| std::future::pending());
    let (_agent, _client, session) = agent.session(Setup::default(), Path::new(ROOT)).await;
    let turn = session.prompt(hello()).await.unwrap();
    turn.canceller().cancel();
    let error = turn.finish().await.unwrap_err();
    assert!(matches!(error, ClientError::CancelIgnored(_)), "{error}");
}

#[tokio::test]
async fn a_flood_is_read_as_fast_as_it_is_used_and_in_order() {
    const COUNT: usize = 30_000;
    within(async {
        let (agent, _) = Agent::with_turns(|peer| async move {
            for number in 0..COUNT {
                say(&peer, &number.to_string()).await;
            }
            end_turn()
        });
        let (_agent, _client, session) = agent.session(Setup::default(), Path::new(ROOT)).await;
        let mut turn = session.prompt(hello()).await.unwrap();
        let mut number = 0;
        while let Some(update) = turn.next().await.unwrap() {
            assert_eq!(text(&update), number.to_string());
            number += 1;
            if number % 5000 == 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        assert_eq!(number, COUNT);
    })
    .await;
}

/// Outside of a turn they may stay unread.
#[tokio::test]
async fn a_flood_outside_of_a_turn_does_not_fill_the_memory() {
    within(async {
        let (agent, _) = Agent::new(json!({}), |peer, method, _| async move {
            if method == "session/set_mode" {
                for number in 0..10_000 {
                    say(&peer, &number.to_string()).await;
                }
                return Some(Ok(payload(&json!({}))));
            }
            None
        });
        let (_agent, _client, session) = agent.session(Setup::default(), Path::new(ROOT)).await;
        session.set_mode("any").await.unwrap();
        assert_eq!(session.missed(), 10_000 - 4096);
        assert_eq!(
            text(&session.try_next().unwrap()),
            (10_000 - 4096).to_string()
        );
    })
    .await;
}

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

/// Its input is full, and so is the queue for it.
#[tokio::test]
async fn an_agent_that_does_not_read_does_not_keep_the_user_from_cancelling() {
    within(async {
        let (here, there) = Io::pair();
        let (reader, mut writer) = there.into_parts();
        let agent = tokio::spawn(async move {
            let mut lines = BufReader::new(reader).lines();
            for result in [json!({ "protocolVersion": 1 }), json!({ "sessionId": "s" })] {
                let line = lines.next_line().await.unwrap().unwrap();
                let message: Value = serde_json::from_str(&line).unwrap();
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
                writer
                    .write_all(format!("{answer}\n").as_bytes())
                    .await
                    .unwrap();
            }
            std::future::pending::<()>().await;
            drop(lines);
        });
        let setup = Setup {
            cancel_limit: Duration::from_millis(10),
            ..Setup::default()
        };
        let client = Client::connect(here, setup).await.unwrap();
        let session = client.new_session(Folder::new(ROOT)).await.unwrap();
        let large = ContentBlock::text("x".repeat(12 * 1024 * 1024));
        let turn = session.prompt(vec![large]).await.unwrap();
        turn.canceller().cancel();
        let error = turn.finish().await.unwrap_err();
        assert!(matches!(error, ClientError::CancelIgnored(_)), "{error}");
        agent.abort();
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
