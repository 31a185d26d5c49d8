//! `tenon acp guard` between a scripted editor and a scripted agent.

use rustix::process::Signal;
use serde_json::{Value, json};

use super::editor::{Editor, agent_line, script};
use super::support::shell::Shell;
use super::support::trial::trial;

/// The policy of these tests.
const POLICY: &str = r#"default = "ask"

rule "secrets" {
  action = "deny"
  path   = ["**/.env*"]
}

rule "harmless" {
  action  = "allow"
  kind    = ["execute"]
  command = ["git status"]
}
"#;

/// A step that asks for permission to run a command.
fn asks_to_run(command: &str) -> String {
    let call = json!({ "toolCallId": command, "title": command, "kind": "execute", "rawInput": { "command": command } });
    format!("call session/request_permission {}", permission(&call))
}

fn permission(call: &Value) -> Value {
    json!({ "toolCall": call, "options": [
        { "optionId": "once", "name": "Once", "kind": "allow_once" },
        { "optionId": "no", "name": "No", "kind": "reject_once" },
    ] })
}

fn json_file(shell: &Shell, name: &str) -> Value {
    let text = std::fs::read_to_string(shell.path(name)).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

/// The lines of a record, as JSON.
fn lines(shell: &Shell, name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(shell.path(name)).expect("a record");
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("JSON lines")
}

#[tokio::test]
async fn a_session_is_guarded_recorded_and_summarised() {
    trial(script(), async |_, _| {
        let mut shell = Shell::new();
        shell.file("guard.hcl", POLICY);
        let options = "--policy guard.hcl --record r.jsonl --summary s.json";
        let mut editor = Editor::guarded(&shell, options);
        editor.open(&shell.path("")).await;
        let steps = [
            asks_to_run("git status"),
            asks_to_run("rm -rf /"),
            "call fs/write_text_file {\"path\":\"CWD/a\",\"content\":\"x\"}".into(),
            "call fs/read_text_file {\"path\":\"CWD/.env\"}".into(),
            "call terminal/create {\"command\":\"make\"}".into(),
            "stderr working\u{1b}[31m".into(),
        ];
        let answer = editor.prompt(&steps.join("\n")).await;
        assert_eq!(answer["result"]["stopReason"], "end_turn");
        let answers = editor.answers();
        assert_eq!(answers[0]["outcome"]["optionId"], "once");
        assert_eq!(answers[3]["code"], -31701);
        // The guard asks about what the agent has not asked for, and decides the rest.
        let asked: Vec<&Value> = { editor.asked.iter() }
            .map(|call| &call["method"])
            .collect();
        let question = "session/request_permission";
        let expected = [
            question,
            question,
            "fs/write_text_file",
            question,
            "terminal/create",
        ];
        assert_eq!(asked, expected);
        let outcome = editor.leave().await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert!(
            outcome.stderr.contains("agent: working\n"),
            "{}",
            outcome.stderr
        );
        let verified = shell.run("tenon acp verify r.jsonl").await;
        assert_eq!(verified.code, Some(0), "{}", verified.stderr);
        let hash = verified.stdout.lines().last().expect("a hash").to_owned();
        assert!(
            outcome.stderr.contains(&hash),
            "{hash} in {}",
            outcome.stderr
        );
        let summary = json_file(&shell, "s.json");
        assert_eq!(summary["summary"]["denied"], 1);
        assert_eq!(summary["ended"], true);
        assert_eq!(
            format!("sha256 {}", summary["sha256"].as_str().unwrap()),
            hash
        );
    })
    .await;
}

#[tokio::test]
async fn an_agent_that_cannot_be_started_is_an_error_for_the_editor() {
    let shell = Shell::new();
    let mut editor = Editor::start(&shell, "tenon acp guard -- ./no-such-agent acp");
    let answer = editor
        .request("initialize", json!({ "protocolVersion": 1 }))
        .await;
    let error = &answer["error"];
    assert_eq!(error["code"], -32603, "{answer}");
    let message = error["message"].as_str().expect("a message");
    assert!(
        message.starts_with("the agent could not be started"),
        "{message}"
    );
    assert_eq!(error["data"]["reason"], "agent_not_started");
    let details = error["data"]["details"].as_str().expect("details");
    assert!(details.contains("no-such-agent"), "{details}");
    let outcome = editor.ended().await;
    assert_eq!(outcome.code, Some(3));
    assert!(
        outcome.stderr.contains("could not be started"),
        "{}",
        outcome.stderr
    );
}

#[tokio::test]
async fn a_wrong_policy_is_an_error_for_the_editor() {
    let shell = Shell::new();
    shell.file("guard.hcl", "default = \"maybe\"\n");
    let mut editor = Editor::guarded(&shell, "--policy guard.hcl");
    let answer = editor
        .request("initialize", json!({ "protocolVersion": 1 }))
        .await;
    let message = answer["error"]["message"].as_str().expect("a message");
    assert_eq!(message, "the policy guard.hcl is not valid");
    let outcome = editor.ended().await;
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("guard.hcl:1"), "{}", outcome.stderr);
}

#[tokio::test]
async fn an_agent_that_dies_in_a_turn_is_reported_to_both() {
    trial(script(), async |_, _| {
        let shell = Shell::new();
        let options = "--record r.jsonl --env API_KEY=s3cret-of-the-agent";
        let mut editor = Editor::guarded(&shell, options);
        editor.open(&shell.path("")).await;
        let steps = "say bye\nstderr panic: s3cret-of-the-agent is wrong\nexit 7";
        let answer = editor.prompt(steps).await;
        assert_eq!(answer["error"]["code"], -32603);
        assert_eq!(answer["error"]["data"]["reason"], "connection_lost");
        assert_eq!(
            answer["error"]["data"]["details"],
            "the agent ended with exit status: 7; its last line on stderr: panic: (sensitive) is wrong"
        );
        let outcome = editor.ended().await;
        assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
        let expected = "the agent ended by itself with exit status: 7";
        assert!(outcome.stderr.contains(expected), "{}", outcome.stderr);
        let last = lines(&shell, "r.jsonl").pop().expect("a line");
        assert!(last["entry"]["end"].is_object(), "{last}");
    })
    .await;
}

#[tokio::test]
async fn signals_end_agent_and_guard_with_a_complete_record() {
    trial(script(), async |_, _| {
        for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
            let mut shell = Shell::new();
            let options = "--env IGNORE_EOF=1 --record r.jsonl";
            let mut editor = Editor::guarded(&shell, options);
            editor.open(&shell.path("")).await;
            let turn = editor.steps("say working\nwait");
            let id = editor.send("session/prompt", turn).await;
            editor.until(|editor| !editor.said().is_empty()).await;
            editor.signal(signal);
            let answer = editor.response(id).await;
            assert_eq!(answer["error"]["data"]["reason"], "connection_lost");
            let outcome = editor.ended().await;
            assert_eq!(outcome.code, Some(130), "{signal:?}: {}", outcome.stderr);
            let verified = shell.run("tenon acp verify r.jsonl").await;
            assert_eq!(verified.code, Some(0), "{signal:?}: {}", verified.stderr);
        }
    })
    .await;
}

#[tokio::test]
async fn an_agent_that_ignores_the_end_of_its_input_is_ended() {
    trial(script(), async |_, _| {
        let shell = Shell::new();
        let mut editor = Editor::guarded(&shell, "--env IGNORE_EOF=1");
        editor.open(&shell.path("")).await;
        let outcome = editor.leave().await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    })
    .await;
}

#[tokio::test]
async fn secrets_are_masked_in_records_and_on_stderr() {
    trial(script(), async |_, _| {
        let shell = Shell::new();
        let options =
            "--record r.jsonl --summary s.json --verbose --env API_KEY=s3cret-of-the-agent";
        let mut editor = Editor::guarded(&shell, options);
        editor.open(&shell.path("")).await;
        let server = json!({ "name": "a", "command": "/bin/true", "args": [], "env": [{ "name": "KEY", "value": "hunter2-hunter2" }] });
        let new = json!({ "cwd": shell.path(""), "mcpServers": [server] });
        editor.request("session/new", new).await;
        let steps = "stderr hunter2-hunter2 s3cret-of-the-agent\nsay hunter2-hunter2\ncall no/such {\"a\":\"hunter2-hunter2\"}\ncall terminal/create {\"command\":\"login hunter2-hunter2\"}";
        editor.prompt(steps).await;
        let outcome = editor.leave().await;
        let record = std::fs::read_to_string(shell.path("r.jsonl")).expect("a record");
        let summary = std::fs::read_to_string(shell.path("s.json")).expect("a summary");
        for text in [&outcome.stderr, &record, &summary] {
            assert!(!text.contains("hunter2"), "{text}");
            assert!(!text.contains("s3cret"), "{text}");
        }
        assert!(outcome.stderr.contains("agent: (sensitive) (sensitive)"), "{}", outcome.stderr);
    })
    .await;
}

/// Also those that the agent gets without being named, and those in a variable with a harmless name.
#[tokio::test]
async fn secrets_of_the_environment_are_masked_everywhere() {
    trial(script(), async |_, _| {
        for options in [
            "--env-all",
            "--env SERVICE_TOKEN --env DATABASE",
            "--env 'SERVICE_*' --env DATABASE=postgres://me:pa55word@host/db",
        ] {
            let shell = Shell::new();
            let line = format!(
                "SERVICE_TOKEN=s3cret-token DATABASE=postgres://me:pa55word@host/db \
                 tenon acp guard {options} --record r.jsonl --summary s.json --verbose -- {}",
                agent_line()
            );
            let mut editor = Editor::start(&shell, &line);
            editor.open(&shell.path("")).await;
            let steps = "stderr s3cret-token pa55word\nsay s3cret-token pa55word\n\
                call no/such {\"a\":\"s3cret-token pa55word\"}\n\
                call terminal/create {\"command\":\"login s3cret-token pa55word\"}\nexit 7";
            let answer = editor.prompt(steps).await;
            let said = editor.said();
            assert_eq!(
                said.first(),
                Some(&"s3cret-token pa55word".into()),
                "what passes is not changed"
            );
            let outcome = editor.ended().await;
            let record = std::fs::read_to_string(shell.path("r.jsonl")).expect("a record");
            let summary = std::fs::read_to_string(shell.path("s.json")).expect("a summary");
            for text in [&outcome.stderr, &record, &summary, &answer.to_string()] {
                assert!(!text.contains("s3cret"), "{options}: {text}");
                assert!(!text.contains("pa55"), "{options}: {text}");
                assert!(text.contains("(sensitive)"), "{options}: {text}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_guard_that_is_killed_leaves_no_agent_and_a_record_that_can_be_continued() {
    trial(script(), async |_, _| {
        let mut shell = Shell::new();
        let options = "--env IGNORE_EOF=1 --record r.jsonl --summary s.json";
        let mut editor = Editor::guarded(&shell, options);
        editor.open(&shell.path("")).await;
        let run = "call terminal/create {\"command\":\"make\"}";
        editor.prompt(run).await;
        editor.signal(Signal::KILL);
        let outcome = editor.ended().await;
        assert_eq!(outcome.code, None);
        // What was known at the end of the last turn is there.
        let summary = json_file(&shell, "s.json");
        assert_eq!(summary["summary"]["run"]["make"], 1, "{summary}");
        assert_eq!(summary["ended"], false);
        let verified = shell.run("tenon acp verify r.jsonl").await;
        assert_eq!(verified.code, Some(1));
        for part in [
            "not closed: the session of",
            "complete up to that line",
            "--allow-unclosed",
        ] {
            assert!(verified.stderr.contains(part), "{}", verified.stderr);
        }
        let mut editor = Editor::guarded(&shell, "--record r.jsonl");
        editor.open(&shell.path("")).await;
        let outcome = editor.leave().await;
        let warning = "guard: the record has no end after line";
        assert!(outcome.stderr.contains(warning), "{}", outcome.stderr);
        let verified = shell.run("tenon acp verify r.jsonl").await;
        assert_eq!(verified.code, Some(1), "{}", verified.stdout);
        assert!(
            verified.stderr.contains("not closed: the session of"),
            "{}",
            verified.stderr
        );
        let verified = shell.run("tenon acp verify --allow-unclosed r.jsonl").await;
        assert_eq!(verified.code, Some(0), "{}", verified.stderr);
        assert!(
            verified
                .stdout
                .contains("2 sessions, nothing was changed\nnot closed:"),
            "{}",
            verified.stdout
        );
    })
    .await;
}

#[tokio::test]
async fn a_record_is_compared_with_the_hashes_of_its_sessions() {
    trial(script(), async |_, _| {
        let mut shell = Shell::new();
        let mut hashes = Vec::new();
        for _ in 0..2 {
            let mut editor = Editor::guarded(&shell, "--record r.jsonl");
            editor.open(&shell.path("")).await;
            let outcome = editor.leave().await;
            let hash = outcome
                .stderr
                .lines()
                .find_map(|line| line.trim().strip_prefix("sha256 "));
            hashes.push(hash.expect("a hash").to_owned());
        }
        let (first, second) = (&hashes[0], &hashes[1]);
        let none = "0".repeat(64);
        for (options, code, text) in [
            (
                format!("--sha256 {second}"),
                0,
                "2 sessions, nothing was changed or cut off",
            ),
            (
                format!("--sha256 {first} --sha256 {second}"),
                0,
                "2 sessions",
            ),
            (
                format!("--sha256 {first}"),
                1,
                "comes after the sessions with the expected hashes",
            ),
            (
                format!("--sha256 {second} --sha256 {none}"),
                1,
                "no session ends with the hash 000",
            ),
        ] {
            let verified = shell
                .run(&format!("tenon acp verify {options} r.jsonl"))
                .await;
            let said = format!("{}{}", verified.stdout, verified.stderr);
            assert_eq!(verified.code, Some(code), "{options}: {said}");
            assert!(said.contains(text), "{options}: {said}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_summary_says_what_was_done() {
    trial(script(), async |_, _| {
        let shell = Shell::new();
        shell.file("guard.hcl", POLICY);
        let options = "--policy guard.hcl --verbose --env AGENT_NAME=OpenCode";
        let mut editor = Editor::guarded(&shell, options);
        editor.open(&shell.path("")).await;
        let done = |id: &str, kind: &str, more: Value| {
            let mut update = json!({ "sessionUpdate": "tool_call", "toolCallId": id, "title": id, "kind": kind, "status": "completed" });
            update["rawInput"] = more;
            format!("update {update}")
        };
        let steps = [
            asks_to_run("git status"),
            done("git status", "execute", json!({ "command": "git status" })),
            asks_to_run("make"),
            done("make", "execute", json!({ "command": "make" })),
            done("read", "read", json!({ "path": "/w/a.rs" })),
            done("write", "edit", json!({ "path": "/w/b.rs" })),
            done("leak", "edit", json!({ "path": "/w/.env" })),
            "call fs/read_text_file {\"path\":\"/etc/passwd\"}".into(),
            "call no_such/method {}".into(),
        ];
        editor.prompt(&steps.join("\n")).await;
        let outcome = editor.leave().await;
        insta::assert_snapshot!(outcome.stderr);
    })
    .await;
}

#[tokio::test]
async fn an_agent_that_stays_after_its_input_gets_a_signal_immediately() {
    trial(script(), async |_, _| {
        for name in ["codex-acp", "@zed-industries/claude-code-acp"] {
            let shell = Shell::new();
            let options = format!("--env IGNORE_EOF=1 --env AGENT_NAME={name} --no-summary");
            let mut editor = Editor::guarded(&shell, &options);
            editor.open(&shell.path("")).await;
            let outcome = editor.leave().await;
            assert_eq!(outcome.code, Some(0));
            assert_eq!(outcome.stderr, "");
        }
    })
    .await;
}

/// Editors start an agent for each project, all with the same command line.
#[tokio::test]
async fn guards_at_the_same_time_have_files_of_their_own_in_a_folder() {
    trial(script(), async |_, _| {
        let mut shell = Shell::new();
        let options = "--record records/ --summary records/";
        let mut one = Editor::guarded(&shell, options);
        one.open(&shell.path("")).await;
        // The folder exists now, so it needs no slash.
        let mut other = Editor::guarded(&shell, "--record records --summary records");
        other.open(&shell.path("")).await;
        for editor in [&mut one, &mut other] {
            let answer = editor.prompt("say hello").await;
            assert_eq!(answer["result"]["stopReason"], "end_turn");
        }
        for editor in [one, other] {
            let outcome = editor.leave().await;
            assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
            assert!(
                outcome.stderr.contains("  record records/"),
                "{}",
                outcome.stderr
            );
        }
        let mut names: Vec<String> = std::fs::read_dir(shell.path("records"))
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names.len(), 4, "{names:?}");
        for pair in names.chunks(2) {
            let stem = pair[0].strip_suffix(".json").expect("a summary");
            assert_eq!(pair[1], format!("{stem}.jsonl"));
            let summary = json_file(&shell, &format!("records/{}", pair[0]));
            assert_eq!(summary["summary"]["turns"], 1);
            let line = format!("tenon acp verify records/{}", pair[1]);
            let verified = shell.run(&line).await;
            assert_eq!(verified.code, Some(0), "{}", verified.stderr);
            let hash = format!("sha256 {}", summary["sha256"].as_str().expect("a hash"));
            assert!(verified.stdout.contains(&hash), "{}", verified.stdout);
            for name in pair {
                let file = std::fs::metadata(shell.path(&format!("records/{name}"))).unwrap();
                let mode = std::os::unix::fs::PermissionsExt::mode(&file.permissions());
                assert_eq!(mode & 0o777, 0o600, "{name}");
            }
        }
        // One file serves one process, and the error says what to do.
        let mut first = Editor::guarded(&shell, "--record r.jsonl");
        first.open(&shell.path("")).await;
        let mut second = Editor::guarded(&shell, "--record r.jsonl");
        let initialize = json!({ "protocolVersion": 1 });
        let refused = second.request("initialize", initialize).await;
        assert_eq!(refused["error"]["data"]["reason"], "agent_not_started");
        let outcome = second.ended().await;
        assert_eq!(outcome.code, Some(2));
        assert!(
            outcome.stderr.contains("--record FOLDER/"),
            "{}",
            outcome.stderr
        );
        assert_eq!(first.leave().await.code, Some(0));
    })
    .await;
}
