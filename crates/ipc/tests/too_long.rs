//! More of something than the limits let through.

mod exact;
mod place;

use exact::{Exact, assert_fits};
use place::{Place, Raw, Wire};
use tenon_ipc::Settings;
use tenon_rpc::{
    Options, Router, methods,
    options::{Limits, Oversized},
};

methods! {
    /// How many there are.
    Count = "count" (Vec<i64>) -> usize;
}

fn router() -> Router<()> {
    Router::new(()).on(Count, |_, items| async move { Ok(items.len()) })
}

#[tokio::test]
async fn a_batch_has_as_many_as_the_limit_says_and_no_more() {
    let place = Place::new();
    let _server = place.serve(router());
    let batch = |count: usize| {
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"count","params":[]}"#;
        format!("[{}]", vec![call; count].join(","))
    };
    for wire in Wire::BOTH {
        let mut raw = Raw::connect(&place.path(), wire).await;
        let Exact::Array(answers) = Exact::parse(&raw.ask(&batch(1024)).await) else {
            panic!("the answer to a batch is one");
        };
        assert_eq!(answers.len(), 1024);
        let refused = raw.ask(&batch(1025)).await;
        let problem = "a batch of 1025, more than the limit of 1024";
        assert_fits(
            &refused,
            &format!(
                r#"{{"jsonrpc":"2.0","id":null,"error":{{"code":-32600,"message":"Invalid Request","data":"{problem}"}}}}"#
            ),
        );
    }
}

/// It is passed over, however long it is, and what follows is read.
#[tokio::test]
async fn a_frame_that_is_too_long() {
    let place = Place::new();
    let mut settings = Settings::default();
    settings.options.limits.frame = 1000;
    let _server = place.serve_with(router(), settings);
    let call = |length: usize| {
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"count","params":[]}"#;
        call.replace("[]", &format!("[{}]", " ".repeat(length - call.len())))
    };
    for wire in Wire::BOTH {
        let mut raw = Raw::connect(&place.path(), wire).await;
        let fits = raw.ask(&call(1000)).await;
        assert_fits(&fits, r#"{"jsonrpc":"2.0","id":1,"result":0}"#);
        for length in [1001, 1002, 5000, 300_000] {
            let refused = raw.ask(&call(length)).await;
            let expected = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request","data":"*"}}"#;
            assert_fits(&refused, expected);
            assert!(refused.contains("1000 bytes"), "{refused}");
            let next = raw.ask(&call(100)).await;
            assert_fits(&next, r#"{"jsonrpc":"2.0","id":1,"result":0}"#);
        }
    }
}

/// With [`Oversized::End`] it is the last one.
#[tokio::test]
async fn or_it_ends_the_connection() {
    let place = Place::new();
    let limits = Limits {
        frame: 1000,
        oversized: Oversized::End,
        ..Limits::default()
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    let settings = Settings {
        options,
        ..Settings::default()
    };
    let _server = place.serve_with(router(), settings);
    for wire in Wire::BOTH {
        let mut raw = Raw::connect(&place.path(), wire).await;
        raw.send(&"x".repeat(1500)).await;
        let rest = raw.rest().await;
        assert_eq!(rest.len(), 1, "{rest:?}");
        assert_fits(
            &rest[0],
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"*"}}"#,
        );
    }
}
