//! Telling the editor that there is no agent.

use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tenon_protocols::Protocol;
use tenon_protocols::acp::Failure as AcpFailure;
use tenon_rpc::{Connection, ErrorCode, Format, Io, Payload, Router, RpcError};
use tokio::sync::Notify;

use crate::args::GuardArgs;
use crate::exit::Failure;
use crate::output;

/// How long the editor has for its first call.
const FIRST_CALL: Duration = Duration::from_secs(10);

/// Answers the first call of the editor with the reason why the guard ends: editors do not always show
/// what is written to stderr.
pub(super) async fn tell(io: Io, args: &GuardArgs, failure: &Failure) {
    if std::io::stdin().is_terminal() {
        return;
    }
    let error = error(args, failure);
    let answered = Arc::new(Notify::new());
    let seen = answered.clone();
    let router = Router::new(()).fallback(move |_, ()| {
        seen.notify_one();
        let error = error.clone();
        async move { Err(error) }
    });
    let options = Protocol::Acp.host_options();
    let dialect = Protocol::Acp.dialect();
    let connection = Connection::start_with(io, dialect, Arc::new(router), options);
    tokio::select! {
        () = answered.notified() => {}
        _ = connection.closed() => {}
        () = tokio::time::sleep(FIRST_CALL) => {}
    }
    connection.close_within(Duration::from_secs(1)).await;
}

fn error(args: &GuardArgs, failure: &Failure) -> RpcError {
    let policy = args
        .policy
        .as_deref()
        .filter(|_| failure.message.is_empty());
    let text = match policy {
        // Its diagnostics are on stderr.
        Some(path) => {
            let path = tenon_text::path(path);
            format!(
                "the policy {path} is not valid\n  hint: `tenon acp policy check {path}` shows why"
            )
        }
        None => failure.message.clone(),
    };
    let (message, details) = text.split_once('\n').unwrap_or((&text, ""));
    let code = ErrorCode::Number(AcpFailure::Internal.code());
    let mut error = RpcError::new(code, output::on_one_line(message));
    let details: Vec<&str> = details.lines().map(str::trim).collect();
    let data = json!({ "reason": "agent_not_started", "details": details.join("; ") });
    error.data = Payload::encode(Format::Json, &data).ok();
    error
}
