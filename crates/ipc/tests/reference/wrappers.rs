//! What is put around handlers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tenon_ipc::wrappers;
use tenon_rpc::{Call, ErrorCode, Next, Reply, Router, RpcError};

use crate::exact::assert_fits;
use crate::place::{Dropped, Place, json};

type Log = Arc<Mutex<Vec<String>>>;

/// Longer than any test may take.
const LONG: Duration = Duration::from_secs(3600);

fn router() -> Router<()> {
    Router::new(())
        .on_raw("one", |_, _| async { Ok(json("1")) })
        .on_raw("fail", |_, _| async {
            Err(RpcError::new(ErrorCode::Number(7), "no disk").with_data(json("[1]")))
        })
        .on_raw("panic", |_, _| async { panic!("out of luck") })
        .on_raw("hang", |_, _| std::future::pending())
}

async fn ask(router: Router<()>, method: &str) -> String {
    let place = Place::new();
    let _server = place.serve(router);
    let mut raw = place.raw().await;
    let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}"}}"#);
    raw.ask(&call).await
}

const ONE: &str = r#"{"jsonrpc":"2.0","id":1,"result":1}"#;
const FAILED: &str =
    r#"{"jsonrpc":"2.0","id":1,"error":{"code":7,"message":"no disk","data":[1]}}"#;
const TIMED_OUT: &str = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error","data":"request timeout"}}"#;
const PANICKED: &str = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error: the handler panicked"}}"#;

/// A wrapper that notes when it is entered and left.
fn noting(
    log: &Log,
    name: &'static str,
) -> impl Fn(Call, Next) -> wrappers::Wrapped + Send + Sync + 'static {
    let log = log.clone();
    move |call, next| {
        let log = log.clone();
        Box::pin(async move {
            log.lock().unwrap().push(format!("{name} in"));
            let reply: Reply = next.run(call).await;
            log.lock().unwrap().push(format!("{name} out"));
            reply
        })
    }
}

#[tokio::test]
async fn the_last_of_three_is_the_outermost() {
    for (method, expected) in [("one", ONE), ("fail", FAILED)] {
        let log = Log::default();
        let router = router()
            .wrap(noting(&log, "c"))
            .wrap(noting(&log, "b"))
            .wrap(noting(&log, "a"));
        assert_fits(&ask(router, method).await, expected);
        let log = log.lock().unwrap();
        assert_eq!(*log, ["a in", "b in", "c in", "c out", "b out", "a out"]);
    }
}

#[tokio::test]
async fn a_wrapper_changes_what_goes_in_and_out() {
    let router = router().wrap(|mut call: Call, next: Next| async move {
        call.method = "fail".into();
        let error = next.run(call).await.unwrap_err();
        Ok(json(&error.code.number().to_string()))
    });
    let answer = ask(router, "one").await;
    assert_fits(&answer, r#"{"jsonrpc":"2.0","id":1,"result":7}"#);
}

#[tokio::test]
async fn logging_tells_of_each_call() {
    for (method, outcome) in [
        ("one", "Ok"),
        ("fail", "Err(7)"),
        ("panic", "Err(-32603)"),
        // Unlike in the reference, no client slips through.
        ("gone", "Err(-32601)"),
    ] {
        let log = Log::default();
        let told = log.clone();
        let router = router().wrap(wrappers::logging(move |done| {
            let outcome = match done.reply {
                Ok(_) => "Ok".to_owned(),
                Err(error) => format!("Err({})", error.code.number()),
            };
            assert!(done.elapsed < LONG);
            let (method, id, session) = (done.method, done.id, done.session.number());
            let line = format!("{method} {id} {session} {outcome}");
            told.lock().unwrap().push(line);
        }));
        ask(router, method).await;
        assert_eq!(*log.lock().unwrap(), [format!("{method} 1 1 {outcome}")]);
    }
}

#[tokio::test]
async fn logging_tells_how_long_it_took() {
    let place = Place::new();
    let log = Arc::<Mutex<Vec<Duration>>>::default();
    let told = log.clone();
    let nap = Duration::from_millis(20);
    let router = Router::new(())
        .on_raw("nap", move |_, _| async move {
            tokio::time::sleep(nap).await;
            Ok(json("1"))
        })
        .wrap(wrappers::logging(move |done| {
            told.lock().unwrap().push(done.elapsed);
        }));
    let _server = place.serve(router);
    place.client().await.call_raw("nap", None).await.unwrap();
    let log = log.lock().unwrap();
    assert!(log.len() == 1 && log[0] >= nap, "{log:?}");
}

#[tokio::test]
async fn a_panic_needs_no_wrapper() {
    assert_fits(&ask(router(), "panic").await, PANICKED);
    let router = Router::new(()).on_raw("panic", |_, _| async {
        tokio::task::yield_now().await;
        std::panic::panic_any(RpcError::internal("as a value"))
    });
    let expected = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"Internal error: the handler panicked"}}"#;
    assert_fits(&ask(router, "panic").await, expected);
}

#[tokio::test]
async fn a_wrapper_that_panics_is_like_a_handler_that_does() {
    let router = router().wrap(|_: Call, _: Next| async { panic!("out of luck") });
    assert_fits(&ask(router, "one").await, PANICKED);
}

#[tokio::test]
async fn a_timeout_gives_up_and_drops_the_handler() {
    static DROPPED: AtomicUsize = AtomicUsize::new(0);
    let router = Router::new(())
        .on_raw("hang", |_, _| async {
            let _dropped = Dropped(&DROPPED);
            std::future::pending().await
        })
        .wrap(wrappers::timeout(Duration::from_millis(10)));
    assert_fits(&ask(router, "hang").await, TIMED_OUT);
    assert_eq!(DROPPED.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_timeout_that_does_not_come_changes_nothing() {
    for (method, expected) in [("one", ONE), ("fail", FAILED), ("panic", PANICKED)] {
        let router = router().wrap(wrappers::timeout(LONG));
        assert_fits(&ask(router, method).await, expected);
    }
}

#[tokio::test]
async fn all_of_them_together() {
    for (method, expected) in [
        ("one", ONE),
        ("fail", FAILED),
        ("hang", TIMED_OUT),
        ("panic", PANICKED),
    ] {
        let log = Log::default();
        let told = log.clone();
        let router = router()
            .wrap(wrappers::timeout(Duration::from_millis(10)))
            .wrap(wrappers::logging(move |done| {
                told.lock().unwrap().push(done.reply.is_ok().to_string());
            }))
            .wrap(wrappers::guard(|_, _| Ok(())));
        assert_fits(&ask(router, method).await, expected);
        let told = log.lock().unwrap().join(" ");
        assert_eq!(told, (method == "one").to_string(), "{method}");
    }
}

#[tokio::test]
async fn a_guard_decides_before_anything_runs() {
    let log = Log::default();
    let router = router()
        .wrap(noting(&log, "handler"))
        .wrap(wrappers::guard(|session, call| {
            assert_eq!(session.number(), 1);
            match &*call.method {
                "one" => Ok(()),
                _ => Err(RpcError::new(ErrorCode::Number(-32004), "not for you")),
            }
        }));
    let refused = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"not for you"}}"#;
    assert_fits(&ask(router, "fail").await, refused);
    assert!(log.lock().unwrap().is_empty());
}
