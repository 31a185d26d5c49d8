//! The provider `postgres`, with a real server.
//!
//! `scripts/tools` installs it. Without one these tests say so and pass; under CI=true they fail.

mod support;

use serde_json::{Value, json};
use support::postgres::{PASSWORD, Server, with_server};
use support::{Host, assert_says};

async fn query(host: &Host, query: &str, params: Value) -> Value {
    let outcome = host
        .run(
            "postgres_query",
            json!({ "query": query, "params": params }),
        )
        .await;
    outcome.unwrap_or_else(|error| panic!("{query}: {error}"))
}

async fn refused(host: &Host, query: &str, params: Value) -> String {
    let attrs = json!({ "query": query, "params": params });
    host.fail("postgres_query", attrs).await.1
}

#[tokio::test]
async fn values_come_back_as_they_went() {
    with_server(async |server: &Server| {
        let host = server.host().await;
        let types = "CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN even AS int CHECK (VALUE % 2 = 0)";
        query(&host, types, json!([])).await;
        let large = json!({ "a": [1, null, 9007199254740993_u64], "b": { "c": "d" } });
        for (ty, value) in [
            ("bool", json!(true)),
            ("int2", json!(-32768)),
            ("int4", json!(2147483647)),
            ("int8", json!(i64::MIN)),
            ("oid", json!(4294967295_u32)),
            ("float4", json!(0.1)),
            ("float8", json!(-2.5e-300)),
            ("float8", json!("NaN")),
            ("float8", json!("-Infinity")),
            ("numeric", json!(-12345.0678)),
            ("numeric(40,20)", json!(0.00000001)),
            ("numeric", json!("NaN")),
            ("text", json!("grüß'; DROP TABLE x; -- \\ \"")),
            ("varchar(3)", json!("abc")),
            ("char(3)", json!("abc")),
            ("uuid", json!("00010203-0405-0607-0809-0a0b0c0d0e0f")),
            ("json", large.clone()),
            ("jsonb", large.clone()),
            ("date", json!("2026-11-15")),
            ("date", json!("0044-03-15 BC")),
            ("date", json!("infinity")),
            ("time", json!("23:59:59.000001")),
            ("timestamp", json!("2026-11-15T14:38:33.5")),
            ("timestamp", json!("0044-03-15T12:00:00 BC")),
            ("timestamptz", json!("1969-12-31T23:59:59.999999Z")),
            ("timestamptz", json!("-infinity")),
            ("bytea", json!("AP8=")),
            ("int4[]", json!([1, null, 3])),
            ("int4[]", json!([])),
            ("int4[]", json!([[1, 2], [3, 4]])),
            ("text[]", json!(["a,b", "\"q\"", "NULL", null, "\\", "", "{}"])),
            ("jsonb[]", json!([[1, "x"], { "a": null }])),
            ("mood", json!("ok")),
            ("mood[]", json!(["ok", "sad"])),
            ("even", json!(4)),
            ("int4", json!(null)),
        ] {
            let outputs = query(&host, &format!("SELECT $1::{ty} AS it"), json!([value])).await;
            assert_eq!(outputs, json!({ "it": value }), "{ty}");
        }
        host.stop().await;
    })
    .await;
}

/// The server writes the same values as text; ours must be the same.
#[tokio::test]
async fn texts_are_those_of_the_server() {
    with_server(async |server: &Server| {
        let host = server.host().await;
        let dates = "SELECT array_agg(d::date) AS ours, array_agg(to_char(d, 'YYYY-MM-DD')) AS theirs
            FROM generate_series(timestamp '0001-01-01', timestamp '9999-12-31', interval '97 days') d";
        let outputs = query(&host, dates, json!([])).await;
        assert!(outputs["ours"].as_array().unwrap().len() > 30_000);
        assert_eq!(outputs["ours"], outputs["theirs"]);
        let moments = r#"SELECT array_agg(d) AS ours, array_agg(to_char(d, 'YYYY-MM-DD"T"HH24:MI:SS')) AS theirs
            FROM generate_series(timestamp '1901-01-01', timestamp '2099-12-31', interval '12345671 seconds') d"#;
        let outputs = query(&host, moments, json!([])).await;
        assert_eq!(outputs["ours"], outputs["theirs"]);
        // With all digits on the way there and back, or they would not be equal to the server.
        let numbers = "SELECT array_agg(n) AS ours, array_agg(trim_scale(n)::text) AS theirs
            FROM (SELECT (i::numeric * 7919 - 1234567) * 10::numeric ^ (i % 9 - 4) AS n
                  FROM generate_series(1, 2000) i) numbers";
        let outputs = query(&host, numbers, json!([])).await;
        let ours = outputs["ours"].as_array().unwrap();
        let theirs = outputs["theirs"].as_array().unwrap();
        for (ours, theirs) in ours.iter().zip(theirs) {
            let theirs: f64 = theirs.as_str().unwrap().parse().unwrap();
            assert_eq!(ours.as_f64(), Some(theirs));
        }
        let digits = "1234567890123456789012345678901234567890.123456789";
        let sent = query(&host, "SELECT $1::numeric AS it", json!([digits])).await;
        let exact = host.exact("postgres_query", json!({
            "query": "SELECT $1::numeric AS it", "params": [digits],
        }));
        assert_eq!(exact.await, format!(r#"{{ it = {digits} }}"#), "{sent}");
    })
    .await;
}

#[tokio::test]
async fn a_query_gives_its_first_row_or_does_nothing() {
    with_server(async |server: &Server| {
        let host = server.host().await;
        let table = "CREATE TABLE t (id serial PRIMARY KEY, name text UNIQUE, at inet)";
        assert_eq!(query(&host, table, json!([])).await, json!({}));
        let insert = "INSERT INTO t (name) VALUES ($1), ($2) RETURNING id, name";
        let attack = "x'); DELETE FROM t; --";
        assert_eq!(
            query(&host, insert, json!([attack, "b"])).await,
            json!({ "id": 1, "name": attack })
        );
        let none = query(&host, "SELECT name FROM t WHERE id = $1", json!([7])).await;
        assert_eq!(none, json!({}));

        for (statement, params, said) in [
            ("INSERT INTO t (name, at) VALUES ('c', '::1') RETURNING at", json!([]), "at::text"),
            ("INSERT INTO t (name) VALUES ('c') RETURNING id, name AS id", json!([]), "two columns"),
            ("INSERT INTO t (name) VALUES ($1)", json!([]), "has 1 parameters, but 0"),
            ("INSERT INTO t (name) VALUES ('c'); SELEC", json!([]), "42601"),
            ("INSERT INTO t (name) VALUES ('c'); SELECT 1/0", json!([]), "22012"),
            ("INSERT INTO t (name) VALUES ($1); SELECT 1", json!(["c"]), "42601"),
            // The second row fails, which comes after the first has been returned.
            ("INSERT INTO t (id) SELECT 100 + i / (i - 9) FROM generate_series(8, 9) i RETURNING id", json!([]), "22012"),
            ("INSERT INTO t (name) VALUES ($1)", json!([{ "a": 1 }]), "jsonencode"),
            ("INSERT INTO t (id) VALUES ($1)", json!(["x"]), "22P02"),
            ("INSERT INTO t (id) VALUES ($1)", json!(7), "params"),
        ] {
            let message = refused(&host, statement, params).await;
            assert_says(&message, &[said]);
        }
        let script = "INSERT INTO t (name) VALUES ('d'); INSERT INTO t (name) VALUES ('e')";
        assert_eq!(query(&host, script, json!([])).await, json!({}));
        let names = query(&host, "SELECT array_agg(name ORDER BY id) AS names FROM t", json!([])).await;
        assert_eq!(names, json!({ "names": [attack, "b", "d", "e"] }));
    })
    .await;
}

#[tokio::test]
async fn errors_say_what_the_server_says() {
    with_server(async |server: &Server| {
        let host = server.host().await;
        query(&host, "CREATE TABLE t (id int PRIMARY KEY)", json!([])).await;
        query(&host, "INSERT INTO t VALUES (1)", json!([])).await;
        assert_eq!(
            refused(&host, "INSERT INTO t VALUES ($1)", json!([1])).await,
            "ERROR 23505: duplicate key value violates unique constraint \"t_pkey\"\n  \
             detail: Key (id)=(1) already exists."
        );
        let message = refused(&host, "SELECT idd FROM t", json!([])).await;
        assert_says(
            &message,
            &[
                "ERROR 42703",
                "hint: ",
                "position: character 8 of the query",
            ],
        );
    })
    .await;
}

#[tokio::test]
async fn rows_are_copied_all_or_none() {
    with_server(async |server: &Server| {
        let host = server.host().await;
        let tables = r#"CREATE SCHEMA shop; CREATE TABLE shop."We.ird ""t""" (a int, "B c" text)"#;
        query(&host, tables, json!([])).await;
        let table = r#"shop."We.ird ""t""""#;
        let file = server.folder().join("rows.tsv");
        let rows: String = (0..100_000).map(|i| format!("{i}\trow {i}\n")).collect();
        std::fs::write(&file, rows).unwrap();
        for (attrs, count) in [
            (
                json!({ "table": table, "data": "1,one\n2,\"two,\nlines\"\n" }),
                2,
            ),
            (
                json!({ "table": table, "columns": ["B c", "a"], "header": true, "delimiter": ";",
                     "data": "text;number\nthree;3\n" }),
                1,
            ),
            (
                json!({ "table": table, "format": "text", "data": "4\t\\N\n" }),
                1,
            ),
            (
                json!({ "table": table, "format": "tsv", "file": file }),
                100_000,
            ),
        ] {
            let outputs = host.run("postgres_copy", attrs).await.unwrap();
            assert_eq!(outputs, json!({ "rows_copied": count }));
        }
        for (attrs, said) in [
            (
                json!({ "table": table, "data": "5,five\nsix,six\n" }),
                "22P02",
            ),
            (
                json!({ "table": table, "file": "/no/such/file" }),
                "/no/such/file cannot be read",
            ),
            (json!({ "table": table }), "either data or file"),
            (
                json!({ "table": "t; DROP SCHEMA shop", "data": "" }),
                "42P01",
            ),
        ] {
            let (_, message) = host.fail("postgres_copy", attrs).await;
            assert_says(&message, &[said]);
        }
        let all = format!(
            r#"SELECT count(*) AS n, min("B c") AS least, count("B c") AS texts FROM {table}"#
        );
        assert_eq!(
            query(&host, &all, json!([])).await,
            json!({ "n": 100_004, "least": "one", "texts": 100_003 })
        );
    })
    .await;
}

#[tokio::test]
async fn a_connection_is_refused_lost_and_found() {
    with_server(async |server: &Server| {
        let wrong = Host::start("postgres", server.config("s3cret, but wrong")).await;
        let error = wrong.err().unwrap();
        assert_eq!(error.code.to_string(), "configure_failed");
        assert_says(&error.message, &["FATAL 28P01", "tester"]);
        assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
        let nowhere = json!({ "dsn": format!("host=/nowhere user=x password='{}'", PASSWORD.replace('\'', "\\'")) });
        let error = Host::start("postgres", nowhere).await.err().unwrap();
        assert_says(&error.message, &["No such file"]);
        assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");

        let host = server.host().await;
        let message = refused(&host, "SELECT pg_terminate_backend(pg_backend_pid())", json!([])).await;
        assert_says(&message, &["57P01"]);
        assert_eq!(query(&host, "SELECT 7 AS it", json!([])).await, json!({ "it": 7 }));
    })
    .await;
}

/// The server has committed; the answer was lost on the way.
#[tokio::test]
async fn without_an_answer_the_outcome_of_a_change_is_unknown() {
    with_server(async |server: &Server| {
        let direct = server.host().await;
        query(&direct, "CREATE TABLE shop (name text)", json!([])).await;
        let proxy = server.proxy();
        let host = Host::start("postgres", server.config_by(&proxy))
            .await
            .unwrap();
        let cases = [
            // By its parameter: the text of a statement goes ahead of it.
            (
                "saw",
                "postgres_query",
                json!({ "query": "INSERT INTO shop VALUES ($1)", "params": ["saw"] }),
            ),
            (
                "chisel",
                "postgres_query",
                json!({ "query": "SELECT 1; INSERT INTO shop VALUES ('chisel')" }),
            ),
            (
                "COMMIT",
                "postgres_copy",
                json!({ "table": "shop", "data": "mallet\n" }),
            ),
        ];
        for (cut, action, attrs) in cases {
            // A script is sent twice: first to see whether it can be prepared.
            proxy.cut_at(cut, usize::from(cut == "chisel"));
            let (code, message) = host.fail(action, attrs).await;
            assert_eq!(code, "outcome_unknown", "{cut}: {message}");
        }
        let names = "SELECT string_agg(name, ' ' ORDER BY name) AS names FROM shop";
        let row = query(&host, names, json!([])).await;
        assert_eq!(row["names"], "chisel mallet saw");

        // What only reads has failed, and what was not sent yet.
        proxy.cut_at("saw", 0);
        let attrs =
            json!({ "query": "SELECT count(*) AS n FROM shop WHERE name = $1", "params": ["saw"] });
        let (code, message) = host.fail("postgres_query", attrs).await;
        assert_eq!(code, "execute_failed", "{message}");
        proxy.cut_at("plane", 0);
        let attrs = json!({ "query": "INSERT INTO shop VALUES ('plane')" });
        let (code, message) = host.fail("postgres_query", attrs).await;
        assert_eq!(code, "execute_failed", "{message}");
        // Rows that are on their way are forgotten.
        proxy.cut_at("hammer", 0);
        let attrs = json!({ "table": "shop", "data": "hammer\n" });
        let (code, message) = host.fail("postgres_copy", attrs).await;
        assert_eq!(code, "execute_failed", "{message}");
        let row = query(&host, names, json!([])).await;
        assert_eq!(row["names"], "chisel mallet saw");
    })
    .await;
}

/// The server says that a text failed, and part of it is committed.
#[tokio::test]
async fn the_outcome_of_a_query_that_failed_after_its_own_commit_is_unknown() {
    with_server(async |server: &Server| {
        let host = server.host().await;
        let table = "CREATE TABLE z (n int); CREATE PROCEDURE proc() LANGUAGE plpgsql AS $$ \
            BEGIN INSERT INTO z VALUES (4); COMMIT; PERFORM 1/0; END $$";
        query(&host, table, json!([])).await;
        for (text, expected) in [
            (
                "insert into z values (1); commit; select 1/0",
                "outcome_unknown",
            ),
            (
                "begin; insert into z values (2); commit; select 1/0",
                "outcome_unknown",
            ),
            (
                "do $$ begin insert into z values (3); commit; perform 1/0; end $$",
                "outcome_unknown",
            ),
            ("call proc()", "outcome_unknown"),
            (
                "insert into z values (5); commit; insert into z values (6, 7)",
                "outcome_unknown",
            ),
            ("insert into z values (5); select 1/0", "execute_failed"),
            ("insert into z values (1/0)", "execute_failed"),
            ("insert into z values (6); commit; selec", "execute_failed"),
        ] {
            let (code, message) = host.fail("postgres_query", json!({ "query": text })).await;
            assert_eq!(code, expected, "{text}: {message}");
        }
        let rows = "SELECT array_agg(n ORDER BY n) AS n FROM z";
        assert_eq!(
            query(&host, rows, json!([])).await,
            json!({ "n": [1, 2, 3, 4, 5] })
        );
    })
    .await;
}

/// The rows fit, and the commit does not: what is checked last is heard of.
#[tokio::test]
async fn a_copy_that_cannot_be_committed_has_failed() {
    with_server(async |server: &Server| {
        let host = server.host().await;
        let tables = "CREATE TABLE parent (id int PRIMARY KEY); \
            CREATE TABLE child (id int REFERENCES parent DEFERRABLE INITIALLY DEFERRED)";
        query(&host, tables, json!([])).await;
        let attrs = json!({ "table": "child", "data": "7\n" });
        let (code, message) = host.fail("postgres_copy", attrs).await;
        assert_eq!(code, "execute_failed", "{message}");
        assert_says(&message, &["23503"]);
    })
    .await;
}

/// A transaction ends with the action that began it, whatever became of it.
#[tokio::test]
async fn a_transaction_does_not_outlast_its_action() {
    with_server(async |server: &Server| {
        let host = server.host().await;
        query(&host, "CREATE TABLE z (n int)", json!([])).await;
        for (text, expected, said) in [
            // Failed in the middle, so the server ignores everything up to a ROLLBACK.
            (
                "begin; insert into z values (1); select 1/0; commit",
                "outcome_unknown",
                "22012",
            ),
            (
                "begin; insert into z values (2)",
                "execute_failed",
                "left a transaction open",
            ),
            (
                "insert into z values (3); commit; begin",
                "outcome_unknown",
                "left a transaction open",
            ),
            ("begin", "execute_failed", "left a transaction open"),
            (
                "/* hard to read */ begin",
                "outcome_unknown",
                "left a transaction open",
            ),
        ] {
            let (code, message) = host.fail("postgres_query", json!({ "query": text })).await;
            assert_eq!(code, expected, "{text}: {message}");
            assert_says(&message, &[said]);
            // The next one is not part of it, and is committed by itself.
            query(&host, "INSERT INTO z VALUES (10)", json!([])).await;
        }
        let failed = json!({ "query": "begin; select 1/0" });
        let error = host.run("postgres_query", failed).await.unwrap_err();
        assert_says(&error.detail.unwrap(), &["rolled back"]);
        query(&host, "begin; insert into z values (4); commit", json!([])).await;
        query(
            &host,
            "/* hard to read */ insert into z values (5)",
            json!([]),
        )
        .await;
        // As another connection sees it.
        let rows = "SELECT array_agg(n ORDER BY n) AS n FROM z";
        let other = server.host().await;
        assert_eq!(
            query(&other, rows, json!([])).await,
            json!({ "n": [3, 4, 5, 10, 10, 10, 10, 10] })
        );
    })
    .await;
}
