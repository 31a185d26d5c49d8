//! What `tenon acp guard` checks and limits, in sessions of the command: paths, lines, turns, the strict profile.

use serde_json::{Value, json};

use super::editor::{Editor, script};
use super::support::shell::Shell;
use super::support::trial::trial;

/// Everything that the library's tests try one by one, in one session of the command.
#[tokio::test]
async fn no_path_leads_out_of_the_session() {
    trial(script(), async |_, _| {
        for files in ["client", "guard"] {
            let shell = Shell::new();
            let (inside, outside) = (shell.path("inside"), shell.path("outside"));
            for folder in [&inside, &outside] {
                std::fs::create_dir(folder).expect("a folder");
            }
            std::fs::write(outside.join("secret"), "hunter2").expect("a file");
            std::os::unix::fs::symlink(&outside, inside.join("folder")).expect("a link");
            std::os::unix::fs::symlink(outside.join("secret"), inside.join("file"))
                .expect("a link");
            std::fs::hard_link(outside.join("secret"), inside.join("hard")).expect("a link");
            let mut editor = Editor::guarded(&shell, &format!("--files {files}"));
            editor.open(&inside).await;
            let outside = outside.display();
            let attacks = [
                format!("{outside}/secret"),
                "CWD/../outside/secret".into(),
                "CWD/folder/secret".into(),
                "CWD/file".into(),
                "CWD/./../outside/secret".into(),
                "CWD//../outside/secret".into(),
                "CWD/a\\u0000/../../outside/secret".into(),
                "../outside/secret".into(),
                format!("file://{outside}/secret"),
                "/proc/self/root/etc/passwd".into(),
                "/dev/stdin".into(),
                String::new(),
            ];
            let mut steps = Vec::new();
            for path in &attacks {
                steps.push(format!("call fs/read_text_file {{\"path\":\"{path}\"}}"));
                steps.push(format!(
                    "call fs/write_text_file {{\"path\":\"{path}\",\"content\":\"x\"}}"
                ));
            }
            // Reading such a file is common; writing it would change another one.
            steps.push("call fs/write_text_file {\"path\":\"CWD/hard\",\"content\":\"x\"}".into());
            editor.prompt(&steps.join("\n")).await;
            let answers = editor.answers();
            assert_eq!(answers.len(), steps.len(), "{:?}", editor.said());
            for (answer, step) in answers.iter().zip(&steps) {
                let code = answer["code"].as_i64();
                let is_refused = code.is_some_and(|code| [-31701, -31700, -32602].contains(&code));
                assert!(is_refused, "{files}: {step}: {answer}");
            }
            assert!(editor.asked.is_empty(), "{:?}", editor.asked);
            editor.leave().await;
            let secret = std::fs::read_to_string(shell.path("outside/secret"));
            assert_eq!(secret.expect("a file"), "hunter2", "{files}");
        }
    })
    .await;
}

#[tokio::test]
async fn wrong_lines_are_answered_and_the_session_continues() {
    trial(script(), async |_, _| {
        let shell = Shell::new();
        let mut editor = Editor::guarded(&shell, "");
        for (line, code) in [
            ("{not json", -32700),
            ("[]", -32600),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"initialize"}]"#, -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"initialize","params":{}}"#, -32600),
        ] {
            editor.write(line).await;
            let answer = editor.read().await.expect("an answer");
            assert_eq!(answer["error"]["code"], code, "{line}: {answer}");
        }
        editor.open(&shell.path("")).await;
        // The agent prints what does not belong there, and goes on.
        let noise = "raw Loading...\nraw [1]\nraw {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"x\"}}\nsay done";
        let answer = editor.prompt(noise).await;
        assert_eq!(answer["result"]["stopReason"], "end_turn");
        assert_eq!(editor.said(), ["done"]);
        let unknown = json!({ "sessionId": "none", "prompt": [] });
        let answer = editor.request("session/prompt", unknown).await;
        assert_eq!(answer["error"]["code"], -31900);
        assert_eq!(editor.leave().await.code, Some(0));
    })
    .await;
}

#[tokio::test]
async fn a_turn_in_which_nothing_happens_is_cancelled() {
    trial(script(), async |_, _| {
        let shell = Shell::new();
        let mut editor = Editor::guarded(&shell, "--idle-timeout 300ms --verbose");
        editor.open(&shell.path("")).await;
        let answer = editor.prompt("wait").await;
        let error = (&answer["error"]["code"], &answer["error"]["message"]);
        assert_eq!(error, (&json!(-32001), &json!("Timeout")), "{answer}");
        let outcome = editor.leave().await;
        let note = "guard: cancelled a turn in which nothing happened for too long";
        assert!(outcome.stderr.contains(note), "{}", outcome.stderr);
    })
    .await;
}

#[tokio::test]
async fn the_strict_profile_holds_by_the_letter() {
    trial(script(), async |_, _| {
        let shell = Shell::new();
        // Names of sessions have to be UUIDs.
        let mut editor = Editor::guarded(&shell, "--profile seed");
        let initialize = json!({ "protocolVersion": 1 });
        editor.request("initialize", initialize).await;
        let new = json!({ "cwd": shell.path(""), "mcpServers": [] });
        let refused = editor.request("session/new", new).await;
        assert_eq!(refused["error"]["code"], -32603, "{refused}");
        assert_eq!(refused["error"]["data"]["reason"], "invalid_result");
        assert_eq!(editor.leave().await.code, Some(0));

        let options = "--profile seed --env AGENT_SESSIONS=uuid";
        let mut editor = Editor::guarded(&shell, options);
        editor.open(&shell.path("")).await;
        let unknown = json!({ "sessionId": "0198a7c1-1111-7222-8333-444455556666", "prompt": [] });
        let refused = editor.request("session/prompt", unknown).await;
        assert_eq!(refused["error"]["code"], -31900, "{refused}");
        assert_eq!(refused["error"]["data"]["acpCode"], Value::Null);
        let refused = editor.request("session/fork", json!({})).await;
        assert_eq!(refused["error"]["code"], -32601);
        let refused = editor.prompt("a\0b").await;
        assert_eq!(refused["error"]["code"], -32602);
        let image = json!({ "type": "image", "mimeType": "image/png", "data": "x".repeat(2 * 1024 * 1024) });
        let picture = json!({ "sessionId": editor.session, "prompt": [image] });
        let refused = editor.request("session/prompt", picture).await;
        assert_eq!(refused["error"]["code"], -32600, "{refused}");
        let large = format!("say {}\nsay end", "x".repeat(101 * 1024));
        editor.prompt(&large).await;
        assert_eq!(editor.said(), ["end"], "an update over 100 KB is dropped");
        let lost = editor.prompt("exit 3").await;
        let error = (&lost["error"]["code"], &lost["error"]["message"]);
        assert_eq!(error, (&json!(-32000), &json!("Connection lost")));
        assert_eq!(editor.ended().await.code, Some(3));
    })
    .await;
}

#[tokio::test]
async fn a_guard_that_serves_files_keeps_them_in_their_folders() {
    trial(script(), async |_, _| {
        let shell = Shell::new();
        let editor = Editor::guarded(&shell, "--files guard --without sizes,paths");
        let outcome = editor.leave().await;
        assert_eq!(outcome.code, Some(2));
        let problem = "--files guard and --without paths";
        assert!(outcome.stderr.contains(problem), "{}", outcome.stderr);
    })
    .await;
}

#[tokio::test]
async fn each_check_can_be_turned_off() {
    trial(script(), async |_, _| {
        let shell = Shell::new();
        let large = format!("say {}", "x".repeat(1024 * 1024));
        let outside = "call fs/read_text_file {\"path\":\"/etc/hostname\"}".to_owned();
        // What is done more than once, how often, and the code of the last error with the check.
        for (check, steps, count, code) in [
            ("sizes", large, 1, -32600),
            ("rates", "say a".to_owned(), 11, -31903),
            ("paths", outside, 1, -31701),
        ] {
            for is_off in [false, true] {
                let options = match is_off {
                    true => format!("--without {check}"),
                    false => String::new(),
                };
                let mut editor = Editor::guarded(&shell, &options);
                editor.open(&shell.path("")).await;
                let mut answer = Value::Null;
                for _ in 0..count {
                    answer = editor.prompt(&steps).await;
                }
                let answers = editor.answers();
                let refused = { answers.last() }.map_or(&answer["error"], |answer| answer);
                let expected = if is_off { Value::Null } else { json!(code) };
                assert_eq!(refused["code"], expected, "{options}: {answer}");
                assert_eq!(editor.leave().await.code, Some(0));
            }
        }
        // No turn of a process is as short as that.
        let options = "--without timeouts,rates --idle-timeout 1ms";
        let mut editor = Editor::guarded(&shell, options);
        editor.open(&shell.path("")).await;
        for _ in 0..20 {
            let answer = editor.prompt("say a").await;
            assert_eq!(answer["result"]["stopReason"], "end_turn");
        }
        assert_eq!(editor.leave().await.code, Some(0));
    })
    .await;
}
