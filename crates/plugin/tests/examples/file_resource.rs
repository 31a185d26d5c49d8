//! The resource that is a file, in every language: the same calls, the same answers.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::program::rust;
use crate::script::Script;

/// The script in every language, each with a folder of its own.
fn scripts() -> Vec<(Script, TempDir)> {
    let folder = || tempfile::tempdir().unwrap();
    let deno = folder();
    let permissions = ["read", "write"].map(|what| format!("--allow-{what}={}", path(&deno, "")));
    let permissions = permissions.each_ref().map(String::as_str);
    let mut scripts = vec![(Script::program(&rust("file_resource"), &[]), folder())];
    scripts.extend(Script::python("terraform/file-python/file.py").map(|it| (it, folder())));
    scripts.extend(Script::deno("terraform/file-deno/file.ts", &permissions).map(|it| (it, deno)));
    scripts
}

fn path(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

/// The answer without what is each script's own: the time, and the words of errors.
fn settled(mut answer: Value) -> Value {
    if let Some(mtime) = answer.pointer_mut("/result/state/mtime") {
        assert!(mtime.as_u64().is_some_and(|mtime| mtime > 0), "{mtime}");
        *mtime = "some time".into();
    }
    if let Some(diagnostics) = answer.pointer_mut("/result/diagnostics") {
        for diagnostic in diagnostics.as_array_mut().unwrap() {
            let diagnostic = diagnostic.as_object_mut().unwrap();
            for words in ["summary", "detail"] {
                let removed = diagnostic.remove(words);
                assert!(removed.is_some_and(|words| words != ""), "no {words}");
            }
        }
    }
    if let Some(error) = answer.get_mut("error") {
        let message = error["message"].as_str().unwrap_or_default();
        assert!(!message.is_empty(), "{error}");
        *error = error["code"].take();
    }
    let members = answer.as_object_mut().unwrap();
    assert_eq!(members.remove("jsonrpc"), Some("2.0".into()));
    assert_eq!(members.remove("id"), Some(7.into()));
    answer
}

/// What a life of two files is: calls, and what is answered.
fn life(folder: &TempDir) -> Vec<(&'static str, Value, Value)> {
    let (one, other) = (path(folder, "one.txt"), path(folder, "other.txt"));
    let missing = path(folder, "no/such/folder.txt");
    let props = |path: &str, content: &str| json!({ "path": path, "content": content });
    let state = |size: u64| json!({ "mtime": "some time", "size": size });
    let refused = |path: &[&str]| json!({ "result": { "diagnostics": [{ "severity": "error", "propPath": path }] } });
    let current = json!({
        "id": one,
        "currentProps": props(&one, "héllo\n"),
        "currentState": { "mtime": 1, "size": 7 },
    });
    let change = |next: Value| {
        let mut params = current.clone();
        params["nextProps"] = next;
        params
    };
    let plan = |kind: &str, next: Value, unknown: &[&str]| {
        let mut params = change(next);
        params["planType"] = kind.into();
        if !unknown.is_empty() {
            params["unknownProps"] = json!([unknown]);
        }
        params
    };
    let keep = json!({ "result": { "noChanges": true } });
    let replace = json!({ "result": { "requiresReplacement": true } });
    let done = json!({ "result": { "done": true } });
    let gone = json!({ "result": { "exists": false } });
    let create = |props: Value| json!({ "props": props });
    vec![
        ("health", json!({}), json!({ "result": { "ok": true } })),
        (
            "modifyPlan",
            json!({ "planType": "create", "nextProps": props(&one, "héllo\n") }),
            keep.clone(),
        ),
        ("read", json!({ "id": one, "props": null }), gone.clone()),
        (
            "create",
            create(props(&one, "héllo\n")),
            json!({ "result": { "id": one, "state": state(7) } }),
        ),
        (
            "create",
            create(props(&one, "again")),
            refused(&["props", "path"]),
        ),
        (
            "read",
            json!({ "id": one, "props": null }),
            json!({ "result": { "props": props(&one, "héllo\n"), "state": state(7) } }),
        ),
        (
            "modifyPlan",
            plan("update", props(&one, "good bye"), &[]),
            keep.clone(),
        ),
        (
            "modifyPlan",
            plan(
                "update",
                json!({ "path": one, "content": "" }),
                &["nextProps", "content"],
            ),
            keep.clone(),
        ),
        (
            "modifyPlan",
            plan("update", props(&other, "x"), &[]),
            replace.clone(),
        ),
        (
            "modifyPlan",
            plan(
                "update",
                json!({ "path": "", "content": "x" }),
                &["nextProps", "path"],
            ),
            replace,
        ),
        ("modifyPlan", plan("delete", Value::Null, &[]), keep),
        (
            "update",
            change(props(&one, "")),
            json!({ "result": { "state": state(0) } }),
        ),
        (
            "update",
            change(props(&other, "x")),
            refused(&["nextProps", "path"]),
        ),
        (
            "update",
            change(json!({ "path": one, "content": 7 })),
            refused(&["nextProps", "content"]),
        ),
        (
            "create",
            create(json!({ "content": "x" })),
            refused(&["props"]),
        ),
        (
            "create",
            create(json!({ "path": [], "content": "x" })),
            refused(&["props", "path"]),
        ),
        ("create", create(Value::Null), refused(&["props"])),
        (
            "create",
            create(props(&missing, "x")),
            json!({ "error": -32000 }),
        ),
        ("open", create(Value::Null), json!({ "error": -32601 })),
        ("toString", json!({}), json!({ "error": -32601 })),
        (
            "delete",
            json!({ "id": one, "props": props(&one, ""), "state": { "mtime": 1, "size": 0 } }),
            done.clone(),
        ),
        (
            "delete",
            json!({ "id": one, "props": null, "state": null }),
            done,
        ),
        ("read", json!({ "id": one, "props": props(&one, "") }), gone),
        ("shutdown", json!({}), json!({ "result": {} })),
    ]
}

#[tokio::test]
async fn files_live_alike_in_every_language() {
    for (mut script, folder) in scripts() {
        for (method, params, expected) in life(&folder) {
            let answer = settled(script.call(method, &params).await);
            assert_eq!(answer, expected, "{method} {params}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[tokio::test]
async fn content_is_written_as_it_is() {
    let content = "a\r\nb\tc \u{1F600} \"\\ no end";
    for (mut script, folder) in scripts() {
        let file = path(&folder, "a file.txt");
        let props = json!({ "path": file, "content": content });
        script.result("create", &json!({ "props": props })).await;
        assert_eq!(fs::read_to_string(Path::new(&file)).unwrap(), content);
        let read = script
            .result("read", &json!({ "id": file, "props": props }))
            .await;
        assert_eq!(read["props"]["content"], content);
    }
}

#[tokio::test]
async fn both_ways_to_end_are_quiet() {
    for (mut script, _folder) in scripts() {
        script.result("health", &json!({})).await;
        script.end().await;
    }
    for (mut script, _folder) in scripts() {
        script.result("health", &json!({})).await;
        script.leave().await;
    }
}
