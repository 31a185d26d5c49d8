//! The plugin as an ipc service: its functions and actions are methods of JSON-RPC.

use std::sync::Arc;

use serde_json::{Map, Value as Json, json};
use tenon_protocols::Protocol;
use tenon_rpc::{
    Call, CloseReason, Connection, Dialect, ErrorCode, Format, Io, Options, Payload, Reply, Router,
    RpcError,
};
use tenon_values::{Value, json};

use crate::context::{Progress, Say};
use crate::session::Session;
use crate::tools::{Refused, Tools, unfit};
use crate::{debug, wire};

/// Serves a host until it goes away.
pub(crate) async fn serve(
    session: Arc<Session>,
    dialect: Dialect,
    io: Io,
) -> Result<(), CloseReason> {
    serve_with(session, dialect, io, None).await
}

/// As [`serve`], for a host in this process, which sees progress: the protocol has no message for it.
pub(crate) async fn serve_with(
    session: Arc<Session>,
    dialect: Dialect,
    io: Io,
    say: Option<Arc<Say>>,
) -> Result<(), CloseReason> {
    let options = Options {
        cancel: Protocol::Ipc.host_options().cancel,
        tap: debug::tap(&session),
        ..Options::default()
    };
    let router = Router::new((Tools::new(session.clone()), say))
        .fallback(|call, (tools, say)| async move {
            let progress = say.as_ref().map_or_else(Progress::none, Progress::new);
            answer(&tools, call, progress).await
        })
        // No event has a meaning here.
        .event_fallback(|_, _| ());
    let connection = Connection::start_with(io, dialect, Arc::new(router), options);
    session.last(connection).await
}

async fn answer(tools: &Tools, call: Call, progress: Progress) -> Reply {
    let Some(tool) = tools.find(&call.method) else {
        let mut error = RpcError::method_not_found(&call.method, Format::Json);
        error.message = tools.unknown("method", &call.method);
        return Err(error);
    };
    let arguments = arguments(call.params.as_ref()).map_err(refused)?;
    let result = tools.call(&tool, &arguments, progress).await;
    let result = result.map_err(refused)?;
    let result = match tool.result {
        Some(_) => wire::encode("the result", &result),
        None => wire::encode("the result", &()),
    };
    result.map_err(|problem| RpcError::new(ErrorCode::SERVER_ERROR, problem))
}

/// Arguments as they were sent: no digit is lost.
fn arguments(params: Option<&Payload>) -> Result<Value, Refused> {
    match params {
        Some(params) => json::implied(params.bytes()).map_err(|error| unfit(&[error])),
        None => Ok(Value::NULL),
    }
}

/// The error that a call is answered with.
pub(crate) fn refused(refused: Refused) -> RpcError {
    let code = match refused.is_about_arguments {
        true => ErrorCode::INVALID_PARAMS,
        false => ErrorCode::SERVER_ERROR,
    };
    let mut data = Map::new();
    if !refused.path.is_empty() {
        data.insert("path".to_owned(), json!(refused.path));
    }
    if let Some(code) = &refused.code {
        data.insert("code".to_owned(), code.as_str().into());
    }
    if let Some(detail) = refused.detail {
        data.insert("detail".to_owned(), detail.into());
    }
    let error = RpcError::new(code, refused.message);
    match Payload::encode(Format::Json, &Json::from(data.clone())) {
        Ok(encoded) if !data.is_empty() => error.with_data(encoded),
        _ => error,
    }
}
