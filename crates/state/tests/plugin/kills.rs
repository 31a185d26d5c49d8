//! Stores that are killed at random moments: there is the old state or the new one, never half of one, and a lock
//! is there or not.

use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tenon_host::Plugin;
use tenon_protocols::seasonings::calls::{call, storage};
use tenon_protocols::seasonings::{Greeting, Level, begin};
use tenon_rpc::{CallError, Peer, Router};

use crate::place::{Place, Store, start};

const KILLS: u32 = 40;

/// Large enough to take a while.
const COPIES: usize = 40_000;

fn state(number: u32) -> String {
    format!("{number:08}\n").repeat(COPIES)
}

/// The number of a state, which must be whole.
fn number(state: &[u8]) -> u32 {
    let text = str::from_utf8(state).unwrap();
    let number = text[..8].parse().unwrap();
    assert!(text == self::state(number), "half a state");
    number
}

async fn launch(place: &Place, store: Store) -> Plugin {
    let greeting = Greeting::new([Level::Storage]);
    let first = |peer: Peer| async move { begin(&peer, &greeting).await };
    let router = Arc::new(Router::new(()));
    let started = Plugin::start(&place.command(store), start(), router, first).await;
    started.unwrap_or_else(|error| panic!("{error}")).0
}

async fn read(peer: &Peer) -> Option<u32> {
    let read = storage::Read { path: "team/x" };
    let state = call(peer, &read).await.unwrap();
    state.map(|state| number(&state))
}

/// Locks, writes the next state and unlocks, again and again, until the plugin is gone; the last number that
/// was confirmed.
async fn write_on(peer: Peer, mut confirmed: u32) -> u32 {
    loop {
        match round(&peer, &mut confirmed).await {
            Ok(()) => {}
            Err(CallError::Closed(_)) => return confirmed,
            // Half a lock, for example.
            Err(error) => panic!("{error}"),
        }
    }
}

async fn round(peer: &Peer, confirmed: &mut u32) -> Result<(), CallError> {
    // A lock that outlived an earlier process is given again.
    let lock = storage::Lock {
        path: "team/x",
        operation: "",
        info: r#"{"ID":"writer"}"#,
    };
    let lock_id = call(peer, &lock).await?;
    let state = state(*confirmed + 1);
    let write = storage::Write {
        path: "team/x",
        state: state.as_bytes(),
        lock_id: Some(&lock_id),
    };
    call(peer, &write).await?;
    *confirmed += 1;
    let unlock = storage::Unlock {
        path: "team/x",
        lock_id: Some(&lock_id),
    };
    call(peer, &unlock).await
}

async fn survives(store: Store) {
    Place::trial(async |place| {
        let mut confirmed = 0;
        for kill in 0..KILLS {
            let plugin = launch(place, store).await;
            let found = read(&plugin.peer()).await.unwrap_or(0);
            // What was confirmed is there; what was being written may be.
            let is_right = found == confirmed || found == confirmed + 1;
            assert!(is_right, "{found} was found, {confirmed} was confirmed");
            let writer = tokio::spawn(write_on(plugin.peer(), found));
            // How far it gets until then depends on everything else that the machine does.
            let moment = Duration::from_micros(u64::from(kill * 7919 % 30_000));
            tokio::time::sleep(moment).await;
            let id = Pid::from_raw(i32::try_from(plugin.process().id()).unwrap()).unwrap();
            kill_process(id, Signal::KILL).unwrap();
            confirmed = writer.await.unwrap();
        }
        assert!(confirmed > 0, "nothing was ever written");
    })
    .await;
}

#[tokio::test]
async fn a_folder_in_python_survives_kills() {
    survives(Store::PythonFolder).await;
}

#[tokio::test]
async fn sqlite_in_python_survives_kills() {
    survives(Store::PythonSqlite).await;
}

#[tokio::test]
async fn a_folder_in_rust_survives_kills() {
    survives(Store::RustFolder).await;
}

#[tokio::test]
async fn sqlite_in_rust_survives_kills() {
    survives(Store::RustSqlite).await;
}
