//! A connection, as a handler has it.

use std::sync::Arc;

use serde_json::json as value;
use tenon_ipc::{FromClient, Server, Session, Token};
use tenon_rpc::{CallError, Payload, Router, calls::Prepared, methods};

use crate::exact::assert_fits;
use crate::place::{Place, Raw, eventually, json};

methods! {
    /// Tells how far it has come.
    Work = "work" (Token) -> ();
}

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"one"}"#;

fn router() -> Router<()> {
    Router::new(()).on_raw("one", |_, _| async { Ok(json("1")) })
}

/// A client, and its session on the server.
async fn met(place: &Place) -> (Server, Raw, Session) {
    let server = place.serve(router());
    let mut raw = place.raw().await;
    raw.ask(CALL).await;
    let session = server.clients().all().remove(0);
    (server, raw, session)
}

#[tokio::test]
async fn events_have_no_id_and_only_the_params_they_were_given() {
    let place = Place::new();
    let (_server, mut raw, session) = met(&place).await;
    for (params, expected) in [
        (None, r#"{"jsonrpc":"2.0","method":"e"}"#),
        (Some("[]"), r#"{"jsonrpc":"2.0","method":"e","params":[]}"#),
        (
            Some("{\"a\":1.0}"),
            r#"{"jsonrpc":"2.0","method":"e","params":{"a":1.0}}"#,
        ),
        (
            Some("\"x\""),
            r#"{"jsonrpc":"2.0","method":"e","params":"x"}"#,
        ),
        (Some("5"), r#"{"jsonrpc":"2.0","method":"e","params":5}"#),
    ] {
        let params = params.map(json);
        session.notify_raw("e", params.clone()).await.unwrap();
        assert_eq!(raw.receive().await.unwrap(), expected);
        assert!(session.offer(&Arc::new(Prepared::new("e", params))));
        assert_eq!(raw.receive().await.unwrap(), expected, "offered");
    }
}

/// A line must stay one, whatever the payload looks like.
#[tokio::test]
async fn params_with_line_breaks_are_one_line() {
    let place = Place::new();
    let (_server, mut raw, session) = met(&place).await;
    let params: Payload = json("{\r\n  \"a\": [\n1,\n2]\n}");
    session.notify_raw("e", Some(params)).await.unwrap();
    let line = raw.receive().await.unwrap();
    assert_fits(
        &line,
        r#"{"jsonrpc":"2.0","method":"e","params":{"a":[1,2]}}"#,
    );
}

#[tokio::test]
async fn what_a_handler_sends_comes_before_its_answer() {
    let place = Place::new();
    let router = Router::new(()).on_raw("work", |context, _| async move {
        let session = context.session();
        for step in 1..=3 {
            let params = json(&format!("[{step}]"));
            session.notify_raw("step", Some(params)).await.unwrap();
        }
        Ok(json("\"done\""))
    });
    let _server = place.serve(router);
    let mut raw = place.raw().await;
    raw.send(r#"{"jsonrpc":"2.0","id":1,"method":"work"}"#)
        .await;
    for step in 1..=3 {
        let expected = format!(r#"{{"jsonrpc":"2.0","method":"step","params":[{step}]}}"#);
        assert_eq!(raw.receive().await.unwrap(), expected);
    }
    let done = r#"{"jsonrpc":"2.0","id":1,"result":"done"}"#;
    assert_eq!(raw.receive().await.unwrap(), done);
}

#[tokio::test]
async fn progress_comes_with_its_token_before_the_answer() {
    let place = Place::new();
    let router = Router::new(()).on(Work, |context, token| async move {
        let session = context.session();
        session
            .progress(token, value!({"percentage": 50}))
            .await
            .ok();
        Ok(())
    });
    let _server = place.serve(router);
    let mut raw = place.raw().await;
    for token in ["7", "\"seven\""] {
        let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"work","params":{token}}}"#);
        let expected = format!(
            r#"{{"jsonrpc":"2.0","method":"$/progress","params":{{"token":{token},"value":{{"percentage":50}}}}}}"#
        );
        assert_fits(&raw.ask(&call).await, &expected);
        let done = raw.receive().await.unwrap();
        assert_fits(&done, r#"{"jsonrpc":"2.0","id":1,"result":null}"#);
    }
}

#[tokio::test]
async fn a_handler_that_closes_the_connection_is_not_answered() {
    let place = Place::new();
    let router = Router::new(()).on_raw("close", |context, _| async move {
        context.session().close();
        Ok(json("1"))
    });
    let server = place.serve(router);
    let mut raw = place.raw().await;
    raw.send(r#"{"jsonrpc":"2.0","id":1,"method":"close"}"#)
        .await;
    assert_eq!(raw.receive().await, None);
    let clients = server.clients();
    eventually("it has left", || clients.count() == 0).await;
}

#[tokio::test]
async fn closing_twice_is_closing_once_and_nothing_can_be_sent_then() {
    let place = Place::new();
    let (server, mut raw, session) = met(&place).await;
    assert!(!session.peer().is_closed());
    session.close();
    session.close();
    session.peer().closed().await;
    assert!(session.peer().is_closed());
    assert_eq!(raw.receive().await, None);
    let sent = session.notify_raw("e", None).await;
    assert!(matches!(sent, Err(CallError::Closed(_))), "{sent:?}");
    assert!(!session.offer(&Arc::new(Prepared::new("e", None))));
    let called = session.peer().call_raw("x", None).await;
    assert!(matches!(called, Err(CallError::Closed(_))), "{called:?}");
    let clients = server.clients();
    eventually("it has left", || clients.count() == 0).await;
}

#[tokio::test]
async fn messages_of_many_concurrent_senders_arrive_whole() {
    const SENDERS: usize = 10;
    const EACH: usize = 50;
    let place = Place::new();
    let (_server, mut raw, session) = met(&place).await;
    let senders: Vec<_> = (0..SENDERS)
        .map(|sender| {
            let session = session.clone();
            tokio::spawn(async move {
                for number in 0..EACH {
                    // Some are larger than what a socket takes at once.
                    let filling = "x".repeat(number * 1000);
                    let params = json(&format!("[{sender},{number},\"{filling}\"]"));
                    session.notify_raw("e", Some(params)).await.unwrap();
                }
            })
        })
        .collect();
    let mut next = [0; SENDERS];
    for _ in 0..SENDERS * EACH {
        let event: serde_json::Value = serde_json::from_str(&raw.receive().await.unwrap()).unwrap();
        let params = &event["params"];
        let sender = usize::try_from(params[0].as_u64().unwrap()).unwrap();
        assert_eq!(params[1], next[sender], "in the order of each sender");
        assert_eq!(params[2].as_str().unwrap().len(), next[sender] * 1000);
        next[sender] += 1;
    }
    assert_eq!(next, [EACH; SENDERS]);
    for sender in senders {
        sender.await.unwrap();
    }
}

#[tokio::test]
async fn stored_values_are_kept_per_client_and_type() {
    let place = Place::new();
    let (server, _raw, session) = met(&place).await;
    let mut other = place.raw().await;
    other.ask(CALL).await;
    let other = server.clients().all().remove(1);
    assert_eq!(session.kept::<u32>(), None);
    session.keep(5_u32);
    assert_eq!(session.kept::<u32>().as_deref(), Some(&5));
    assert_eq!(session.kept::<String>(), None);
    assert_eq!(other.kept::<u32>(), None);
    session.keep("name".to_owned());
    assert_eq!(
        session.kept::<String>().as_deref(),
        Some(&"name".to_owned())
    );
    assert_eq!(session.kept::<u32>(), None, "in place of what was there");
}
