//! `tenon acp replay`: a record is made once, and both sides of it are played.

use serde_json::{Value, json};

use super::editor::{Editor, agent_line, script};
use super::support::shell::Shell;
use super::support::trial::trial;

const STEPS: &str = r#"say hello
update {"sessionUpdate":"tool_call","toolCallId":"t","title":"Edit","kind":"edit","locations":[{"path":"CWD/a"}]}
call session/request_permission {"toolCall":{"toolCallId":"t"},"options":[{"optionId":"once","name":"Once","kind":"allow_once"},{"optionId":"no","name":"No","kind":"reject_once"}]}
call fs/write_text_file {"path":"CWD/a","content":"x"}
say bye"#;

/// Records a session with a turn and a cancelled turn.
async fn record(shell: &Shell) {
    record_with(shell, |id| json!(id)).await;
}

async fn record_with(shell: &Shell, ids: fn(u64) -> Value) {
    let mut editor = Editor::guarded(shell, "--record r.jsonl --env AGENT_IDS=text").with_ids(ids);
    talk(&mut editor, shell).await;
    let outcome = editor.leave().await;
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}

/// What the editor of the record says.
async fn talk(editor: &mut Editor, shell: &Shell) -> Vec<Value> {
    editor.open(&shell.path("")).await;
    let first = editor.prompt(STEPS).await;
    let steps = editor.steps("say waiting\nwait");
    let id = editor.send("session/prompt", steps).await;
    editor
        .until(|editor| editor.said().iter().any(|text| text == "waiting"))
        .await;
    let session = json!({ "sessionId": editor.session });
    editor.notify("session/cancel", session).await;
    vec![first, editor.response(id).await]
}

#[tokio::test]
async fn a_record_answers_an_editor_as_its_agent_did() {
    trial(script(), async |_, _| {
        let shell = Shell::new();
        record(&shell).await;
        // Another folder, so the paths are others too.
        let other = Shell::new();
        let line = format!("tenon acp replay {}", shell.path("r.jsonl").display());
        let mut editor = Editor::start(&other, &line);
        let answers = talk(&mut editor, &other).await;
        assert_eq!(answers[0]["result"]["stopReason"], "end_turn");
        assert_eq!(answers[1]["result"]["stopReason"], "cancelled");
        let said = editor.said();
        assert_eq!(
            (said.first(), said.last()),
            (Some(&"hello".into()), Some(&"waiting".into()))
        );
        let asked: Vec<&str> = { editor.asked.iter() }
            .filter_map(|call| call["method"].as_str())
            .collect();
        assert_eq!(asked, ["session/request_permission", "fs/write_text_file"]);
        let path = editor.asked[1]["params"]["path"].as_str().expect("a path");
        assert_eq!(path, other.path("a").display().to_string());
        let outcome = editor.leave().await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert!(
            outcome.stderr.contains("4 played, 0 left, 0 differences"),
            "{}",
            outcome.stderr
        );
    })
    .await;
}

#[tokio::test]
async fn an_editor_that_does_something_else_is_reported() {
    trial(script(), async |_, _| {
        let shell = Shell::new();
        record(&shell).await;
        let mut editor =
            Editor::start(&shell, "tenon acp replay --json r.jsonl").answering(|call| {
                let outcome = json!({ "outcome": "selected", "optionId": "no" });
                Some(match call["method"] == "session/request_permission" {
                    true => json!({ "result": { "outcome": outcome } }),
                    false => json!({ "error": { "code": -31701, "message": "no" } }),
                })
            });
        editor.open(&shell.path("")).await;
        editor.prompt(STEPS).await;
        let more = editor.request("session/list", json!({})).await;
        assert_eq!(more["error"]["data"]["reason"], "not_recorded");
        let outcome = editor.leave().await;
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        let report: Value = serde_json::from_str(&outcome.stderr).expect("JSON");
        let report = &report["report"];
        assert_eq!((&report["played"], &report["left"]), (&json!(3), &json!(1)));
        let places: Vec<String> = { report["differences"].as_array().expect("a list").iter() }
            .map(|difference| {
                format!("{}{}", difference["at"], difference["member"]).replace('"', "")
            })
            .collect();
        assert_eq!(
            places,
            [
                "the answer to session/request_permission/outcome/optionId",
                "the answer to fs/write_text_file",
                "session/list",
                "session/prompt 2",
            ]
        );
    })
    .await;
}

#[tokio::test]
async fn a_record_drives_an_agent_as_its_editor_did() {
    trial(script(), async |_, _| {
        let mut shell = Shell::new();
        record(&shell).await;
        let line = format!("tenon acp replay r.jsonl --as client -- {}", agent_line());
        let same = shell.run_unnoted(&line).await;
        assert_eq!(same.code, Some(0), "{}{}", same.stdout, same.stderr);
        assert_eq!(same.stdout, "5 played, 0 left, 0 differences\n");
        let line = format!(
            "tenon acp replay --json r.jsonl --as client --env AGENT_NAME=new -- {}",
            agent_line()
        );
        let other = shell.run_unnoted(&line).await;
        assert_eq!(other.code, Some(1), "{}", other.stderr);
        let report: Value = serde_json::from_str(&other.stdout).expect("JSON");
        let expected = json!([{ "at": "initialize 1", "member": "/agentInfo/name", "recorded": "script", "now": "new" }]);
        assert_eq!(report["differences"], expected);
        let gone = shell
            .run("tenon acp replay r.jsonl --as client -- false")
            .await;
        assert_eq!(gone.code, Some(3), "{}", gone.stderr);
        let none = shell.run("tenon acp replay r.jsonl --as client").await;
        assert_eq!(none.code, Some(2));
    })
    .await;
}

#[tokio::test]
async fn a_broken_record_is_played_only_by_force() {
    trial(script(), async |_, _| {
        let mut shell = Shell::new();
        record(&shell).await;
        let text = std::fs::read_to_string(shell.path("r.jsonl")).expect("a record");
        shell.file("r.jsonl", &text.replace("hello", "HELLO"));
        let refused = shell.run("tenon acp replay r.jsonl").await;
        assert_eq!(refused.code, Some(2));
        assert!(
            refused.stderr.contains("its hash is wrong"),
            "{}",
            refused.stderr
        );
        assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
        let mut editor = Editor::start(&shell, "tenon acp replay --force r.jsonl");
        editor.open(&shell.path("")).await;
        let prompt = STEPS.replace("hello", "HELLO");
        editor.prompt(&prompt).await;
        assert_eq!(editor.said()[0], "HELLO");
        editor.leave().await;
    })
    .await;
}

#[tokio::test]
async fn a_record_of_two_guards_has_two_parts() {
    trial(script(), async |_, _| {
        let mut shell = Shell::new();
        for text in ["one", "two"] {
            let mut editor = Editor::guarded(&shell, "--record r.jsonl");
            editor.open(&shell.path("")).await;
            editor.prompt(&format!("say {text}")).await;
            editor.leave().await;
        }
        for (part, text) in [("--part 1", "one"), ("--part 2", "two"), ("", "two")] {
            let line = format!("tenon acp replay {part} r.jsonl");
            let mut editor = Editor::start(&shell, &line);
            editor.open(&shell.path("")).await;
            editor.prompt(&format!("say {text}")).await;
            assert_eq!(editor.said(), [text], "{part}");
            assert_eq!(editor.leave().await.code, Some(0));
        }
        let none = shell.run("tenon acp replay --part 3 r.jsonl").await;
        assert_eq!(none.code, Some(2));
        assert!(
            none.stderr.contains("has 2 conversations"),
            "{}",
            none.stderr
        );
    })
    .await;
}

/// The guard gives calls ids of its own, so those of a record do not tell which answer belongs to which call.
#[tokio::test]
async fn ids_may_be_anything() {
    let spellings: [fn(u64) -> Value; 3] = [
        |id| json!(id - 1),
        |id| json!(format!("id \"{id}\" é")),
        |id| json!(1_000_000_007 - id),
    ];
    trial(script(), async |_, _| {
        for ids in spellings {
            let shell = Shell::new();
            record_with(&shell, ids).await;
            let line = format!(
                "tenon acp replay r.jsonl --as client --env AGENT_IDS=text -- {}",
                agent_line()
            );
            let same = shell.run_unnoted(&line).await;
            assert_eq!(
                same.stdout, "5 played, 0 left, 0 differences\n",
                "{}",
                same.stderr
            );
            let other = shell
                .run_unnoted(&line.replace("AGENT_IDS=text", "AGENT_NAME=new"))
                .await;
            assert_eq!(other.code, Some(1), "{}{}", other.stdout, other.stderr);
            assert!(
                other.stdout.contains("now it is \"new\""),
                "{}",
                other.stdout
            );
            let mut editor = Editor::start(&shell, "tenon acp replay r.jsonl");
            let answers = talk(&mut editor, &shell).await;
            assert_eq!(answers[0]["result"]["stopReason"], "end_turn");
            assert_eq!(answers[1]["result"]["stopReason"], "cancelled");
            let outcome = editor.leave().await;
            assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        }
    })
    .await;
}

#[tokio::test]
async fn a_replay_does_not_wait_forever() {
    trial(script(), async |_, _| {
        let shell = Shell::new();
        record(&shell).await;
        // The client does not answer the question of the agent, and does not cancel the second turn.
        let line = "tenon acp replay --timeout 300ms --json r.jsonl";
        let mut editor = Editor::start(&shell, line).answering(|_| None);
        editor.open(&shell.path("")).await;
        let answer = editor.prompt(STEPS).await;
        assert_eq!(answer["result"]["stopReason"], "end_turn");
        let answer = editor.prompt("say waiting\nwait").await;
        assert_eq!(answer["result"]["stopReason"], "cancelled");
        // Then it says nothing more, and stays.
        let outcome = editor.ended().await;
        assert_eq!(outcome.code, Some(5), "{}", outcome.stderr);
        assert!(
            outcome
                .stderr
                .contains("no message from the client for 300ms"),
            "{}",
            outcome.stderr
        );
        let report = outcome.stderr.lines().next().expect("a report");
        let report: Value = serde_json::from_str(report).expect("JSON");
        let places: Vec<&Value> = {
            report["report"]["differences"]
                .as_array()
                .expect("a list")
                .iter()
        }
        .map(|difference| &difference["at"])
        .collect();
        assert_eq!(
            places,
            [
                "the answer to session/request_permission",
                "the answer to fs/write_text_file",
                "session/cancel",
            ]
        );
    })
    .await;
}

/// The guard was killed in the middle of a turn, so its agent has never answered.
#[tokio::test]
async fn a_call_without_a_recorded_answer_is_answered_with_an_error() {
    trial(script(), async |_, _| {
        let shell = Shell::new();
        let mut editor = Editor::guarded(&shell, "--record r.jsonl");
        editor.open(&shell.path("")).await;
        let steps = editor.steps("say working\nsleep");
        editor.send("session/prompt", steps).await;
        editor.until(|editor| !editor.said().is_empty()).await;
        editor.signal(rustix::process::Signal::KILL);
        editor.ended().await;
        let mut editor = Editor::start(&shell, "tenon acp replay --timeout 300ms r.jsonl");
        editor.open(&shell.path("")).await;
        let answer = editor.prompt("say working\nsleep").await;
        assert_eq!(
            answer["error"]["data"]["reason"], "not_answered",
            "{answer}"
        );
        assert_eq!(editor.leave().await.code, Some(1));
        let silent = format!(
            "tenon acp replay --timeout 1s r.jsonl --as client -- {}",
            agent_line()
        );
        let same = shell.run_unnoted(&silent).await;
        assert_eq!(same.code, Some(0), "{}{}", same.stdout, same.stderr);
    })
    .await;
}

#[tokio::test]
async fn a_record_that_does_not_pair_answers_is_refused() {
    trial(script(), async |_, _| {
        let mut shell = Shell::new();
        record(&shell).await;
        let text = std::fs::read_to_string(shell.path("r.jsonl")).expect("a record");
        let old: String = { text.lines() }
            .map(|line| {
                let mut line: Value = serde_json::from_str(line).expect("JSON");
                if let Some(message) = line["entry"].get_mut("message") {
                    message
                        .as_object_mut()
                        .expect("an object")
                        .remove("answers");
                }
                format!("{line}\n")
            })
            .collect();
        shell.file("old.jsonl", &old);
        let refused = shell.run("tenon acp replay --force old.jsonl").await;
        assert_eq!(refused.code, Some(2));
        assert!(
            refused.stderr.contains("an older version of Tenon"),
            "{}",
            refused.stderr
        );
    })
    .await;
}
