//! Calls, and their answers or the lack of them.

use std::time::Duration;

use tenon_ipc::{Client, ClientSettings, Framing, Server, Settings};
use tenon_rpc::{CallError, Router};

use crate::exact::assert_fits;
use crate::place::{Place, json, text};
use crate::{Add, Hang, answer, id_of};

#[tokio::test]
async fn a_call_is_one_line_with_a_number_of_its_own() {
    let place = Place::new();
    let server = place.raw_server();
    let client = place.client().await;
    let mut raw = server.accept().await;
    for number in 1..4 {
        let call = client.call(Add, (20, 22));
        let serve = async {
            let request = raw.receive().await.unwrap();
            let expected =
                format!(r#"{{"jsonrpc":"2.0","id":{number},"method":"add","params":[20,22]}}"#);
            assert_eq!(request, expected);
            raw.send(&answer(&request, "42")).await;
        };
        assert_eq!(tokio::join!(call, serve).0.unwrap(), 42);
    }
    let call = client.call(Hang, ());
    let serve = async {
        let request = raw.receive().await.unwrap();
        assert_eq!(request, r#"{"jsonrpc":"2.0","id":4,"method":"hang"}"#);
        raw.send(&answer(&request, "null")).await;
    };
    tokio::join!(call, serve).0.unwrap();
    client.notify_raw("event", Some(json("[1]"))).await.unwrap();
    let event = raw.receive().await.unwrap();
    assert_eq!(event, r#"{"jsonrpc":"2.0","method":"event","params":[1]}"#);
}

#[tokio::test]
async fn answers_may_come_in_any_order() {
    let place = Place::new();
    let server = place.raw_server();
    let client = place.client().await;
    let mut raw = server.accept().await;
    let calls: Vec<_> = (0..50)
        .map(|number: i64| {
            let client = client.clone();
            tokio::spawn(async move { client.call(Add, (number, 0)).await })
        })
        .collect();
    let mut requests = Vec::new();
    for _ in 0..50 {
        requests.push(raw.receive().await.unwrap());
    }
    for request in requests.iter().rev() {
        let parsed: serde_json::Value = serde_json::from_str(request).unwrap();
        raw.send(&answer(request, &parsed["params"][0].to_string()))
            .await;
    }
    for (number, call) in calls.into_iter().enumerate() {
        assert_eq!(call.await.unwrap().unwrap(), i64::try_from(number).unwrap());
    }
}

#[tokio::test]
async fn an_answer_may_come_in_pieces() {
    let place = Place::new();
    let server = place.raw_server();
    let client = place.client().await;
    let mut raw = server.accept().await;
    let call = client.call_raw("x", None);
    let serve = async {
        let request = raw.receive().await.unwrap();
        let line = format!("\r\n\n{}\r\n", answer(&request, "\"ä日🦀\""));
        for byte in line.bytes() {
            raw.send_bytes(&[byte]).await;
            tokio::task::yield_now().await;
        }
    };
    let (result, ()) = tokio::join!(call, serve);
    assert_eq!(text(&result.unwrap()), "\"ä日🦀\"");
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled() {
    let place = Place::new();
    let server = place.raw_server();
    let limit = Duration::from_millis(20);
    let settings = ClientSettings {
        timeout: Some(limit),
        ..ClientSettings::default()
    };
    let client = place.client_with(settings).await;
    let mut raw = server.accept().await;
    let errors = [
        client.call_within(limit, Hang, ()).await.unwrap_err(),
        client.call(Hang, ()).await.unwrap_err(),
        client.call_raw("hang", None).await.unwrap_err(),
    ];
    for error in errors {
        assert!(matches!(error, CallError::TimedOut(of) if of == limit));
        let id = id_of(&raw.receive().await.unwrap());
        let cancelled = raw.receive().await.unwrap();
        let expected =
            format!(r#"{{"jsonrpc":"2.0","method":"$/cancelRequest","params":{{"id":{id}}}}}"#);
        assert_fits(&cancelled, &expected);
    }
}

#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled() {
    let place = Place::new();
    let server = place.raw_server();
    let client = place.client().await;
    let mut raw = server.accept().await;
    let calling = client.clone();
    let call = tokio::spawn(async move { calling.call(Hang, ()).await });
    let request = raw.receive().await.unwrap();
    call.abort();
    let cancelled = raw.receive().await.unwrap();
    assert!(cancelled.contains("$/cancelRequest"), "{cancelled}");
    // Its answer comes too late, and has no effect.
    raw.send(&answer(&request, "null")).await;
    let call = client.call(Add, (1, 2));
    let serve = async {
        let request = raw.receive().await.unwrap();
        raw.send(&answer(&request, "3")).await;
    };
    assert_eq!(tokio::join!(call, serve).0.unwrap(), 3);
}

#[tokio::test]
async fn answers_that_belong_to_no_call_are_ignored() {
    let place = Place::new();
    let server = place.raw_server();
    let client = place.client().await;
    let mut raw = server.accept().await;
    let call = client.call(Add, (1, 2));
    let serve = async {
        let request = raw.receive().await.unwrap();
        let id = id_of(&request);
        for line in [
            format!(r#"{{"jsonrpc":"2.0","id":"{id}","result":5}}"#),
            r#"{"jsonrpc":"2.0","id":99,"result":5}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#.into(),
            "this is not JSON".into(),
            String::new(),
            answer(&request, "3"),
            answer(&request, "4"),
        ] {
            raw.send(&line).await;
        }
    };
    assert_eq!(tokio::join!(call, serve).0.unwrap(), 3);
    let call = client.call(Add, (1, 2));
    let serve = async {
        let request = raw.receive().await.unwrap();
        raw.send(&answer(&request, "5")).await;
    };
    assert_eq!(tokio::join!(call, serve).0.unwrap(), 5);
}

#[tokio::test]
async fn an_answer_that_is_none_fails_its_call() {
    let place = Place::new();
    let server = place.raw_server();
    let client = place.client().await;
    let mut raw = server.accept().await;
    type Check = fn(&CallError) -> bool;
    let malformed: Check = |error| matches!(error, CallError::Malformed(_));
    for (members, is_right) in [
        (
            r#""result":"three""#,
            (|error| matches!(error, CallError::Undecodable(_))) as Check,
        ),
        (r#""result":1,"error":{"code":1,"message":"m"}"#, malformed),
        (r#""error":5"#, malformed),
        (r#""result":NaN"#, malformed),
    ] {
        let call = client.call(Add, (1, 2));
        let serve = async {
            let id = id_of(&raw.receive().await.unwrap());
            raw.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},{members}}}"#))
                .await;
        };
        let error = tokio::join!(call, serve).0.unwrap_err();
        assert!(is_right(&error), "{members}: {error:?}");
    }
}

/// Framings that the two set, and that they find by themselves.
#[tokio::test]
async fn both_framings_work() {
    for (ours, theirs) in [
        (Framing::Headers, Framing::Detect),
        (Framing::Headers, Framing::Headers),
        (Framing::Lines, Framing::Detect),
        (Framing::Detect, Framing::Lines),
        (Framing::Detect, Framing::Detect),
    ] {
        let place = Place::new();
        let settings = Settings {
            framing: theirs,
            ..Settings::default()
        };
        let router = Router::new(()).on(Add, |_, (a, b)| async move { Ok(a + b) });
        let _server = place.serve_with(router, settings);
        let settings = ClientSettings {
            framing: ours,
            ..ClientSettings::default()
        };
        let client = place.client_with(settings).await;
        assert_eq!(client.call(Add, (20, 22)).await.unwrap(), 42);
    }
}

#[tokio::test]
async fn a_large_text_goes_there_and_back() {
    let place = Place::new();
    let router = Router::new(()).on_raw("echo", |_, params| async move { Ok(params.unwrap()) });
    let _server: Server = place.serve(router);
    let client = place.client().await;
    let large = json(&format!("\"{}\"", "é日🦀".repeat(200_000)));
    let echoed = client.call_raw("echo", Some(large.clone())).await.unwrap();
    assert!(echoed == large, "{} bytes came back", echoed.bytes().len());
}

#[tokio::test]
async fn where_nothing_is_nothing_can_be_called() {
    let place = Place::new();
    let error = Client::connect(&place.name())
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("is the server running?"), "{error}");
    assert!(error.contains(&place.name()), "{error}");
}
