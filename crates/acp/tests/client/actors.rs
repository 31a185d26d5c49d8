//! An agent that does what a test says, and a user who answers as a test says.

use std::collections::VecDeque;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tenon_acp::client::{Answer, Client, Folder, Session, Setup, User};
use tenon_acp::policy::Decision;
use tenon_protocols::Protocol;
use tenon_protocols::acp::{
    ContentBlock, ElicitationParams, ElicitationResult, PermissionParams, PermissionResult,
    PromptResult, SessionUpdate,
};
use tenon_rpc::{Call, Connection, Format, Io, Options, Peer, Reply, Router, RpcError};
use tokio::sync::mpsc;

use crate::support::{self, payload};

/// A call of the agent to the client.
pub(crate) async fn ask(
    peer: &Peer,
    method: &'static str,
    params: Value,
) -> Result<Value, RpcError> {
    support::ask(peer, method, &params).await
}

pub(crate) async fn say(peer: &Peer, text: &str) {
    update(peer, json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } })).await;
}

pub(crate) async fn update(peer: &Peer, update: Value) {
    let params = payload(&json!({ "sessionId": "s", "update": update }));
    peer.send_raw("session/update", Some(params)).await.unwrap();
}

pub(crate) fn end_turn() -> Reply {
    Ok(payload(&json!({ "stopReason": "end_turn" })))
}

pub(crate) fn permission(id: &str, input: Value) -> Value {
    json!({
        "sessionId": "s",
        "toolCall": { "toolCallId": id, "title": "Do it", "kind": "edit", "rawInput": input },
        "options": [
            { "optionId": "yes", "name": "Yes", "kind": "allow_once" },
            { "optionId": "ever", "name": "Always", "kind": "allow_always" },
            { "optionId": "no", "name": "No", "kind": "reject_once" },
        ],
    })
}

type Handler = Arc<
    dyn Fn(Peer, String, Value) -> Pin<Box<dyn Future<Output = Option<Reply>> + Send>>
        + Send
        + Sync,
>;

/// An agent: a function that answers what it wants to; the rest has simple answers.
#[derive(Clone)]
pub(crate) struct Agent {
    handler: Handler,
    capabilities: Value,
    cancelled: mpsc::Sender<()>,
}

impl Agent {
    /// An agent, and its cancelled turns.
    pub(crate) fn new<F, W>(capabilities: Value, handler: F) -> (Agent, mpsc::Receiver<()>)
    where
        F: Fn(Peer, String, Value) -> W + Send + Sync + 'static,
        W: Future<Output = Option<Reply>> + Send + 'static,
    {
        let (cancelled, received) = mpsc::channel(16);
        let agent = Agent {
            handler: Arc::new(move |peer, method, params| Box::pin(handler(peer, method, params))),
            capabilities,
            cancelled,
        };
        (agent, received)
    }

    /// An agent whose turns are a function.
    pub(crate) fn with_turns<F, W>(turn: F) -> (Agent, mpsc::Receiver<()>)
    where
        F: Fn(Peer) -> W + Send + Sync + 'static,
        W: Future<Output = Reply> + Send + 'static,
    {
        let turn = Arc::new(turn);
        Agent::new(json!({}), move |peer, method, _| {
            let turn = turn.clone();
            async move {
                match method.as_str() {
                    "session/prompt" => Some(turn(peer).await),
                    _ => None,
                }
            }
        })
    }

    async fn answer(self, call: Call) -> Reply {
        let params = call
            .params
            .map_or(Value::Null, |params| params.decode().unwrap());
        let method = call.method.to_string();
        if let Some(reply) = (self.handler)(call.peer, method.clone(), params).await {
            return reply;
        }
        let answer = match method.as_str() {
            "initialize" => json!({ "protocolVersion": 1, "agentCapabilities": self.capabilities }),
            "session/new" => json!({ "sessionId": "s" }),
            "session/prompt" => json!({ "stopReason": "end_turn" }),
            other => return Err(RpcError::method_not_found(other, Format::Json)),
        };
        Ok(payload(&answer))
    }

    /// Serves a client; the other end is returned.
    pub(crate) fn serve(self) -> (Connection, Io) {
        let (here, there) = Io::pair();
        let cancelled = self.cancelled.clone();
        let router = Router::new(self)
            .fallback(|call, agent| agent.answer(call))
            .event_fallback(move |_, event| {
                if &*event.method == "session/cancel" {
                    let _one_is_enough = cancelled.try_send(());
                }
            });
        let options: Options = Protocol::Acp.host_options();
        let connection =
            Connection::start_with(here, Protocol::Acp.dialect(), Arc::new(router), options);
        (connection, there)
    }

    pub(crate) async fn client(self, setup: Setup) -> (Connection, Client) {
        let (connection, io) = self.serve();
        (connection, Client::connect(io, setup).await.unwrap())
    }

    /// A session in this folder.
    pub(crate) async fn session(
        self,
        setup: Setup,
        folder: &Path,
    ) -> (Connection, Client, Session) {
        let (connection, client) = self.client(setup).await;
        let session = client.new_session(Folder::new(folder)).await.unwrap();
        (connection, client, session)
    }
}

/// What is asked where the question does not matter.
pub(crate) fn hello() -> Vec<ContentBlock> {
    vec![ContentBlock::text("hello")]
}

/// One turn, from its prompt to its end.
pub(crate) async fn finished(session: &Session) -> Option<PromptResult> {
    let turn = session.prompt(hello()).await.unwrap();
    turn.finish().await.unwrap()
}

/// A user with answers that were thought of before: option ids, or nothing to wait forever.
#[derive(Default)]
pub(crate) struct Scripted {
    pub(crate) answers: Mutex<VecDeque<&'static str>>,
    pub(crate) asked: Mutex<Vec<PermissionParams>>,
    pub(crate) decided: Mutex<Vec<String>>,
    pub(crate) form: Option<ElicitationResult>,
    pub(crate) completed: Mutex<Vec<String>>,
}

impl Scripted {
    pub(crate) fn with(answers: &[&'static str]) -> Arc<Scripted> {
        Arc::new(Scripted {
            answers: Mutex::new(answers.iter().copied().collect()),
            ..Scripted::default()
        })
    }

    pub(crate) fn titles(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        { asked.iter() }
            .map(|request| request.tool_call.title.clone().unwrap_or_default())
            .collect()
    }
}

impl User for Scripted {
    fn permission(&self, request: PermissionParams) -> Answer<PermissionResult> {
        self.asked.lock().unwrap().push(request);
        let answer = self.answers.lock().unwrap().pop_front();
        Box::pin(async move {
            match answer {
                Some(answer) => PermissionResult::selected(answer),
                None => std::future::pending().await,
            }
        })
    }

    fn elicitation(&self, _: ElicitationParams) -> Answer<ElicitationResult> {
        let answer = self.form.clone();
        Box::pin(async move { answer.expect("an answer") })
    }

    fn elicitation_complete(&self, id: &str) {
        self.completed.lock().unwrap().push(id.to_owned());
    }

    fn decided(&self, _: &PermissionParams, decision: &Decision) {
        self.decided.lock().unwrap().push(decision.to_string());
    }
}

pub(crate) fn text(update: &SessionUpdate) -> String {
    match update {
        SessionUpdate::AgentMessageChunk(chunk) | SessionUpdate::UserMessageChunk(chunk) => {
            chunk.content.as_text().unwrap_or_default().to_owned()
        }
        other => format!("{other:?}"),
    }
}
