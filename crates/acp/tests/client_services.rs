//! Files, terminals and processes of the client.

// With programs of Unix in terminals.
#![cfg(unix)]

#[path = "client/actors.rs"]
#[allow(dead_code, reason = "each test file uses its own part")]
mod actors;
#[allow(dead_code, reason = "each test file uses its own part")]
mod support;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use actors::{Agent, Scripted, ask, end_turn, permission, text, update};
use serde_json::{Value, json};
use support::{payload, within};
use tenon_acp::client::{Answer, Client, ClientError, Folder, Offered, Setup, User};
use tenon_acp::policy::Policy;
use tenon_hcl::Source;
use tenon_host::{HowItEnded, PluginCommand};
use tenon_protocols::acp::{ContentBlock, PermissionParams, PermissionResult, StopReason};
use tenon_rpc::{Peer, Reply, RpcError};

/// Runs one turn of an agent in a folder.
async fn turn<F, W>(setup: Setup, folder: &Path, turn: F)
where
    F: Fn(Peer) -> W + Send + Sync + 'static,
    W: Future<Output = Reply> + Send + 'static,
{
    let (agent, _) = Agent::with_turns(turn);
    let (_agent, client, session) = agent.session(setup, folder).await;
    let turn = session
        .prompt(vec![ContentBlock::text("go")])
        .await
        .unwrap();
    turn.finish().await.unwrap();
    client.close().await;
}

/// Everything is allowed.
fn permissive() -> Setup {
    let source = Source::new("policy", "default = \"allow\"\n");
    Setup {
        policies: vec![Policy::parse(&source).unwrap()],
        ..Setup::default()
    }
}

fn details(error: &RpcError) -> String {
    let data: Value = error.data.as_ref().unwrap().decode().unwrap();
    data["details"].as_str().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn files_are_read_by_lines_and_written_below_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join("a"), "1\n2\n3\n").unwrap();
    std::os::unix::fs::symlink("/etc/hostname", root.join("link")).unwrap();
    let at = root.clone();
    within(turn(permissive(), &root, move |peer| {
        let at = at.clone();
        async move {
            let path = |name: &str| at.join(name).display().to_string();
            let read = json!({ "sessionId": "s", "path": path("a"), "line": 2, "limit": 1 });
            let answer = ask(&peer, "fs/read_text_file", read).await.unwrap();
            assert_eq!(answer, json!({ "content": "2\n" }));
            let write = json!({ "sessionId": "s", "path": path("new/b"), "content": "hi" });
            assert_eq!(
                ask(&peer, "fs/write_text_file", write).await.unwrap(),
                json!({})
            );
            for (name, code) in [("link", -31701), ("../x", -31701), ("none", -31700)] {
                let read = json!({ "sessionId": "s", "path": path(name) });
                let error = ask(&peer, "fs/read_text_file", read).await.unwrap_err();
                assert_eq!(error.code.number(), code, "{name}");
            }
            let write = json!({ "sessionId": "s", "path": "/tmp/outside", "content": "" });
            let error = ask(&peer, "fs/write_text_file", write).await.unwrap_err();
            assert_eq!(error.code.number(), -31701);
            let read = json!({ "sessionId": "other", "path": path("a") });
            let error = ask(&peer, "fs/read_text_file", read).await.unwrap_err();
            assert_eq!(error.code.number(), -31900);
            end_turn()
        }
    }))
    .await;
    assert_eq!(std::fs::read_to_string(root.join("new/b")).unwrap(), "hi");
}

/// Gemini reads a file before it creates it, and gives up at any error.
#[tokio::test]
async fn a_missing_file_is_empty_for_agents_that_need_it() {
    within(async {
        let (agent, _) = Agent::new(json!({}), |peer, method, _| async move {
            match method.as_str() {
                "initialize" => Some(Ok(payload(&json!({
                    "protocolVersion": 1,
                    "agentInfo": { "name": "gemini-cli", "version": "0.61.0" },
                })))),
                "session/prompt" => {
                    let read = json!({ "sessionId": "s", "path": "/no/such/file" });
                    let answer = ask(&peer, "fs/read_text_file", read).await.unwrap();
                    assert_eq!(answer, json!({ "content": "" }));
                    Some(end_turn())
                }
                _ => None,
            }
        });
        let (_agent, _client, session) = agent.session(permissive(), Path::new("/")).await;
        let turn = session
            .prompt(vec![ContentBlock::text("go")])
            .await
            .unwrap();
        turn.finish().await.unwrap();
    })
    .await;
}

/// An agent that does not ask for permission is asked about all the same.
#[tokio::test]
async fn a_file_that_no_permission_covers_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let user = Scripted::with(&["reject", "yes", "always"]);
    let setup = Setup {
        user: user.clone(),
        ..Setup::default()
    };
    let at = root.clone();
    within(turn(setup, &root, move |peer| {
        let at = at.clone();
        async move {
            let write = |name: &str| json!({ "sessionId": "s", "path": at.join(name).display().to_string(), "content": "x" });
            let error = ask(&peer, "fs/write_text_file", write("a")).await.unwrap_err();
            assert_eq!(error.code.number(), -31701);
            // A permission for a tool call covers its file.
            let request = permission("t", json!({ "path": at.join("b").display().to_string() }));
            ask(&peer, "session/request_permission", request).await.unwrap();
            ask(&peer, "fs/write_text_file", write("b")).await.unwrap();
            ask(&peer, "fs/write_text_file", write("c")).await.unwrap();
            // From now on all edits are allowed.
            ask(&peer, "fs/write_text_file", write("d")).await.unwrap();
            end_turn()
        }
    }))
    .await;
    let titles = user.titles();
    assert_eq!(titles.len(), 3, "{titles:?}");
    assert!(
        titles[0].starts_with("Write /") && titles[2].ends_with("/c"),
        "{titles:?}"
    );
    assert!(!root.join("a").exists() && root.join("d").exists());
}

async fn create(peer: &Peer, params: Value) -> Value {
    let mut params = params;
    params["sessionId"] = json!("s");
    let created = ask(peer, "terminal/create", params).await.unwrap();
    json!({ "sessionId": "s", "terminalId": created["terminalId"] })
}

#[tokio::test]
async fn terminals_run_programs_and_command_lines() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::os::unix::fs::symlink("/etc", root.join("link")).unwrap();
    let at = root.clone();
    within(turn(permissive(), &root, move |peer| {
        let at = at.clone();
        async move {
            // Without arguments it is a line for a shell, in the folder of the session.
            let line = json!({ "command": "pwd; echo oops >&2; echo $COLOUR; exit 3", "env": [{ "name": "COLOUR", "value": "red" }] });
            let terminal = create(&peer, line).await;
            let status = ask(&peer, "terminal/wait_for_exit", terminal.clone()).await.unwrap();
            assert_eq!(status, json!({ "exitCode": 3 }));
            let output = ask(&peer, "terminal/output", terminal.clone()).await.unwrap();
            let expected = format!("{}\noops\nred\n", at.display());
            assert_eq!(output, json!({ "output": expected, "truncated": false, "exitStatus": { "exitCode": 3 } }));
            assert_eq!(ask(&peer, "terminal/release", terminal.clone()).await.unwrap(), json!({}));
            let error = ask(&peer, "terminal/output", terminal).await.unwrap_err();
            assert_eq!(error.code.number(), -32602);

            let program = json!({ "command": "printf", "args": ["%s", "a b; é é"], "outputByteLimit": 4 });
            let terminal = create(&peer, program).await;
            ask(&peer, "terminal/wait_for_exit", terminal.clone()).await.unwrap();
            let output = ask(&peer, "terminal/output", terminal).await.unwrap();
            assert_eq!((&output["output"], &output["truncated"]), (&json!(" é"), &json!(true)));

            for (params, code) in [
                (json!({ "command": "no-such-program", "args": ["x"] }), -32602),
                (json!({ "command": "ls", "cwd": "/" }), -31701),
                (json!({ "command": "ls", "cwd": "relative" }), -32602),
                (json!({ "command": "ls", "cwd": format!("{}/link", at.display()) }), -31701),
                (json!({ "command": "ls", "env": [{ "name": "A=B", "value": "" }] }), -32602),
            ] {
                let mut params = params;
                params["sessionId"] = json!("s");
                let error = ask(&peer, "terminal/create", params).await.unwrap_err();
                assert_eq!(error.code.number(), code, "{error}");
            }
            end_turn()
        }
    }))
    .await;
}

#[tokio::test]
async fn a_terminal_that_is_killed_keeps_its_output_and_one_that_is_released_ends() {
    let folder = tempfile::tempdir().unwrap();
    within(turn(permissive(), folder.path(), |peer| async move {
        let terminal = create(&peer, json!({ "command": "echo started; exec sleep 1000" })).await;
        loop {
            let output = ask(&peer, "terminal/output", terminal.clone())
                .await
                .unwrap();
            assert_eq!(output.get("exitStatus"), None);
            if output["output"] == "started\n" {
                break;
            }
        }
        ask(&peer, "terminal/kill", terminal.clone()).await.unwrap();
        let output = ask(&peer, "terminal/output", terminal.clone())
            .await
            .unwrap();
        assert_eq!(output["exitStatus"], json!({ "signal": "SIGTERM" }));
        assert_eq!(output["output"], "started\n");
        // It can be asked for again.
        ask(&peer, "terminal/kill", terminal.clone()).await.unwrap();

        // An agent may release a terminal without an answer to its wait_for_exit.
        let terminal = create(&peer, json!({ "command": "sleep 1000" })).await;
        let waiting = ask(&peer, "terminal/wait_for_exit", terminal.clone());
        let releasing = async {
            tokio::task::yield_now().await;
            ask(&peer, "terminal/release", terminal.clone()).await
        };
        let (waited, released) = tokio::join!(waiting, releasing);
        assert_eq!(waited.unwrap(), json!({ "signal": "SIGTERM" }));
        released.unwrap();
        end_turn()
    }))
    .await;
}

fn is_alive(id: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
    !stat.is_empty() && !stat.contains(") Z ")
}

/// What a program leaves in the background ends with its terminal, and all terminals end with the client.
#[tokio::test]
async fn no_process_of_a_terminal_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let setup = Setup {
        offered: Offered {
            terminal_limit: 2,
            ..Offered::default()
        },
        ..permissive()
    };
    let file = root.join("second").display().to_string();
    within(turn(setup, &root, move |peer| {
        let second_file = file.clone();
        async move {
            let background = json!({ "command": "sleep 1000 >/dev/null 2>&1 & echo $! > first" });
            let first = create(&peer, background).await;
            ask(&peer, "terminal/wait_for_exit", first).await.unwrap();
            let second = create(
                &peer,
                json!({ "command": "echo $$ > x; mv x second; exec sleep 1000" }),
            )
            .await;
            let params = json!({ "sessionId": "s", "command": "true" });
            let error = ask(&peer, "terminal/create", params).await.unwrap_err();
            assert!(details(&error).contains("2 terminals"), "{error}");
            // Until it has written its id.
            let read = json!({ "sessionId": "s", "path": second_file });
            while ask(&peer, "fs/read_text_file", read.clone()).await.is_err() {
                let output = ask(&peer, "terminal/output", second.clone()).await.unwrap();
                assert_eq!(output.get("exitStatus"), None);
            }
            end_turn()
        }
    }))
    .await;
    for name in ["first", "second"] {
        let id = std::fs::read_to_string(root.join(name)).unwrap();
        assert!(!is_alive(&id), "{name} is left");
    }
}

const PYTHON: &str = r#"
import json, signal, sys, time
def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        send({"id": message["id"], "result": {"protocolVersion": 1}})
    elif method == "session/new":
        send({"id": message["id"], "result": {"sessionId": "s"}})
    elif method == "session/prompt":
        said = message["params"]["prompt"][0]["text"]
        if said == "die":
            sys.exit("out of tokens")
        chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": said}}
        send({"method": "session/update", "params": {"sessionId": "s", "update": chunk}})
        send({"id": message["id"], "result": {"stopReason": "end_turn"}})
if "stubborn" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(1)
"#;

fn python(arguments: &[&str]) -> PluginCommand {
    let command = PluginCommand::new("python3").args(["-c", PYTHON]);
    command.args(arguments.iter().copied())
}

#[tokio::test]
async fn an_agent_is_started_and_ended() {
    within(async {
        let client = Client::start(&python(&[]), Setup::default()).await.unwrap();
        let session = client.new_session(Folder::new("/")).await.unwrap();
        let mut turn = session
            .prompt(vec![ContentBlock::text("hi")])
            .await
            .unwrap();
        assert_eq!(text(&turn.next().await.unwrap().unwrap()), "hi");
        assert!(turn.next().await.unwrap().is_none());
        assert_eq!(turn.result().unwrap().stop_reason, StopReason::EndTurn);
        let stopped = client.close().await.unwrap();
        assert_eq!(stopped.how, HowItEnded::ByItself);
        assert!(client.close().await.is_none());
    })
    .await;
}

#[tokio::test]
async fn an_agent_that_ignores_the_end_of_its_input_is_killed() {
    within(async {
        let client = Client::start(&python(&["stubborn"]), Setup::default())
            .await
            .unwrap();
        let stopped = client.close().await.unwrap();
        assert_eq!(stopped.how, HowItEnded::Killed);
    })
    .await;
}

#[tokio::test]
async fn an_agent_that_dies_in_a_turn_is_quoted() {
    within(async {
        let client = Client::start(&python(&[]), Setup::default()).await.unwrap();
        let session = client.new_session(Folder::new("/")).await.unwrap();
        let turn = session
            .prompt(vec![ContentBlock::text("die")])
            .await
            .unwrap();
        let error = turn.finish().await.unwrap_err();
        assert!(matches!(error, ClientError::Agent(_)), "{error}");
        let shown = error.to_string();
        assert!(shown.contains("out of tokens"), "{shown}");
        let error = session
            .prompt(vec![ContentBlock::text("again")])
            .await
            .unwrap_err();
        assert!(error.to_string().contains("out of tokens"), "{error}");
    })
    .await;
}

#[tokio::test]
async fn an_agent_that_cannot_be_started_is_an_error() {
    let command = PluginCommand::new("no-such-agent");
    let error = Client::start(&command, Setup::default()).await.unwrap_err();
    assert!(error.to_string().contains("no-such-agent"), "{error}");
    let setup = Setup {
        start_limit: Duration::from_millis(200),
        ..Setup::default()
    };
    let silent = PluginCommand::new("sleep").arg("1000");
    let error = within(Client::start(&silent, setup)).await.unwrap_err();
    assert!(matches!(error, ClientError::Agent(_)), "{error}");
    let client = within(Client::start(&python(&[]), Setup::default()))
        .await
        .unwrap();
    let error = client
        .new_session(Folder::new("/no/such/folder"))
        .await
        .unwrap_err();
    assert!(matches!(error, ClientError::Folder { .. }), "{error}");
    client.close().await;
}

/// A permission to read is not one to write, and a command that is allowed once is run once.
#[tokio::test]
async fn a_permission_covers_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join("a"), "before\n").unwrap();
    std::fs::create_dir(root.join("sub")).unwrap();
    let user = Scripted::with(&["yes", "reject", "yes", "reject", "reject", "reject"]);
    let setup = Setup {
        user: user.clone(),
        ..Setup::default()
    };
    let at = root.join("a").display().to_string();
    let (path, sub) = (at.clone(), root.join("sub").display().to_string());
    within(turn(setup, &root, move |peer| {
        let (path, sub) = (path.clone(), sub.clone());
        async move {
            let asked = |kind: &str, input: Value| {
                json!({ "sessionId": "s", "toolCall": { "toolCallId": kind, "title": kind, "kind": kind, "rawInput": input },
                    "options": [{ "optionId": "yes", "name": "Yes", "kind": "allow_once" }] })
            };
            let read = asked("read", json!({ "path": path }));
            ask(&peer, "session/request_permission", read).await.unwrap();
            let write = json!({ "sessionId": "s", "path": path, "content": "after\n" });
            let error = ask(&peer, "fs/write_text_file", write).await.unwrap_err();
            assert_eq!(error.code.number(), -31701);
            let run = asked("execute", json!({ "command": "true" }));
            ask(&peer, "session/request_permission", run).await.unwrap();
            let create = json!({ "sessionId": "s", "command": "true" });
            // With a variable that changes it, and in another folder, it is another command.
            for (name, value) in [
                ("env", json!([{ "name": "PATH", "value": "/x" }])),
                ("cwd", json!(sub)),
            ] {
                let mut other = create.clone();
                other[name] = value;
                let error = ask(&peer, "terminal/create", other).await.unwrap_err();
                assert_eq!(error.code.number(), -31701);
            }
            ask(&peer, "terminal/create", create.clone()).await.unwrap();
            let error = ask(&peer, "terminal/create", create).await.unwrap_err();
            assert_eq!(error.code.number(), -31701);
            end_turn()
        }
    }))
    .await;
    assert_eq!(std::fs::read_to_string(root.join("a")).unwrap(), "before\n");
    // The question shows what would be written.
    let asked = user.asked.lock().unwrap();
    let content = serde_json::to_value(&asked[1].tool_call.content).unwrap();
    let diff = json!([{ "type": "diff", "path": at, "newText": "after\n", "oldText": "before\n" }]);
    assert_eq!(content, diff);
    let titles: Vec<_> = { asked.iter() }
        .filter_map(|request| request.tool_call.title.clone())
        .collect();
    assert_eq!(titles[3..], ["Run PATH=/x true", "Run true", "Run true"]);
    let input = asked[4].tool_call.raw_input.as_ref().unwrap().text();
    assert!(input.contains("/sub\""), "{input}");
}

/// The agent's own "always" is about what was shown, and where a rule asks it does not count.
#[tokio::test]
async fn always_is_about_the_command_that_was_shown() {
    const RULES: &str = r#"
rule "ask" {
  action  = "ask"
  command = ["false*"]
}
rule "deny" {
  action  = "deny"
  command = ["git push*"]
}
"#;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let user = Scripted::with(&["ever", "reject", "ever", "reject", "reject"]);
    let setup = Setup {
        user: user.clone(),
        policies: vec![Policy::parse(&Source::new("policy", RULES)).unwrap()],
        ..Setup::default()
    };
    within(turn(setup, &root, |peer| async move {
        let asked = |command: &str| {
            let mut request = permission(command, json!({ "command": command }));
            request["toolCall"]["kind"] = json!("execute");
            request
        };
        let create = |command: &str| json!({ "sessionId": "s", "command": command });
        ask(&peer, "session/request_permission", asked("true"))
            .await
            .unwrap();
        for _ in 0..3 {
            ask(&peer, "terminal/create", create("true")).await.unwrap();
        }
        ask(&peer, "terminal/create", create("touch x"))
            .await
            .unwrap_err();
        ask(&peer, "session/request_permission", asked("false"))
            .await
            .unwrap();
        // Once, and then it is asked again.
        ask(&peer, "terminal/create", create("false"))
            .await
            .unwrap();
        ask(&peer, "terminal/create", create("false"))
            .await
            .unwrap_err();
        ask(&peer, "terminal/create", create("git $X"))
            .await
            .unwrap_err();
        end_turn()
    }))
    .await;
    let asked = user.asked.lock().unwrap();
    let names = |at: usize| -> Vec<&str> {
        { asked[at].options.iter() }
            .map(|option| option.name.as_str())
            .collect()
    };
    assert_eq!(names(1), ["Allow", "Always allow this command", "Reject"]);
    assert_eq!(names(3), ["Allow", "Reject"], "a rule asks each time");
    assert_eq!(asked.len(), 5);
}

/// Earlier updates of a tool call are not part of the question.
#[tokio::test]
async fn a_permission_does_not_cover_earlier_updates() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let user = Scripted::with(&["yes", "reject"]);
    let setup = Setup {
        user: user.clone(),
        ..Setup::default()
    };
    within(turn(setup, &root, |peer| async move {
        let hidden = json!({ "sessionUpdate": "tool_call", "toolCallId": "t", "title": "List", "kind": "execute", "rawInput": { "command": "touch x" } });
        update(&peer, hidden).await;
        let request = permission("t", json!({ "command": "true" }));
        ask(&peer, "session/request_permission", request).await.unwrap();
        let create = json!({ "sessionId": "s", "command": "touch x" });
        let error = ask(&peer, "terminal/create", create).await.unwrap_err();
        assert_eq!(error.code.number(), -31701);
        end_turn()
    }))
    .await;
    assert_eq!(user.titles(), ["Do it", "Run touch x"]);
}

/// Changes a file while it is asked about it.
struct Meanwhile(std::path::PathBuf, AtomicUsize);

impl User for Meanwhile {
    fn permission(&self, _: PermissionParams) -> Answer<PermissionResult> {
        std::fs::write(&self.0, "mine\n").unwrap();
        self.1.fetch_add(1, Ordering::Relaxed);
        Box::pin(async { PermissionResult::selected("allow") })
    }
}

#[tokio::test]
async fn a_file_that_changes_during_the_question_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let file = root.join("a");
    std::fs::write(&file, "before\n").unwrap();
    let user = Arc::new(Meanwhile(file.clone(), AtomicUsize::new(0)));
    let setup = Setup {
        user: user.clone(),
        ..Setup::default()
    };
    let path = file.display().to_string();
    within(turn(setup, &root, move |peer| {
        let path = path.clone();
        async move {
            let write = json!({ "sessionId": "s", "path": path, "content": "after\n" });
            let error = ask(&peer, "fs/write_text_file", write.clone())
                .await
                .unwrap_err();
            assert!(details(&error).contains("changed during the question"));
            // The user is asked again, about the file as it is now.
            ask(&peer, "fs/write_text_file", write).await.unwrap();
            end_turn()
        }
    }))
    .await;
    assert_eq!(std::fs::read_to_string(file).unwrap(), "after\n");
    assert_eq!(user.1.load(Ordering::Relaxed), 2);
}
