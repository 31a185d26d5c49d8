//! How a plugin is begun, called by any name, cancelled and ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use tenon_plugin::schema::Offer;
use tenon_plugin::{
    Created, Data, Existing, Failure, Found, Host as Caller, Plugin, Resource, attributes,
};
use tenon_rpc::{CallError, ErrorCode, Format, Io, Payload, Router};
use tokio::sync::Notify;

use crate::accounts::plugin;
use crate::host::{Host, connect, raw};

/// Every method of a plugin of functions and resources, and params that it answers with a result.
fn methods() -> Vec<(&'static str, serde_json::Value)> {
    let account = json!({"name": "a", "quota": 1, "rules": []});
    let state = json!({"id": "100", "name": "a", "quota": 1, "rules": []});
    vec![
        ("init", json!([{"protocol_version": 1}])),
        ("ping", json!([])),
        ("functions/getSchema", json!([{}])),
        (
            "functions/call",
            json!([{"name": "slug", "arguments": {"text": "a"}}]),
        ),
        ("resources/getSchema", json!([{}])),
        (
            "resources/configure",
            json!([{"config": {"first": {"$unknown": true}}}]),
        ),
        (
            "resources/validate",
            json!([{"kind": "data", "type": "look", "config": {"name": "a"}}]),
        ),
        (
            "resources/planChange",
            json!([{"type": "account", "prior": null, "config": account,
            "proposed": account}]),
        ),
        (
            "resources/applyChange",
            json!([{"type": "account", "prior": null, "config": account,
            "planned": account}]),
        ),
        (
            "resources/read",
            json!([{"type": "account", "state": state}]),
        ),
        (
            "resources/import",
            json!([{"type": "account", "id": "100"}]),
        ),
        (
            "resources/upgrade",
            json!([{"type": "account", "version": 1,
            "state": {"id": "1", "called": "a"}}]),
        ),
        (
            "resources/readData",
            json!([{"type": "look", "config": {"name": "a"}}]),
        ),
        (
            "resources/open",
            json!([{"type": "lease", "config": {"seconds": 1}}]),
        ),
        ("shutdown", json!([{}])),
    ]
}

/// Every spelling of a method.
fn spellings(method: &'static str) -> Vec<&'static str> {
    match method {
        "init" => vec!["init", "initialize"],
        method => match method.contains('/') {
            true => vec![method, Box::leak(method.replace('/', ".").into_boxed_str())],
            false => vec![method],
        },
    }
}

#[tokio::test]
async fn every_alias_of_every_method_is_answered() {
    for (method, params) in methods() {
        for spelling in spellings(method) {
            let (connection, served) = connect(plugin().0, Router::new(()));
            let peer = connection.peer();
            raw(&peer, "init", json!([{}])).await.unwrap();
            let answer = raw(&peer, spelling, params.clone()).await;
            let answer = answer.unwrap_or_else(|error| panic!("{spelling}: {error}"));
            assert!(answer.is_object(), "{spelling}: {answer}");
            // Params may come without the array around them.
            if method != "shutdown" {
                let bare = params.get(0).cloned().unwrap_or(json!(null));
                assert!(raw(&peer, spelling, bare).await.is_ok(), "{spelling}");
            }
            drop(connection);
            served.await.unwrap().unwrap();
        }
    }
    // The rest of what a plugin may have: renew and close, with what open left for them.
    let host = Host::of(plugin().0).await;
    let opened = host.raw(
        "resources.open",
        json!([{"type": "lease", "config": {"seconds": 1}}]),
    );
    let private = opened.await.unwrap()["private"].clone();
    for method in [
        "resources/renew",
        "resources.renew",
        "resources/close",
        "resources.close",
    ] {
        let params = json!([{"type": "lease", "private": private}]);
        host.raw(method, params).await.unwrap();
    }
    host.end().await;
}

#[tokio::test]
async fn the_first_call_says_what_the_plugin_has() {
    let (connection, served) = connect(plugin().0, Router::new(()));
    let peer = connection.peer();
    let welcome = raw(
        &peer,
        "init",
        json!([{"protocol_version": "1.0", "later": 1}]),
    )
    .await;
    assert_eq!(
        welcome.unwrap(),
        json!({"name": "accounts", "version": "1.2.3", "protocol_version": 1,
            "capabilities": ["functions", "resources"], "max_in_flight": 4})
    );
    let refused = raw(&peer, "init", json!([{"protocol_version": 2}]))
        .await
        .unwrap_err();
    let text = refused.to_string();
    assert!(
        text.contains("version 2") && text.contains("version 1"),
        "{text}"
    );
    drop(connection);
    served.await.unwrap().unwrap();

    let empty = Plugin::new("empty", "0");
    let (connection, served) = connect(empty, Router::new(()));
    let welcome = raw(&connection.peer(), "init", json!([{}])).await.unwrap();
    assert_eq!(welcome["capabilities"], json!([]));
    drop(connection);
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn the_first_call_may_configure_the_plugin() {
    let (connection, served) = connect(plugin().0, Router::new(()));
    let peer = connection.peer();
    raw(&peer, "init", json!([{"config": {"first": 7}}]))
        .await
        .unwrap();
    let planned = json!({"name": "a", "quota": 1, "rules": []});
    let params = json!([{"type": "account", "prior": null, "planned": planned, "config": planned}]);
    let applied = raw(&peer, "resources/applyChange", params).await.unwrap();
    assert_eq!(applied["state"]["id"], "700");
    drop(connection);
    served.await.unwrap().unwrap();

    let (connection, served) = connect(plugin().0, Router::new(()));
    let wrong = raw(
        &connection.peer(),
        "init",
        json!([{"config": {"frist": 7}}]),
    )
    .await;
    let text = wrong.unwrap_err().to_string();
    assert!(text.contains("frist"), "{text}");
    drop(connection);
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn the_first_byte_tells_who_is_calling() {
    let (mut here, there) = tokio::io::duplex(64);
    tokio::io::AsyncWriteExt::write_all(&mut here, &[0x94])
        .await
        .unwrap();
    let (found, _) = Caller::detect(Io::from(there), &Offer::default())
        .await
        .unwrap();
    assert_eq!(found, Caller::Seasonings);
}

#[tokio::test]
async fn the_shutdown_event_ends_the_plugin() {
    let (plugin, shared) = plugin();
    let (connection, served) = connect(plugin, Router::new(()));
    let peer = connection.peer();
    raw(&peer, "init", json!([{"config": {"first": 1}}]))
        .await
        .unwrap();
    peer.send_raw("shutdown", None).await.unwrap();
    served.await.unwrap().unwrap();
    assert_eq!(*shared.calls.lock().unwrap(), ["shutdown"]);
}

attributes! {
    struct Wait { name: String }
    struct Nothing { done: bool }
}

#[derive(Default)]
struct Gate {
    begun: Notify,
    open: Notify,
    dropped: AtomicUsize,
}

impl Gate {
    async fn pass(&self) {
        struct Passing<'a>(&'a Gate, bool);
        impl Drop for Passing<'_> {
            fn drop(&mut self) {
                if !self.1 {
                    self.0.dropped.fetch_add(1, Ordering::SeqCst);
                }
            }
        }
        let mut passing = Passing(self, false);
        self.begun.notify_one();
        self.open.notified().await;
        passing.1 = true;
    }
}

struct Slow(Arc<Gate>);

impl Resource for Slow {
    type Props = Wait;
    type State = ();

    async fn create(&self, _: Wait) -> Result<Created<()>, Failure> {
        self.0.pass().await;
        Ok(Created::new("made", ()))
    }

    async fn read(&self, _: String, _: Option<Wait>) -> Result<Option<Found<Wait, ()>>, Failure> {
        self.0.pass().await;
        Ok(None)
    }

    async fn update(&self, _: Existing<Wait, ()>, _: Wait) -> Result<Data<()>, Failure> {
        Ok(Data::done())
    }

    async fn delete(&self, _: Existing<Wait, ()>) -> Result<Data<()>, Failure> {
        Ok(Data::done())
    }
}

/// What only reads is given up; a change runs to its end, and its answer is the host's.
#[tokio::test]
async fn a_cancelled_call_is_given_up_unless_it_changes_something() {
    let gate = Arc::new(Gate::default());
    let made = gate.clone();
    let plugin = Plugin::new("slow", "1").resource("thing", "", move |_| Slow(made.clone()));
    let host = Host::of(plugin).await;
    let encode =
        |params: serde_json::Value| Some(Payload::encode(Format::Msgpack, &params).unwrap());

    let state = json!([{"type": "thing", "state": {"id": "1", "name": "a"}}]);
    let asked = host
        .peer
        .ask("resources/read", encode(state))
        .await
        .unwrap();
    gate.begun.notified().await;
    let cancel =
        |id: &tenon_rpc::Id| encode(json!([{ "id": serde_json::to_value(number(id)).unwrap() }]));
    host.peer
        .send_raw("$/cancel", cancel(&asked.id()))
        .await
        .unwrap();
    let cancelled = asked.await.unwrap_err();
    assert!(
        matches!(&cancelled, CallError::Answered(error) if error.code == ErrorCode::CANCELLED),
        "{cancelled:?}"
    );
    assert_eq!(gate.dropped.load(Ordering::SeqCst), 1);

    let planned = json!({"name": "a"});
    let create = json!([{"type": "thing", "prior": null, "planned": planned, "config": planned}]);
    let asked = host
        .peer
        .ask("resources/applyChange", encode(create))
        .await
        .unwrap();
    gate.begun.notified().await;
    host.peer
        .send_raw("$/cancel", cancel(&asked.id()))
        .await
        .unwrap();
    host.raw("ping", json!([])).await.unwrap();
    gate.open.notify_one();
    let state = asked.await.unwrap().to_format(Format::Json).unwrap();
    let state: serde_json::Value = state.decode().unwrap();
    assert_eq!(state["state"]["id"], "made");
    assert_eq!(gate.dropped.load(Ordering::SeqCst), 1);
    host.end().await;
}

fn number(id: &tenon_rpc::Id) -> i64 {
    match id {
        tenon_rpc::Id::Number(number) => *number,
        id => panic!("{id:?}"),
    }
}

/// Calls run at the same time, so a host may ask for more than `max_in_flight` says.
#[tokio::test]
async fn a_ping_is_answered_while_a_call_runs() {
    let gate = Arc::new(Gate::default());
    let waiting = gate.clone();
    let plugin = Plugin::new("slow", "1").data_source("wait", "", move |_, _: Wait| {
        let waiting = waiting.clone();
        async move {
            waiting.pass().await;
            Ok(Nothing { done: true })
        }
    });
    let host = Host::of(plugin).await;
    let params = json!([{"type": "wait", "config": {"name": "a"}}]);
    let read = host.raw("resources/readData", params);
    let ping = async {
        gate.begun.notified().await;
        let pong = host.raw("ping", json!([])).await.unwrap();
        gate.open.notify_one();
        pong
    };
    let (read, pong) = tokio::join!(read, ping);
    assert_eq!(pong, json!({"status": "ok"}));
    assert_eq!(read.unwrap(), json!({"state": {"done": true}}));
    host.end().await;
}
