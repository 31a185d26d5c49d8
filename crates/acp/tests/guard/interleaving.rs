//! Any sequence of updates, events and calls of an agent.

use serde_json::{Value, json};
use tenon_acp::guard::{Limits, Settings};
use tenon_rpc::Payload;

use super::actors::{Agent, Stage, json_payload};
use super::{call, value};

const KINDS: [&str; 8] = [
    r#"{"sessionId":"SESSION","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"NUMBER"}}}"#,
    r#"{ "update": {"content":{"text":"\u0041NUMBER","type":"text"}, "sessionUpdate":"agent_thought_chunk"}, "sessionId":"SESSION" }"#,
    r#"{"sessionId":"SESSION","update":{"sessionUpdate":"tool_call","toolCallId":"NUMBER","title":"x","rawInput":{"n":1.00}}}"#,
    r#"{"sessionId":"SESSION","update":{"sessionUpdate":"tool_call_update","toolCallId":"NUMBER","_meta":{"n":1e2}}}"#,
    r#"{"sessionId":"SESSION","update":{"sessionUpdate":"hologram","n":[NUMBER , 12345678901234567890]}}"#,
    r#"{"sessionId":"SESSION","update":{"sessionUpdate":"plan","entries":[ ]},"_meta":{"x":NUMBER}}"#,
    r#"{"event":[ NUMBER ]}"#,
    r#"{"call":[ NUMBER ]}"#,
];

const SESSIONS: [&str; 2] = ["s", "s1"];

/// What an agent sends, by kind and session.
fn script(picks: &[(usize, usize)]) -> Vec<String> {
    let line = |(number, (kind, session)): (usize, &(usize, usize))| {
        let text = KINDS[*kind].replace("NUMBER", &format!("{number} "));
        text.replace("SESSION", SESSIONS[*session])
    };
    picks.iter().enumerate().map(line).collect()
}

/// What an editor with two sessions sees of such a script, while it makes a call itself.
async fn seen(sent: &[String], settings: Settings) -> Vec<String> {
    let script = sent.to_vec();
    let agent = Agent::new(move |peer, _| {
        let script = script.clone();
        async move {
            for text in script {
                let params = Some(Payload::from_json(text.as_str()).unwrap());
                match () {
                    () if text.contains("\"call\"") => {
                        let answer = peer.call_raw("_vendor/call", params).await.unwrap();
                        assert_eq!(answer.bytes(), text.as_bytes());
                    }
                    () if text.contains("\"event\"") => {
                        peer.send_raw("_vendor/event", params).await.unwrap();
                    }
                    () => peer.send_raw("session/update", params).await.unwrap(),
                }
            }
            Ok(json_payload(&json!({ "stopReason": "end_turn" })))
        }
    });
    let stage = Stage::open(agent, settings).await;
    let params = json!({ "cwd": "/", "mcpServers": [] });
    let second = call(stage.editor(), "session/new", &params).await.unwrap();
    assert_eq!(value(&second)["sessionId"], SESSIONS[1]);
    let (turn, ()) = tokio::join!(stage.prompt("go"), stage.settle());
    turn.unwrap();
    stage.updates()
}

/// A chunk of text that may be joined with others, or anything else as it is.
#[derive(Clone, Debug, PartialEq)]
enum Item {
    Text {
        kind: String,
        text: String,
        /// Its bytes, if it was not joined.
        bytes: Option<String>,
    },
    Other(String),
}

impl Item {
    fn of(line: &str) -> Item {
        let params: Value = serde_json::from_str(line).unwrap();
        let update = &params["update"];
        match update["content"]["text"].as_str() {
            Some(text) => Item::Text {
                kind: update["sessionUpdate"].to_string(),
                text: text.to_owned(),
                bytes: Some(line.to_owned()),
            },
            None => Item::Other(line.to_owned()),
        }
    }
}

/// What belongs to a session, in order, with chunks that follow each other joined. Events and calls belong to both.
fn of_session(lines: &[String], session: &str) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for line in lines {
        let params: Value = serde_json::from_str(line).unwrap();
        if params["sessionId"].as_str().is_some_and(|id| id != session) {
            continue;
        }
        let item = Item::of(line);
        if let (
            Some(Item::Text { kind, text, bytes }),
            Item::Text {
                kind: next,
                text: more,
                ..
            },
        ) = (items.last_mut(), &item)
            && kind == next
        {
            text.push_str(more);
            *bytes = None;
            continue;
        }
        items.push(item);
    }
    items
}

fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime.unwrap().block_on(work)
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(48))]

    /// Whatever is sent, and in whichever order, arrives in that order with its bytes.
    #[test]
    fn any_interleaving_passes_in_order_and_unchanged(
        picks in proptest::collection::vec((0..KINDS.len(), 0..SESSIONS.len()), 0..120),
    ) {
        let sent = script(&picks);
        let limits = Limits { rates: false, ..Limits::default() };
        let seen = run(seen(&sent, Settings { limits, ..Settings::default() }));
        assert_eq!(seen, sent);
    }

    /// With the limits that hold by default, text is joined, and nothing is lost or changes its place in its session.
    #[test]
    fn any_flood_is_joined_in_order_and_complete(
        // Mostly text, as agents send it.
        picks in proptest::collection::vec((
            proptest::prop_oneof![20 => 0..2_usize, 1 => 2..KINDS.len()], 0..SESSIONS.len()
        ), 300..600),
    ) {
        let sent = script(&picks);
        let seen = run(seen(&sent, Settings::default()));
        for session in SESSIONS {
            let (expected, arrived) = (of_session(&sent, session), of_session(&seen, session));
            assert_eq!(arrived.len(), expected.len());
            for (arrived, expected) in arrived.iter().zip(&expected) {
                match (arrived, expected) {
                    // Several chunks may have arrived as one.
                    (Item::Text { kind, text, .. }, Item::Text { kind: of, text: whole, bytes: None }) => {
                        assert_eq!((kind, text), (of, whole));
                    }
                    _ => assert_eq!(arrived, expected),
                }
            }
        }
    }
}
