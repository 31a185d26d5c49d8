//! The provider `sqlite`, with real databases.

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use support::{Host, assert_says, watched};

async fn memory() -> Host {
    let config = json!({ "path": ":memory:" });
    Host::start("sqlite", config).await.unwrap()
}

#[tokio::test]
async fn a_query_gives_its_first_row() {
    watched(async {
        let host = memory().await;
        let script = "CREATE TABLE merchant (id INTEGER PRIMARY KEY, name TEXT);";
        host.run("sqlite_script", json!({ "script": script }))
            .await
            .unwrap();
        for (name, id) in [("a", 1), ("b", 2)] {
            let query = "INSERT INTO merchant (name) VALUES (?) RETURNING id, name";
            let attrs = json!({ "query": query, "params": [name] });
            let outputs = host.run("sqlite_query", attrs).await.unwrap();
            assert_eq!(outputs, json!({ "id": id, "name": name }));
        }
        let query = "SELECT name FROM merchant WHERE id = :id OR name = @name ORDER BY id DESC";
        let attrs = json!({ "query": query, "params": { "id": 1, "name": "b" } });
        assert_eq!(
            host.run("sqlite_query", attrs.clone()).await.unwrap(),
            json!({ "name": "b" })
        );
        assert_eq!(
            host.run("sqlite_rows", attrs).await.unwrap(),
            json!({ "rows": [{ "name": "b" }, { "name": "a" }], "count": 2 })
        );
        let nothing = json!({ "query": "SELECT name FROM merchant WHERE id = 7" });
        assert_eq!(host.run("sqlite_query", nothing).await.unwrap(), json!({}));
        host.stop().await;
    })
    .await;
}

#[tokio::test]
async fn values_come_back_as_they_went() {
    watched(async {
        let host = memory().await;
        let attrs = json!({
            "query": "SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e, ? AS f, x'00ff' AS g, 9e999 AS h",
            "params": [i64::MAX, i64::MIN, 0.1, null, true, "grüß' OR 1=1; DROP TABLE x --"],
        });
        assert_eq!(
            host.run("sqlite_query", attrs).await.unwrap(),
            json!({
                "a": i64::MAX, "b": i64::MIN, "c": 0.1, "d": null, "e": 1,
                "f": "grüß' OR 1=1; DROP TABLE x --", "g": "AP8=", "h": "Infinity",
            })
        );
    })
    .await;
}

#[tokio::test]
async fn a_parameter_is_never_sql() {
    watched(async {
        let host = memory().await;
        let script = "CREATE TABLE t (x); INSERT INTO t VALUES ('kept')";
        host.run("sqlite_script", json!({ "script": script }))
            .await
            .unwrap();
        let attack = "x'; DELETE FROM t; --";
        let attrs = json!({ "query": "INSERT INTO t VALUES (?)", "params": [attack] });
        host.run("sqlite_query", attrs).await.unwrap();
        let attrs = json!({ "query": "SELECT x FROM t ORDER BY rowid" });
        let rows = host.run("sqlite_rows", attrs).await.unwrap();
        assert_eq!(rows["rows"], json!([{ "x": "kept" }, { "x": attack }]));
    })
    .await;
}

#[tokio::test]
async fn a_script_is_all_or_nothing() {
    watched(async {
        let host = memory().await;
        host.run(
            "sqlite_script",
            json!({ "script": "CREATE TABLE t (x UNIQUE)" }),
        )
        .await
        .unwrap();
        for (script, said) in [
            (
                "INSERT INTO t VALUES (1); INSERT INTO t VALUES (1)",
                "UNIQUE",
            ),
            (
                "INSERT INTO t VALUES (1); COMMIT",
                "leave out BEGIN, COMMIT",
            ),
            ("BEGIN; INSERT INTO t VALUES (1)", "within a transaction"),
        ] {
            let (_, message) = host
                .fail("sqlite_script", json!({ "script": script }))
                .await;
            assert_says(&message, &[said]);
        }
        let (_, message) = host.fail("sqlite_query", json!({ "query": "BEGIN" })).await;
        assert_says(&message, &["rolled back", "sqlite_script"]);
        let attrs = json!({ "query": "SELECT count(*) AS n FROM t" });
        // The COMMIT in the second script has kept its row.
        assert_eq!(
            host.run("sqlite_query", attrs).await.unwrap(),
            json!({ "n": 1 })
        );
    })
    .await;
}

#[tokio::test]
async fn errors_name_the_problem() {
    watched(async {
        let host = memory().await;
        for (attrs, said) in [
            (json!({ "query": "SELEC 1" }), "syntax error"),
            (json!({ "query": "SELECT 1; SELECT 2" }), "sqlite_script"),
            (
                json!({ "query": "SELECT ?", "params": [] }),
                "has 1 parameters, but params has 0",
            ),
            (
                json!({ "query": "SELECT 1", "params": [1] }),
                "has 0 parameters, but params has 1",
            ),
            (json!({ "query": "SELECT :a", "params": { "b": 1 } }), ":b"),
            (
                json!({ "query": "SELECT ?", "params": [[1]] }),
                "jsonencode",
            ),
            (
                json!({ "query": "SELECT ?", "params": [u64::MAX] }),
                "as a string",
            ),
            (
                json!({ "query": "SELECT 1 AS a, 2 AS a" }),
                "two columns are called a",
            ),
        ] {
            let (_, message) = host.fail("sqlite_query", attrs).await;
            assert_says(&message, &[said]);
        }
        let query =
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n";
        let attrs = json!({ "query": query, "max_rows": 10 });
        let (_, message) = host.fail("sqlite_rows", attrs).await;
        assert_says(&message, &["more than 10 rows", "LIMIT", "max_rows"]);
    })
    .await;
}

#[tokio::test]
async fn only_the_owner_can_read_a_new_database() {
    watched(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.db");
        let config = json!({ "path": path, "create": false });
        let error = Host::start("sqlite", config).await.err().unwrap();
        assert_says(
            &error.message,
            &["the database", "does not exist", "create"],
        );
        let host = Host::start("sqlite", json!({ "path": path }))
            .await
            .unwrap();
        let script = "CREATE TABLE t (x); INSERT INTO t VALUES (7)";
        host.run("sqlite_script", json!({ "script": script }))
            .await
            .unwrap();
        host.stop().await;
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o600);
        let config = json!({ "path": path, "create": false });
        let host = Host::start("sqlite", config).await.unwrap();
        let outputs = host
            .run("sqlite_query", json!({ "query": "SELECT x FROM t" }))
            .await;
        assert_eq!(outputs.unwrap(), json!({ "x": 7 }));
    })
    .await;
}

#[tokio::test]
async fn a_locked_database_is_reported() {
    watched(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("locked.db");
        let other = rusqlite::Connection::open(&path).unwrap();
        other
            .execute_batch("CREATE TABLE t (x); BEGIN EXCLUSIVE")
            .unwrap();
        let config = json!({ "path": path, "busy_timeout_seconds": 0.05 });
        let host = Host::start("sqlite", config).await.unwrap();
        let insert = json!({ "query": "INSERT INTO t VALUES (1)" });
        let (_, message) = host.fail("sqlite_query", insert.clone()).await;
        assert_says(&message, &["locked", "busy_timeout_seconds"]);
        other.execute_batch("COMMIT").unwrap();
        host.run("sqlite_query", insert).await.unwrap();
    })
    .await;
}

/// What was changed stays changed, so it is not a failure.
#[tokio::test]
async fn a_change_whose_outputs_are_lost_is_not_a_failure() {
    watched(async {
        let host = Host::start("sqlite", json!({ "path": ":memory:" }))
            .await
            .unwrap();
        let script = json!({ "script": "CREATE TABLE shop (id INTEGER PRIMARY KEY, name TEXT)" });
        host.run("sqlite_script", script).await.unwrap();
        let insert = "INSERT INTO shop (name) VALUES ('saw'), ('chisel') RETURNING id";
        let attrs = json!({ "query": insert, "max_rows": 1 });
        let (code, message) = host.fail("sqlite_rows", attrs).await;
        assert_eq!(code, "outcome_unknown", "{message}");
        let attrs = json!({ "query": "SELECT id FROM shop", "max_rows": 1 });
        let (code, message) = host.fail("sqlite_rows", attrs).await;
        assert_eq!(code, "execute_failed", "{message}");
        for script in [
            "INSERT INTO shop (name) VALUES ('plane'); COMMIT",
            "INSERT INTO shop (name) VALUES ('hammer'); COMMIT; INSERT INTO shop (id) VALUES (1)",
            "INSERT INTO shop (name) VALUES ('mallet'); COMMIT; BEGIN; INSERT INTO shop (id) VALUES (1)",
        ] {
            let (code, message) = host
                .fail("sqlite_script", json!({ "script": script }))
                .await;
            assert_eq!(code, "outcome_unknown", "{message}");
        }
        let script = json!({ "script": "INSERT INTO shop (id) VALUES (1)" });
        let (code, _) = host.fail("sqlite_script", script).await;
        assert_eq!(code, "execute_failed");
        let attrs = json!({ "query": "SELECT count(*) AS n FROM shop" });
        let row = host.run("sqlite_query", attrs).await.unwrap();
        assert_eq!(row["n"], 5);
    })
    .await;
}
