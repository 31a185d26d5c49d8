//! A client that asks for many things in one message.

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;

/// A connection for batches.
pub(crate) struct Batches(BufReader<UnixStream>);

impl Batches {
    pub(crate) async fn connect(path: &str) -> Batches {
        Batches(BufReader::new(UnixStream::connect(path).await.unwrap()))
    }

    /// Has each token sent back, with events and something unknown in between.
    pub(crate) async fn echo(&mut self, tokens: &[String]) {
        let calls = tokens.iter().enumerate().map(
            |(id, token)| json!({ "jsonrpc": "2.0", "id": id, "method": "echo", "params": [token] }),
        );
        let event = json!({ "jsonrpc": "2.0", "method": "tick", "params": [0] });
        let unknown = json!({ "jsonrpc": "2.0", "id": "unknown", "method": "unknown" });
        let batch: Vec<Value> = calls.chain([event, unknown]).collect();
        let line = json!(batch).to_string() + "\n";
        self.0.write_all(line.as_bytes()).await.unwrap();
        let mut answers = self.next_answers().await;
        let refused = answers.pop().unwrap();
        assert_eq!(refused["error"]["code"], json!(-32601), "{refused}");
        let expected = tokens.iter().enumerate();
        let expected = expected
            .map(|(id, token)| json!({ "jsonrpc": "2.0", "id": id, "result": [token] }))
            .collect::<Vec<_>>();
        assert_eq!(answers, expected);
    }

    /// What comes next, apart from what everybody is told.
    async fn next_answers(&mut self) -> Vec<Value> {
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).await.unwrap();
            match serde_json::from_str(&line) {
                Ok(Value::Array(answers)) => return answers,
                Ok(event) => assert_eq!(event["method"], json!("news"), "{event}"),
                Err(error) => panic!("{error}: {line:?}"),
            }
        }
    }
}
