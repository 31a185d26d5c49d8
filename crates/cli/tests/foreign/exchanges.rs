//! Exchanges that plugins in every language have to pass.

use serde_json::{Value, json};
use tenon_rpc::{Payload, Peer};
use tokio::task::JoinSet;

use crate::host::Seen;
use crate::support::trial::call;

/// How params are written: by name, or by position.
#[derive(Clone, Copy)]
pub(crate) enum Params {
    Named,
    Positional,
}

impl Params {
    fn of<const N: usize>(self, params: [(&str, usize); N]) -> Value {
        match self {
            Params::Named => params
                .map(|(name, value)| (name.to_owned(), json!(value)))
                .into_iter()
                .collect(),
            Params::Positional => json!(params.map(|(_, value)| value).to_vec()),
        }
    }

    /// The params of that many events.
    pub(crate) fn events(self, count: usize) -> Vec<Value> {
        (0..count)
            .map(|number| self.of([("number", number)]))
            .collect()
    }
}

/// Many calls at once, answered in the opposite order.
pub(crate) async fn answers_in_any_order(peer: &Peer, params: Params) {
    const COUNT: usize = 200;
    let mut calls = JoinSet::new();
    for number in 0..COUNT {
        let peer = peer.clone();
        calls.spawn(async move {
            let params = params.of([("count", COUNT), ("number", number)]);
            let result = call(&peer, "hold", params).await;
            assert_eq!(result.expect("an answer"), json!(number));
        });
    }
    assert_eq!(calls.join_all().await.len(), COUNT);
}

/// The plugin sends events, then gets as many.
pub(crate) async fn events_both_ways(peer: &Peer, seen: &Seen, count: usize, params: Params) {
    let result = call(peer, "emit", params.of([("count", count)])).await;
    assert_eq!(result.expect("a count"), json!(count));
    // They came before the answer, so they have been handled before it.
    assert_eq!(seen.take(), params.events(count));
    events_arrive(peer, count, params).await;
}

/// The plugin gets events in order.
pub(crate) async fn events_arrive(peer: &Peer, count: usize, params: Params) {
    for event in params.events(count) {
        let event = Payload::encode(peer.format(), &event).expect("params");
        let sent = peer.send_raw("tick", Some(event)).await;
        sent.expect("an open connection");
    }
    let theirs = call(peer, "seen", params.of([])).await;
    assert_eq!(theirs.expect("all events"), json!(params.events(count)));
}
