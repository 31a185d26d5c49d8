//! A host for the providers, connected in memory.

#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod postgres;
pub(crate) mod proxy;
pub(crate) mod server;

use std::future::Future;
use std::time::Duration;

use serde_json::{Value, json};
use tenon_protocols::orchard::ProviderError;
use tenon_rpc::{CallError, Connection, Dialect, Format, Io, Payload, Router};

/// A provider that has been configured.
pub(crate) struct Host {
    connection: Connection,
}

/// What a provider answered: outputs, or its error.
pub(crate) type Outcome = Result<Value, ProviderError>;

impl Host {
    /// Starts a provider and configures it.
    pub(crate) async fn start(name: &str, config: Value) -> Result<Host, ProviderError> {
        let (ours, theirs) = Io::pair();
        let builtin = tenon_providers::find(name).unwrap();
        tokio::spawn(async move { builtin.serve_on(theirs).await.unwrap() });
        let connection = Connection::start(ours, Dialect::Orchard, Router::new(()));
        let host = Host { connection };
        host.call("configure", json!({ "config": config })).await?;
        Ok(host)
    }

    /// Executes an action.
    pub(crate) async fn run(&self, action: &str, attrs: Value) -> Outcome {
        let params = json!({ "action": action, "attrs": attrs });
        let mut result = self.call("execute", params).await?;
        Ok(result["outputs"].take())
    }

    /// Executes an action, and gives its outputs with all digits of their numbers.
    pub(crate) async fn exact(&self, action: &str, attrs: Value) -> String {
        let params = json!({ "action": action, "attrs": attrs });
        let params = Payload::encode(Format::Json, &params).unwrap();
        let peer = self.connection.peer();
        let result = peer.call_raw("execute", Some(params)).await.unwrap();
        let result = tenon_values::json::implied(result.bytes()).unwrap();
        result
            .attributes()
            .unwrap()
            .get("outputs")
            .unwrap()
            .to_string()
    }

    /// Executes an action that has to fail, and gives its code and its message.
    pub(crate) async fn fail(&self, action: &str, attrs: Value) -> (String, String) {
        match self.run(action, attrs).await {
            Ok(outputs) => panic!("{action} succeeded: {outputs}"),
            Err(error) => (error.code.to_string(), error.message),
        }
    }

    async fn call(&self, method: &str, params: Value) -> Outcome {
        let params = Payload::encode(Format::Json, &params).unwrap();
        match self.connection.peer().call_raw(method, Some(params)).await {
            Ok(result) => Ok(result.decode().unwrap()),
            Err(CallError::Answered(error)) => Err(error.into()),
            Err(error) => panic!("{method}: {error}"),
        }
    }

    /// Says goodbye.
    pub(crate) async fn stop(self) {
        self.call("shutdown", json!({})).await.unwrap();
    }
}

/// Runs a test under a watchdog.
pub(crate) async fn watched(test: impl Future<Output = ()>) {
    tokio::time::timeout(Duration::from_secs(60), test)
        .await
        .expect("the watchdog barked: something waits forever");
}

/// Asserts that a text contains all of these.
#[track_caller]
pub(crate) fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in: {text}");
    }
}
