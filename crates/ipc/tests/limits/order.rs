//! Answers in the order of the questions, or as they come.

use std::sync::Arc;

use tenon_ipc::Settings;
use tenon_rpc::{Options, Router, methods};
use tokio::sync::{Notify, mpsc};

use crate::exact::assert_fits;
use crate::place::{Place, Raw};

methods! {
    /// Answers with its number once that is let go.
    Wait = "wait" (usize) -> usize;
}

/// Handlers that end when they are told to, and tell when they begin.
struct Handlers {
    gates: Arc<[Notify; 4]>,
    begins: mpsc::Receiver<usize>,
}

fn handlers() -> (Router<()>, Handlers) {
    let gates = Arc::<[Notify; 4]>::default();
    let (begun, begins) = mpsc::channel(64);
    let doors = gates.clone();
    let router = Router::new(()).on(Wait, move |_, number| {
        let (doors, begun) = (doors.clone(), begun.clone());
        async move {
            begun.try_send(number).unwrap();
            doors[number].notified().await;
            Ok(number)
        }
    });
    (router, Handlers { gates, begins })
}

fn in_order() -> Settings {
    Settings {
        in_order: true,
        ..Settings::default()
    }
}

async fn ask(raw: &mut Raw, numbers: std::ops::Range<usize>) {
    for number in numbers {
        let call =
            format!(r#"{{"jsonrpc":"2.0","id":{number},"method":"wait","params":{number}}}"#);
        raw.send(&call).await;
    }
}

fn answer(number: usize) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{number},"result":{number}}}"#)
}

const CANCELLED: &str = r#"{"code":-32800,"message":"the call was cancelled"}"#;

#[tokio::test]
async fn answers_come_as_handlers_end() {
    let place = Place::new();
    let (router, mut handlers) = handlers();
    let _server = place.serve(router);
    let mut raw = place.raw().await;
    ask(&mut raw, 0..4).await;
    for number in 0..4 {
        assert_eq!(handlers.begins.recv().await, Some(number));
    }
    for number in (0..4).rev() {
        handlers.gates[number].notify_one();
        assert_eq!(raw.receive().await.unwrap(), answer(number));
    }
}

#[tokio::test]
async fn or_in_the_order_of_the_questions() {
    let place = Place::new();
    let (router, mut handlers) = handlers();
    let _server = place.serve_with(router, in_order());
    let mut raw = place.raw().await;
    ask(&mut raw, 0..4).await;
    assert_eq!(handlers.begins.recv().await, Some(0));
    for number in (0..4).rev() {
        assert!(handlers.begins.try_recv().is_err(), "one after the other");
        handlers.gates[number].notify_one();
    }
    for number in 0..4 {
        assert_eq!(raw.receive().await.unwrap(), answer(number));
    }
}

/// A batch is answered whole, and its calls are questions like others.
#[tokio::test]
async fn a_batch_is_in_order_as_well() {
    let place = Place::new();
    let (router, handlers) = handlers();
    let _server = place.serve_with(router, in_order());
    let mut raw = place.raw().await;
    let call =
        |number| format!(r#"{{"jsonrpc":"2.0","id":{number},"method":"wait","params":{number}}}"#);
    raw.send(&format!("[{},{}]", call(0), call(1))).await;
    ask(&mut raw, 2..3).await;
    for number in (0..3).rev() {
        handlers.gates[number].notify_one();
    }
    let both = format!("[{},{}]", answer(0), answer(1));
    assert_eq!(raw.receive().await.unwrap(), both);
    assert_eq!(raw.receive().await.unwrap(), answer(2));
}

/// Clients do not wait for each other.
#[tokio::test]
async fn each_client_has_its_own_order() {
    let place = Place::new();
    let (router, mut handlers) = handlers();
    let _server = place.serve_with(router, in_order());
    let (mut one, mut two) = (place.raw().await, place.raw().await);
    ask(&mut one, 0..1).await;
    assert_eq!(handlers.begins.recv().await, Some(0));
    ask(&mut two, 1..2).await;
    handlers.gates[1].notify_one();
    assert_eq!(two.receive().await.unwrap(), answer(1));
    handlers.gates[0].notify_one();
    assert_eq!(one.receive().await.unwrap(), answer(0));
}

/// A cancellation does not wait its turn, whether the call has begun or not.
#[tokio::test]
async fn a_cancellation_goes_past_all_questions() {
    let place = Place::new();
    let (router, mut handlers) = handlers();
    let _server = place.serve_with(router, in_order());
    let mut raw = place.raw().await;
    ask(&mut raw, 0..4).await;
    assert_eq!(handlers.begins.recv().await, Some(0));
    for number in [2, 0] {
        let cancel =
            format!(r#"{{"jsonrpc":"2.0","method":"$/cancelRequest","params":{{"id":{number}}}}}"#);
        let expected = format!(r#"{{"jsonrpc":"2.0","id":{number},"error":{CANCELLED}}}"#);
        assert_fits(&raw.ask(&cancel).await, &expected);
    }
    for number in [1, 3] {
        assert_eq!(handlers.begins.recv().await, Some(number), "2 never began");
        handlers.gates[number].notify_one();
        assert_eq!(raw.receive().await.unwrap(), answer(number));
    }
}

/// Two run at the same time, and the next one starts when one of them is done.
#[tokio::test]
async fn the_number_of_running_handlers_is_limited() {
    let place = Place::new();
    let (router, mut handlers) = handlers();
    let settings = Settings {
        options: Options {
            running: 2,
            ..Settings::default().options
        },
        ..Settings::default()
    };
    let _server = place.serve_with(router, settings);
    let mut raw = place.raw().await;
    ask(&mut raw, 0..4).await;
    for number in 0..2 {
        assert_eq!(handlers.begins.recv().await, Some(number));
    }
    for (done, next) in [(1, 2), (2, 3)] {
        assert!(handlers.begins.try_recv().is_err());
        handlers.gates[done].notify_one();
        assert_eq!(raw.receive().await.unwrap(), answer(done));
        assert_eq!(handlers.begins.recv().await, Some(next));
    }
}
