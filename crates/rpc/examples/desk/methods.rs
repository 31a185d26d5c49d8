//! The methods and events that the README of `conformance` describes, for the exchanges to talk to.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tenon_rpc::{
    CallError, Context, ErrorCode, Format, Options, Payload, Router, RpcError, events, methods,
    options::{Cancel, Limits},
};
use tokio::sync::Notify;

methods! {
    /// The first number less the second, by place or by name.
    Subtract = "subtract" (Value) -> i64;
    /// All the numbers together.
    Sum = "sum" (Vec<i64>) -> i64;
    /// Always the same.
    GetData = "get_data" (()) -> (String, u8);
    /// Answers with the error it is given.
    Fail = "fail" (Value) -> ();
    /// Panics.
    Crash = "crash" (()) -> ();
    /// Waits until its key is released, and answers with the key.
    Hold = "hold" ((String,)) -> String;
    /// Everything noted so far.
    Notes = "notes" (()) -> Vec<Value>;
    /// Calls its caller, and tells what came back.
    Ask = "ask" ((String, Value)) -> Value;
    /// Sends its caller an event.
    Tell = "tell" (Vec<Value>) -> ();
}

events! {
    /// Remembers its params.
    Note = "note" (Value);
    /// Lets `hold` go on.
    Release = "release" ((String,));
    /// Panics.
    CrashEvent = "crash" (());
}

/// The options that the README of `conformance` asks for.
pub(crate) fn options(error_names: &'static [(i64, &'static str)]) -> Options {
    Options {
        limits: Limits {
            batch: 8,
            ..Limits::default()
        },
        cancel: Some(Cancel {
            method: "$/cancelRequest",
            field: "id",
        }),
        error_names,
        ..Options::default()
    }
}

/// What the handlers of one connection share.
#[derive(Default)]
pub(crate) struct Desk {
    notes: Mutex<Vec<Value>>,
    released: Mutex<HashSet<String>>,
    release: Notify,
}

/// All of them.
pub(crate) fn router() -> Arc<Router<Arc<Desk>>> {
    let router = Router::new(Arc::<Desk>::default())
        .on_raw("echo", |cx: Context<Arc<Desk>>, params| async move {
            Ok(params.unwrap_or_else(|| Payload::null(cx.peer.format())))
        })
        .on(Subtract, |_, params| async move { subtract(&params) })
        .on(Sum, |_, numbers| async move { Ok(numbers.iter().sum()) })
        .on(GetData, |_, ()| async { Ok(("tenon".to_owned(), 7)) })
        .on(Fail, |_, failure| async move { Err(failed(&failure)) })
        .on(Crash, |_, ()| async { panic!("as asked") })
        .on(Hold, |cx, (key,)| async move {
            loop {
                let mut release = std::pin::pin!(cx.state.release.notified());
                release.as_mut().enable();
                if cx.state.released.lock().expect("whole").contains(&key) {
                    return Ok(key);
                }
                release.await;
            }
        })
        .on(Notes, |cx, ()| async move {
            Ok(cx.state.notes.lock().expect("whole").clone())
        })
        .on(Ask, |cx, (method, params)| async move {
            let params = Payload::encode(Format::Json, &params).expect("JSON");
            Ok(
                match cx.peer.call_raw(method.as_str(), Some(params)).await {
                    Ok(result) => json!({ "result": result.decode::<Value>().expect("JSON") }),
                    Err(CallError::Answered(error)) => match error.code {
                        ErrorCode::Number(number) => json!({ "error": number }),
                        ErrorCode::Name(name) => json!({ "error": name.as_str() }),
                    },
                    Err(_) => json!({ "broken": true }),
                },
            )
        })
        .on(Tell, |cx, told| async move {
            let params = told
                .get(1)
                .map(|params| Payload::encode(Format::Json, params));
            let params = params.map(|params| params.expect("JSON"));
            let method = told[0].as_str().expect("a name");
            let sent = cx.peer.send_raw(method, params).await;
            sent.map_err(|error| RpcError::internal(error.to_string()))
        })
        .on_event(Note, |cx, params| {
            cx.state.notes.lock().expect("whole").push(params);
        })
        .on_event(Release, |cx, (key,)| {
            cx.state.released.lock().expect("whole").insert(key);
            cx.state.release.notify_waiters();
        })
        .on_event(CrashEvent, |_, ()| panic!("as asked"));
    Arc::new(router)
}

fn subtract(params: &Value) -> Result<i64, RpcError> {
    let number = |place: usize, name: &str| {
        let value = params.get(place).or_else(|| params.get(name));
        value
            .and_then(Value::as_i64)
            .ok_or_else(|| RpcError::invalid_params("two numbers"))
    };
    Ok(number(0, "minuend")? - number(1, "subtrahend")?)
}

fn failed(failure: &Value) -> RpcError {
    let data = failure.get("data");
    RpcError {
        code: match &failure["code"] {
            Value::String(name) => ErrorCode::Name(name.as_str().into()),
            number => ErrorCode::Number(number.as_i64().expect("a code")),
        },
        message: failure["message"].as_str().expect("a text").to_owned(),
        data: data.map(|data| Payload::encode(Format::Json, data).expect("JSON")),
    }
}
