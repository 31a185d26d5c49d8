//! The plugin as an MCP server: its functions and actions are tools.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value as Json, json};
use tenon_protocols::json_schema;
use tenon_protocols::mcp::{CANCEL, VERSIONS};
use tenon_rpc::options::Withdrawal;
use tenon_rpc::{
    CloseReason, Connection, Dialect, Io, Options, Payload, Peer, Reply, Router, RpcError, events,
};
use tenon_values::Value;

use crate::context::{Progress, Said, Say};
use crate::session::Session;
use crate::tools::{Kind, Refused, Tool, Tools, unfit};
use crate::{debug, ipc, wire};

events! {
    /// How far a call has come.
    CallProgress = "notifications/progress" (ProgressParams);
}

/// Serves a host until it goes away.
pub(crate) async fn serve(session: Arc<Session>, io: Io) -> Result<(), CloseReason> {
    let options = Options {
        // A call that is cancelled is not answered.
        withdrawals: &[Withdrawal {
            cancel: CANCEL,
            is_answered: false,
        }],
        tap: debug::tap(&session),
        ..Options::default()
    };
    let router = Arc::new(router(Tools::new(session.clone())));
    let connection = Connection::start_with(io, Dialect::JsonRpcLines, router, options);
    session.last(connection).await
}

fn router(tools: Arc<Tools>) -> Router<Arc<Tools>> {
    Router::new(tools)
        .on_raw("initialize", |context, params| async move {
            initialize(&context.state, params)
        })
        .on_raw("ping", |_, _| async move { answer(&json!({})) })
        .on_raw("tools/list", |context, _| async move {
            let tools = &context.state;
            let tools: Vec<Json> = { tools.names().into_iter() }
                .filter_map(|name| Some(described(name, &tools.find(name)?)))
                .collect();
            answer(&json!({ "tools": tools }))
        })
        .on_raw("tools/call", |context, params| async move {
            call(&context.state, context.peer, params).await
        })
        // `notifications/initialized` and others need no answer and change nothing here.
        .event_fallback(|_, _| ())
}

fn answer<T: Serialize>(result: &T) -> Reply {
    wire::encode("the result", result).map_err(RpcError::internal)
}

fn decode<T: serde::de::DeserializeOwned>(
    method: &str,
    params: Option<Payload>,
) -> Result<T, RpcError> {
    wire::params(method, params).map_err(RpcError::invalid_params)
}

fn initialize(tools: &Tools, params: Option<Payload>) -> Reply {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Params {
        protocol_version: String,
    }
    let Params { protocol_version } = decode("initialize", params)?;
    let wanted = VERSIONS
        .into_iter()
        .find(|known| *known == protocol_version);
    let offer = &tools.session.offer;
    answer(&json!({
        "protocolVersion": wanted.unwrap_or(VERSIONS[0]),
        "capabilities": { "tools": {} },
        "serverInfo": { "name": offer.name, "version": offer.version },
    }))
}

/// A tool in the list of tools.
fn described(name: &str, tool: &Tool<'_>) -> Json {
    let (description, annotations) = match &tool.kind {
        Kind::Function(function) => (&function.description, Some(json!({ "readOnlyHint": true }))),
        Kind::Action(action) => {
            let is_idempotent = action.is_idempotent;
            let annotations = is_idempotent.then(|| json!({ "idempotentHint": true }));
            (&action.description, annotations)
        }
    };
    let mut described = json!({
        "name": name,
        "inputSchema": json_schema::input(&tool.body()),
    });
    if !description.text.is_empty() {
        described["description"] = description.text.as_str().into();
    }
    if let Some(result) = tool.result {
        described["outputSchema"] = result.object_schema();
    }
    if let Some(annotations) = annotations {
        described["annotations"] = annotations;
    }
    described
}

#[derive(Deserialize)]
struct CallParams {
    name: String,
    #[serde(default)]
    arguments: Option<tenon_protocols::Json>,
    #[serde(default, rename = "_meta")]
    meta: Option<Meta>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    /// A text or a number, which is sent back as it is.
    #[serde(default)]
    progress_token: Option<Box<RawValue>>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ProgressParams {
    progress_token: Box<RawValue>,
    progress: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    message: String,
}

async fn call(tools: &Tools, peer: Peer, params: Option<Payload>) -> Reply {
    let params: CallParams = decode("tools/call", params)?;
    let Some(tool) = tools.find(&params.name) else {
        return Err(RpcError::invalid_params(
            tools.unknown("tool", &params.name),
        ));
    };
    let arguments = match &params.arguments {
        Some(arguments) => arguments.value(),
        None => Ok(Value::NULL),
    };
    let arguments = arguments.map_err(|error| ipc::refused(unfit(&[error])))?;
    let token = params.meta.and_then(|meta| meta.progress_token);
    let say = token.map(|token| say(peer, token));
    let progress = say.as_ref().map_or_else(Progress::none, Progress::new);
    let result = tools.call(&tool, &arguments, progress).await;
    // From here on, a `Progress` that is still in use sends nothing.
    drop(say);
    match result {
        Ok(result) => answer(&Answer::new(&tool, &result)),
        Err(refused) if refused.is_about_arguments => Err(ipc::refused(refused)),
        Err(refused) => answer(&json!({
            "content": [{ "type": "text", "text": explained(refused) }],
            "isError": true,
        })),
    }
}

fn explained(refused: Refused) -> String {
    match refused.detail {
        Some(detail) => format!("{}\n{detail}", refused.message),
        None => refused.message,
    }
}

/// Sends progress to the host. Where the author does not say how much is done, it counts messages.
fn say(peer: Peer, token: Box<RawValue>) -> Arc<Say> {
    let said = AtomicU64::new(0);
    Arc::new(move |one| {
        let (message, done) = match one {
            Said::Progress { message, done } => (message, done),
            Said::Log(level, message) => {
                level.tell(&message);
                return Box::pin(std::future::ready(()));
            }
        };
        let peer = peer.clone();
        let count = said.fetch_add(1, Ordering::Relaxed) + 1;
        let progress = ProgressParams {
            progress_token: token.clone(),
            progress: done.map_or(count, |(done, _)| done),
            total: done.map(|(_, total)| total),
            message,
        };
        Box::pin(async move {
            // If the host is gone, progress is not shown.
            let _unheard = peer.send(CallProgress, progress).await;
        })
    })
}

/// The result of a tool: a text for models, and an object for programs. Its digits are those of the
/// result.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    content: [Content; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<Structured<'a>>,
}

#[derive(Serialize)]
struct Content {
    r#type: &'static str,
    text: String,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Structured<'a> {
    Object(&'a tenon_protocols::Json),
    Wrapped { result: &'a tenon_protocols::Json },
}

impl<'a> Answer<'a> {
    fn new(tool: &Tool<'_>, result: &'a tenon_protocols::Json) -> Answer<'a> {
        let text = match tool.result {
            // A text needs no quotes.
            Some(_) => {
                serde_json::from_str(result.text()).unwrap_or_else(|_| result.text().to_owned())
            }
            None => "done".to_owned(),
        };
        Answer {
            content: [Content {
                r#type: "text",
                text,
            }],
            structured_content: tool.result.map(|ty| match ty.is_object() {
                true => Structured::Object(result),
                false => Structured::Wrapped { result },
            }),
        }
    }
}
