//! Turns that are cancelled, dropped or silent.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::actors::{Agent, Scripted, ask, end_turn, finished, hello, permission, say, text};
use crate::support::{ROOT, payload, within};
use crate::with_user;
use serde_json::{Value, json};
use tenon_acp::client::{Answer, Client, ClientError, Folder, Offered, Setup, User};
use tenon_protocols::acp::{
    ContentBlock, ElicitationParams, ElicitationResult, Empty, ImageContent, PermissionParams,
    PermissionResult, StopReason,
};
use tenon_rpc::Io;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc::Receiver;

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
        // This one belongs to the prompt instead of the session.
        let form = json!({ "requestId": 3, "mode": "form", "message": "?",
            "requestedSchema": { "type": "object", "properties": {} } });
        let answer = ask(&peer, "elicitation/create", form).await;
        assert_eq!(answer.unwrap()["action"], "decline");
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

        fn elicitation(&self, _: ElicitationParams) -> Answer<ElicitationResult> {
            Box::pin(async {
                tokio::time::sleep(Duration::from_secs(10_000)).await;
                ElicitationResult::Decline(Empty::default())
            })
        }
    }
    let setup = Setup {
        offered: Offered {
            forms: true,
            ..Offered::default()
        },
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

/// Its input is full, and so is the queue for it.
#[tokio::test]
async fn an_agent_that_does_not_read_does_not_keep_the_user_from_cancelling() {
    within(async {
        let (here, there) = Io::pair();
        let (reader, mut writer) = there.into_parts();
        let agent = tokio::spawn(async move {
            let mut lines = BufReader::new(reader).lines();
            let able = json!({ "promptCapabilities": { "image": true } });
            let initialized = json!({ "protocolVersion": 1, "agentCapabilities": able });
            for result in [initialized, json!({ "sessionId": "s" })] {
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
        let large = ImageContent::new("x".repeat(12 * 1024 * 1024), "image/png");
        let large = ContentBlock::Image(large);
        let turn = session.prompt(vec![large]).await.unwrap();
        turn.canceller().cancel();
        let error = turn.finish().await.unwrap_err();
        assert!(matches!(error, ClientError::CancelIgnored(_)), "{error}");
        agent.abort();
    })
    .await;
}
