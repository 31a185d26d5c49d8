//! One plugin, every host: it finds out who is calling.

use tenon_plugin::{Host, Plugin, attributes};
use tenon_protocols::orchard::{ExecuteParams, ProviderClient};
use tenon_protocols::{Protocol, denobridge, orchard};
use tenon_rpc::{Connection, Dialect, Io, Router};
use tokio::io::AsyncWriteExt;

attributes! {
    struct Greet {
        name: String,
    }
    struct Greeting {
        text: String,
    }
}

fn plugin() -> Plugin {
    let text = |greet: Greet| format!("hello, {}", greet.name);
    Plugin::new("greeter", "1")
        .action("greet", "", move |_, greet: Greet| async move {
            Ok(Greeting { text: text(greet) })
        })
        .function("greeting", "", move |greet: Greet| async move {
            Ok(text(greet))
        })
}

#[tokio::test]
async fn a_scenario_runs_its_action() {
    let (here, there) = Io::pair();
    let served = tokio::spawn(plugin().serve_on(there));
    let connection = Connection::start(here, Dialect::Orchard, Router::new(()));
    let schema = orchard::begin(&connection.peer()).await.unwrap();
    assert_eq!(schema.actions.keys().collect::<Vec<_>>(), ["greet"]);
    let client = ProviderClient::new(connection.peer());
    let params = ExecuteParams {
        action: "greet".into(),
        attrs: serde_json::from_str(r#"{"name":"you"}"#).unwrap(),
    };
    let outputs = client.execute(params).await.unwrap().outputs;
    assert_eq!(outputs.text(), r#"{"text":"hello, you"}"#);
    Protocol::Orchard.end(&connection.peer()).await;
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn terraform_calls_its_function() {
    let (here, there) = Io::pair();
    let served = tokio::spawn(plugin().serve_on(there));
    let dialect = Protocol::Denobridge.dialect();
    let connection = Connection::start(here, dialect, Router::new(()));
    let health = denobridge::begin(&connection.peer()).await.unwrap();
    assert!(health.ok);
    let client = denobridge::ScriptClient::new(connection.peer());
    let params = denobridge::FunctionParams {
        name: "greeting".into(),
        arguments: vec![serde_json::from_str(r#""you""#).unwrap()],
    };
    let result = client.call_function(params).await.unwrap().result;
    assert_eq!(result.unwrap().text(), r#""hello, you""#);
    Protocol::Denobridge.end(&connection.peer()).await;
    served.await.unwrap().unwrap();
}

/// The first message tells, however it arrives and however long it is.
#[tokio::test]
async fn the_first_message_tells_who_is_calling() {
    let long = "x".repeat(10_000);
    for (message, host) in [
        (r#"{"id":1,"method":"describe"}"#.to_owned(), Host::Orchard),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"health"}"#.to_owned(),
            Host::Denobridge,
        ),
        (format!(r#"{{"id":1,"params":"{long}"}}"#), Host::Orchard),
        (
            format!(r#"{{"jsonrpc":"2.0","params":"{long}"}}"#),
            Host::Ipc,
        ),
        (
            format!(r#"{{"jsonrpc":"2.0","id":1,"params":["{long}"],"method":"call"}}"#),
            Host::Denobridge,
        ),
        (
            "\n \n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"greeting\"}\n".to_owned(),
            Host::Ipc,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"read\"}\n".to_owned(),
            Host::Ipc,
        ),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}\n".to_owned(),
            Host::Ipc,
        ),
        (
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"params":{{"x":"{long}","protocolVersion":"?"}},"method":"initialize"}}"#
            ),
            Host::Mcp,
        ),
        ("Content-Length: 2\r\n\r\n{}".to_owned(), Host::IpcHeaders),
        ("[{\"jsonrpc\":\"2.0\"}]".to_owned(), Host::Ipc),
        ("hello\n".to_owned(), Host::Ipc),
        (String::new(), Host::Orchard),
    ] {
        let (mut here, there) = tokio::io::duplex(16);
        let sent = message.clone();
        let send = tokio::spawn(async move {
            // The rest of it is not read.
            let _unread = here.write_all(sent.as_bytes()).await;
        });
        let (found, io) = Host::detect(Io::from(there), plugin().offer())
            .await
            .unwrap();
        assert_eq!(found, host, "{message}");
        drop(io);
        send.await.unwrap();
    }
}
