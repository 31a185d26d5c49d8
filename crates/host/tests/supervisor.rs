//! A plugin that ends is started again, with pauses that grow.

#![cfg(unix)]

mod support;

use std::sync::Arc;
use std::time::Duration;

use support::{ANSWER, Script, watched};
use tenon_host::{Down, Restart, Status, Supervisor};
use tenon_rpc::Backoff;

fn supervise(script: &Arc<Script>, restart: Restart) -> Supervisor {
    let script = script.clone();
    Supervisor::new(restart, move || {
        let script = script.clone();
        async move { script.start().await }
    })
}

const QUICK: Restart = Restart::After(Backoff::doubling(
    Duration::from_millis(10),
    Duration::from_millis(40),
));

#[tokio::test]
async fn it_is_started_again_and_again() {
    watched(async {
        let script = Arc::new(Script::new(&format!("{ANSWER}; read -r second; exit 1")));
        let supervisor = supervise(&script, QUICK);
        for _ in 0..3 {
            let peer = supervisor.peer().await.unwrap();
            assert!(peer.call_raw("end", None).await.is_err());
            // The next one is a new peer, once the supervisor has noticed.
            let mut status = supervisor.status();
            let waits = |status: &Status| {
                matches!(
                    status,
                    Status::Waiting {
                        down: Down::Exited(_),
                        ..
                    }
                )
            };
            status.wait_for(waits).await.unwrap();
        }
        drop(supervisor);
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn pauses_grow_up_to_the_longest() {
    watched(async {
        let script = Arc::new(Script::new("echo 'no config' >&2; exit 2"));
        let supervisor = supervise(&script, QUICK);
        let mut status = supervisor.status();
        let mut pauses = Vec::new();
        while pauses.len() < 4 {
            status.changed().await.unwrap();
            if let Status::Waiting { pause, down } = &*status.borrow_and_update() {
                pauses.push(pause.as_millis());
                let error = down.to_string();
                assert!(error.contains("exit status: 2"), "{error}");
            }
        }
        assert_eq!(pauses, [10, 20, 40, 40]);
        drop(supervisor);
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn never_means_never() {
    watched(async {
        let script = Arc::new(Script::new("exit 2"));
        let supervisor = supervise(&script, Restart::Never);
        let error = supervisor.peer().await.unwrap_err();
        assert!(error.to_string().contains("exit status: 2"), "{error}");
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn it_ends_as_asked_and_stays_so() {
    watched(async {
        let script = Arc::new(Script::new(&format!("{ANSWER}; read -r goodbye; exit 0")));
        let supervisor = supervise(&script, QUICK);
        supervisor.peer().await.unwrap();
        let mut status = supervisor.status();
        supervisor
            .stop(|peer| async move {
                peer.send_raw("goodbye", None).await.ok();
            })
            .await;
        let ended = |status: &Status| matches!(status, Status::Ended(Down::Stopped));
        assert!(ended(&status.borrow_and_update()));
        script.is_gone().await;
    })
    .await;
}

#[tokio::test]
async fn one_that_lives_on_without_an_output_is_replaced() {
    watched(async {
        let script = Arc::new(Script::new(&format!("{ANSWER}; exec >&-; sleep 300")));
        let supervisor = supervise(&script, QUICK);
        let mut status = supervisor.status();
        let is_lost = |status: &Status| match status {
            Status::Waiting { down, .. } => matches!(down, Down::Lost(_)),
            _ => false,
        };
        status.wait_for(is_lost).await.unwrap();
        supervisor.peer().await.unwrap();
        drop(supervisor);
        script.is_gone().await;
    })
    .await;
}

/// A pipe that a descendant holds open looks alive, but no process answers on it.
#[tokio::test]
async fn one_that_has_ended_is_not_running_while_its_output_is_still_read() {
    watched(async {
        let script = Arc::new(Script::new(&format!(
            "{ANSWER}; read -r end; sleep 300 & exit 1"
        )));
        let supervisor = supervise(&script, QUICK);
        let peer = supervisor.peer().await.unwrap();
        let mut status = supervisor.status();
        let call = tokio::spawn({
            let peer = peer.clone();
            async move { peer.call_raw("end", None).await }
        });
        let is_over = |status: &Status| !matches!(status, Status::Running(_));
        let next = status.wait_for(is_over).await.unwrap().clone();
        assert!(matches!(next, Status::Ending), "{next:?}");
        assert!(!peer.is_closed(), "its output is held open");
        assert!(call.await.unwrap().is_err());
        drop(supervisor);
        script.is_gone().await;
    })
    .await;
}
