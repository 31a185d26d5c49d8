//! Plugins of every protocol and from everywhere behind a server.

use std::path::Path;

use serde_json::{Value, json};
use tenon_protocols::Protocol;
use tenon_rpc::{Payload, Router};

use crate::serving::{Serving, frames};
use crate::support::shell::Shell;
use crate::support::{tools, trial};

/// A server of the plugin in Python.
pub(crate) async fn python(options: &str) -> Serving {
    let shell = Shell::new();
    shell.file("plugin.py", include_str!("plugin.py"));
    Serving::start_in(shell, &format!("{options} -- python3 plugin.py")).await
}

/// Runs a test of the plugin in Python, if there is Python.
pub(crate) async fn with_python<F: AsyncFnOnce(Serving)>(options: &str, test: F) {
    trial::trial(tools::python(), async |_, _| {
        test(python(options).await).await;
    })
    .await;
}

/// What the plugin was asked, in order.
fn methods(frames: &[Value]) -> Vec<String> {
    let method = |frame: &Value| match frame {
        // In msgpack-rpc the name comes behind the type and the id.
        Value::Array(parts) => parts[2].as_str().map(str::to_owned),
        frame => frame["method"].as_str().map(str::to_owned),
    };
    frames.iter().filter_map(method).collect()
}

#[tokio::test]
async fn plugins_of_every_protocol_are_initialised_once_and_shut_down() {
    for protocol in Protocol::ALL {
        let name = protocol.name();
        let options = format!("--protocol {name} --record record -- tenon echo");
        let serving = Serving::start(&options).await;
        let mut wire = serving.wire();
        let answer = wire.answer(json!(7), "add", json!([1, 2]));
        assert_eq!(answer["result"], 3, "{name}");
        if protocol.begins_once() {
            // A client that initialises the plugin gets the answer of the first time.
            let first_call = protocol.first_call().expect("a first call");
            let answer = wire.answer(json!(8), first_call, json!({}));
            assert!(answer["result"].is_object(), "{name}: {answer}");
            if let Some(event) = protocol.confirmation() {
                wire.send(&json!({ "jsonrpc": "2.0", "method": event }).to_string());
            }
            assert_eq!(wire.answer(json!(9), "add", json!([3, 4]))["result"], 7);
        }
        drop(wire);
        let ended = serving.stop().await;
        let frames = frames(&ended.shell, "out");
        let expected: &[&str] = match protocol {
            Protocol::Denobridge => &["health", "add", "shutdown"],
            Protocol::Ipc => &["$/ipc", "add"],
            Protocol::Acp => &["initialize", "add", "add"],
            Protocol::Lsp => &[
                "initialize",
                "initialized",
                "add",
                "add",
                "shutdown",
                "exit",
            ],
            Protocol::Mcp => &["initialize", "notifications/initialized", "add", "add"],
            Protocol::Seasonings => &["init", "add", "add", "shutdown"],
            Protocol::Orchard => &["describe", "add", "shutdown"],
        };
        assert_eq!(methods(&frames), expected, "{name}");
    }
}

/// The plugin serves agents and Terraform as well, and takes its first message for that of its host.
async fn another_protocol_comes_first(runtime: &str, file: &str) {
    let plugin = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/multi-host");
    let plugin = plugin.join(file).canonicalize().expect("the example");
    let options = format!("--no-restart -- {runtime} '{}'", plugin.display());
    for (method, params) in [
        ("health", json!({})),
        ("initialize", json!({ "protocolVersion": "2025-06-18" })),
        ("create", json!({ "props": {} })),
        ("shutdown", json!({})),
    ] {
        let serving = Serving::start(&format!("--protocol ipc {options}")).await;
        let (mut first, mut second) = (serving.wire(), serving.wire());
        let refused = first.answer(json!(1), method, params);
        assert_eq!(refused["error"]["code"], -32601, "{method}: {refused}");
        let answer = second.answer(json!(1), "forecast", json!({ "city": "Oslo" }));
        assert_eq!(answer["result"]["city"], "Oslo", "{method}: {answer}");
        serving.stop().await;
    }
}

#[tokio::test]
async fn a_client_of_another_protocol_does_not_decide_for_the_others() {
    trial::trial(tools::python(), async |_, _| {
        another_protocol_comes_first("python3", "python/weather.py").await;
    })
    .await;
    trial::trial(tools::on_path("node"), async |_, _| {
        another_protocol_comes_first("node", "typescript/weather.mjs").await;
    })
    .await;
}

/// A client that ends its session, as editors do, does not end the plugin of the others.
#[tokio::test]
async fn a_client_that_says_goodbye_does_not_end_the_plugin() {
    for (protocol, answer, events) in [
        (Protocol::Lsp, json!(null), vec!["exit"]),
        (Protocol::Orchard, json!({}), vec![]),
        (Protocol::Seasonings, json!({}), vec![]),
        (Protocol::Denobridge, json!(null), vec!["shutdown"]),
    ] {
        let name = protocol.name();
        let options = format!("--protocol {name} --record record --no-restart -- tenon echo");
        let serving = Serving::start(&options).await;
        let (mut leaving, mut staying) = (serving.wire(), serving.wire());
        let answered = leaving.answer(json!(1), "shutdown", json!({}));
        assert_eq!(answered["result"], answer, "{name}: {answered}");
        for event in events {
            leaving.send(&json!({ "jsonrpc": "2.0", "method": event }).to_string());
        }
        // The answer shows that the event before it was handled.
        assert_eq!(leaving.answer(json!(2), "add", json!([1, 2]))["result"], 3);
        drop(leaving);
        let answered = staying.answer(json!(1), "add", json!([3, 4]));
        assert_eq!(answered["result"], 7, "{name}: {answered}");
        let asked = methods(&serving.frames("out"));
        assert!(
            !asked.iter().any(|method| method == "shutdown"),
            "{asked:?}"
        );
        assert!(!asked.iter().any(|method| method == "exit"), "{asked:?}");
        serving.stop().await;
    }
}

/// The block of a page that begins with this line.
fn block(page: &str, first: &str) -> String {
    let start = page.find(first).expect("a block");
    let end = page[start..].find("```").expect("its end");
    page[start..start + end].to_owned()
}

/// What docs/guide/sockets.md shows works as it says, also when it is called with nonsense.
#[tokio::test]
async fn the_plugin_of_the_page() {
    trial::trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        let page = include_str!("../../../../docs/guide/sockets.md");
        shell.file("calc.py", &block(page, "# calc.py"));
        let serving = Serving::start_in(shell, "--no-restart -- python3 calc.py").await;
        let mut wire = serving.wire();
        for (params, expected) in [
            (json!([1, 2]), json!(3)),
            (json!({ "a": 1 }), json!(-32602)),
            (json!("text"), json!(-32602)),
            (json!(7), json!(-32602)),
            (json!([1, "2"]), json!(-32602)),
        ] {
            let answer = wire.answer(json!(1), "add", params);
            let found = match answer.get("result") {
                Some(result) => result,
                None => &answer["error"]["code"],
            };
            assert_eq!(*found, expected, "{answer}");
        }
        wire.send(r#"{"jsonrpc":"2.0","method":"event"}"#);
        assert_eq!(
            wire.answer(json!(2), "nope", json!([]))["error"]["code"],
            -32601
        );
        assert_eq!(wire.answer(json!(3), "add", json!([3, 4]))["result"], 7);
        serving.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_plugin_in_python() {
    with_python("", async |serving| {
        let mut wire = serving.wire();
        let value = json!({ "text": "é😀", "large": 9_007_199_254_740_993_u64 });
        let answer = wire.answer(json!("a"), "echo", value.clone());
        assert_eq!(
            answer,
            json!({ "jsonrpc": "2.0", "id": "a", "result": value })
        );
        let error = json!({ "code": 42, "message": "schon wieder", "data": { "a": [1, null] } });
        let answer = wire.answer(json!("b"), "fail", error.clone());
        assert_eq!(
            answer,
            json!({ "jsonrpc": "2.0", "id": "b", "error": error })
        );
        let unknown = wire.answer(json!("c"), "nope", json!([]));
        assert_eq!(unknown["error"]["code"], -32601);
        serving.stop().await;
    })
    .await;
}

/// What a plugin prints by mistake is ignored, and what it writes to stderr is shown.
#[tokio::test]
async fn a_plugin_that_prints_other_text() {
    with_python("", async |serving| {
        let mut wire = serving.wire();
        for id in 0..3 {
            let answer = wire.answer(json!(id), "babble", json!({}));
            assert_eq!(answer["result"], "said");
        }
        serving.says("plugin: and this is for people").await;
        serving.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_plugin_in_sh() {
    let shell = Shell::new();
    shell.file("plugin.sh", include_str!("plugin.sh"));
    let serving = Serving::start_in(shell, "-- sh plugin.sh").await;
    let mut wire = serving.wire();
    // The plugin looks for digits: it never sees the ids of clients.
    let answer = wire.answer(json!("not a number"), "greet", json!({ "name": "you" }));
    assert_eq!(answer["result"], "grüße from sh");
    assert_eq!(answer["id"], "not a number");
    let outcome = serving.call("wave").await;
    assert_eq!(
        (outcome.stderr.as_str(), outcome.code),
        (
            "error: the peer answered with an error: I can only greet (code -32601)\n  data: [1]\n",
            Some(1)
        )
    );
    serving.stop().await;
}

#[tokio::test]
async fn neovim() {
    trial::trial(tools::neovim(), async |program, _| {
        let nvim = program.display();
        let options =
            format!("--dialect msgpack-rpc -- {nvim} --embed --headless -u NONE -i NONE -n");
        let serving = Serving::start(&options).await;
        let mut wire = serving.wire();
        let seven = wire.answer(json!(1), "nvim_eval", json!(["1+2*3"]));
        assert_eq!(seven["result"], 7);
        let buffer = wire.answer(json!(2), "nvim_get_current_buf", json!([]))["result"].clone();
        assert_eq!(buffer, json!({ "$ext": [0, "AQ=="] }));
        let lines = json!([buffer, 0, -1, true, ["é", "two"]]);
        assert_eq!(
            wire.answer(json!(3), "nvim_buf_set_lines", lines)["result"],
            Value::Null
        );
        let error = wire.answer(json!(4), "nvim_fly", json!([]))["error"].clone();
        assert_eq!(error["message"], "Invalid method: nvim_fly");
        assert!(error["code"].is_i64(), "{error}");

        let router = Router::new(()).on_raw("question", |_, params| async move {
            Ok(params.unwrap_or_else(|| Payload::null(tenon_rpc::Format::Json)))
        });
        let client = serving.client_with(router).await;
        let params = Payload::from_json(r#"["rpcrequest(1, 'question', [1, 'é'])"]"#);
        let answer = client.call_raw("nvim_eval", params.ok()).await;
        let answer: Value = answer.expect("our own answer").decode().expect("JSON");
        assert_eq!(answer, json!([[1, "é"]]));

        wire.ask(json!(5), "nvim_eval", json!(["rpcnotify(1, 'tick', 9)"]));
        let tick = wire.message();
        assert_eq!(
            (&tick["method"], &tick["params"]),
            (&json!("tick"), &json!([9]))
        );
        drop(client);
        serving.stop().await;
    })
    .await;
}

/// A server and clients that were written by others: ids and progress tokens are each client's own.
#[tokio::test]
async fn clients_of_an_mcp_server() {
    let installed = tools::installed("mcp/stamp").and(tools::on_path("node"));
    trial::trial(installed, async |_, _| {
        let modules = tools::installed("mcp/node_modules").expect("what was installed");
        let server = modules.join("@modelcontextprotocol/server-everything/dist/index.js");
        let shell = Shell::new();
        shell.file("clients.mjs", include_str!("mcp_clients.mjs"));
        let options = format!("--record record -- node {} stdio", server.display());
        let serving = Serving::start_in(shell, &options).await;
        let line = format!("node clients.mjs ./s {}", modules.display());
        let outcome = serving.shell.run_unnoted(&line).await;
        assert_eq!(outcome.stdout, "done\n", "{}", outcome.stderr);
        let sent = serving.frames("out");
        let is_cancellation = |frame: &&Value| frame["method"] == "notifications/cancelled";
        let cancelled = sent.iter().find(is_cancellation).expect("a cancellation");
        let steps = |frame: &Value| frame["params"]["arguments"]["steps"].clone();
        let call = sent
            .iter()
            .find(|frame| steps(frame) == 1000)
            .expect("its call");
        assert_eq!(cancelled["params"]["requestId"], call["id"]);
        assert_eq!(cancelled["params"]["reason"], "enough");
        serving.stop().await;
    })
    .await;
}

#[tokio::test]
async fn a_plugin_gets_the_environment_variables_that_it_is_given() {
    trial::trial(tools::python(), async |_, _| {
        let shell = Shell::new();
        let plugin = "import json, os, sys\nfor line in sys.stdin:\n    \
                      answer = {'jsonrpc': '2.0', 'id': json.loads(line)['id'], \
                      'result': dict(os.environ)}\n    print(json.dumps(answer), flush=True)\n";
        shell.file("env.py", plugin);
        let options = "--env STAGE=test --env 'LC_*' -- python3 env.py";
        let serving = Serving::start_in(shell, options).await;
        let outcome = serving.call("env").await;
        let found: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
        assert_eq!(found["STAGE"], "test");
        assert!(found["PATH"].is_string());
        serving.stop().await;
        let mut shell = Shell::new();
        let line = "tenon serve --socket ./s --env STAGE -- tenon echo";
        let refused = shell.run(line).await;
        assert_eq!(refused.code, Some(2));
        assert!(refused.stderr.contains("not set"), "{}", refused.stderr);
    })
    .await;
}
