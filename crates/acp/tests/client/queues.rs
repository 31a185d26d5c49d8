//! Updates that come early, late or in great numbers.

use std::path::Path;
use std::time::Duration;

use crate::actors::{Agent, end_turn, hello, say, text, update};
use crate::support::{ROOT, payload, within};
use serde_json::json;
use tenon_acp::client::Setup;
use tenon_protocols::acp::SessionUpdate;

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
