//! Runs that are killed in the middle of their work with a real PostgreSQL.
//!
//! `scripts/tools` installs it. Without one these tests say so and pass; under CI=true they fail.

use std::time::Duration;

use serde_json::{Value, json};

use crate::provider_support::Host;
use crate::provider_support::postgres::{PASSWORD, Server, with_server};
use crate::stage::{Stage, at};

const TABLE: &str = "CREATE TABLE shop (id serial PRIMARY KEY, name text)";

/// Waits while another session has the lock, after the server has got everything.
const INSERT: &str =
    "INSERT INTO shop (name) SELECT $1::text FROM pg_advisory_xact_lock(7) RETURNING id";

/// Two rows, and a puppet that stops the run between them.
fn stage(server: &Server) -> Stage {
    let stage = Stage::new(at("execute stop 1", json!([["gate", "here"], "answer"])));
    let row = |name: &str, after: &str| {
        format!(
            r#"
  action "postgres_query" "{name}" {{
    query  = "{INSERT}"
    params = ["{name}"]
    {after}
    lifecycle {{
      teardown {{
        query  = "DELETE FROM shop WHERE name = $1"
        params = ["{name}"]
      }}
    }}
  }}
"#
        )
    };
    stage.scenario_with(
        "puppet = { source = \"exec:./puppet\" }\n    postgres = { source = \"builtin/postgres\" }",
        &format!(
            r#"
  variable "dsn" {{
    type = string
  }}
  provider "postgres" {{
    dsn = var.dsn
  }}
{}
  action "put" "stop" {{
    name  = "stop"
    input = action.postgres_query.chisel.id
  }}
{}"#,
            row("chisel", ""),
            row("mallet", "depends_on = [action.put.stop]"),
        ),
    );
    let config = server.config(PASSWORD);
    let variables = json!({ "dsn": config["dsn"] });
    stage.shell.file("dsn.json", &variables.to_string());
    stage
}

/// The first row of a query.
async fn run(host: &Host, query: &str) -> Value {
    let row = host.run("postgres_query", json!({ "query": query })).await;
    row.unwrap_or_else(|error| panic!("{query}: {error}"))
}

async fn shop(host: &Host) -> String {
    let query = "SELECT coalesce(string_agg(name, ' ' ORDER BY id), '') AS names FROM shop";
    let row = run(host, query).await;
    row["names"].as_str().expect("a text").to_owned()
}

const WAITING: &str = "SELECT count(*) AS count FROM pg_locks WHERE NOT granted";

#[tokio::test]
async fn killed_between_two_rows() {
    with_server(async |server: &Server| {
        let host = server.host().await;
        run(&host, TABLE).await;
        let mut stage = stage(server);
        let started = stage.start("tenon run demo.hcl --var-file dsn.json");
        stage.reached("puppet", "here").await;
        started.kill().await;
        stage.open("puppet", "here");
        assert_eq!(shop(&host).await, "chisel");
        let record = stage.record_name();
        let line = format!("tenon run --resume {record} --var-file dsn.json");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(2));
        assert!(
            outcome.stderr.contains("action.put.stop"),
            "{}",
            outcome.stderr
        );
        let outcome = stage.run(&format!("{line} --redo-maybe")).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_eq!(shop(&host).await, "chisel mallet");
        let line = format!("tenon teardown {record} --var-file dsn.json");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_eq!(shop(&host).await, "");
        // The password is the server's, and part of the dsn.
        assert!(!stage.text(&record).contains(PASSWORD));
        stage.assert_is_closed();
    })
    .await;
}

/// The server goes on with a statement whose client was killed: "maybe" is all that can be said,
/// and here it is done.
#[tokio::test]
async fn killed_in_the_middle_of_a_statement() {
    with_server(async |server: &Server| {
        let host = server.host().await;
        run(&host, TABLE).await;
        let mut stage = stage(server);
        stage.open("puppet", "here");
        let holder = server.host().await;
        run(&holder, "SELECT pg_advisory_lock(7)::text AS held").await;
        let started = stage.start("tenon run demo.hcl --var-file dsn.json");
        while run(&host, WAITING).await["count"] != 1 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        started.kill().await;
        assert_eq!(shop(&host).await, "");
        run(&holder, "SELECT pg_advisory_unlock(7) AS is_free").await;
        while shop(&host).await != "chisel" {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let record = stage.record_name();
        let line = format!("tenon run --resume {record} --var-file dsn.json");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
        let line = format!("tenon teardown {record} --var-file dsn.json");
        let outcome = stage.run(&line).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert_eq!(shop(&host).await, "");
    })
    .await;
}
