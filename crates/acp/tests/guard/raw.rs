//! A guard between an editor and an agent that are written down line by line.

use serde_json::{Value, json};
use tenon_acp::guard::{Guard, Settings};

use crate::actors::RawPeer;

pub(crate) struct Raw {
    pub(crate) client: RawPeer,
    pub(crate) agent: RawPeer,
    pub(crate) guard: Guard,
}

impl Raw {
    /// Nothing was said yet.
    pub(crate) fn new(settings: Settings) -> Raw {
        let (client, client_side) = RawPeer::pair();
        let (agent, agent_side) = RawPeer::pair();
        let guard = Guard::start(client_side, agent_side, settings);
        Raw {
            client,
            agent,
            guard,
        }
    }

    /// With the session `s` in the root folder, an editor of these capabilities and an agent of this name.
    pub(crate) async fn open(settings: Settings, capabilities: Value, agent: &str) -> Raw {
        Raw::open_in(settings, capabilities, agent, "/").await
    }

    pub(crate) async fn open_in(
        settings: Settings,
        capabilities: Value,
        agent: &str,
        cwd: &str,
    ) -> Raw {
        let mut raw = Raw::new(settings);
        raw.initialize(capabilities, agent).await;
        raw.client_calls("n", "session/new", json!({ "cwd": cwd, "mcpServers": [] }))
            .await;
        raw.agent_answers(json!({ "sessionId": "s" })).await;
        raw.client.read().await;
        raw
    }

    pub(crate) async fn initialize(&mut self, capabilities: Value, agent: &str) {
        let params = json!({ "protocolVersion": 1, "clientCapabilities": capabilities });
        self.client_calls("i", "initialize", params).await;
        let info = json!({ "name": agent, "version": "1.0.0" });
        let able = json!({ "loadSession": true, "sessionCapabilities": { "close": {}, "list": {}, "resume": {} } });
        let result = json!({ "protocolVersion": 1, "agentInfo": info, "agentCapabilities": able });
        self.agent_answers(result).await;
        self.client.read().await;
    }

    pub(crate) async fn client_calls(&mut self, id: &str, method: &str, params: Value) {
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.client.write(&call.to_string()).await;
    }

    pub(crate) async fn client_sends(&mut self, method: &str, params: Value) {
        let event = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.client.write(&event.to_string()).await;
    }

    pub(crate) async fn agent_calls(&mut self, id: &str, method: &str, params: Value) {
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.agent.write(&call.to_string()).await;
    }

    pub(crate) async fn agent_updates(&mut self, session: &str, update: Value) {
        let params = json!({ "sessionId": session, "update": update });
        let event = json!({ "jsonrpc": "2.0", "method": "session/update", "params": params });
        self.agent.write(&event.to_string()).await;
    }

    /// Reads a call of the guard to the agent and answers it. Returns the call.
    pub(crate) async fn agent_answers(&mut self, result: Value) -> Value {
        let call = self.agent.read().await;
        let answer = json!({ "jsonrpc": "2.0", "id": call["id"], "result": result });
        self.agent.write(&answer.to_string()).await;
        call
    }

    /// Answers a call of the guard that the agent has read before, with a result or an error.
    pub(crate) async fn agent_writes_answer(&mut self, call: &Value, answer: Value) {
        let mut answer = answer;
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = call["id"].clone();
        self.agent.write(&answer.to_string()).await;
    }

    /// Reads a call of the guard to the client and answers it. Returns the call.
    pub(crate) async fn client_answers(&mut self, answer: Value) -> Value {
        let call = self.client.read().await;
        let mut answer = answer;
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = call["id"].clone();
        self.client.write(&answer.to_string()).await;
        call
    }

    /// Begins a turn that the agent works on.
    pub(crate) async fn prompt(&mut self) -> Value {
        let prompt = json!({ "sessionId": "s", "prompt": [{ "type": "text", "text": "go" }] });
        self.client_calls("p", "session/prompt", prompt).await;
        self.agent.read().await
    }
}
