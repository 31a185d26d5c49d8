//! `tenon acp chat` without a terminal: one prompt, scripts, events, permissions and exit codes.

use serde_json::Value;

use crate::support::program::Program;
use crate::support::shell::{Outcome, Shell};
use crate::support::tools;
use crate::support::trial::trial;

pub(crate) fn shell() -> Shell {
    let shell = Shell::new();
    shell.file("agent.py", include_str!("chat_agent.py"));
    shell
}

/// Sends one prompt to the agent, with these options.
async fn ask(shell: &Shell, prompt: &str, options: &str) -> Outcome {
    let line = format!("tenon acp chat --prompt '{prompt}' {options} -- python3 agent.py");
    shell.run_unnoted(&line).await
}

#[track_caller]
fn assert_ended(outcome: &Outcome, code: i32, stdout: &str) {
    let stderr = &outcome.stderr;
    assert_eq!(outcome.code, Some(code), "{}{stderr}", outcome.stdout);
    assert_eq!(outcome.stdout, stdout, "{stderr}");
}

#[tokio::test]
async fn the_answer_goes_to_stdout_and_everything_else_to_stderr() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let outcome = ask(&shell, "say one two", "").await;
        assert_ended(&outcome, 0, "one two \n");
        assert_eq!(outcome.stderr, "");
        let outcome = ask(&shell, "think", "").await;
        assert_ended(&outcome, 0, "done\n");
        assert_eq!(outcome.stderr, "let me see\n");
        let outcome = ask(&shell, "plan", "").await;
        assert_ended(&outcome, 0, "");
        assert_eq!(outcome.stderr, "plan:\n  ○ Think\n  ▸ Think\n  ✓ Think\n");
        let line = "echo 'say from stdin' | tenon acp chat --prompt - -- python3 agent.py";
        assert_ended(&shell.run_unnoted(line).await, 0, "from stdin \n");
        let line = "printf 'say a\\n\\nsay b\\n' | tenon acp chat -- python3 agent.py";
        assert_ended(&shell.run_unnoted(line).await, 0, "a \nb \n");
    })
    .await;
}

#[tokio::test]
async fn a_permission_without_a_rule_is_rejected_and_the_way_to_allow_it_is_shown() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let outcome = ask(&shell, "edit notes.txt", "").await;
        assert_ended(&outcome, 1, "answer: no\n");
        for part in [
            "rejected, because no rule allows it: edit: Edit notes.txt",
            "--allow edit",
            "✗ edit: Edit notes.txt",
        ] {
            assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
        }
        assert!(!shell.path("notes.txt").exists());
        let outcome = ask(&shell, "edit notes.txt", "--deny edit").await;
        assert_ended(&outcome, 0, "answer: no\n");
        assert!(
            outcome.stderr.contains("denied by --deny edit"),
            "{}",
            outcome.stderr
        );
    })
    .await;
}

#[tokio::test]
async fn rules_allow_files_and_commands() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let outcome = ask(&shell, "edit notes.txt", "--allow 'edit:*.txt'").await;
        assert_ended(&outcome, 0, "answer: once\n");
        let written = std::fs::read_to_string(shell.path("notes.txt")).expect("a file");
        assert_eq!(written, "one\n2\n");
        for part in ["  - two", "  + 2", "✓ edit: Edit notes.txt"] {
            assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
        }
        let outcome = ask(&shell, "run echo hi; exit 3", "--allow execute").await;
        assert_ended(&outcome, 0, "hi\n{\"exitCode\": 3}\n");
        // What the command printed is shown with the call, also after the terminal was released.
        let shown = "✓ execute: echo hi; exit 3\n  hi\n";
        assert!(outcome.stderr.contains(shown), "{}", outcome.stderr);
        let outcome = ask(&shell, "run echo hi", "--allow 'execute:git*'").await;
        assert_ended(&outcome, 1, "answer: no\n");
        // The file decides after the options.
        shell.file(
            "policy.hcl",
            "default = \"deny\"\nrule \"notes\" {\n  action = \"allow\"\n  path   = [\"notes.txt\"]\n}\n",
        );
        let outcome = ask(&shell, "edit notes.txt", "--policy policy.hcl").await;
        assert_ended(&outcome, 0, "answer: once\n");
        let outcome = ask(&shell, "edit notes.txt", "--policy policy.hcl --deny notes.txt").await;
        assert_ended(&outcome, 0, "answer: no\n");
        let outcome = ask(&shell, "edit other.txt", "--policy policy.hcl").await;
        assert_ended(&outcome, 0, "answer: no\n");
    })
    .await;
}

/// Some agents write files without asking for permission.
#[tokio::test]
async fn a_file_is_not_written_without_a_permission() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let outcome = ask(&shell, "write a", "").await;
        assert_ended(&outcome, 1, "refused\n");
        assert!(
            outcome.stderr.contains("edit: Write [folder]/a"),
            "{}",
            outcome.stderr
        );
        let outcome = ask(&shell, "write a", "--allow edit").await;
        assert_ended(&outcome, 0, "written\n");
        for text in [
            "allowed by --allow edit: edit: Write [folder]/a",
            "+ x",
            "wrote [folder]/a (1 bytes)",
        ] {
            assert!(outcome.stderr.contains(text), "{text}: {}", outcome.stderr);
        }
        let denied = ask(&shell, "write a", "--deny edit").await;
        assert!(
            denied.stderr.contains("denied by --deny edit: edit: Write"),
            "{}",
            denied.stderr
        );
        let misspelt = ask(&shell, "write a", "--deny 'exceute:rm *'").await;
        assert_eq!(misspelt.code, Some(2));
        assert!(
            misspelt.stderr.contains("did you mean `execute`?"),
            "{}",
            misspelt.stderr
        );
        assert_ended(
            &ask(&shell, "write ../a", "--allow edit").await,
            0,
            "refused\n",
        );
        let elsewhere = ask(&shell, "edit /elsewhere/a", "--allow edit").await;
        assert_eq!(elsewhere.code, Some(1), "{}", elsewhere.stderr);
        let hint = "hint: --allow edit is about the folders of the session; allow more with --allow 'edit:PATTERN'";
        assert!(elsewhere.stderr.contains(hint), "{}", elsewhere.stderr);
        let allowed = ask(&shell, "edit /elsewhere/a", "--allow 'edit:/elsewhere/**'").await;
        assert_ended(&allowed, 0, "answer: once\n");
        assert_ended(
            &ask(&shell, "write b", "--allow edit --no-files").await,
            0,
            "refused\n",
        );
    })
    .await;
}

#[tokio::test]
async fn events_are_lines_of_json() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let outcome = ask(&shell, "edit notes.txt", "--json --allow edit").await;
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
        let events: Vec<Value> = { outcome.stdout.lines() }
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        let names: Vec<&str> = { events.iter() }
            .map(|event| event["event"].as_str().expect("a name"))
            .collect();
        assert_eq!(&names[..2], ["initialized", "session"]);
        assert_eq!(names.last(), Some(&"turn"));
        let of = |name: &str| {
            events
                .iter()
                .find(|event| event["event"] == name)
                .expect("an event")
        };
        assert_eq!(of("session")["sessionId"], "s1");
        assert_eq!(of("permission")["rule"], "--allow edit");
        assert_eq!(of("permission")["action"], "allow");
        assert_eq!(of("turn")["stopReason"], "end_turn");
        let is_known =
            |event: &Value| event["update"]["sessionUpdate"] == "available_commands_update";
        assert!(events.iter().any(is_known), "{names:?}");

        let outcome = ask(&shell, "refuse", "--json").await;
        assert_eq!(outcome.code, Some(1));
        let last: Value =
            serde_json::from_str(outcome.stdout.lines().last().expect("an event")).expect("JSON");
        assert_eq!(last["event"], "error");
        assert_eq!(last["exit_code"], 1);
    })
    .await;
}

#[tokio::test]
async fn exit_codes_say_what_went_wrong() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        for (prompt, options, code, part) in [
            ("refuse", "", 1, "the agent refused to continue"),
            ("tokens", "", 1, "limit of tokens"),
            ("fail", "", 1, "the agent answered session/prompt with an error: the model is down (code -32603)"),
            ("die", "", 3, "the agent ended before it answered"),
            ("die", "", 3, "it ended with exit status: 1"),
            ("die", "", 3, "out of memory"),
            ("hang", "--timeout 200ms", 5, "--timeout"),
            ("say x", "--cwd no-such-folder", 2, "no-such-folder"),
            ("say x", "--allow edti", 2, "did you mean `edit`?"),
            ("say x", "--policy no.hcl", 2, "no.hcl"),
            ("say x", "--image agent.py", 2, "is not a PNG"),
            ("say x", "--resume unknown", 1, "--list"),
            ("say x", "--mode code --model x", 1, "no session/set_model"),
            ("   ", "", 2, "the prompt is empty"),
        ] {
            let outcome = ask(&shell, prompt, options).await;
            assert_eq!(outcome.code, Some(code), "{prompt} {options}: {}", outcome.stderr);
            assert!(outcome.stderr.contains(part), "{prompt} {options}: {}", outcome.stderr);
        }
        // The guard says how its agent has ended.
        let guarded = "tenon acp chat --prompt die -- tenon acp guard -- python3 agent.py";
        let outcome = shell.run_unnoted(guarded).await;
        assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
        let part = "the agent ended by itself with exit status: 1";
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
        let outcome = shell.run_unnoted("tenon acp chat --prompt x -- no-such-agent").await;
        assert_eq!(outcome.code, Some(3), "{}", outcome.stderr);
        let outcome = shell.run_unnoted("tenon acp chat --prompt x -- echo hello").await;
        assert_eq!(outcome.code, Some(4), "{}", outcome.stderr);
        let wrong = "sh -c 'read line; echo \"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":1,\\\"result\\\":{\\\"protocolVersion\\\":7}}\"; cat'";
        let outcome = shell.run_unnoted(&format!("tenon acp chat --prompt x -- {wrong}")).await;
        assert_eq!(outcome.code, Some(4), "{}", outcome.stderr);
    })
    .await;
}

#[tokio::test]
async fn sessions_are_listed_and_resumed() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let outcome = shell
            .run_unnoted("tenon acp chat --list -- python3 agent.py")
            .await;
        let expected = "old  2026-01-02T00:00:00Z  Greetings\nolder  2026-01-01T00:00:00Z\n";
        assert_ended(&outcome, 0, expected);
        // The beginning of an id is enough, if it is the beginning of one only.
        for (id, code) in [("olde", 1), ("ol", 2)] {
            let outcome = ask(&shell, "say again", &format!("--resume {id}")).await;
            assert_eq!(outcome.code, Some(code), "{}", outcome.stderr);
        }
        let outcome = ask(&shell, "say again", "--resume").await;
        assert_ended(&outcome, 0, "again \n");
        assert_eq!(
            outcome.stderr, "",
            "the history is not shown for one prompt"
        );
        let line = "echo 'say again' | tenon acp chat --resume old -- python3 agent.py";
        let outcome = shell.run_unnoted(line).await;
        assert_ended(&outcome, 0, "again \n");
        assert_eq!(outcome.stderr, "> hello there\nhello yourself\n");
        let outcome = shell
            .run_unnoted("tenon acp chat --list -- python3 agent.py plain")
            .await;
        assert_eq!(outcome.code, Some(1));
        assert!(
            outcome.stderr.contains("does not support listing sessions"),
            "{}",
            outcome.stderr
        );
    })
    .await;
}

#[tokio::test]
async fn a_login_is_explained_and_done() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let line = "tenon acp chat --prompt 'say x' -- python3 agent.py login";
        let outcome = shell.run_unnoted(line).await;
        assert_eq!(outcome.code, Some(1));
        assert!(
            outcome.stderr.contains("hint: add --login key"),
            "{}",
            outcome.stderr
        );
        let withheld = format!("env STAGE=x AGENT_API_KEY=s3cret {line}");
        let outcome = shell.run_unnoted(&withheld).await;
        let hint = "hint: AGENT_API_KEY is set, but was not passed on: add `--env AGENT_API_KEY`";
        assert!(outcome.stderr.contains(hint), "{}", outcome.stderr);
        let line = line.replace("--prompt", "--login key --prompt");
        assert_ended(&shell.run_unnoted(&line).await, 0, "x \n");
    })
    .await;
}

#[tokio::test]
async fn images_are_sent_to_agents_that_take_them() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        std::fs::write(shell.path("a.png"), b"\x89PNG\r\n\x1a\n...").expect("a file");
        let outcome = ask(&shell, "blocks", "--image a.png --image a.png").await;
        assert_ended(&outcome, 0, "text image image\n");
        let line = "tenon acp chat --prompt blocks --image a.png -- python3 agent.py plain";
        let outcome = shell.run_unnoted(line).await;
        assert_eq!(outcome.code, Some(1));
        assert!(
            outcome.stderr.contains("does not support images"),
            "{}",
            outcome.stderr
        );
    })
    .await;
}

#[tokio::test]
async fn a_session_gets_mcp_servers() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let file = r#"{"mcpServers": {"files": {"command": "sh", "env": {"KEY": "${SECRET}"}}}}"#;
        shell.file("mcp.json", file);
        let line = "SECRET=s3cret tenon acp chat --prompt mcp --mcp mcp.json --mcp 'run=./agent.py --fast' \
                    --trace -- python3 agent.py";
        shell.program("agent.py", include_str!("chat_agent.py"));
        let outcome = shell.run_unnoted(line).await;
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let servers: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
        assert_eq!(servers[0]["name"], "files");
        assert!(servers[0]["command"].as_str().is_some_and(|path| path.ends_with("/sh")));
        assert_eq!(servers[0]["env"], serde_json::json!([{ "name": "KEY", "value": "s3cret" }]));
        assert_eq!(servers[1]["args"], serde_json::json!(["--fast"]));
        // The call that has it; the answer of the agent has it in a text.
        let call = outcome.stderr.lines().find(|line| line.contains("session/new"));
        let call = call.expect("a frame");
        assert!(call.contains("mcpServers") && !call.contains("s3cret"), "{call}");

        let outcome = ask(&shell, "mcp", "--mcp docs=https://example.org/mcp").await;
        assert_eq!(outcome.code, Some(1), "{}", outcome.stderr);
        assert!(outcome.stderr.contains("mcpCapabilities.http"), "{}", outcome.stderr);
        let outcome = ask(&shell, "mcp", "--mcp docs=no-such-program").await;
        assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    })
    .await;
}

/// As in the record of a guard: the agent echoes what it was given.
#[tokio::test]
async fn secrets_are_masked_in_recordings_and_traces() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        shell.program("agent.py", include_str!("chat_agent.py"));
        for (prompt, options) in [
            ("mcp", "--mcp 'docs=https://example.org/mcp?api_key=s3cret-in-url'"),
            ("mcp", "--mcp 'run=./agent.py --api-key s3cret-argument'"),
            ("mcp", "--mcp 'run=./agent.py --token=s3cret-argument'"),
            ("env API_KEY", "--env API_KEY=s3cret-variable"),
            ("say me:s3cret-password", "--env DATABASE=postgres://me:s3cret-password@host/db"),
            ("say s3cret-by-env-all", "--env-all"),
        ] {
            let line = format!(
                "API_TOKEN=s3cret-by-env-all tenon acp chat --prompt '{prompt}' {options} --trace --record r.jsonl \
                 -- python3 agent.py http"
            );
            let outcome = shell.run_unnoted(&line).await;
            assert_eq!(outcome.code, Some(0), "{line}: {}", outcome.stderr);
            assert!(outcome.stdout.contains("s3cret"), "what the agent says is not changed: {}", outcome.stdout);
            let record = std::fs::read_to_string(shell.path("r.jsonl")).expect("a recording");
            for text in [&record, &outcome.stderr] {
                assert!(text.contains("session/prompt"), "{text}");
                assert!(text.contains("(sensitive)"), "{line}: {text}");
                assert!(!text.replace(prompt, "").contains("s3cret"), "{line}: {text}");
            }
            let frames = record.lines().map(serde_json::from_str::<Value>);
            assert!(frames.into_iter().all(|frame| frame.is_ok_and(|frame| frame["frame"].is_object())));
        }
    })
    .await;
}

#[tokio::test]
async fn control_characters_do_not_reach_the_output() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let outcome = ask(&shell, "evil", "").await;
        assert_ended(
            &outcome,
            0,
            "\\u{1b}[2J\\u{1b}]0;owned\\u{7}a\\rb\\u{202e}c\n",
        );
        assert_eq!(outcome.stderr, "✓ \\u{1b}[1m: \\u{1b}[31mred\\nnext line\n");
        let outcome = ask(&shell, "evil", "--json").await;
        let is_raw = |text: &str| text.contains('\u{1b}') || text.contains('\u{202e}');
        assert!(!is_raw(&outcome.stdout) && !is_raw(&outcome.stderr));
    })
    .await;
}

#[tokio::test]
async fn what_agents_get_wrong_does_not_end_a_turn() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let outcome = ask(&shell, "odd", "").await;
        assert_ended(&outcome, 0, "still here\n");
        assert_eq!(outcome.stderr, "· other: o\n· other: Twice\n");
        let outcome = ask(&shell, "flood 20000", "").await;
        assert_eq!(outcome.stdout.lines().count(), 20_000);
        assert!(outcome.stdout.ends_with("\n19999\n"));
    })
    .await;
}

#[tokio::test]
async fn a_reader_that_has_seen_enough_ends_the_turn() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let line = "tenon acp chat --prompt 'flood 100000000' -- python3 agent.py | head -2";
        let outcome = shell.run_unnoted(line).await;
        assert_ended(&outcome, 0, "0\n1\n");
    })
    .await;
}

/// The shell checks that no process is left.
#[tokio::test]
async fn an_agent_that_ignores_the_end_of_its_input_is_ended() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let line = "tenon acp chat --prompt 'say x' -- python3 agent.py stubborn";
        assert_ended(&shell.run_unnoted(line).await, 0, "x \n");
    })
    .await;
}

#[tokio::test]
async fn an_interrupt_cancels_the_turn_and_ends() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let line = "tenon acp chat --prompt hang -- python3 agent.py";
        let program = Program::start(&shell, line);
        program.stdout.line_with("working").await;
        program.signal(rustix::process::Signal::INT);
        let ended = program.ended().await;
        assert_eq!(ended.code, Some(130), "{}", ended.stderr);
        assert!(ended.stderr.contains("cancelling"), "{}", ended.stderr);

        // An agent that ignores it is not waited for if there is a second one.
        let line = "tenon acp chat --prompt ignore -- python3 agent.py stubborn";
        let program = Program::start(&shell, line);
        program.stdout.line_with("working").await;
        program.signal(rustix::process::Signal::INT);
        program.stderr.line_with("cancelling").await;
        program.signal(rustix::process::Signal::INT);
        assert_eq!(program.ended().await.code, Some(130));
    })
    .await;
}

/// What the agent gets of the environment, its terminals get as well.
#[tokio::test]
async fn terminals_have_the_environment_and_the_limits_of_the_agent() {
    trial(tools::python(), async |_, _| {
        let shell = shell();
        let outcome = ask(&shell, "env SECRET", "").await;
        assert_ended(&outcome, 0, "not set\n");
        let options = "--env SECRET=x --allow execute";
        assert_ended(&ask(&shell, "env SECRET", options).await, 0, "x\n");
        let outcome = ask(&shell, "run echo $SECRET", options).await;
        assert_ended(&outcome, 0, "x\n{\"exitCode\": 0}\n");
        let outcome = ask(&shell, "run echo x", "--allow execute --no-terminals").await;
        assert_ended(&outcome, 0, "error: Method not found\n");
        // The agent cannot write files, so neither can its commands.
        let confined = "--allow execute --allow-read / --allow-run --allow-env";
        let outcome = ask(&shell, "run touch made", confined).await;
        if !outcome.stderr.contains("Landlock") {
            assert!(
                outcome.stdout.contains("\"exitCode\": 1"),
                "{}{}",
                outcome.stdout,
                outcome.stderr
            );
        }
        assert!(!shell.path("made").exists());
    })
    .await;
}
