//! An editor and an agent that do what a test says.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tenon_acp::guard::{Guard, Settings, Summary};
use tenon_protocols::Protocol;
use tenon_rpc::{Call, CallError, Connection, Format, Io, Payload, Peer, Reply, Router, RpcError};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};
use tokio::sync::mpsc;

type Turn = Arc<dyn Fn(Peer, Payload) -> Pin<Box<dyn Future<Output = Reply> + Send>> + Send + Sync>;

pub(crate) fn json_payload(value: &Value) -> Payload {
    Payload::encode(Format::Json, value).unwrap()
}

pub(crate) fn data(error: &RpcError) -> Value {
    let data = error.data.as_ref();
    data.unwrap_or_else(|| panic!("{error} has no data"))
        .decode()
        .unwrap()
}

/// An agent whose turns are a function.
#[derive(Clone)]
pub(crate) struct Agent {
    turn: Turn,
    cancelled: Option<mpsc::Sender<String>>,
    is_mute: bool,
    sessions: Arc<AtomicUsize>,
}

impl Agent {
    pub(crate) fn new<F, W>(turn: F) -> Agent
    where
        F: Fn(Peer, Payload) -> W + Send + Sync + 'static,
        W: Future<Output = Reply> + Send + 'static,
    {
        Agent {
            turn: Arc::new(move |peer, params| Box::pin(turn(peer, params))),
            cancelled: None,
            is_mute: false,
            sessions: Arc::default(),
        }
    }

    /// Its turns end at once.
    pub(crate) fn silent() -> Agent {
        Agent::new(|_, _| async { Ok(json_payload(&json!({ "stopReason": "end_turn" }))) })
    }

    /// It answers nothing.
    pub(crate) fn mute(self) -> Agent {
        Agent {
            is_mute: true,
            ..self
        }
    }

    /// Reports the sessions that are cancelled.
    pub(crate) fn on_cancel(self, sender: mpsc::Sender<String>) -> Agent {
        Agent {
            cancelled: Some(sender),
            ..self
        }
    }

    async fn answer(self, call: Call) -> Reply {
        if self.is_mute {
            return std::future::pending().await;
        }
        let params = call.params.unwrap();
        let answer = match &*call.method {
            "initialize" => json!({ "protocolVersion": 1, "agentCapabilities": {} }),
            // `s`, `s1`, `s2`.
            "session/new" => match self.sessions.fetch_add(1, Ordering::Relaxed) {
                0 => json!({ "sessionId": "s" }),
                number => json!({ "sessionId": format!("s{number}") }),
            },
            "session/prompt" => return (self.turn)(call.peer, params).await,
            "no/such" => return Err(RpcError::method_not_found("no/such", Format::Json)),
            _ => return Ok(params),
        };
        Ok(json_payload(&answer))
    }

    fn connect(self, io: Io) -> Connection {
        let cancelled = self.cancelled.clone();
        let router = Router::new(self)
            .fallback(|call, agent| agent.answer(call))
            .event_fallback(move |_, event| {
                if let (Some(cancelled), "session/cancel") = (&cancelled, &*event.method) {
                    let params: Value = event.params.unwrap().decode().unwrap();
                    let session = params["sessionId"].as_str().unwrap().to_owned();
                    let _one_is_enough = cancelled.try_send(session);
                }
            });
        let options = Protocol::Acp.host_options();
        Connection::start_with(io, Protocol::Acp.dialect(), Arc::new(router), options)
    }
}

/// What the editor has seen and does.
#[derive(Clone, Default)]
struct Desk {
    updates: Arc<Mutex<Vec<String>>>,
    asked: Arc<AtomicUsize>,
    delay: Arc<Mutex<Duration>>,
}

impl Desk {
    async fn answer(self, call: Call) -> Reply {
        if call.method.starts_with("_vendor/") {
            let params = call.params.unwrap();
            let text = String::from_utf8(params.bytes().to_vec()).unwrap();
            self.updates.lock().unwrap().push(text);
            return Ok(params);
        }
        let answer = match &*call.method {
            "session/request_permission" => {
                self.asked.fetch_add(1, Ordering::Relaxed);
                let delay = *self.delay.lock().unwrap();
                tokio::time::sleep(delay).await;
                let params: Value = call.params.unwrap().decode().unwrap();
                match params["options"][0]["optionId"].as_str() {
                    Some(first) => {
                        json!({ "outcome": { "outcome": "selected", "optionId": first } })
                    }
                    None => json!({ "outcome": { "outcome": "cancelled" } }),
                }
            }
            "fs/read_text_file" => json!({ "content": "x" }),
            "terminal/create" => json!({ "terminalId": "t" }),
            _ => json!({}),
        };
        Ok(json_payload(&answer))
    }

    fn connect(self, io: Io) -> Connection {
        let updates = self.updates.clone();
        let router = Router::new(self)
            .fallback(|call, desk| desk.answer(call))
            .event_fallback(move |_, event| {
                let params = event.params.unwrap();
                let text = String::from_utf8(params.bytes().to_vec()).unwrap();
                updates.lock().unwrap().push(text);
            });
        let options = Protocol::Acp.host_options();
        Connection::start_with(io, Protocol::Acp.dialect(), Arc::new(router), options)
    }
}

/// An editor, a guard and an agent.
pub(crate) struct Stage {
    editor: Option<Connection>,
    peer: Peer,
    guard: Option<Guard>,
    _agent: Connection,
    desk: Desk,
}

impl Stage {
    /// Nothing was said yet.
    pub(crate) fn new(agent: Agent, settings: Settings) -> Stage {
        let (editor, client_side) = Io::pair();
        let (agent_side, agent_io) = Io::pair();
        let guard = Guard::start(client_side, agent_side, settings);
        let agent = agent.connect(agent_io);
        let desk = Desk::default();
        let editor = desk.clone().connect(editor);
        Stage {
            peer: editor.peer(),
            editor: Some(editor),
            guard: Some(guard),
            _agent: agent,
            desk,
        }
    }

    /// With the session `s` in the root folder.
    pub(crate) async fn open(agent: Agent, settings: Settings) -> Stage {
        Stage::open_in(agent, settings, "/").await
    }

    pub(crate) async fn open_in(agent: Agent, settings: Settings, cwd: &str) -> Stage {
        let all =
            json!({ "fs": { "readTextFile": true, "writeTextFile": true }, "terminal": true });
        Stage::open_as(agent, settings, all, cwd).await
    }

    /// With an editor of these capabilities.
    pub(crate) async fn open_with(agent: Agent, settings: Settings, capabilities: Value) -> Stage {
        Stage::open_as(agent, settings, capabilities, "/").await
    }

    async fn open_as(agent: Agent, settings: Settings, capabilities: Value, cwd: &str) -> Stage {
        let stage = Stage::new(agent, settings);
        let initialize = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
        let new = json!({ "cwd": cwd, "mcpServers": [] });
        for (method, params) in [("initialize", initialize), ("session/new", new)] {
            stage
                .peer
                .call_raw(method, Some(json_payload(&params)))
                .await
                .unwrap();
        }
        stage
    }

    pub(crate) fn editor(&self) -> &Peer {
        &self.peer
    }

    pub(crate) fn guard(&self) -> &Guard {
        self.guard.as_ref().unwrap()
    }

    pub(crate) async fn prompt(&self, text: &str) -> Result<Payload, CallError> {
        let prompt = json!({ "sessionId": "s", "prompt": [{ "type": "text", "text": text }] });
        self.peer
            .call_raw("session/prompt", Some(json_payload(&prompt)))
            .await
    }

    /// The params of all updates that the editor has got, and of extensions.
    pub(crate) fn updates(&self) -> Vec<String> {
        self.desk.updates.lock().unwrap().clone()
    }

    /// How often the editor was asked for permission.
    pub(crate) fn asked(&self) -> usize {
        self.desk.asked.load(Ordering::Relaxed)
    }

    /// The user thinks this long about a question.
    pub(crate) fn answer_after(&self, delay: Duration) {
        *self.desk.delay.lock().unwrap() = delay;
    }

    /// Waits until the guard has handled everything that was sent to it.
    pub(crate) async fn settle(&self) {
        let echo = json_payload(&json!({}));
        self.peer
            .call_raw("_vendor/echo", Some(echo))
            .await
            .unwrap();
    }

    /// The editor goes away.
    pub(crate) fn leave(&mut self) {
        self.editor = None;
    }

    /// The guard ends.
    pub(crate) async fn finish(mut self) -> (Summary, Option<String>) {
        self.guard.take().unwrap().finish().await.unwrap()
    }
}

/// A program that reads and writes lines, right or wrong.
pub(crate) struct RawPeer {
    lines: tokio::io::Lines<tokio::io::BufReader<tokio::io::ReadHalf<tokio::io::DuplexStream>>>,
    writer: tokio::io::WriteHalf<tokio::io::DuplexStream>,
}

impl RawPeer {
    pub(crate) fn pair() -> (RawPeer, Io) {
        let (one, other) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(one);
        let lines = tokio::io::BufReader::new(reader).lines();
        let (other_reader, other_writer) = tokio::io::split(other);
        (
            RawPeer { lines, writer },
            Io::new(other_reader, other_writer),
        )
    }

    pub(crate) async fn write(&mut self, line: &str) {
        let line = format!("{line}\n");
        self.writer.write_all(line.as_bytes()).await.unwrap();
    }

    /// The next line, as it was written.
    pub(crate) async fn read_line(&mut self) -> String {
        let line = tokio::time::timeout(Duration::from_secs(60), self.lines.next_line()).await;
        line.expect("a line in time").unwrap().expect("a line")
    }

    /// The next line.
    pub(crate) async fn read(&mut self) -> Value {
        serde_json::from_str(&self.read_line().await).unwrap()
    }
}
