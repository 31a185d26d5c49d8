//! Functions with a context: in every host, whichever call comes first.

use serde_json::{Value, json};
use tenon_plugin::testing::Host as TestHost;
use tenon_plugin::{Data, Diagnostic, Failure, Host, LogLevel, Plugin, attributes};
use tenon_protocols::Protocol;
use tenon_protocols::seasonings::{EXT_NAMES, Greeting, Level, begin};
use tenon_rpc::{CallError, Connection, Event, Format, Io, Payload, Router};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

attributes! {
    struct Config { limit: u8 = 3 }
    struct Strict { limit: u8 }
}

/// Adds functions that need the state, and one that does not.
fn with_functions(plugin: Plugin<u8>) -> Plugin<u8> {
    plugin
        .function_with_context("limit", "", |context, (): ()| async move {
            context.progress.say("looking").await;
            context.progress.step("nearly there", 1, 2).await;
            context.log(LogLevel::Debug, "looked").await;
            Ok(*context.state().as_ref())
        })
        .function_with_context("old", "", |_, (): ()| async move {
            let warning = Diagnostic::warning("it is old", "use limit");
            Ok(Data::new("old".to_owned()).diagnostic(warning))
        })
        .function("pure", "", |(): ()| async { Ok(2_u8) })
        .function("gone", "", |(): ()| async {
            Err::<u8, _>(Failure::not_found("it is gone"))
        })
        .deprecated("old", "use limit")
}

fn lenient() -> Plugin<u8> {
    let plugin = Plugin::new("functions", "1.0.0");
    with_functions(plugin.configure(|config: Config| async move { Ok(config.limit) }))
}

fn strict() -> Plugin<u8> {
    let plugin = Plugin::new("functions", "1.0.0");
    with_functions(plugin.configure(|config: Strict| async move { Ok(config.limit) }))
}

/// What a host on JSON-RPC gets for one call: what came before the answer, and the answer without its envelope.
async fn ask(plugin: Plugin<u8>, host: Host, method: &str, params: Value) -> (Vec<Value>, Value) {
    let (here, there) = tokio::io::duplex(64 * 1024);
    let (mut reader, mut writer) = tokio::io::split(here);
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let asked = async move {
        writer
            .write_all(format!("{call}\n").as_bytes())
            .await
            .unwrap();
        writer.shutdown().await.unwrap();
        let mut answers = String::new();
        reader.read_to_string(&mut answers).await.unwrap();
        answers
    };
    let (served, answers) = tokio::join!(plugin.serve_host(host, Io::from(there)), asked);
    served.unwrap();
    let lines = answers
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let mut lines: Vec<Value> = lines.collect();
    let mut answer = lines.pop().unwrap();
    let answer = match answer["error"].take() {
        Value::Null => answer["result"].take(),
        error => error,
    };
    (lines, answer)
}

async fn ipc(plugin: Plugin<u8>, name: &str) -> Value {
    ask(plugin, Host::Ipc, name, json!({})).await.1
}

async fn mcp(plugin: Plugin<u8>, name: &str) -> (Vec<Value>, Value) {
    let params = json!({ "name": name, "arguments": {}, "_meta": { "progressToken": "t" } });
    ask(plugin, Host::Mcp, "tools/call", params).await
}

async fn denobridge(plugin: Plugin<u8>, name: &str) -> Value {
    let params = json!({ "name": name, "arguments": [] });
    ask(plugin, Host::Denobridge, "call", params).await.1
}

#[tokio::test]
async fn the_defaults_are_there_at_the_first_call() {
    assert_eq!(ipc(lenient(), "limit").await, 3);
    let (_, result) = mcp(lenient(), "limit").await;
    assert_eq!(result["structuredContent"], json!({ "result": 3 }));
    let result = denobridge(lenient(), "limit").await;
    assert_eq!(result, json!({ "result": 3 }));
}

#[tokio::test]
async fn a_configuration_that_is_missing_fails_only_what_needs_it() {
    let needed = "the plugin needs a configuration, which this host cannot provide: the attribute \"limit\" is required";
    assert_eq!(ipc(strict(), "limit").await["message"], needed);
    let (_, result) = mcp(strict(), "limit").await;
    assert_eq!(result["content"][0]["text"], needed);
    assert_eq!(denobridge(strict(), "limit").await["message"], needed);
    assert_eq!(ipc(strict(), "pure").await, 2);
    assert_eq!(denobridge(strict(), "pure").await, json!({ "result": 2 }));
}

#[tokio::test]
async fn warnings_are_beside_the_result_in_denobridge() {
    assert_eq!(
        denobridge(lenient(), "old").await,
        json!({
            "result": "old",
            "diagnostics": [{ "severity": "warning", "summary": "it is old", "detail": "use limit" }],
        })
    );
    assert_eq!(ipc(lenient(), "old").await, "old");
}

#[tokio::test]
async fn agents_see_how_much_is_done() {
    let (told, _) = mcp(lenient(), "limit").await;
    let params: Vec<&Value> = told.iter().map(|one| &one["params"]).collect();
    assert_eq!(
        params,
        [
            &json!({ "progressToken": "t", "progress": 1, "message": "looking" }),
            &json!({ "progressToken": "t", "progress": 1, "total": 2, "message": "nearly there" }),
        ]
    );
}

/// A host of Seasonings, and the events that the plugin sends to it.
struct Terraform {
    connection: Connection,
    events: tokio::sync::mpsc::Receiver<(String, Value)>,
}

impl Terraform {
    async fn of(plugin: Plugin<u8>) -> Terraform {
        let (here, there) = Io::pair();
        tokio::spawn(plugin.serve_on(there));
        let (told, events) = tokio::sync::mpsc::channel(16);
        let router = Router::new(()).event_fallback(move |_, event: Event| {
            let params = event.params.as_ref().unwrap();
            let params = params.to_format_with(Format::Json, EXT_NAMES).unwrap();
            let event = (event.method.to_string(), params.decode().unwrap());
            told.try_send(event).unwrap();
        });
        let connection = Connection::start_with(
            here,
            Protocol::Seasonings.dialect(),
            std::sync::Arc::new(router),
            Protocol::Seasonings.host_options(),
        );
        let greeting = Greeting::new(Level::ALL);
        begin(&connection.peer(), &greeting).await.unwrap();
        Terraform { connection, events }
    }

    async fn ask(&self, method: &str, params: Value) -> Result<Value, (i64, String)> {
        let params = Payload::encode(Format::Msgpack, &[params]).unwrap();
        match self.connection.peer().call_raw(method, Some(params)).await {
            Ok(answer) => {
                let answer = answer.to_format_with(Format::Json, EXT_NAMES).unwrap();
                Ok(answer.decode().unwrap())
            }
            Err(CallError::Answered(error)) => match error.code {
                tenon_rpc::ErrorCode::Number(code) => Err((code, error.message)),
                code => panic!("{code:?}"),
            },
            Err(error) => panic!("{error}"),
        }
    }

    async fn call(&self, name: &str) -> Result<Value, (i64, String)> {
        let params = json!({ "name": name, "arguments": {} });
        self.ask("functions/call", params).await
    }
}

#[tokio::test]
async fn in_seasonings_the_state_is_that_of_configure() {
    let mut host = Terraform::of(lenient()).await;
    let early = "the plugin needs a configuration, and is not configured yet".to_owned();
    assert_eq!(host.call("limit").await, Err((-32000, early)));
    assert_eq!(host.call("pure").await, Ok(json!({ "result": 2 })));
    let configured = host
        .ask("resources/configure", json!({ "config": { "limit": 7 } }))
        .await;
    assert_eq!(configured, Ok(json!({})));
    assert_eq!(host.call("limit").await, Ok(json!({ "result": 7 })));
    let warning = json!({ "severity": "warning", "summary": "it is old", "detail": "use limit" });
    let old = json!({ "result": "old", "diagnostics": [warning] });
    assert_eq!(host.call("old").await, Ok(old));
    let events = [
        ("progress", json!([{ "message": "looking" }])),
        (
            "progress",
            json!([{ "message": "nearly there", "done": 1, "total": 2 }]),
        ),
        ("log", json!([{ "level": "debug", "message": "looked" }])),
    ];
    for (name, params) in events {
        let (found, told) = host.events.recv().await.unwrap();
        assert_eq!((found.as_str(), told), (name, params));
    }
}

#[tokio::test]
async fn a_failure_may_have_a_code_of_its_own() {
    let host = Terraform::of(lenient()).await;
    let gone = (-32002, "it is gone".to_owned());
    assert_eq!(host.call("gone").await, Err(gone));
}

#[tokio::test]
async fn a_function_can_be_deprecated() {
    assert_eq!(
        lenient().offer().functions["old"].deprecation.as_deref(),
        Some("use limit")
    );
    let host = Terraform::of(lenient()).await;
    let schema = host.ask("functions/getSchema", json!({})).await.unwrap();
    assert_eq!(schema["functions"]["old"]["deprecation"], "use limit");
    assert_eq!(schema["functions"]["pure"].get("deprecation"), None);
}

#[tokio::test]
async fn the_host_of_tests_uses_the_defaults() {
    let host = TestHost::new(lenient()).await;
    assert_eq!(host.call_function::<u8>("limit", &()).await.unwrap(), 3);
    let config = Config { limit: 5 };
    let host = TestHost::configured(lenient(), &config).await.unwrap();
    assert_eq!(host.call_function::<u8>("limit", &()).await.unwrap(), 5);
    let host = TestHost::new(strict()).await;
    assert_eq!(host.call_function::<u8>("pure", &()).await.unwrap(), 2);
}
