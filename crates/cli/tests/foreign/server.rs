//! Our server on a socket, for foreign clients.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tenon_ipc::{FromClient, Server, Token};
use tenon_rpc::{Format, Payload, RpcError, methods};

methods! {
    /// Reports its progress, then answers.
    Work = "work" (WorkParams) -> String;
}

#[derive(Debug, Serialize, Deserialize)]
struct WorkParams {
    token: Token,
    steps: u32,
}

/// What `tenon echo` answers, and what only a server of many has. Its events are counted for all
/// clients together.
pub(crate) fn serve_here(socket: &Path) -> Server {
    let router = tenon::echo::router()
        .on(Work, |context, params| async move {
            for step in 1..=params.steps {
                let value = json!({ "step": step });
                let session = context.session();
                let told = session.progress(params.token.clone(), value).await;
                told.map_err(|error| RpcError::internal(error.to_string()))?;
            }
            Ok("done".to_owned())
        })
        .on_raw("tell_all", |context, params| async move {
            let count = context.session().clients().broadcast_raw("news", params);
            Payload::encode(Format::Json, &count)
                .map_err(|error| RpcError::internal(error.to_string()))
        });
    let name = socket.to_str().expect("a plain path");
    Server::bind(name, router).expect("a free socket")
}
