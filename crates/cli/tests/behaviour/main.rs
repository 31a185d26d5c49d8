//! One behaviour suite, over every dialect and every way to carry it: in memory, through the
//! pipes of a real child, over a Unix socket.

mod carrier;

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tenon::echo::*;
use tenon_protocols::orchard::ERROR_NAMES;
use tenon_rpc::{CallError, CloseReason, Dialect, ErrorCode, Payload, Router, RpcError, methods};

use carrier::{Carrier, Other};

methods! {
    /// Doubles a number, on our side.
    Double = "double" ((i64,)) -> i64;
    /// Gives back its first param, on our side.
    First = "first" ((i64, String)) -> i64;
    /// Takes a while, on our side.
    Slow = "slow" (()) -> ();
}

/// What our side has seen.
#[derive(Debug, Default)]
struct Ours {
    ticks: AtomicU64,
    disorder: AtomicU64,
    slow_ones_finished: AtomicU64,
    reads_slowly: AtomicBool,
}

fn our_router(ours: Arc<Ours>) -> Router<Arc<Ours>> {
    Router::new(ours)
        .on(Double, |_, (number,)| async move { Ok(number * 2) })
        .on(First, |_, (first, _)| async move { Ok(first) })
        .on(Slow, |context, ()| async move {
            tokio::time::sleep(Duration::from_millis(100)).await;
            context
                .state
                .slow_ones_finished
                .fetch_add(1, Ordering::SeqCst);
            Ok(())
        })
        .on_event(Tick, |context, params| {
            if context.state.reads_slowly.load(Ordering::Relaxed) {
                // It holds up our reading, as a busy peer would.
                std::thread::sleep(Duration::from_micros(50));
            }
            let expected = context.state.ticks.fetch_add(1, Ordering::Relaxed);
            if expected != params.number {
                context.state.disorder.fetch_add(1, Ordering::Relaxed);
            }
        })
}

/// Runs one behaviour under a watchdog; nothing here takes anywhere near that long.
async fn watched(test: impl Future<Output = ()>) {
    tokio::time::timeout(Duration::from_secs(120), test)
        .await
        .expect("the watchdog barked: something waits forever");
}

/// Makes a module of tests for each dialect and carrier.
macro_rules! suite {
    ($($behaviour:ident),+ $(,)?) => {
        suite!(@dialect json_rpc, Dialect::JsonRpcLines, $($behaviour),+);
        suite!(@dialect json_rpc_headers, Dialect::JsonRpcHeaders, $($behaviour),+);
        suite!(@dialect msgpack_rpc, Dialect::MsgpackRpc, $($behaviour),+);
        suite!(@dialect orchard, Dialect::Orchard, $($behaviour),+);
    };
    (@dialect $name:ident, $dialect:expr, $($behaviour:ident),+) => {
        mod $name {
            use super::*;
            suite!(@carrier memory, "multi_thread", $dialect, Carrier::Memory, $($behaviour),+);
            suite!(@carrier pipe, "current_thread", $dialect, Carrier::Pipe, $($behaviour),+);
            suite!(@carrier socket, "current_thread", $dialect, Carrier::Socket, $($behaviour),+);
        }
    };
    (@carrier $name:ident, $flavor:literal, $dialect:expr, $carrier:expr, $($behaviour:ident),+) => {
        mod $name {
            use super::*;
            $(
                #[tokio::test(flavor = $flavor)]
                async fn $behaviour() {
                    watched(super::super::$behaviour($dialect, $carrier)).await;
                }
            )+
        }
    };
}

suite![
    answers_come_back_unchanged,
    errors_arrive_whole,
    unknown_methods_are_answered,
    wrong_params_are_answered,
    handlers_call_back,
    a_thousand_calls_at_the_same_time,
    more_calls_back_than_may_run_in_parallel,
    far_more_calls_back_than_there_is_room_for,
    events_arrive_in_order,
    a_slow_reader_gets_everything,
    events_come_before_the_answer_that_follows_them,
    a_panic_fails_only_its_call,
    a_vanished_peer_wakes_every_waiter,
    a_dropped_call_is_cancelled,
    deadlines_pass_and_the_connection_stays,
    large_messages_in_both_directions_at_the_same_time,
    close_finishes_what_runs,
];

fn start(dialect: Dialect, carrier: Carrier) -> (Other, Arc<Ours>) {
    let ours = Arc::new(Ours::default());
    (carrier.reach(dialect, our_router(ours.clone())), ours)
}

async fn answers_come_back_unchanged(dialect: Dialect, carrier: Carrier) {
    let (other, _) = start(dialect, carrier);
    let peer = other.peer();
    let values = [
        json!([]),
        json!({}),
        json!([1, -1, 1.5, "é\n\"", null, true]),
        json!({"a": {"b": [u64::MAX, i64::MIN]}}),
    ];
    for value in values {
        let sent = Payload::encode(peer.format(), &value).unwrap();
        let answer = peer.call_raw("echo", Some(sent.clone())).await.unwrap();
        assert_eq!(answer, sent);
    }
    assert_eq!(peer.call(Add, (20, 22)).await.unwrap(), 42);
}

async fn errors_arrive_whole(dialect: Dialect, carrier: Carrier) {
    let (other, _) = start(dialect, carrier);
    let failure = FailParams {
        code: -32001,
        message: "no such thing: \"é\"".into(),
        data: Some(json!("more")),
    };
    let error = match other.peer().call(Fail, failure).await {
        Err(CallError::Answered(error)) => error,
        outcome => panic!("{outcome:?}"),
    };
    assert_eq!(error.message, "no such thing: \"é\"");
    assert_eq!(error.data.unwrap().decode::<String>().unwrap(), "more");
    let expected = match dialect {
        Dialect::Orchard => ErrorCode::Name("-32001".into()),
        _ => ErrorCode::Number(-32001),
    };
    assert_eq!(error.code, expected);
}

fn code(outcome: Result<impl std::fmt::Debug, CallError>) -> i64 {
    match outcome {
        Err(CallError::Answered(RpcError { code, .. })) => {
            // `tenon echo` has Orchard's names for them in Orchard.
            let named = ERROR_NAMES.iter().find(|(_, name)| code.name() == *name);
            named.map_or(code.number(), |(number, _)| *number)
        }
        outcome => panic!("{outcome:?}"),
    }
}

async fn unknown_methods_are_answered(dialect: Dialect, carrier: Carrier) {
    let (other, _) = start(dialect, carrier);
    assert_eq!(code(other.peer().call_raw("nope", None).await), -32601);
}

async fn wrong_params_are_answered(dialect: Dialect, carrier: Carrier) {
    let (other, _) = start(dialect, carrier);
    let peer = other.peer();
    let wrong = Payload::encode(peer.format(), &json!({"a": "b"})).unwrap();
    assert_eq!(code(peer.call_raw("add", Some(wrong)).await), -32602);
    assert_eq!(code(peer.call_raw("add", None).await), -32602);
}

async fn handlers_call_back(dialect: Dialect, carrier: Carrier) {
    let (other, _) = start(dialect, carrier);
    let params = |method: &str, params: Value| CallBackParams {
        method: method.into(),
        params: Some(params),
    };
    let doubled = other
        .peer()
        .call(CallBack, params("double", json!([21])))
        .await;
    assert_eq!(doubled.unwrap(), json!(42));
    // An error crosses both ways as well.
    let unknown = other.peer().call(CallBack, params("nope", json!([]))).await;
    assert_eq!(code(unknown), -32601);
}

async fn a_thousand_calls_at_the_same_time(dialect: Dialect, carrier: Carrier) {
    let (other, _) = start(dialect, carrier);
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..1000_i64 {
        let peer = other.peer();
        calls.spawn(async move {
            // Some handlers are ready at once, some are not.
            if number % 2 == 0 {
                peer.call(Sleep, SleepParams { ms: 1 }).await.unwrap();
            }
            (number, peer.call(Add, (number, 1)).await.unwrap())
        });
    }
    let answers = calls.join_all().await;
    assert_eq!(answers.len(), 1000);
    assert!(answers.iter().all(|(number, sum)| *sum == number + 1));
}

/// If requests past the limit stopped the reader, the answers behind them would never be read.
async fn more_calls_back_than_may_run_in_parallel(dialect: Dialect, carrier: Carrier) {
    let (other, _) = start(dialect, carrier);
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..3000_i64 {
        let peer = other.peer();
        calls.spawn(async move {
            let params = CallBackParams {
                method: "double".into(),
                params: Some(json!([number])),
            };
            peer.call(CallBack, params).await.unwrap() == json!(number * 2)
        });
    }
    assert!(calls.join_all().await.into_iter().all(|is_right| is_right));
}

/// So much waits that reading stops. Some calls are refused; none waits forever.
async fn far_more_calls_back_than_there_is_room_for(dialect: Dialect, carrier: Carrier) {
    let (other, _) = start(dialect, carrier);
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..4000_i64 {
        let peer = other.peer();
        calls.spawn(async move {
            let params = json!([number, "x".repeat(2000)]);
            let params = CallBackParams {
                method: "first".into(),
                params: Some(params),
            };
            match peer.call(CallBack, params).await {
                Ok(answer) => answer == json!(number),
                Err(CallError::Answered(error)) => error.message.contains("too many requests"),
                Err(_) => false,
            }
        });
    }
    assert!(calls.join_all().await.into_iter().all(|is_right| is_right));
}

async fn events_arrive_in_order(dialect: Dialect, carrier: Carrier) {
    const COUNT: u64 = 100_000;
    let (other, ours) = start(dialect, carrier);
    let peer = other.peer();
    for number in 0..COUNT {
        peer.send(Tick, TickParams { number }).await.unwrap();
    }
    let theirs = peer.call(Ticks, ()).await.unwrap();
    let expected = TicksResult {
        count: COUNT,
        in_order: true,
    };
    assert_eq!(theirs, expected);
    peer.call(Emit, EmitParams { count: COUNT }).await.unwrap();
    assert_eq!(ours.ticks.load(Ordering::Relaxed), COUNT);
    assert_eq!(ours.disorder.load(Ordering::Relaxed), 0);
}

/// The other side fills the pipe and then has to wait for us; nothing is lost or out of order.
async fn a_slow_reader_gets_everything(dialect: Dialect, carrier: Carrier) {
    const COUNT: u64 = 5_000;
    let (other, ours) = start(dialect, carrier);
    ours.reads_slowly.store(true, Ordering::Relaxed);
    let peer = other.peer();
    let (emitted, sum) = tokio::join!(
        peer.call(Emit, EmitParams { count: COUNT }),
        peer.call(Add, (1, 1))
    );
    assert_eq!((emitted.unwrap(), sum.unwrap()), (COUNT, 2));
    assert_eq!(ours.ticks.load(Ordering::Relaxed), COUNT);
    assert_eq!(ours.disorder.load(Ordering::Relaxed), 0);
}

async fn events_come_before_the_answer_that_follows_them(dialect: Dialect, carrier: Carrier) {
    let (other, ours) = start(dialect, carrier);
    for round in 1..=100 {
        other
            .peer()
            .call(Emit, EmitParams { count: 1 })
            .await
            .unwrap();
        assert_eq!(ours.ticks.load(Ordering::Relaxed), round);
    }
}

async fn a_panic_fails_only_its_call(dialect: Dialect, carrier: Carrier) {
    let (other, _) = start(dialect, carrier);
    let peer = other.peer();
    let sleeping = peer.call(Sleep, SleepParams { ms: 50 });
    let panicking = async {
        assert_eq!(code(peer.call(Panic, ()).await), -32603);
    };
    let (slept, ()) = tokio::join!(sleeping, panicking);
    slept.unwrap();
    assert_eq!(peer.call(Add, (1, 1)).await.unwrap(), 2);
}

async fn a_vanished_peer_wakes_every_waiter(dialect: Dialect, carrier: Carrier) {
    let (other, _) = start(dialect, carrier);
    let hour = SleepParams { ms: 3_600_000 };
    let peer = other.peer();
    let waiting: Vec<_> = (0..3)
        .map(|_| {
            let (peer, params) = (other.peer(), SleepParams { ..hour });
            tokio::spawn(async move { peer.call(Sleep, params).await })
        })
        .collect();
    // They are on their way once something sent after them has been answered.
    tokio::task::yield_now().await;
    peer.call(Add, (1, 1)).await.unwrap();
    let keeper = other.vanish().await;
    for call in waiting {
        let outcome = call.await.unwrap();
        assert!(matches!(outcome, Err(CallError::Closed(_))), "{outcome:?}");
    }
    let late = peer.call(Add, (1, 1)).await;
    assert!(matches!(late, Err(CallError::Closed(_))), "{late:?}");
    drop(keeper);
}

/// If the handler were still running, the peer would wait an hour for it before it ends.
async fn a_dropped_call_is_cancelled(dialect: Dialect, carrier: Carrier) {
    let (other, _) = start(dialect, carrier);
    let peer = other.peer();
    let hour = SleepParams { ms: 3_600_000 };
    let gone = peer
        .call_within(Duration::from_millis(20), Sleep, hour)
        .await;
    assert!(matches!(gone, Err(CallError::TimedOut(_))), "{gone:?}");
    other.ends_after_our_side_closes().await;
}

async fn deadlines_pass_and_the_connection_stays(dialect: Dialect, carrier: Carrier) {
    let (other, _) = start(dialect, carrier);
    let peer = other.peer();
    for _ in 0..3 {
        let second = SleepParams { ms: 1000 };
        let outcome = peer
            .call_within(Duration::from_millis(5), Sleep, second)
            .await;
        assert!(
            matches!(outcome, Err(CallError::TimedOut(_))),
            "{outcome:?}"
        );
    }
    assert_eq!(peer.call(Add, (1, 1)).await.unwrap(), 2);
}

/// Both directions are full at the same time: a side that stopped reading while it writes would
/// wait for the other forever.
async fn large_messages_in_both_directions_at_the_same_time(dialect: Dialect, carrier: Carrier) {
    let (other, _) = start(dialect, carrier);
    let text = Payload::encode(other.peer().format(), &["y".repeat(300_000)]).unwrap();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let (peer, text) = (other.peer(), text.clone());
        calls
            .spawn(async move { peer.call_raw("echo", Some(text.clone())).await.unwrap() == text });
    }
    assert!(calls.join_all().await.into_iter().all(|is_same| is_same));
}

async fn close_finishes_what_runs(dialect: Dialect, carrier: Carrier) {
    let (other, ours) = start(dialect, carrier);
    let peer = other.peer();
    let outer = tokio::spawn({
        let peer = other.peer();
        let slow = CallBackParams {
            method: "slow".into(),
            params: None,
        };
        async move { peer.call(CallBack, slow).await }
    });
    // Our handler runs once the other side has called us back.
    while ours.slow_ones_finished.load(Ordering::SeqCst) == 0 && !peer.is_closed() {
        if other.has_running_handlers() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let (reason, keeper) = other.close().await;
    assert!(
        matches!(reason, CloseReason::ClosedHere | CloseReason::PeerClosed),
        "{reason:?}"
    );
    assert_eq!(ours.slow_ones_finished.load(Ordering::SeqCst), 1);
    drop(outer.await.unwrap());
    drop(keeper);
}
