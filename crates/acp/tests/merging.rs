//! Property: whatever an agent sends and when, its updates arrive in order and complete.

use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use tenon_acp::merge::Merger;
use tenon_protocols::acp::Rate;
use tenon_rpc::{Format, Payload};

fn update() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        "",
        "[a-z ]{1,8}",
        "\\PC{0,4}",
        Just("\u{0}\"\\\n".to_owned())
    ];
    let kind = prop_oneof![Just("agent_message_chunk"), Just("agent_thought_chunk")];
    let id = prop_oneof![Just(Value::Null), Just(json!("m1")), Just(json!("m2"))];
    prop_oneof![
        8 => (kind, text, id).prop_map(|(kind, text, id)| {
            let mut update = json!({ "sessionUpdate": kind, "content": { "type": "text", "text": text } });
            if !id.is_null() {
                update["messageId"] = id;
            }
            update
        }),
        1 => Just(json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "image", "data": "", "mimeType": "x" } })),
        1 => Just(json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "m" }, "_meta": { "a": 1 } })),
        1 => (0..9u8).prop_map(|n| json!({ "sessionUpdate": "tool_call_update", "toolCallId": n.to_string() })),
        1 => (0..9u8).prop_map(|n| json!({ "sessionUpdate": "hologram", "n": n })),
    ]
}

/// Joins all chunks of the same message that follow each other, as a client would show them.
fn shown(updates: &[Value]) -> Vec<Value> {
    let mut shown: Vec<Value> = Vec::new();
    for update in updates {
        let head = |update: &Value| {
            let mut head = update.clone();
            let text = head.pointer_mut("/content/text").map(Value::take);
            (head, text)
        };
        let (this, text) = head(update);
        let is_plain = text.is_some() && update.get("_meta").is_none();
        match shown.last_mut() {
            Some(last) if is_plain && head(last).0 == this && last.get("_meta").is_none() => {
                let joined = format!(
                    "{}{}",
                    last["content"]["text"].as_str().unwrap(),
                    text.unwrap().as_str().unwrap()
                );
                last["content"]["text"] = json!(joined);
            }
            _ => shown.push(update.clone()),
        }
    }
    shown
}

proptest! {
    #[test]
    fn updates_arrive_in_order_and_complete(
        sent in prop::collection::vec((update(), 0..400u64, prop::bool::weighted(0.05)), 0..200),
        per_minute in 1..2000u32,
    ) {
        let mut merger = Merger::new(Rate { per_minute });
        let (mut now, mut passed, mut given) = (0, Vec::new(), Vec::new());
        for (update, pause, is_flushed) in sent {
            now += pause;
            let params = json!({ "sessionId": "s", "update": update });
            given.push(update);
            let payload = Payload::encode(Format::Json, &params).unwrap();
            passed.extend(merger.push(payload, Duration::from_millis(now)));
            if is_flushed {
                passed.extend(merger.flush());
            }
        }
        if let Some(at) = merger.next_at() {
            passed.extend(merger.pull(at.max(Duration::from_millis(now))));
        }
        passed.extend(merger.flush());
        let passed: Vec<Value> = passed.iter().map(|params| params.decode::<Value>().unwrap()["update"].clone()).collect();
        prop_assert!(passed.len() <= given.len());
        prop_assert_eq!(shown(&passed), shown(&given));
    }
}
