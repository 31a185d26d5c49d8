//! Version 1 has no batches: no call in one is made, by whatever reads it.

#[allow(dead_code, reason = "each test file uses its own part")]
mod support;

use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use support::within;
use tenon_acp::client::{Client, Setup};
use tenon_acp::record::{Masks, Record, Source, read};
use tenon_acp::replay::{Script, play_agent, play_client};
use tenon_rpc::Io;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};

/// A program that writes lines.
struct Raw {
    lines: Lines<BufReader<tokio::io::ReadHalf<DuplexStream>>>,
    writer: tokio::io::WriteHalf<DuplexStream>,
}

impl Raw {
    fn pair() -> (Raw, Io) {
        let (here, there) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = tokio::io::split(here);
        let lines = BufReader::new(reader).lines();
        (Raw { lines, writer }, Io::from(there))
    }

    async fn write(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.writer.write_all(line.as_bytes()).await.unwrap();
    }

    async fn read(&mut self) -> Value {
        let line = within(self.lines.next_line()).await.unwrap().unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a batch and, after it, a call that is answered with an error; returns every answer until then.
    async fn sends_a_batch(&mut self) -> Vec<Value> {
        let call = |id: &str| json!({ "jsonrpc": "2.0", "id": id, "method": "no/such" });
        self.write(&json!([call("first"), call("second")])).await;
        self.write(&call("last")).await;
        let mut answers = Vec::new();
        loop {
            let answer = self.read().await;
            if answer["id"] == "last" {
                assert!(answer["error"].is_object(), "{answer}");
                return answers;
            }
            if answer.get("method").is_none() {
                answers.push(answer);
            }
        }
    }
}

fn assert_refused(answers: &[Value]) {
    for answer in answers {
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert_eq!(answer["id"], Value::Null, "{answer}");
    }
}

/// A conversation with one call.
fn script() -> Script {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let mut record = Record::open(&path, Masks::default()).unwrap();
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "protocolVersion": 1 } });
    record.message(Source::Client, &call.to_string()).unwrap();
    let answer = json!({ "jsonrpc": "2.0", "id": 7, "result": { "protocolVersion": 1 } });
    let id = RawValue::from_string("1".to_owned()).unwrap();
    record
        .forwarded_answer(Source::Agent, &id, &answer.to_string())
        .unwrap();
    record.finish().unwrap();
    let items = read(std::fs::File::open(&path).unwrap()).map(Result::unwrap);
    Script::of(items).remove(0)
}

#[tokio::test]
async fn a_client_refuses_batches() {
    let (mut agent, io) = Raw::pair();
    let connecting = tokio::spawn(Client::connect(io, Setup::default()));
    let call = agent.read().await;
    let result = json!({ "protocolVersion": 1 });
    agent
        .write(&json!({ "jsonrpc": "2.0", "id": call["id"], "result": result }))
        .await;
    let client = within(connecting).await.unwrap().unwrap();
    assert_refused(&agent.sends_a_batch().await);
    drop(client);
}

#[tokio::test]
async fn a_replayed_agent_refuses_batches() {
    let (mut client, io) = Raw::pair();
    let playing = tokio::spawn(play_agent(io, script(), Duration::from_secs(60)));
    assert_refused(&client.sends_a_batch().await);
    playing.abort();
}

#[tokio::test]
async fn a_replayed_client_refuses_batches() {
    let (mut agent, io) = Raw::pair();
    let playing = tokio::spawn(play_client(io, script(), Duration::from_secs(60)));
    assert_refused(&agent.sends_a_batch().await);
    playing.abort();
}
