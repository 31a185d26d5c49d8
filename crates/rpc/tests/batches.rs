//! Several calls in one frame.

use std::sync::{Arc, Mutex};

use tenon_rpc::{
    CallError, Connection, Dialect, Format, Io, Options, Payload, Router, RpcError,
    calls::BatchItem, options::Cancel, trace::Seen,
};

fn number(number: i64) -> Option<Payload> {
    Payload::encode(Format::Json, &number).ok()
}

/// Answers with its params, after all events that came before.
fn router() -> Router<Arc<Mutex<Vec<String>>>> {
    Router::new(Arc::<Mutex<Vec<String>>>::default())
        .on_raw("echo", |_, params| async move {
            Ok(params.unwrap_or_else(|| Payload::null(Format::Json)))
        })
        .on_raw("slow", |_, params| async move {
            tokio::task::yield_now().await;
            Ok(params.unwrap_or_else(|| Payload::null(Format::Json)))
        })
        .on_raw("never", |_, _| std::future::pending())
        .on_raw("events", |context, _| async move {
            let seen = context.state.lock().expect("no panic elsewhere").len();
            Payload::encode(Format::Json, &seen)
                .map_err(|error| RpcError::internal(error.to_string()))
        })
        .event_fallback(|context, event| {
            let mut seen = context.state.lock().expect("no panic elsewhere");
            seen.push(event.method.to_string());
        })
}

fn options(frames: &Arc<Mutex<Vec<String>>>) -> Options {
    let frames = frames.clone();
    Options {
        cancel: Some(Cancel {
            method: "cancel",
            field: "id",
        }),
        tap: Some(Arc::new(move |seen: Seen<'_>| {
            let frame = String::from_utf8_lossy(seen.bytes).into_owned();
            frames.lock().expect("no panic elsewhere").push(frame);
        })),
        ..Options::default()
    }
}

#[tokio::test]
async fn answers_come_in_the_order_of_the_calls() {
    for dialect in [Dialect::JsonRpcLines, Dialect::JsonRpcHeaders] {
        let (here, there) = Io::pair();
        let _server = Connection::start(there, dialect, router());
        let frames = Arc::default();
        let client = Arc::new(Router::new(()));
        let client = Connection::start_with(here, dialect, client, options(&frames));
        let items = vec![
            BatchItem::Call("slow".into(), number(1)),
            BatchItem::Event("told".into(), None),
            BatchItem::Call("nobody".into(), None),
            BatchItem::Call("echo".into(), number(3)),
            BatchItem::Call("events".into(), None),
        ];
        let outcomes = client.peer().call_batch(items).await.expect("answers");
        let [first, second, third, fourth] = &outcomes[..] else {
            panic!("not four: {outcomes:?}");
        };
        assert_eq!(first.as_ref().ok(), number(1).as_ref());
        assert!(matches!(second, Err(CallError::Answered(_))), "{second:?}");
        assert_eq!(third.as_ref().ok(), number(3).as_ref());
        assert_eq!(
            fourth.as_ref().ok(),
            number(1).as_ref(),
            "the event came before"
        );
        let frames = frames.lock().expect("no panic elsewhere");
        assert_eq!(frames.len(), 2, "one each way: {frames:#?}");
    }
}

#[tokio::test]
async fn giving_up_cancels_all_of_them() {
    let (here, there) = Io::pair();
    let frames = Arc::default();
    let server = Arc::new(router());
    let server = Connection::start_with(there, Dialect::JsonRpcLines, server, options(&frames));
    let client = Arc::new(Router::new(()));
    let client = Connection::start_with(here, Dialect::JsonRpcLines, client, options(&frames));
    let never = || BatchItem::Call("never".into(), None);
    let peer = client.peer();
    {
        let mut batch = std::pin::pin!(peer.call_batch(vec![never(), never()]));
        while server.running() < 2 {
            tokio::select! {
                outcome = &mut batch => panic!("{outcome:?}"),
                () = tokio::task::yield_now() => {}
            }
        }
    }
    while server.running() > 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_batch_whose_answers_could_not_be_read_is_not_sent() {
    let (here, there) = Io::pair();
    let frames: Arc<Mutex<Vec<String>>> = Arc::default();
    let _server = Connection::start(there, Dialect::JsonRpcLines, router());
    let client = Arc::new(Router::new(()));
    let client = Connection::start_with(here, Dialect::JsonRpcLines, client, options(&frames));
    let most = Options::default().limits.batch;
    let items = vec![BatchItem::Call("echo".into(), number(1)); most + 1];
    let error = client.peer().call_batch(items).await.expect_err("too many");
    assert!(error.to_string().contains("at most 1024 calls"), "{error}");
    assert!(frames.lock().expect("no panic elsewhere").is_empty());
    let items = vec![BatchItem::Call("echo".into(), number(1)); most];
    let outcomes = client.peer().call_batch(items).await.expect("answers");
    assert!(outcomes.iter().all(Result::is_ok));
}

#[tokio::test]
async fn dialects_without_batches_refuse_them() {
    for dialect in [Dialect::MsgpackRpc, Dialect::Orchard] {
        let (here, _there) = Io::pair();
        let client = Connection::start(here, dialect, Router::new(()));
        let items = vec![BatchItem::Call("echo".into(), None)];
        let error = client.peer().call_batch(items).await.expect_err("no batch");
        assert!(
            error.to_string().contains("does not support batches"),
            "{error}"
        );
    }
    let (here, _there) = Io::pair();
    let client = Connection::start(here, Dialect::JsonRpcLines, Router::new(()));
    let error = client
        .peer()
        .call_batch(Vec::new())
        .await
        .expect_err("nothing");
    assert!(error.to_string().contains("at least one"), "{error}");
}
