//! Functions by name, wrappers around them, catch-alls behind them, and the clients made from a
//! table.

use std::sync::{Arc, Mutex};

use tenon_rpc::{
    Call, CallError, Connection, Dialect, ErrorCode, Format, Io, Next, Options, Payload, Peer,
    Reply, Router, RpcError, events, methods, options::Params,
};

methods! {
    /// Calls a calculator.
    client Calculator;

    /// Adds two numbers.
    Add, add = "add" ((i64, i64)) -> i64;
    /// Halves a number, if it can.
    Halve, halve = "halve" (Number) -> i64;
    /// Greets.
    Greet, greet = "greet" (String) -> String;
}

events! {
    /// Says something.
    Say = "say" (String);
}

#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct Number {
    number: i64,
}

type Seen = Arc<Mutex<Vec<String>>>;

fn note(seen: &Seen, text: impl Into<String>) {
    seen.lock().unwrap().push(text.into());
}

fn calculator(seen: &Seen) -> Router<Seen> {
    Router::new(seen.clone())
        .on(Add, |_, (a, b)| async move { Ok(a + b) })
        .on(Halve, |context, params| async move {
            note(
                &context.state,
                format!("{} as {}", context.method, context.id),
            );
            match params.number % 2 {
                0 => Ok(params.number / 2),
                _ => Err(RpcError::invalid_params("it is odd")),
            }
        })
        .on(Greet, |_, name| async move { Ok(format!("hello, {name}")) })
        .on_event(Say, |context, text| note(context.state, text))
}

/// A connection to a server with this router, in each dialect.
async fn with_each_dialect<F: Future<Output = ()>>(
    router: impl Fn(&Seen) -> Router<Seen>,
    test: impl Fn(Peer, Seen) -> F,
) {
    for dialect in Dialect::ALL {
        let seen = Seen::default();
        let (here, there) = Io::pair();
        let _server = Connection::start(there, dialect, router(&seen));
        let client = Connection::start(here, dialect, Router::new(()));
        test(client.peer(), seen).await;
    }
}

fn code(outcome: Result<impl std::fmt::Debug, CallError>) -> ErrorCode {
    match outcome {
        Err(CallError::Answered(error)) => ErrorCode::Number(error.code.number()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_client_is_made_from_the_table() {
    with_each_dialect(calculator, |peer, seen| async move {
        let calculator = Calculator::new(peer);
        assert_eq!(calculator.add((20, 22)).await.unwrap(), 42);
        assert_eq!(calculator.halve(Number { number: 42 }).await.unwrap(), 21);
        assert_eq!(calculator.greet("you".into()).await.unwrap(), "hello, you");
        let odd = calculator.halve(Number { number: 1 }).await;
        assert_eq!(code(odd), ErrorCode::INVALID_PARAMS);
        assert_eq!(seen.lock().unwrap()[0], "halve as 2");
    })
    .await;
    let names: Vec<&str> = Calculator::METHODS.iter().map(|row| row.name).collect();
    assert_eq!(names, ["add", "halve", "greet"]);
    assert_eq!(Calculator::METHODS[1].params, "Number");
    assert_eq!(Calculator::METHODS[1].result, Some("i64"));
    assert_eq!(Calculator::METHODS[0].about.trim(), "Adds two numbers.");
}

#[tokio::test]
async fn params_may_be_named_or_positional() {
    with_each_dialect(calculator, |peer, _| async move {
        let format = peer.format();
        for params in [r#"{"number":8}"#, "[8]", r#"[{"number":8}]"#] {
            let params = Payload::from_json(params).unwrap().to_format(format);
            let half = peer.call_raw("halve", Some(params.unwrap())).await.unwrap();
            assert_eq!(half.decode::<i64>().unwrap(), 4);
        }
    })
    .await;
}

/// A struct that an array of one map would fill by position.
#[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
struct Labels {
    labels: std::collections::BTreeMap<String, i64>,
    #[serde(default)]
    more: i64,
}

methods! {
    /// Adds up what it is given by name.
    Total = "total" (Labels) -> i64;
    /// Takes nothing.
    Zero = "zero" (()) -> i64;
}

/// How many params each way of reading them makes of these, in both formats; `None` is an error
/// about the params.
#[tokio::test]
async fn named_params_are_never_read_by_position() {
    for (how, params, expected) in [
        (Params::Any, r#"{"labels":{"a":1},"more":2}"#, Some(3)),
        (Params::Any, r#"[{"labels":1}]"#, Some(1)),
        (Params::Named, r#"{"labels":{"a":1},"more":2}"#, Some(3)),
        (Params::Named, r#"[{"labels":1}]"#, None),
        (Params::Named, r#"[{"a":1},2]"#, None),
        (Params::Named, "[]", None),
        (Params::Wrapped, r#"[{"labels":{"a":1},"more":2}]"#, Some(3)),
        (Params::Wrapped, r#"{"labels":{"a":1},"more":2}"#, Some(3)),
        (Params::Wrapped, r#"[{"labels":1}]"#, None),
        (Params::Wrapped, r#"[{"a":1},2]"#, None),
        (Params::Wrapped, r#"[[{"a":1},2]]"#, None),
        (Params::Wrapped, "[]", None),
        (Params::Wrapped, "[null]", None),
    ] {
        for dialect in [Dialect::JsonRpcLines, Dialect::MsgpackRpc] {
            let router = Router::new(()).on(Total, |_, Labels { labels, more }| async move {
                Ok(labels.values().sum::<i64>() + more)
            });
            let router = router.on(Zero, |_, ()| async { Ok(0) });
            let options = Options {
                params: how,
                ..Options::default()
            };
            let (here, there) = Io::pair();
            let _server = Connection::start_with(there, dialect, Arc::new(router), options);
            let client = Connection::start(here, dialect, Router::new(()));
            let sent = Payload::from_json(params).unwrap();
            let sent = sent.to_format(dialect.format()).unwrap();
            let answer = client.peer().call_raw("total", Some(sent)).await;
            match expected {
                Some(total) => assert_eq!(answer.unwrap().decode::<i64>().unwrap(), total),
                None => assert_eq!(code(answer), ErrorCode::INVALID_PARAMS, "{how:?} {params}"),
            }
            for nothing in ["[]", "{}"] {
                let sent = Payload::from_json(nothing).unwrap();
                let sent = sent.to_format(dialect.format()).unwrap();
                let answer = client.peer().call_raw("zero", Some(sent)).await;
                assert_eq!(answer.unwrap().decode::<i64>().unwrap(), 0, "{how:?}");
            }
            assert_eq!(client.peer().call(Zero, ()).await.unwrap(), 0);
        }
    }
}

/// Params in an array of one go both ways, and none are an empty array.
#[tokio::test]
async fn wrapped_params_are_sent_in_an_array_of_one() {
    let options = Options {
        params: Params::Wrapped,
        ..Options::default()
    };
    let router = Router::new(())
        .on_raw("halve", |context, params| async move {
            Ok(params.unwrap_or_else(|| Payload::null(context.peer.format())))
        })
        .on_raw("nothing", |context, params| async move {
            Ok(params.unwrap_or_else(|| Payload::null(context.peer.format())))
        });
    methods! {
        /// Gives back what was sent.
        Halve = "halve" (Number) -> Vec<Number>;
        /// Takes nothing.
        Nothing = "nothing" (()) -> Vec<Number>;
    }
    let (here, there) = Io::pair();
    let _server = Connection::start(there, Dialect::MsgpackRpc, router);
    let router = Arc::new(Router::new(()));
    let client = Connection::start_with(here, Dialect::MsgpackRpc, router, options);
    let [sent] = &client
        .peer()
        .call(Halve, Number { number: 8 })
        .await
        .unwrap()[..]
    else {
        panic!("not an array of one");
    };
    assert_eq!(sent.number, 8);
    assert!(client.peer().call(Nothing, ()).await.unwrap().is_empty());
}

#[tokio::test]
async fn errors_about_params_quote_nothing_of_them() {
    with_each_dialect(calculator, |peer, _| async move {
        let format = peer.format();
        for (method, params) in [
            ("halve", r#"{"number":"hunter2"}"#),
            ("halve", r#"["hunter2"]"#),
            ("halve", r#""hunter2""#),
            ("add", r#"{"password":"hunter2"}"#),
            ("add", r#"["hunter2","hunter2"]"#),
        ] {
            let params = Payload::from_json(params).unwrap().to_format(format);
            let error = peer.call_raw(method, Some(params.unwrap())).await;
            let Err(CallError::Answered(error)) = error else {
                panic!("{method} takes no such params: {error:?}");
            };
            let text = error.to_string();
            assert!(!text.contains("hunter2"), "{text}");
            assert!(text.contains(", expected "), "{text}");
        }
    })
    .await;
}

async fn outer(call: Call, next: Next) -> Reply {
    let reply = next.run(call).await?;
    let number: i64 = reply
        .decode()
        .map_err(|e| RpcError::internal(e.to_string()))?;
    Payload::encode(reply.format(), &(number * 10)).map_err(|e| RpcError::internal(e.to_string()))
}

async fn refuse_greetings(call: Call, next: Next) -> Reply {
    if call.method == "greet" {
        return Err(RpcError::new(ErrorCode::Number(-32001), "not today"));
    }
    next.run(call).await
}

#[tokio::test]
async fn wrappers_go_around_every_call() {
    let wrapped = |seen: &Seen| {
        let inner_seen = seen.clone();
        calculator(seen)
            .wrap(move |call: Call, next: Next| {
                note(&inner_seen, format!("inner saw {}", call.method));
                next.run(call)
            })
            .wrap(outer)
            .wrap(refuse_greetings)
    };
    with_each_dialect(wrapped, |peer, seen| async move {
        assert_eq!(peer.call(Add, (1, 2)).await.unwrap(), 30);
        let greeting = peer.call(Greet, "you".into()).await;
        assert_eq!(code(greeting), ErrorCode::Number(-32001));
        // An unknown method comes by as well.
        assert_eq!(
            code(peer.call_raw("nope", None).await),
            ErrorCode::METHOD_NOT_FOUND
        );
        assert_eq!(*seen.lock().unwrap(), ["inner saw add", "inner saw nope"]);
    })
    .await;
}

#[tokio::test]
async fn catch_alls_take_what_nothing_else_does() {
    let catching = |seen: &Seen| {
        calculator(seen)
            .fallback(|call: Call, seen| async move {
                note(&seen, format!("call {}", call.method));
                Ok(Payload::null(call.peer.format()))
            })
            .event_fallback(|context, event| note(context.state, format!("event {}", event.method)))
    };
    with_each_dialect(catching, |peer, seen| async move {
        peer.send_raw("whatever", None).await.unwrap();
        peer.send(Say, "hi".into()).await.unwrap();
        assert!(peer.call_raw("anything", None).await.unwrap().is_null());
        assert_eq!(peer.call(Add, (1, 1)).await.unwrap(), 2);
        assert_eq!(
            *seen.lock().unwrap(),
            ["event whatever", "hi", "call anything"]
        );
    })
    .await;
}

/// An event handler that panics, or whose params do not fit, takes nothing else down.
#[tokio::test]
async fn bad_events_are_dropped() {
    let panicking = |seen: &Seen| {
        calculator(seen).event_fallback(|_, event| panic!("cannot stand {}", event.method))
    };
    with_each_dialect(panicking, |peer, seen| async move {
        let wrong = Payload::encode(peer.format(), &[1, 2]).unwrap();
        peer.send_raw("say", Some(wrong)).await.unwrap();
        peer.send_raw("spiders", None).await.unwrap();
        peer.send(Say, "still here".into()).await.unwrap();
        assert_eq!(peer.call(Add, (1, 1)).await.unwrap(), 2);
        assert_eq!(*seen.lock().unwrap(), ["still here"]);
    })
    .await;
}

/// A result that the dialect cannot carry is an error, because there must be an answer.
#[tokio::test]
async fn an_answer_in_the_wrong_format_becomes_an_error() {
    let wrong = |seen: &Seen| {
        calculator(seen).on_raw("wrong", |context, _| async move {
            Ok(match context.peer.format() {
                Format::Json => Payload::null(Format::Msgpack),
                Format::Msgpack => Payload::null(Format::Json),
            })
        })
    };
    with_each_dialect(wrong, |peer, _| async move {
        assert_eq!(
            code(peer.call_raw("wrong", None).await),
            ErrorCode::INTERNAL_ERROR
        );
    })
    .await;
}
