//! Many clients that add one to the same state.

use std::sync::Arc;
use std::time::Duration;

use crate::front::Front;
use crate::place::{Place, Store};

const CLIENTS: u64 = 8;
const ROUNDS: u64 = 25;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn rounds_of_lock_write_unlock_lose_nothing() {
    for store in Store::EXAMPLES {
        Place::trial(async |place| {
            let served = place.serve(store, Duration::from_secs(120)).await;
            let clients: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    let front = Arc::clone(&served.front);
                    tokio::spawn(async move {
                        for round in 0..ROUNDS {
                            add_one(&front, &format!("{client}-{round}")).await;
                        }
                    })
                })
                .collect();
            for client in clients {
                client.await.unwrap();
            }
            assert_eq!(serial(&served.front).await, CLIENTS * ROUNDS);
            served.stop().await;
        })
        .await;
    }
}

/// The serial of the state, 0 where there is none.
async fn serial(front: &Front) -> u64 {
    let read = front.ask("GET", "/state/x", "").await;
    let state: serde_json::Value = serde_json::from_str(&read.body).unwrap_or_default();
    state["serial"].as_u64().unwrap_or(0)
}

async fn add_one(front: &Front, id: &str) {
    let info = format!(r#"{{"ID":"{id}"}}"#);
    loop {
        match front.ask("LOCK", "/state/x", &info).await.status {
            200 => break,
            423 => tokio::time::sleep(Duration::from_millis(5)).await,
            status => panic!("LOCK was answered with {status}"),
        }
    }
    let next = serial(front).await + 1;
    let state = format!(r#"{{"version":4,"serial":{next}}}"#);
    let path = format!("/state/x?ID={id}");
    front.asked("POST", &path, &state, 200).await;
    front.asked("UNLOCK", "/state/x", &info, 200).await;
}
