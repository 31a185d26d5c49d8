//! What the plugin of `tenon echo` answers: something for each thing that can happen between two
//! peers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tenon_rpc::{CallError, ErrorCode, Payload, Router, RpcError, events, methods};

methods! {
    /// Adds two numbers.
    pub Add = "add" ((i64, i64)) -> i64;
    /// Waits before it answers.
    pub Sleep = "sleep" (SleepParams) -> ();
    /// Answers with an error.
    pub Fail = "fail" (FailParams) -> ();
    /// Panics.
    pub Panic = "panic" (()) -> ();
    /// Sends `tick` events with the numbers 0, 1, 2, .. to the caller, then answers.
    pub Emit = "emit" (EmitParams) -> u64;
    /// How many `tick` events came, and whether their numbers were 0, 1, 2, ..
    pub Ticks = "ticks" (()) -> TicksResult;
    /// Calls the caller back and answers what that answers.
    pub CallBack = "call_back" (CallBackParams) -> Value;
    /// Makes a text of the given length.
    pub Text = "text" (TextParams) -> String;
    /// Ends the process immediately.
    pub Exit = "exit" (ExitParams) -> ();
}

events! {
    /// One of many.
    pub Tick = "tick" (TickParams);
}

/// Params of [`Sleep`].
#[derive(Debug, Serialize, Deserialize)]
pub struct SleepParams {
    /// For how long, in milliseconds.
    pub ms: u64,
}

/// Params of [`Fail`].
#[derive(Debug, Serialize, Deserialize)]
pub struct FailParams {
    /// The code of the error.
    pub code: i64,
    /// Its message.
    pub message: String,
    /// Its data.
    #[serde(default)]
    pub data: Option<Value>,
}

/// Params of [`Emit`].
#[derive(Debug, Serialize, Deserialize)]
pub struct EmitParams {
    /// How many events.
    pub count: u64,
}

/// Params of [`Tick`].
#[derive(Debug, Serialize, Deserialize)]
pub struct TickParams {
    /// Which one it is, from 0.
    pub number: u64,
}

/// Result of [`Ticks`].
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct TicksResult {
    /// How many came.
    pub count: u64,
    /// Whether each came after the one before it.
    pub in_order: bool,
}

/// Params of [`CallBack`].
#[derive(Debug, Serialize, Deserialize)]
pub struct CallBackParams {
    /// What to call.
    pub method: String,
    /// With which params.
    #[serde(default)]
    pub params: Option<Value>,
}

/// Params of [`Text`].
#[derive(Debug, Serialize, Deserialize)]
pub struct TextParams {
    /// How many characters.
    pub length: usize,
}

/// Params of [`Exit`].
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ExitParams {
    /// The exit status.
    #[serde(default)]
    pub code: i32,
}

#[derive(Debug, Default)]
struct Seen {
    ticks: AtomicU64,
    out_of_order: AtomicBool,
}

/// What the plugin answers. Make one for each connection: it counts events.
pub fn router() -> Router<impl Clone + Send + Sync + 'static> {
    let router = Router::new(Arc::new(Seen::default()))
        .on_raw("echo", |context, params| async move {
            Ok(params.unwrap_or_else(|| Payload::null(context.peer.format())))
        })
        .on(Add, |_, (a, b)| async move {
            a.checked_add(b)
                .ok_or_else(|| RpcError::invalid_params("the sum is too large"))
        })
        .on(Sleep, |_, params| async move {
            tokio::time::sleep(Duration::from_millis(params.ms)).await;
            Ok(())
        })
        .on(Fail, |context, params| async move {
            let data = params
                .data
                .map(|data| Payload::encode(context.peer.format(), &data));
            Err(RpcError {
                code: ErrorCode::Number(params.code),
                message: params.message,
                data: data.and_then(Result::ok),
            })
        })
        .on(Panic, |_, ()| async move { panic!("as asked") })
        .on(Emit, |context, params| async move {
            for number in 0..params.count {
                let sent = context.peer.send(Tick, TickParams { number }).await;
                sent.map_err(|error| RpcError::internal(error.to_string()))?;
            }
            Ok(params.count)
        })
        .on_event(Tick, |context, params| {
            let before = context.state.ticks.fetch_add(1, Ordering::Relaxed);
            if before != params.number {
                context.state.out_of_order.store(true, Ordering::Relaxed);
            }
        })
        .on(Ticks, |context, ()| async move {
            Ok(TicksResult {
                count: context.state.ticks.load(Ordering::Relaxed),
                in_order: !context.state.out_of_order.load(Ordering::Relaxed),
            })
        })
        .on(CallBack, |context, params| async move {
            let format = context.peer.format();
            let encoded = params.params.map(|params| Payload::encode(format, &params));
            let params_or_none = encoded
                .transpose()
                .map_err(|error| RpcError::invalid_params(error.to_string()))?;
            let answer = context.peer.call_raw(params.method, params_or_none).await;
            let answer = answer.map_err(|error| match error {
                CallError::Answered(error) => error,
                other => RpcError::internal(other.to_string()),
            })?;
            answer
                .decode()
                .map_err(|error| RpcError::internal(error.to_string()))
        })
        .on(Text, |_, params| async move {
            const LONGEST: usize = 64 * 1024 * 1024;
            if params.length > LONGEST {
                return Err(RpcError::invalid_params("at most 64 MiB"));
            }
            Ok("x".repeat(params.length))
        })
        .on(
            Exit,
            |_, params| async move { std::process::exit(params.code) },
        );
    with_lifecycles(router)
}

methods! {
    /// Denobridge's first call.
    pub Health = "health" (Value) -> Value;
    /// The first call of ACP, LSP and MCP.
    pub Initialize = "initialize" (Value) -> Value;
    /// Seasonings' first call.
    pub Init = "init" (Value) -> Value;
    /// Orchard's first call.
    pub Describe = "describe" (Value) -> Value;
    /// The goodbye of LSP, Seasonings and Orchard.
    pub Shutdown = "shutdown" (Value) -> Value;
}

events! {
    /// The goodbye of denobridge.
    pub ShutdownEvent = "shutdown" (Value);
}

/// The first and last call of every protocol, so that each can be tried.
fn with_lifecycles<S: Clone + Send + Sync + 'static>(router: Router<S>) -> Router<S> {
    let version = env!("CARGO_PKG_VERSION");
    router
        .on(Health, |_, _| async { Ok(json!({ "ok": true })) })
        .on(Initialize, move |_, params| async move {
            let info = json!({ "name": "echo", "version": version });
            Ok(match &params["protocolVersion"] {
                // Only language servers get no version.
                Value::Null => json!({ "capabilities": {}, "serverInfo": info }),
                Value::String(version) => json!({
                    "protocolVersion": version,
                    "capabilities": {},
                    "serverInfo": info,
                }),
                _ => json!({
                    "protocolVersion": 1,
                    "agentCapabilities": {},
                    "agentInfo": info,
                }),
            })
        })
        .on(Init, move |_, _| async move {
            Ok(json!({ "name": "echo", "version": version, "capabilities": [] }))
        })
        .on(Describe, move |_, _| async move {
            Ok(json!({ "schema": {
                "name": "echo", "version": version, "protocol": "1", "config": {}, "actions": {},
            }}))
        })
        .on(Shutdown, |_, _| async { Ok(json!({})) })
        .on_event(ShutdownEvent, |_, _| std::process::exit(0))
}
