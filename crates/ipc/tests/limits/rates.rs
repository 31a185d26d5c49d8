//! How fast a client may ask and send.
//!
//! Where time is paused it stands still except while somebody sleeps, so that counts are exact.

use serde_json::Value;
use tenon_ipc::Settings;
use tenon_rpc::{Router, events};

use crate::exact::assert_fits;
use crate::place::{Place, json};

events! {
    /// Nothing happens.
    Tick = "tick" (i64);
}

fn router() -> Router<()> {
    Router::new(())
        .on_raw("one", |_, _| async { Ok(json("1")) })
        .on_event(Tick, |_, _| {})
}

fn requests(per_second: u32) -> Settings {
    Settings {
        requests_per_second: Some(per_second),
        ..Settings::default()
    }
}

const CALL: &str = r#"{"jsonrpc":"2.0","id":1,"method":"one"}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":1,"result":1}"#;

/// How long to wait, from a refusal.
fn wait(answer: &str) -> u64 {
    let parsed: Value = serde_json::from_str(answer).unwrap();
    let error = &parsed["error"];
    assert_eq!(error["code"], -32005, "{answer}");
    let wait = error["data"]["retryAfterMilliseconds"].as_u64();
    wait.unwrap_or_else(|| panic!("{answer}"))
}

#[tokio::test(start_paused = true)]
async fn requests_on_top_are_refused_until_there_is_room_again() {
    let place = Place::new();
    let _server = place.serve_with(router(), requests(5));
    let mut raw = place.raw().await;
    for _ in 0..20 {
        raw.send(CALL).await;
    }
    for _ in 0..5 {
        assert_eq!(raw.receive().await.unwrap(), ANSWER);
    }
    let mut pause = 0;
    for _ in 5..20 {
        let refused = raw.receive().await.unwrap();
        pause = wait(&refused);
        assert!((1..=201).contains(&pause), "{refused}");
        assert!(refused.contains("the limit is 5 per second"), "{refused}");
    }
    tokio::time::sleep(std::time::Duration::from_millis(pause)).await;
    assert_eq!(raw.ask(CALL).await, ANSWER, "there is room for one");
    wait(&raw.ask(CALL).await);
    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
    for _ in 0..5 {
        assert_eq!(
            raw.ask(CALL).await,
            ANSWER,
            "a rest gives back all, but no more"
        );
    }
    wait(&raw.ask(CALL).await);
}

#[tokio::test(start_paused = true)]
async fn each_client_has_its_own_share() {
    let place = Place::new();
    let _server = place.serve_with(router(), requests(1));
    let (mut greedy, mut modest) = (place.raw().await, place.raw().await);
    assert_eq!(greedy.ask(CALL).await, ANSWER);
    for _ in 0..10 {
        wait(&greedy.ask(CALL).await);
    }
    assert_eq!(modest.ask(CALL).await, ANSWER);
}

#[tokio::test(start_paused = true)]
async fn calls_in_a_batch_and_unknown_ones_count_but_events_do_not() {
    let place = Place::new();
    let _server = place.serve_with(router(), requests(3));
    let mut raw = place.raw().await;
    for number in 0..50 {
        raw.send(&format!(
            r#"{{"jsonrpc":"2.0","method":"tick","params":{number}}}"#
        ))
        .await;
    }
    let unknown = raw.ask(r#"{"jsonrpc":"2.0","id":1,"method":"gone"}"#).await;
    assert!(unknown.contains("-32601"), "{unknown}");
    let answers = raw.ask(&format!("[{CALL},{CALL},{CALL}]")).await;
    let expected = format!(
        r#"[{ANSWER},{ANSWER},{{"jsonrpc":"2.0","id":1,"error":{{"code":-32005,"message":"*","data":{{"retryAfterMilliseconds":334}}}}}}]"#
    );
    assert_fits(&answers, &expected);
}

/// It is not read while it has sent more than its share; everybody else is. Not for pipes, which are read in small pieces: the
/// long message itself is read slowly there, and the next one comes right after it.
#[cfg(unix)]
#[tokio::test]
async fn a_client_that_sends_too_much_is_read_more_slowly() {
    use crate::place::{Raw, Wire};

    const BYTES: u32 = 20_000;
    let place = Place::new();
    let settings = Settings {
        bytes_per_second: Some(BYTES),
        ..Settings::default()
    };
    let _server = place.serve_with(router(), settings);
    for wire in Wire::BOTH {
        let mut greedy = Raw::connect(&place.path(), wire).await;
        let mut modest = Raw::connect(&place.path(), wire).await;
        // Worth more than two seconds, in one message: it is read whole, and then nothing more.
        let long = CALL.replace(
            "\"one\"",
            &format!("\"one\",\"x\":\"{}\"", "x".repeat(50_000)),
        );
        assert_eq!(greedy.ask(&long).await, ANSWER);
        greedy.send(CALL).await;
        let others = async {
            for _ in 0..20 {
                assert_eq!(modest.ask(CALL).await, ANSWER);
            }
        };
        tokio::select! {
            biased;
            early = greedy.receive() => panic!("{early:?} came first"),
            () = others => {}
        }
        if wire == Wire::Lines {
            assert_eq!(greedy.receive().await.unwrap(), ANSWER, "in the end");
        }
    }
}
