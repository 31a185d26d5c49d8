//! What may be sent in which state.

use std::path::Path;

use serde_json::{Value, json};
use tenon_acp::paths::FolderNames;
use tenon_acp::policy::{Action, Policy};
use tenon_acp::turns::{Arrival, Step, Turns};
use tenon_protocols::acp::Profile;
use tenon_rpc::{ErrorCode, Payload, RpcError};

/// Folders of sessions, which need not exist but must be absolute.
const W: &str = if cfg!(windows) { "C:/w" } else { "/w" };
const X: &str = if cfg!(windows) { "C:/x" } else { "/x" };

fn payload(value: &Value) -> Payload {
    Payload::from_json(value.to_string()).unwrap()
}

fn call(turns: &mut Turns, method: &str, params: &Value) -> Result<Step, i64> {
    turns
        .client_calls(method, Some(&payload(params)))
        .map_err(|error| error.code.number())
}

fn answer(turns: &mut Turns, step: Step, result: &Value) {
    turns.agent_answers(step, Ok(&payload(result)));
}

fn fail(turns: &mut Turns, step: Step) {
    turns.agent_answers(step, Err(&RpcError::new(ErrorCode::INTERNAL_ERROR, "no")));
}

fn session(id: &str) -> Value {
    json!({ "sessionId": id, "cwd": W, "prompt": [], "mcpServers": [] })
}

/// A connection with the session `s`.
fn ready() -> Turns {
    let mut turns = Turns::new(Profile::V1);
    let step = call(&mut turns, "initialize", &json!({ "protocolVersion": 1 })).unwrap();
    answer(&mut turns, step, &json!({ "protocolVersion": 1 }));
    let step = call(
        &mut turns,
        "session/new",
        &json!({ "cwd": W, "mcpServers": [] }),
    )
    .unwrap();
    answer(&mut turns, step, &json!({ "sessionId": "s" }));
    turns
}

const LOCKED: i64 = -31902;
const UNKNOWN: i64 = -31900;
const INVALID: i64 = -32600;

#[test]
fn initialize_comes_first_and_once() {
    let mut turns = Turns::new(Profile::V1);
    assert_eq!(call(&mut turns, "session/new", &session("s")), Err(INVALID));
    let step = call(&mut turns, "initialize", &json!({})).unwrap();
    assert_eq!(
        call(&mut turns, "session/new", &session("s")),
        Err(INVALID),
        "not answered yet"
    );
    assert_eq!(call(&mut turns, "initialize", &json!({})), Err(INVALID));
    fail(&mut turns, step);
    let step = call(&mut turns, "initialize", &json!({})).unwrap();
    answer(&mut turns, step, &json!({ "protocolVersion": 1 }));
    assert_eq!(call(&mut turns, "initialize", &json!({})), Err(INVALID));
    assert!(call(&mut turns, "authenticate", &json!({ "methodId": "x" })).is_ok());
}

#[test]
fn a_session_has_one_turn_at_a_time() {
    let mut turns = ready();
    assert_eq!(
        call(&mut turns, "session/prompt", &session("other")),
        Err(UNKNOWN)
    );
    let turn = call(&mut turns, "session/prompt", &session("s")).unwrap();
    assert_eq!(
        call(&mut turns, "session/prompt", &session("s")),
        Err(LOCKED)
    );
    assert_eq!(call(&mut turns, "session/load", &session("s")), Err(LOCKED));
    assert!(
        call(&mut turns, "session/set_mode", &session("s")).is_ok(),
        "legal in a turn"
    );
    assert_eq!(turns.busy(), ["s"]);
    fail(&mut turns, turn);
    assert!(turns.busy().is_empty(), "a failed turn is over");
    let turn = call(&mut turns, "session/prompt", &session("s")).unwrap();
    answer(&mut turns, turn, &json!({ "stopReason": "end_turn" }));
    assert!(call(&mut turns, "session/prompt", &session("s")).is_ok());
}

#[test]
fn agents_that_queue_prompts_get_them() {
    let mut turns = Turns::new(Profile::V1);
    let step = call(&mut turns, "initialize", &json!({})).unwrap();
    let queues = json!({ "protocolVersion": 1, "agentCapabilities": { "_meta": { "claudeCode": { "promptQueueing": true } } } });
    answer(&mut turns, step, &queues);
    let step = call(&mut turns, "session/new", &session("s")).unwrap();
    answer(&mut turns, step, &json!({ "sessionId": "s" }));
    let first = call(&mut turns, "session/prompt", &session("s")).unwrap();
    let second = call(&mut turns, "session/prompt", &session("s")).unwrap();
    answer(&mut turns, first, &json!({ "stopReason": "end_turn" }));
    assert_eq!(turns.busy(), ["s"]);
    answer(&mut turns, second, &json!({ "stopReason": "end_turn" }));
    assert!(turns.busy().is_empty());
}

#[test]
fn a_cancelled_turn_is_remembered_until_it_ends() {
    let mut turns = ready();
    let cancel = payload(&json!({ "sessionId": "s" }));
    assert!(turns.client_sends("session/cancel", Some(&cancel)));
    assert!(
        !turns.session("s").unwrap().is_cancelled(),
        "there was no turn"
    );
    assert!(!turns.client_sends(
        "session/cancel",
        Some(&payload(&json!({ "sessionId": "x" })))
    ));
    let turn = call(&mut turns, "session/prompt", &session("s")).unwrap();
    assert!(turns.client_sends("session/cancel", Some(&cancel)));
    assert!(turns.agent_calls("s").unwrap().is_cancelled());
    answer(&mut turns, turn, &json!({ "stopReason": "cancelled" }));
    assert!(!turns.session("s").unwrap().is_cancelled());
    assert!(turns.client_sends("_vendor/event", None));
}

#[test]
fn sessions_are_opened_and_closed_by_answers() {
    let mut turns = ready();
    assert_eq!(turns.agent_updates("s"), Arrival::Known);
    assert_eq!(turns.agent_updates("early"), Arrival::Stray);
    let step = call(&mut turns, "session/new", &session("x")).unwrap();
    assert_eq!(
        turns.agent_updates("early"),
        Arrival::Early,
        "before the answer that names it"
    );
    fail(&mut turns, step);
    assert_eq!(turns.agent_updates("early"), Arrival::Stray);
    // The history of a loaded session comes before the answer.
    let step = call(&mut turns, "session/load", &session("old")).unwrap();
    assert_eq!(turns.agent_updates("old"), Arrival::Known);
    assert_eq!(
        call(&mut turns, "session/prompt", &session("old")),
        Err(LOCKED),
        "it is being loaded"
    );
    fail(&mut turns, step);
    assert_eq!(
        turns.agent_updates("old"),
        Arrival::Stray,
        "an unknown session is not there afterwards"
    );
    let step = call(&mut turns, "session/load", &session("old")).unwrap();
    turns.agent_answers(step, Ok(&payload(&Value::Null)));
    assert!(call(&mut turns, "session/prompt", &session("old")).is_ok());
    // Loading an open session again does not lose it if that fails.
    let step = call(&mut turns, "session/resume", &session("s")).unwrap();
    fail(&mut turns, step);
    assert_eq!(turns.agent_updates("s"), Arrival::Known);
    let step = call(&mut turns, "session/close", &session("s")).unwrap();
    assert_eq!(
        turns.agent_updates("s"),
        Arrival::Known,
        "not before the answer"
    );
    answer(&mut turns, step, &json!({}));
    assert_eq!(
        call(&mut turns, "session/prompt", &session("s")),
        Err(UNKNOWN)
    );
    assert_eq!(
        call(&mut turns, "session/close", &session("s")),
        Err(UNKNOWN)
    );
    assert!(
        call(&mut turns, "session/delete", &session("s")).is_ok(),
        "deleting twice succeeds"
    );
}

#[test]
fn names_and_folders_are_checked() {
    let mut turns = ready();
    for id in ["", "a\nb", "\u{0}", &"x".repeat(257)] {
        assert_eq!(
            call(&mut turns, "session/load", &session(id)),
            Err(-32602),
            "{id:?}"
        );
    }
    assert_eq!(
        call(&mut turns, "session/prompt", &json!({ "prompt": [] })),
        Err(-32602)
    );
    for cwd in ["relative/path", "", "."] {
        assert_eq!(
            call(
                &mut turns,
                "session/new",
                &json!({ "cwd": cwd, "mcpServers": [] })
            ),
            Err(-32602),
            "{cwd:?}"
        );
    }
    let more = json!({ "cwd": W, "mcpServers": [], "additionalDirectories": [X, "y"] });
    assert_eq!(call(&mut turns, "session/new", &more), Err(-32602));
    assert_eq!(
        turns.agent_updates("early"),
        Arrival::Stray,
        "refused calls open nothing"
    );
    for id in [
        "ses_e21f3563affenn4QURJP3upqqk",
        "0",
        "é",
        "0c6ff4c8-7b0c-4f04-9b0e-2f1f3a3c1d11",
    ] {
        assert!(
            call(&mut turns, "session/load", &session(id)).is_ok(),
            "{id}"
        );
    }
}

#[test]
fn there_is_a_limit_for_sessions() {
    let mut turns = ready();
    for number in 0..1023 {
        let step = call(&mut turns, "session/new", &session("")).unwrap();
        answer(
            &mut turns,
            step,
            &json!({ "sessionId": number.to_string() }),
        );
    }
    assert_eq!(call(&mut turns, "session/new", &session("")), Err(INVALID));
    let loaded = call(&mut turns, "session/load", &session("old"));
    assert_eq!(loaded, Err(INVALID));
    assert!(call(&mut turns, "session/load", &session("s")).is_ok());
}

/// A request for permission may name a call and nothing else; what was said before counts.
#[test]
fn what_a_tool_call_does_is_remembered() {
    let mut turns = ready();
    let session = turns.session("s").unwrap();
    let update = |update: Value| serde_json::from_value(update).unwrap();
    session.note(&update(
        json!({ "sessionUpdate": "tool_call", "toolCallId": "t", "title": "Edit", "kind": "edit" }),
    ));
    session.note(&update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "t", "rawInput": { "path": format!("{W}/.env") } })));
    let request = serde_json::from_value(
        json!({ "toolCallId": "t", "locations": [{ "path": format!("{W}/src/a") }] }),
    )
    .unwrap();
    let facts = session.facts_of(&request);
    assert_eq!(facts.paths.len(), 2);
    let text =
        "rule \"a\" {\n  action = \"deny\"\n  kind = [\"edit\"]\n  path = [\"**/.env\"]\n}\n";
    let policy = Policy::parse(&tenon_hcl::Source::new("p", text)).unwrap();
    let folder = FolderNames::only(W);
    assert_eq!(policy.decide(&facts, &folder).action, Action::Deny);
    let unknown = serde_json::from_value(json!({ "toolCallId": "other" })).unwrap();
    assert!(session.facts_of(&unknown).kind.is_none());
    for number in 0..5000 {
        session.note(&update(
            json!({ "sessionUpdate": "tool_call", "toolCallId": number.to_string(), "title": "" }),
        ));
    }
    assert!(
        session.facts_of(&request).kind.is_none(),
        "the oldest are forgotten"
    );
}

/// As many as there may be, each as long as it may be, would be gigabytes.
#[test]
fn what_is_kept_of_a_session_is_bounded_in_bytes() {
    let mut turns = ready();
    let session = turns.session("s").unwrap();
    let update = |update: Value| serde_json::from_value(update).unwrap();
    for number in 0..200 {
        let command = format!("make {number} {}", "x".repeat(100_000));
        session.note(&update(
            json!({ "sessionUpdate": "tool_call", "toolCallId": number.to_string(), "title": "", "kind": "execute", "rawInput": { "command": command } }),
        ));
    }
    let mut is_known = |number: usize| {
        let call = serde_json::from_value(json!({ "toolCallId": number.to_string() })).unwrap();
        session.facts_of(&call).kind.is_some()
    };
    assert!(is_known(199) && is_known(150));
    assert!(!is_known(0) && !is_known(100), "the oldest are forgotten");
}

#[test]
fn terminals_belong_to_their_session() {
    let mut turns = ready();
    let session = turns.session("s").unwrap();
    assert!(session.add_terminal("t1") && !session.add_terminal("t1"));
    assert!(session.has_terminal("t1") && !session.has_terminal("t2"));
    session.remove_terminal("t1");
    assert!(!session.has_terminal("t1"));
    let accepted = (0..1000)
        .filter(|number| session.add_terminal(&number.to_string()))
        .count();
    assert_eq!(accepted, 256);
}

/// A session that is loaded again keeps what it has, and takes no prompt meanwhile.
#[test]
fn an_open_session_can_be_loaded_again() {
    for is_answered in [true, false] {
        let mut turns = ready();
        turns.session("s").unwrap().add_terminal("t");
        let load = call(&mut turns, "session/load", &session("s")).unwrap();
        for method in ["session/prompt", "session/load"] {
            let refused = call(&mut turns, method, &session("s"));
            assert_eq!(refused, Err(LOCKED), "{method}");
        }
        match is_answered {
            true => answer(&mut turns, load, &json!({})),
            false => fail(&mut turns, load),
        }
        assert!(turns.session("s").unwrap().has_terminal("t"));
        let turn = call(&mut turns, "session/prompt", &session("s"));
        assert!(turn.is_ok(), "{turn:?}");
        assert_eq!(turns.busy(), ["s"]);
    }
}

#[test]
fn a_new_session_does_not_replace_an_open_one() {
    let mut turns = ready();
    let turn = call(&mut turns, "session/prompt", &session("s")).unwrap();
    let params = json!({ "cwd": X, "mcpServers": [] });
    let step = call(&mut turns, "session/new", &params).unwrap();
    answer(&mut turns, step, &json!({ "sessionId": "s" }));
    assert_eq!(turns.session("s").unwrap().folder(), Path::new(W));
    assert_eq!(turns.busy(), ["s"]);
    answer(&mut turns, turn, &json!({ "stopReason": "end_turn" }));
    assert!(turns.busy().is_empty());
}
