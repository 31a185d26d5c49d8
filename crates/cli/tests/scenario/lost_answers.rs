//! Servers, databases and programs that act and do not live to say so, with the providers that come
//! with Tenon.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::provider_support::postgres::{Server as Database, with_server};
use crate::provider_support::server::{Received, Reply, Server};
use crate::stage::Stage;

fn stage(provider: &str, text: &str) -> Stage {
    let stage = Stage::new(json!({}));
    let source = format!("{provider} = {{ source = \"builtin/{provider}\" }}");
    stage.scenario_with(&source, text);
    stage
}

/// A server that accepts every order, and closes without an answer until the test lets it answer.
fn shop() -> (Server, Arc<AtomicBool>) {
    let answers = Arc::new(AtomicBool::new(false));
    let is_up = answers.clone();
    let server = Server::start(move |_| match is_up.load(Ordering::SeqCst) {
        true => Reply::new(201, &[("content-type", "application/json")], b"{\"id\": 7}"),
        false => Reply {
            bytes: Vec::new(),
            holds_on: false,
        },
    });
    (server, answers)
}

fn orders(url: &str, more: &str) -> String {
    format!(
        r#"
  provider "http" {{
    base_url = "{url}"
  }}
  action "http_request" "order" {{
    for_each      = toset(["chisel", "saw"])
    method        = "POST"
    url           = "/orders"
    json          = {{ item = each.key }}
    expect_status = [201]
    {more}
  }}
"#
    )
}

fn keys(received: &[Received]) -> Vec<Option<String>> {
    let key = |request: &Received| request.header("idempotency-key").map(str::to_owned);
    received.iter().map(key).collect()
}

#[tokio::test]
async fn a_request_without_an_answer_is_not_sent_twice() {
    let (server, answers) = shop();
    let mut stage = stage(
        "http",
        &orders(&server.url, "retry {\n      attempts = 3\n    }"),
    );
    let outcome = stage.run("tenon run demo.hcl -j 1").await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("outcome unknown"),
        "{}",
        outcome.stderr
    );
    assert_eq!(stage.record()["nodes"][0]["status"], "maybe");
    assert_eq!(server.received().len(), 2);
    answers.store(true, Ordering::SeqCst);
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon run --resume {record}")).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert_eq!(server.received().len(), 2);
    assert_eq!(keys(&server.received()), [None, None]);
}

/// The same key for the same action of the same run, and another one for every other.
#[tokio::test]
async fn a_request_with_an_idempotency_key_is_sent_again_with_the_same() {
    let (server, answers) = shop();
    let more = r#"idempotency_key = true
    lifecycle {
      teardown {
        method          = "POST"
        url             = "/cancellations"
        idempotency_key = true
      }
    }"#;
    let mut stage = stage("http", &orders(&server.url, more));
    assert_eq!(stage.run("tenon run demo.hcl -j 1").await.code, Some(1));
    let first = keys(&server.received());
    assert_eq!(first.len(), 2);
    assert!(first[0].is_some() && first[0] != first[1], "{first:?}");
    answers.store(true, Ordering::SeqCst);
    let record = stage.record_name();
    let outcome = stage
        .run(&format!("tenon run --resume {record} -j 1"))
        .await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(keys(&server.received())[2..], first);

    // What undoes it is another request, once for each action.
    let outcome = stage.run(&format!("tenon teardown {record} -j 1")).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let cancelled = keys(&server.received()).split_off(4);
    assert_eq!(cancelled.len(), 2);
    assert!(cancelled[0] != cancelled[1], "{cancelled:?}");
    assert!(
        cancelled.iter().all(|key| !first.contains(key)),
        "{cancelled:?}"
    );

    assert_eq!(stage.run("tenon run demo.hcl -j 1").await.code, Some(0));
    let other = keys(&server.received()).split_off(6);
    assert!(other.iter().all(|key| !first.contains(key)), "{other:?}");
}

/// With a key, an attempt without an answer is followed by another.
#[tokio::test]
async fn a_key_makes_a_retry_possible() {
    let (server, _) = shop();
    let more = "idempotency_key = \"order-${each.key}\"\n    retry {\n      attempts = 2\n      delay    = \"10ms\"\n    }";
    let mut stage = stage("http", &orders(&server.url, more));
    assert_eq!(stage.run("tenon run demo.hcl -j 1").await.code, Some(1));
    let keys = keys(&server.received());
    let keys: Vec<&str> = keys.iter().flatten().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["order-chisel", "order-chisel", "order-saw", "order-saw"]
    );
    let key = |key: &str| orders(&server.url, &format!("idempotency_key = {key}"));
    for wrong in ["7", "\"\"", "[true]"] {
        stage.scenario_with("http = { source = \"builtin/http\" }", &key(wrong));
        let outcome = stage.run("tenon plan demo.hcl").await;
        assert_eq!(outcome.code, Some(2), "{wrong}");
        assert!(
            outcome.stderr.contains("idempotency key"),
            "{}",
            outcome.stderr
        );
    }
}

#[tokio::test]
async fn a_key_that_is_not_the_same_again_is_asked_about() {
    let (server, answers) = shop();
    let mut stage = stage("http", &orders(&server.url, "idempotency_key = uuid()"));
    assert_eq!(stage.run("tenon run demo.hcl -j 1").await.code, Some(1));
    answers.store(true, Ordering::SeqCst);
    let record = stage.record_name();
    let outcome = stage.run(&format!("tenon run --resume {record}")).await;
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert_eq!(server.received().len(), 2);
}

/// The row is there, and the answer that says so is lost.
#[tokio::test]
async fn a_row_that_was_committed_is_not_inserted_twice() {
    with_server(async |server: &Database| {
        let host = server.host().await;
        let run = async |query: &str| -> Value {
            let row = host.run("postgres_query", json!({ "query": query })).await;
            row.unwrap_or_else(|error| panic!("{query}: {error}"))
        };
        run("CREATE TABLE shop (id serial PRIMARY KEY, name text UNIQUE)").await;
        let proxy = server.proxy();
        let insert = |query: &str, more: &str| {
            format!(
                r#"
  variable "dsn" {{
    type = string
  }}
  provider "postgres" {{
    dsn = var.dsn
  }}
  action "postgres_query" "row" {{
    query  = "{query}"
    params = ["saw"]
    {more}
    lifecycle {{
      teardown {{
        query  = "DELETE FROM shop WHERE name = $1"
        params = ["saw"]
      }}
    }}
  }}
"#
            )
        };
        let insert_once = insert("INSERT INTO shop (name) VALUES ($1) RETURNING id", "");
        let mut stage = stage("postgres", &insert_once);
        let variables = json!({ "dsn": server.config_by(&proxy)["dsn"] });
        stage.shell.file("dsn.json", &variables.to_string());
        proxy.cut_at("saw", 0);
        let outcome = stage.run("tenon run demo.hcl --var-file dsn.json").await;
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        assert_eq!(stage.statuses(), "row maybe");
        assert_eq!(run("SELECT count(*) AS n FROM shop").await["n"], 1);
        let record = stage.record_name();
        let resume = format!("tenon run --resume {record} --var-file dsn.json");
        let outcome = stage.run(&resume).await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        assert_eq!(run("SELECT count(*) AS n FROM shop").await["n"], 1);

        // A statement that can be repeated is repeated. It is not the one that was lost, so the user
        // has to say so.
        let upsert = "INSERT INTO shop (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING id";
        let source = "postgres = { source = \"builtin/postgres\" }";
        stage.scenario_with(source, &insert(upsert, "idempotent = true"));
        let outcome = stage.run(&resume).await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        let outcome = stage.run(&format!("{resume} --redo-maybe")).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_eq!(stage.statuses(), "row succeeded");
        assert_eq!(run("SELECT count(*) AS n FROM shop").await["n"], 1);
        let line = format!("tenon teardown {record} --var-file dsn.json");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_eq!(run("SELECT count(*) AS n FROM shop").await["n"], 0);
    })
    .await;
}

#[tokio::test]
async fn a_program_that_was_killed_is_not_run_twice() {
    let program = |more: &str| {
        format!(
            r#"
  action "exec_run" "mail" {{
    command         = "sh"
    args            = ["-c", "echo sent >> mails; [ -e up ] || exec sleep 100"]
    timeout_seconds = 1
    {more}
  }}
"#
        )
    };
    let mut stage = stage("exec", &program("retry {\n      attempts = 2\n    }"));
    let outcome = stage.run("tenon run demo.hcl").await;
    assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
    assert_eq!(stage.statuses(), "mail maybe");
    let record = stage.record_name();
    let resume = format!("tenon run --resume {record}");
    assert_eq!(stage.run(&resume).await.code, Some(2));
    assert_eq!(stage.text("mails"), "sent\n");
    stage.shell.file("up", "");
    stage.scenario_with(
        "exec = { source = \"builtin/exec\" }",
        &program("idempotent = true"),
    );
    let outcome = stage.run(&resume).await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(stage.text("mails"), "sent\nsent\n");
}
