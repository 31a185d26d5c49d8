//! A plugin that fails: nothing is acknowledged that it has not confirmed, and no state is lost.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tenon_protocols::Secrets;
use tenon_state::PluginOptions;

use crate::place::{Place, Served, Store};

const LONG: Duration = Duration::from_secs(120);
const A: &str = r#"{"ID":"a","Operation":"OperationTypeApply"}"#;
const B: &str = r#"{"ID":"b","Operation":"OperationTypePlan"}"#;

fn state(serial: u32) -> String {
    let padding = "x".repeat(20_000);
    format!(r#"{{"version":4,"serial":{serial},"padding":"{padding}"}}"#)
}

/// A puppet that has stored the first state.
async fn puppet(place: &Place, time_limit: Duration) -> Served {
    let served = place.serve(Store::Puppet, time_limit).await;
    served.front.asked("POST", "/state/x", &state(1), 200).await;
    served
}

#[tokio::test]
async fn a_write_that_fails_leaves_the_old_state() {
    for (how, says) in [
        ("error", "the disk is on fire"),
        ("refuse", "it is not true"),
        ("nothing", "it is missing"),
        ("full", "File too large"),
        ("die in the middle", "it ended with signal: 9"),
    ] {
        Place::trial(async |place| {
            let served = puppet(place, LONG).await;
            place.faults(json!({ "write": { "how": how, "times": 1 } }));
            let failed = served.front.asked("POST", "/state/x", &state(2), 500).await;
            assert!(failed.body.contains("storage/write"), "{}", failed.body);
            assert!(failed.body.contains(says), "{how}: {}", failed.body);
            assert!(!failed.body.contains("xxxx"), "{}", failed.body);
            let notice = served.front.notices.lock().unwrap()[0].to_string();
            assert!(notice.contains(says), "{notice}");
            let read = served.front.asked("GET", "/state/x", "", 200).await;
            assert_eq!(read.body, state(1));
            // Terraform tries again.
            served.front.asked("POST", "/state/x", &state(2), 200).await;
            let read = served.front.asked("GET", "/state/x", "", 200).await;
            assert_eq!(read.body, state(2));
            served.stop().await;
        })
        .await;
    }
}

#[tokio::test]
async fn a_call_that_was_carried_out_but_not_answered_can_be_repeated() {
    Place::trial(async |place| {
        let served = puppet(place, LONG).await;
        let die = json!({ "how": "die before the answer", "times": 1 });
        place.faults(json!({ "lock": die, "write": die, "unlock": die, "delete": die }));
        for (method, path, body) in [
            ("LOCK", "/state/x", A),
            ("POST", "/state/x?ID=a", &state(2)),
            ("UNLOCK", "/state/x", A),
            ("DELETE", "/state/x", ""),
        ] {
            served.front.asked(method, path, body, 500).await;
            served.front.asked(method, path, body, 200).await;
        }
        served.front.asked("GET", "/state/x", "", 404).await;
        served.front.asked("LOCK", "/state/x", B, 200).await;
        served.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_lock_that_is_answered_twice_is_one_lock() {
    Place::trial(async |place| {
        let served = puppet(place, LONG).await;
        place.faults(json!({ "lock": { "how": "twice", "times": 1 } }));
        served.front.asked("LOCK", "/state/x", A, 200).await;
        // The second answer belongs to no call: the plugin is started again, and one call may fail.
        let before = served.front.ask("GET", "/state/x", "").await;
        match before.status {
            500 => assert!(before.body.contains("belongs to no call"), "{before:?}"),
            _ => assert_eq!(before.body, state(1)),
        }
        served.front.asked("LOCK", "/state/x", B, 423).await;
        let new = state(2);
        served.front.asked("POST", "/state/x?ID=a", &new, 200).await;
        served.front.asked("UNLOCK", "/state/x", A, 200).await;
        let read = served.front.asked("GET", "/state/x", "", 200).await;
        assert_eq!(read.body, new);
        served.front.asked("LOCK", "/state/x", B, 200).await;
        served.stop().await;
    })
    .await;
}

#[tokio::test]
async fn text_on_stdout_is_a_failure_and_the_plugin_is_started_again() {
    Place::trial(async |place| {
        let served = puppet(place, LONG).await;
        place.faults(json!({ "read": { "how": "garbage", "times": 1 } }));
        let failed = served.front.asked("GET", "/state/x", "", 500).await;
        assert!(
            failed.body.contains("print to the wrong place"),
            "{}",
            failed.body
        );
        let read = served.front.asked("GET", "/state/x", "", 200).await;
        assert_eq!(read.body, state(1));
        served.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_plugin_that_hangs_is_a_failure_and_is_started_again() {
    Place::trial(async |place| {
        // Long enough for the calls that are answered.
        let served = puppet(place, Duration::from_secs(10)).await;
        place.faults(json!({ "write": { "how": "hang", "times": 1 } }));
        let failed = served.front.asked("POST", "/state/x", &state(2), 500).await;
        assert_eq!(failed.body, "the storage has not answered within 10 s\n");
        let read = served.front.asked("GET", "/state/x", "", 200).await;
        assert_eq!(read.body, state(1));
        served.front.asked("POST", "/state/x", &state(2), 200).await;
        served.stop().await;
    })
    .await;
}

/// The plugin works on the write, so nothing may happen to it because another call waits.
#[tokio::test]
async fn a_call_that_waits_too_long_does_not_end_the_write_before_it() {
    Place::trial(async |place| {
        let options = PluginOptions {
            time_limit: LONG,
            waiting_limit: Duration::from_millis(50),
            ..PluginOptions::default()
        };
        let command = place.command(Store::Puppet);
        let served = place.serve_with(command, options).await;
        place.faults(json!({ "write": { "how": "wait", "times": 1 } }));
        let front = Arc::clone(&served.front);
        let write = tokio::spawn(async move {
            front.asked("POST", "/state/x", &state(1), 200).await;
        });
        while !place.path("began").exists() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let busy = served.front.asked("GET", "/state/x", "", 500).await;
        assert_eq!(
            busy.body,
            "the storage is busy: it has not begun with this call within 0.05 s, because it works on others\n"
        );
        std::fs::write(place.path("go"), "").unwrap();
        write.await.unwrap();
        let read = served.front.asked("GET", "/state/x", "", 200).await;
        assert_eq!(read.body, state(1));
        served.stop().await;
    })
    .await;
}

#[tokio::test]
async fn what_the_plugin_says_is_heard_without_secrets() {
    Place::trial(async |place| {
        let secrets = Secrets::default();
        secrets.learn_text("token-of-the-store");
        let (told, heard) = std::sync::mpsc::channel();
        let options = PluginOptions {
            secrets,
            hear: Arc::new(move |line| told.send(line.to_owned()).unwrap()),
            ..PluginOptions::default()
        };
        let command = place.command(Store::Puppet);
        let command = command.variable("STORE_TOKEN", "token-of-the-store");
        let served = place.serve_with(command, options).await;
        place.faults(json!({ "read": { "how": "tell", "times": 1 } }));
        let failed = served.front.asked("GET", "/state/x", "", 500).await;
        assert!(
            failed.body.contains("no access for (sensitive)"),
            "{failed:?}"
        );
        let lines: Vec<String> = heard.try_iter().collect();
        assert_eq!(lines, ["[WARN] uses (sensitive) free=0", "looks (1/2)"]);
        let notices = format!("{:?}", served.front.notices.lock().unwrap());
        assert!(!notices.contains("token-of-the-store"), "{notices}");
        served.stop().await;
    })
    .await;
}

/// Calls do not wait for it until their time is over.
#[tokio::test]
async fn a_plugin_that_cannot_start_again_fails_calls_immediately() {
    Place::trial(async |place| {
        let served = puppet(place, LONG).await;
        place.faults(json!({ "read": { "how": "die before the answer", "times": 1 } }));
        std::fs::write(place.path("broken"), "").unwrap();
        served.front.asked("GET", "/state/x", "", 500).await;
        let failed = served.front.asked("GET", "/state/x", "", 500).await;
        assert!(failed.body.contains("storage/read: "), "{}", failed.body);
        assert!(!failed.body.contains("has not answered"), "{}", failed.body);
        std::fs::remove_file(place.path("broken")).unwrap();
        // It is started again in the background.
        let mut read = served.front.ask("GET", "/state/x", "").await;
        while read.status == 500 {
            tokio::time::sleep(Duration::from_millis(10)).await;
            read = served.front.ask("GET", "/state/x", "").await;
        }
        assert_eq!(read.body, state(1));
        served.stop().await;
    })
    .await;
}
