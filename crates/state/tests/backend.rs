//! The methods of Terraform's `http` backend, and the status codes that it expects.

#[path = "support/front.rs"]
mod front;
#[path = "support/memory.rs"]
mod memory;

use std::sync::Arc;
use std::time::Duration;

use memory::{Memory, Running};
use tenon_state::{BindError, Server, Settings, StorageError};
use tokio::sync::Semaphore;

const A: &str = r#"{"ID":"a","Operation":"OperationTypeApply","Who":"ann@host"}"#;
const B: &str = r#"{"ID":"b","Operation":"OperationTypePlan"}"#;
const STATE: &str = r#"{"version":4,"serial":1}"#;

#[tokio::test]
async fn a_state_is_written_read_and_deleted() {
    let running = Running::start(Memory::default()).await;
    running.asked("GET", "/state/default", "", 404).await;
    running.asked("POST", "/state/default", STATE, 200).await;
    // Terraform writes the same serial again after Ctrl-C.
    running.asked("POST", "/state/default", STATE, 200).await;
    let read = running.asked("GET", "/state/default", "", 200).await;
    assert_eq!(read.body, STATE);
    running.asked("GET", "/state/other", "", 404).await;
    running.asked("DELETE", "/state/default", "", 200).await;
    running.asked("GET", "/state/default", "", 404).await;
}

#[tokio::test]
async fn requests_without_the_password_are_refused() {
    let running = Running::start(Memory::default()).await;
    let none = running.raw("GET", "/state/a", "", "").await;
    assert_eq!(none.status, 401);
    assert!(
        none.head.contains("www-authenticate: Basic"),
        "{}",
        none.head
    );
    let wrong = "Authorization: Basic dGVub246eA==\r\n";
    assert_eq!(
        running.raw("POST", "/state/a", wrong, STATE).await.status,
        403
    );
    assert!(running.memory.states.lock().unwrap().is_empty());
    let notices = running.notices.lock().unwrap();
    assert_eq!(
        notices[1].to_string(),
        "POST /state/a: the password is wrong"
    );
}

#[tokio::test]
async fn bad_requests_change_nothing() {
    let settings = Settings {
        max_state: STATE.len(),
        ..Settings::default()
    };
    let running = Running::with(Memory::default(), settings).await;
    let larger = format!("{STATE} ");
    running.asked("POST", "/state/a", &larger, 413).await;
    running.asked("POST", "/state/a", "", 400).await;
    running.asked("POST", "/state/../a", STATE, 400).await;
    running.asked("POST", "/elsewhere", STATE, 404).await;
    running.asked("PATCH", "/state/a", "{}", 405).await;
    running.asked("LOCK", "/state/a", "", 400).await;
    running.asked("LOCK", "/state/a", "{}", 400).await;
    running.asked("LOCK", "/state/a", r#"{"ID":""}"#, 400).await;
    running.asked("LOCK", "/state/a", r#"["a","x"]"#, 400).await;
    assert!(running.memory.states.lock().unwrap().is_empty());
    assert!(running.memory.locks.lock().unwrap().is_empty());
}

/// What a lock does is the same whether the storage keeps it or the server.
async fn locks_are_owned(memory: Memory) {
    let running = Running::start(memory).await;
    running.asked("LOCK", "/state/x", A, 200).await;
    // A client that did not get the answer asks again.
    running.asked("LOCK", "/state/x", A, 200).await;
    let conflict = running.asked("LOCK", "/state/x", B, 423).await;
    assert_eq!(conflict.body, A);
    running.asked("LOCK", "/state/y", B, 200).await;

    running.asked("POST", "/state/x?ID=a", STATE, 200).await;
    running.asked("POST", "/state/x?ID=b", STATE, 409).await;
    running.asked("DELETE", "/state/x?ID=b", "", 409).await;
    running.asked("UNLOCK", "/state/x", B, 409).await;
    running.asked("UNLOCK", "/state/x", A, 200).await;
    running.asked("POST", "/state/x?ID=a", STATE, 409).await;

    // Terraform's `force-unlock` sends no body.
    running.asked("LOCK", "/state/x", A, 200).await;
    running.asked("UNLOCK", "/state/x", "", 200).await;
    running.asked("LOCK", "/state/x", B, 200).await;
    running.asked("POST", "/state/x?ID=a", STATE, 409).await;

    let held = running.stop().await;
    let held: Vec<_> = held
        .iter()
        .map(|(path, id)| (path.as_str(), id.as_str()))
        .collect();
    assert_eq!(held, [("x", "b"), ("y", "b")]);
}

/// A body that is not the info of a lock neither releases nor takes one, in particular not as an empty body does.
#[tokio::test]
async fn a_malformed_body_does_not_change_a_lock() {
    let running = Running::start(Memory::default()).await;
    running.asked("LOCK", "/state/x", A, 200).await;
    for body in [
        " ",
        "null",
        "{}",
        r#""a""#,
        r#"["a"]"#,
        r#"["a","OperationTypeApply"]"#,
        r#"{"ID":""}"#,
        r#"{"ID":null}"#,
        r#"{"ID":["a"]}"#,
        r#"{"ID":"b","ID":"a"}"#,
        r#"{"ID":"a""#,
        r#"{"ID":"a"} {"ID":"a"}"#,
        r#"{"id":"a"}"#,
    ] {
        for method in ["UNLOCK", "LOCK"] {
            running.asked(method, "/state/x", body, 400).await;
        }
    }
    let conflict = running.asked("LOCK", "/state/x", B, 423).await;
    assert_eq!(conflict.body, A);
    running.asked("UNLOCK", "/state/x", A, 200).await;
}

#[tokio::test]
async fn locks_are_owned_in_a_storage_with_locks() {
    locks_are_owned(Memory::default()).await;
}

#[tokio::test]
async fn locks_are_owned_in_a_storage_without_locks() {
    let memory = Memory {
        without_locks: true,
        ..Memory::default()
    };
    locks_are_owned(memory).await;
}

#[tokio::test]
async fn a_lock_that_a_storage_grants_twice_has_one_owner() {
    let memory = Memory {
        grants_all: true,
        ..Memory::default()
    };
    let running = Running::start(memory).await;
    running.asked("LOCK", "/state/x", A, 200).await;
    running.asked("LOCK", "/state/x", A, 200).await;
    assert!(running.notices.lock().unwrap().is_empty());
    running.asked("LOCK", "/state/x", B, 200).await;
    let notice = running.notices.lock().unwrap()[0].to_string();
    assert!(
        notice.contains("granted the lock to b, although a has not released it"),
        "{notice}"
    );
    running.asked("POST", "/state/x?ID=a", STATE, 409).await;
    running.asked("UNLOCK", "/state/x", A, 409).await;
    running.asked("POST", "/state/x?ID=b", STATE, 200).await;
    running.asked("UNLOCK", "/state/x", B, 200).await;
}

#[tokio::test]
async fn a_lock_of_an_earlier_server_can_be_released_but_not_written_with() {
    let earlier = Running::start(Memory::default()).await;
    earlier.asked("LOCK", "/state/x", A, 200).await;
    let memory = Arc::clone(&earlier.memory);
    earlier.stop().await;
    let running = Running::on(memory, Settings::default()).await;
    running.asked("LOCK", "/state/x", B, 423).await;
    running.asked("UNLOCK", "/state/x", B, 409).await;
    running.asked("POST", "/state/x?ID=a", STATE, 409).await;
    running.asked("UNLOCK", "/state/x", A, 200).await;
    running.asked("LOCK", "/state/x", B, 200).await;
}

#[tokio::test]
async fn what_the_storage_does_not_confirm_is_not_acknowledged() {
    let running = Running::start(Memory::default()).await;
    let failure = StorageError::Failed("the disk is full".into());
    *running.memory.broken.lock().unwrap() = Some(failure);
    let failed = running.asked("POST", "/state/x", STATE, 500).await;
    assert_eq!(failed.body, "the disk is full\n");
    *running.memory.broken.lock().unwrap() = Some(StorageError::Unsupported);
    running.asked("POST", "/state/x", STATE, 501).await;
    running.asked("GET", "/state/x", "", 404).await;
}

#[tokio::test]
async fn a_lock_is_released_if_its_client_has_disconnected() {
    let memory = Memory {
        gate: Some(Semaphore::new(0)),
        ..Memory::default()
    };
    let running = Running::start(memory).await;
    let authorization = format!("Authorization: {}\r\n", running.authorization);
    let client = running.connect("LOCK", "/state/x", &authorization, A).await;
    running.memory.waiting.notified().await;
    drop(client);
    // The server sees the end of the first connection before it answers the second.
    running.asked("GET", "/state/x", "", 404).await;
    running.memory.gate.as_ref().unwrap().add_permits(1000);
    let released = async {
        while running.ask("LOCK", "/state/x", B).await.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    let watchdog = Duration::from_secs(60);
    tokio::time::timeout(watchdog, released)
        .await
        .expect("the lock is given back");
}

#[tokio::test]
async fn a_storage_that_does_not_answer_is_a_failure() {
    let memory = Memory {
        gate: Some(Semaphore::new(0)),
        ..Memory::default()
    };
    let settings = Settings {
        time_limit: Some(Duration::from_millis(1)),
        ..Settings::default()
    };
    let running = Running::with(memory, settings).await;
    let answer = running.asked("LOCK", "/state/x", A, 500).await;
    assert_eq!(answer.body, "the storage has not answered within 0.001 s\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rounds_of_lock_write_unlock_lose_nothing() {
    let running = Arc::new(Running::start(Memory::default()).await);
    let clients = (0..20).map(|client| {
        let running = Arc::clone(&running);
        tokio::spawn(async move {
            for round in 0..10 {
                add_one(&running, &format!("{client}-{round}")).await;
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.unwrap();
    }
    assert_eq!(serial(&running).await, 200);
}

/// The serial of the state, 0 where there is none.
async fn serial(running: &Running) -> u64 {
    let read = running.ask("GET", "/state/x", "").await;
    let state: serde_json::Value = serde_json::from_str(&read.body).unwrap_or_default();
    state["serial"].as_u64().unwrap_or(0)
}

async fn add_one(running: &Running, id: &str) {
    let info = format!(r#"{{"ID":"{id}"}}"#);
    while running.ask("LOCK", "/state/x", &info).await.status != 200 {
        tokio::task::yield_now().await;
    }
    let next = serial(running).await + 1;
    let path = format!("/state/x?ID={id}");
    let state = format!(r#"{{"version":4,"serial":{next}}}"#);
    let written = running.ask("POST", &path, &state).await;
    assert_eq!(written.status, 200);
    assert_eq!(running.ask("UNLOCK", "/state/x", &info).await.status, 200);
}

/// GitLab's documentation tells users to lock with POST and to unlock with DELETE.
#[tokio::test]
async fn locks_can_be_taken_and_released_with_other_methods() {
    let running = Running::start(Memory::default()).await;
    running.asked("POST", "/state/x", STATE, 200).await;
    for (lock, unlock) in [
        ("POST", "DELETE"),
        ("PUT", "POST"),
        ("LOCK", "UNLOCK"),
        ("POST", "PUT"),
    ] {
        running.asked(lock, "/lock/x", A, 200).await;
        running.asked(lock, "/lock/x", B, 423).await;
        running.asked(unlock, "/unlock/x", B, 409).await;
        running.asked(unlock, "/unlock/x", A, 200).await;
    }
    running.asked("GET", "/lock/x", "", 405).await;
    running.asked("DELETE", "/lock/x", "", 405).await;
    running.asked("GET", "/unlock/x", "", 405).await;
    let read = running.asked("GET", "/state/x", "", 200).await;
    assert_eq!(read.body, STATE);
    // `force-unlock` has no body.
    running.asked("POST", "/lock/x", A, 200).await;
    running.asked("DELETE", "/unlock/x", "", 200).await;
    running.asked("POST", "/lock/x", B, 200).await;
}

#[tokio::test]
async fn lock_requests_at_the_address_of_the_state_do_not_change_it() {
    let running = Running::start(Memory::default()).await;
    running.asked("POST", "/state/x", STATE, 200).await;
    let refused = running.asked("POST", "/state/x", A, 400).await;
    assert!(refused.body.contains("TF_HTTP_LOCK_ADDRESS"), "{refused:?}");
    let refused = running.asked("DELETE", "/state/x", A, 400).await;
    assert!(
        refused.body.contains("TF_HTTP_UNLOCK_ADDRESS"),
        "{refused:?}"
    );
    let read = running.asked("GET", "/state/x", "", 200).await;
    assert_eq!(read.body, STATE);
    assert!(running.memory.locks.lock().unwrap().is_empty());
}

#[tokio::test]
async fn only_loopback_addresses_are_listened_on() {
    for address in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let storage = Arc::new(memory::Shared(Arc::default()));
        let bound = Server::bind(
            address.parse().unwrap(),
            storage,
            Settings::default(),
            |_| {},
        )
        .await;
        assert!(
            matches!(bound.err(), Some(BindError::NotLoopback(_))),
            "{address}"
        );
    }
}
