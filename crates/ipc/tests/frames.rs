//! What a server answers to every kind of frame, on lines and behind headers. The tables are in
//! `frames/`.

mod exact;
mod place;
mod table;

use std::sync::{Arc, Mutex};

use exact::Exact;
use place::{Place, Raw, Wire, json};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use table::Exchange;
use tenon_ipc::{Framing, FromClient, Server, Session, Settings};
use tenon_rpc::{ErrorCode, Id, Payload, Router, RpcError, events, methods};

#[derive(Serialize, Deserialize)]
struct Difference {
    minuend: i64,
    subtrahend: i64,
}

#[derive(Serialize, Deserialize)]
struct Greeting {
    name: Option<String>,
}

methods! {
    /// Subtracts, by position or by name.
    Subtract = "subtract" (Difference) -> i64;
    /// Adds two.
    Add = "add" ((i64, i64)) -> i64;
    /// Adds any number of them.
    Sum = "sum" (Vec<i64>) -> i64;
    /// Needs nothing.
    GetData = "get_data" (()) -> (String, i64);
    /// Needs nothing and answers nothing.
    Nothing = "nothing" (()) -> ();
    /// All of its params are optional.
    Greet = "greet" (Greeting) -> String;
    /// Its result has keys that are not texts.
    Unsayable = "unsayable" (()) -> std::collections::BTreeMap<Vec<u8>, u8>;
}

events! {
    /// Is remembered.
    Update = "update" (Box<RawValue>);
    /// Is remembered.
    NotifyHello = "notify_hello" (Box<RawValue>);
    /// Is remembered.
    NotifySum = "notify_sum" (Box<RawValue>);
    /// Wants numbers.
    Numbers = "numbers" (Vec<i64>);
    /// Panics.
    Explode = "explode" (());
}

/// The events of one client that have been handled.
#[derive(Default)]
struct Handled(Mutex<Vec<String>>);

fn remember(session: &Session, event: &str, params: &RawValue) {
    let handled = session.kept::<Handled>().unwrap();
    let event = format!("[\"{event}\",{params}]");
    handled.0.lock().unwrap().push(event);
}

fn written(id: &Id) -> Payload {
    json(&match id {
        Id::Text(text) => serde_json::to_string(text.as_str()).unwrap(),
        other => other.to_string(),
    })
}

fn router() -> Router<()> {
    Router::new(())
        .on(Subtract, |_, params| async move {
            Ok(params.minuend - params.subtrahend)
        })
        .on(Add, |_, (a, b)| async move { Ok(a + b) })
        .on(Sum, |_, numbers| async move { Ok(numbers.iter().sum()) })
        .on(GetData, |_, ()| async { Ok(("hello".to_owned(), 5)) })
        .on(Nothing, |_, ()| async { Ok(()) })
        .on(Greet, |_, greeting| async move {
            let name = greeting.name.unwrap_or_else(|| "you".to_owned());
            Ok(format!("hello, {name}"))
        })
        .on(Unsayable, |_, ()| async { Ok([(vec![1], 1)].into()) })
        .on_raw("echo", |_, params| async move {
            Ok(params.unwrap_or_else(|| json("null")))
        })
        .on_raw("rpc.echo", |_, params| async move { Ok(params.unwrap()) })
        .on_raw("has_params", |_, params| async move {
            Ok(json(&params.is_some().to_string()))
        })
        .on_raw("fail", |_, _| async {
            let error = RpcError::new(ErrorCode::Number(-32001), "no disk");
            Err(error.with_data(json(r#"{"free":0,"exact":1.50}"#)))
        })
        .on_raw("fail_plainly", |_, _| async {
            Err(RpcError::internal("it went wrong"))
        })
        .on_raw("panic", |_, _| async { panic!("out of luck") })
        .on_raw("hang", |_, _| std::future::pending())
        .on_raw("id", |context, _| async move { Ok(written(&context.id)) })
        .on_raw("method", |context, _| async move {
            Ok(json(&format!("\"{}\"", context.method)))
        })
        .on_raw("handled", |context, _| async move {
            let handled = context.session().kept::<Handled>().unwrap();
            let handled = std::mem::take(&mut *handled.0.lock().unwrap());
            Ok(json(&format!("[{}]", handled.join(","))))
        })
        .on_event(Update, |context, params| {
            remember(&context.session(), "update", &params);
        })
        .on_event(NotifyHello, |context, params| {
            remember(&context.session(), "notify_hello", &params);
        })
        .on_event(NotifySum, |context, params| {
            remember(&context.session(), "notify_sum", &params);
        })
        .on_event(Numbers, |context, _| {
            remember(&context.session(), "numbers", RawValue::NULL);
        })
        .on_event(Explode, |_, ()| panic!("out of luck"))
}

fn serve(place: &Place, settings: Settings) -> Server {
    let settings = Settings {
        on_connect: Some(Arc::new(|session| session.keep(Handled::default()))),
        ..settings
    };
    place.serve_with(router(), settings)
}

fn exchanges() -> Vec<Exchange> {
    [
        ("section_7", include_str!("frames/section_7.txt")),
        ("calls", include_str!("frames/calls.txt")),
        ("ids", include_str!("frames/ids.txt")),
        ("cancellations", include_str!("frames/cancellations.txt")),
        ("batches", include_str!("frames/batches.txt")),
        ("events", include_str!("frames/events.txt")),
        ("malformed", include_str!("frames/malformed.txt")),
        ("values", include_str!("frames/values.txt")),
    ]
    .into_iter()
    .flat_map(|(file, text)| table::read(file, text))
    .chain(unprintable())
    .collect()
}

/// What is too long for a table, or would not show in one.
fn unprintable() -> Vec<Exchange> {
    let echo =
        |params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"echo","params":{params}}}"#);
    let unreadable = |title, sent| Exchange::new(title, sent, "unreadable");
    let exactly = |title, params: String| {
        let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{params}}}"#);
        Exchange::new(title, echo(&params), &answer)
    };
    let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let numbers: Vec<String> = (0..1500).map(|number: u32| number.to_string()).collect();
    vec![
        unreadable("a mark of byte order", format!("\u{feff}{}", echo("1"))),
        unreadable("a control character in a text", echo("\"\u{1}\"")),
        unreadable("a tab in a text", echo("\"\t\"")),
        unreadable("nested too deeply", echo(&nested(128))),
        unreadable("nested far too deeply", echo(&nested(10_000))),
        unreadable("brackets without end", "[".repeat(5000)),
        unreadable("braces without end", "{\"a\":".repeat(5000)),
        exactly("the deepest nesting", nested(127)),
        exactly(
            "a long text",
            format!("[\"{}\"]", "0123456789".repeat(10_000)),
        ),
        exactly("many numbers", format!("[{}]", numbers.join(","))),
        exactly(
            "separators of lines",
            "[\"\u{2028}\u{2029}\u{85}\"]".to_owned(),
        ),
        exactly("an end of text", "[\"\u{7f}\"]".to_owned()),
    ]
}

/// Sends everything, then one call more, whose answer has to come right behind those expected:
/// nothing else was sent. It tells which events were handled.
async fn run(raw: &mut Raw, exchange: &Exchange) {
    let title = &exchange.title;
    for frame in &exchange.sent {
        raw.send(frame).await;
    }
    let marker = r#"{"jsonrpc":"2.0","id":"marker","method":"handled"}"#;
    raw.send(marker).await;
    let is_marker = |answer: &Exact| match answer {
        Exact::Object(members) => members.get("id") == Some(&Exact::Text("marker".into())),
        _ => false,
    };
    let mut answers = Vec::new();
    let marked = loop {
        let Some(frame) = raw.receive().await else {
            panic!("{title}: the connection ended after {answers:?}");
        };
        match Exact::parse(&frame) {
            answer if is_marker(&answer) => break answer,
            answer => answers.push(answer),
        }
    };
    let (found, expected) = (Exact::Array(answers), &exchange.answers);
    assert!(
        found.fits(&Exact::Array(expected.clone())),
        "{title}\n   came: {found:?}\n wanted: {expected:?}"
    );
    let Exact::Object(marked) = marked else {
        unreachable!("it has an id");
    };
    let handled = Exact::Array(exchange.handled.clone());
    assert_eq!(marked.get("result"), Some(&handled), "{title}: events");
}

#[test]
fn every_title_is_there_once() {
    let exchanges = exchanges();
    let titles: std::collections::HashSet<_> = exchanges.iter().map(|row| &row.title).collect();
    assert_eq!(titles.len(), exchanges.len());
}

#[tokio::test]
async fn each_on_a_connection_of_its_own() {
    let place = Place::new();
    let _server = serve(&place, Settings::default());
    for wire in Wire::BOTH {
        for exchange in exchanges() {
            let mut raw = Raw::connect(&place.path(), wire).await;
            run(&mut raw, &exchange).await;
        }
    }
}

#[tokio::test]
async fn all_on_one_connection() {
    let place = Place::new();
    let _server = serve(&place, Settings::default());
    for wire in Wire::BOTH {
        let mut raw = Raw::connect(&place.path(), wire).await;
        for exchange in exchanges() {
            run(&mut raw, &exchange).await;
        }
    }
}

#[tokio::test]
async fn all_with_the_framing_set() {
    for (wire, framing) in [
        (Wire::Lines, Framing::Lines),
        (Wire::Headers, Framing::Headers),
    ] {
        let place = Place::new();
        let settings = Settings {
            framing,
            ..Settings::default()
        };
        let _server = serve(&place, settings);
        let mut raw = Raw::connect(&place.path(), wire).await;
        for exchange in exchanges() {
            run(&mut raw, &exchange).await;
        }
    }
}
