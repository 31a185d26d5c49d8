//! A client that does what a test says.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tenon_acp::agent::{Io, Settings, Store, serve};
use tenon_acp::guard::Guard;
use tenon_protocols::Protocol;
use tenon_rpc::trace::{Direction, Seen};
use tenon_rpc::{Call, Connection, Peer, Reply, Router, RpcError};
use tokio::task::JoinHandle;

use crate::actor::Actor;
use crate::support::{ask, payload, within};

/// What the client has seen, in order: updates, calls, and answers to its own calls.
pub(crate) type Seens = Arc<Mutex<Vec<Value>>>;

pub(crate) struct Editor {
    connection: Connection,
    pub(crate) seen: Seens,
    served: JoinHandle<()>,
}

/// All capabilities.
pub(crate) fn everything() -> Value {
    json!({
        "fs": { "readTextFile": true, "writeTextFile": true },
        "terminal": true,
        "elicitation": { "form": {}, "url": {} },
        "session": { "configOptions": { "boolean": {} }, "notices": {}, "compaction": {} },
    })
}

impl Editor {
    /// A client of an agent without a store, with all capabilities.
    pub(crate) async fn new() -> Editor {
        Editor::with(everything(), Settings::default()).await
    }

    /// A client of an agent that keeps its sessions.
    pub(crate) async fn stored(folder: &Path) -> Editor {
        let store = Some(Store::open(folder).unwrap());
        let settings = Settings {
            store,
            ..Settings::default()
        };
        Editor::with(everything(), settings).await
    }

    pub(crate) async fn with(capabilities: Value, settings: Settings) -> Editor {
        let editor = Editor::connect(settings);
        let params = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
        editor.call("initialize", &params).await;
        editor
    }

    /// A client that has not said anything.
    pub(crate) fn connect(settings: Settings) -> Editor {
        let (here, there) = Io::pair();
        Editor::start(here, there, settings)
    }

    /// A client of an agent behind a guard, which is returned.
    pub(crate) async fn guarded() -> (Editor, Guard) {
        let (here, client) = Io::pair();
        let (agent, there) = Io::pair();
        let guard = Guard::start(client, agent, tenon_acp::guard::Settings::default());
        let editor = Editor::start(here, there, Settings::default());
        let params = json!({ "protocolVersion": 1, "clientCapabilities": everything() });
        editor.call("initialize", &params).await;
        (editor, guard)
    }

    fn start(here: Io, there: Io, settings: Settings) -> Editor {
        let seen = Seens::default();
        let served = tokio::spawn(async move {
            serve(Actor, there, settings).await;
        });
        let router = Router::new(())
            .fallback(|call, ()| answer(call))
            .event_fallback(|_, _| {});
        let mut options = Protocol::Acp.host_options();
        let tapped = seen.clone();
        options.tap = Some(Arc::new(move |seen: Seen<'_>| {
            if seen.direction == Direction::In {
                let frame = serde_json::from_slice(seen.bytes).unwrap();
                tapped.lock().unwrap().push(frame);
            }
        }));
        let dialect = Protocol::Acp.dialect();
        let connection = Connection::start_with(here, dialect, Arc::new(router), options);
        Editor {
            connection,
            seen,
            served,
        }
    }

    pub(crate) fn peer(&self) -> Peer {
        self.connection.peer()
    }

    pub(crate) async fn try_call(&self, method: &str, params: &Value) -> Result<Value, RpcError> {
        within(ask(&self.peer(), method, params)).await
    }

    pub(crate) async fn call(&self, method: &str, params: &Value) -> Value {
        let outcome = self.try_call(method, params).await;
        outcome.unwrap_or_else(|error| panic!("{method}: {error:?}"))
    }

    pub(crate) async fn code(&self, method: &str, params: &Value) -> i64 {
        let outcome = self.try_call(method, params).await;
        outcome.expect_err(method).code.number()
    }

    /// A new session in this folder.
    pub(crate) async fn session(&self, cwd: &str) -> String {
        let result = self
            .call("session/new", &json!({ "cwd": cwd, "mcpServers": [] }))
            .await;
        result["sessionId"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn prompt(&self, session: &str, text: &str) -> Result<Value, RpcError> {
        self.try_call("session/prompt", &prompt(session, text))
            .await
    }

    pub(crate) async fn send(&self, method: &str, params: &Value) {
        self.peer()
            .send_raw(method, Some(payload(params)))
            .await
            .unwrap();
    }

    /// Waits until what was seen is enough.
    pub(crate) async fn until(&self, is_enough: impl Fn(&[Value]) -> bool) {
        within(async {
            while !is_enough(&self.seen.lock().unwrap()) {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        })
        .await;
    }

    /// The updates that were seen, without their session.
    pub(crate) fn updates(&self) -> Vec<Value> {
        let seen = self.seen.lock().unwrap();
        let updates = seen
            .iter()
            .filter(|frame| frame["method"] == "session/update");
        updates
            .map(|frame| frame["params"]["update"].clone())
            .collect()
    }

    /// The text of all chunks of this kind.
    pub(crate) fn text(&self, kind: &str) -> String {
        let updates = self.updates();
        let chunks = updates
            .iter()
            .filter(|update| update["sessionUpdate"] == kind);
        chunks
            .filter_map(|update| update["content"]["text"].as_str())
            .collect()
    }

    /// What the agent has called.
    pub(crate) fn calls(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        let calls = seen.iter().filter(|frame| frame.get("id").is_some());
        calls
            .filter_map(|frame| frame["method"].as_str().map(str::to_owned))
            .collect()
    }

    pub(crate) fn forget(&self) {
        self.seen.lock().unwrap().clear();
    }

    /// Disconnects, and waits for the end of the agent.
    pub(crate) async fn leave(self) {
        drop(self.connection);
        within(self.served).await.unwrap();
    }

    /// The agent is killed.
    pub(crate) async fn kill(self) {
        self.served.abort();
        let _aborted = self.served.await;
    }
}

pub(crate) fn prompt(session: &str, text: &str) -> Value {
    json!({ "sessionId": session, "prompt": [{ "type": "text", "text": text }] })
}

async fn answer(call: Call) -> Reply {
    let params: Value = call.params.unwrap().decode().unwrap();
    let answer = match &*call.method {
        "session/request_permission" => {
            let option = params["options"][0]["optionId"].clone();
            json!({ "outcome": { "outcome": "selected", "optionId": option } })
        }
        "fs/read_text_file" => match params["path"].as_str().unwrap() {
            path if path.ends_with("missing") => {
                let error = tenon_protocols::acp::Failure::FileNotFound;
                return Err(error.error(Default::default(), json!({ "path": path })));
            }
            path if path.ends_with("stalled") => return std::future::pending().await,
            path => json!({ "content": format!("contents of {path}") }),
        },
        "terminal/create" => json!({ "terminalId": "x" }),
        "terminal/wait_for_exit" => json!({ "exitCode": 0, "signal": null }),
        "terminal/output" => json!({ "output": "hi", "truncated": false }),
        "elicitation/create" => json!({ "action": "accept", "content": {} }),
        _ => json!({}),
    };
    Ok(payload(&answer))
}
