//! Programs that the agent starts through the client.

use serde_json::{Value, json};
use tenon_acp::guard::Settings;
use tenon_acp::record::{Masks, Record};

use super::raw::Raw;
use super::{chosen, everything, policy};

fn create(line: &str) -> Value {
    json!({ "sessionId": "s", "command": line })
}

fn with_variable(line: &str, name: &str, value: &str) -> Value {
    json!({ "sessionId": "s", "command": line, "env": [{ "name": name, "value": value }] })
}

impl Raw {
    /// The agent creates a terminal. Returns the code of the error, or 0 if the client was asked for it.
    pub(crate) async fn creates(&mut self, params: Value) -> i64 {
        self.agent_calls("c", "terminal/create", params.clone())
            .await;
        // Whatever is refused is answered without the client.
        let echo = json!({ "sessionId": "s" });
        self.agent_calls("e", "_vendor/echo", echo).await;
        let first = self.client.read().await;
        if first["method"] == "_vendor/echo" {
            self.answer(&first, json!({})).await;
            let mut answers = [self.agent.read().await, self.agent.read().await];
            answers.sort_by_key(|answer| answer["id"] == "e");
            return answers[0]["error"]["code"].as_i64().unwrap();
        }
        assert_eq!(first["params"], params);
        let id = format!("{}{}", params["command"], params["cwd"]);
        self.answer(&first, json!({ "terminalId": id })).await;
        let echo = self.client.read().await;
        self.answer(&echo, json!({})).await;
        let answers = [self.agent.read().await, self.agent.read().await];
        assert!(answers.iter().all(|answer| answer["error"].is_null()));
        0
    }

    async fn answer(&mut self, call: &Value, result: Value) {
        let answer = json!({ "jsonrpc": "2.0", "id": call["id"], "result": result });
        self.client.write(&answer.to_string()).await;
    }
}

/// Clients run what they are given without asking.
#[tokio::test]
async fn a_terminal_for_what_may_be_denied_needs_a_permission() {
    const RULES: &str = r#"
rule "push" {
  action  = "deny"
  command = ["git push*"]
}
"#;
    let mut raw = Raw::open(policy(RULES), everything(), "a").await;
    raw.prompt().await;
    for line in ["git push", "sudo git  push", "git $X"] {
        raw.agent_calls("1", "terminal/create", create(line)).await;
        let refused = raw.agent.read().await;
        assert_eq!(refused["error"]["code"], -31701, "{line}");
    }
    let question = json!({ "sessionId": "s", "toolCall": { "toolCallId": "t", "kind": "execute", "rawInput": { "command": "git $X" } },
        "options": [{ "optionId": "yes", "name": "Yes", "kind": "allow_once" }] });
    raw.agent_calls("2", "session/request_permission", question)
        .await;
    raw.client_answers(chosen("yes")).await;
    raw.agent.read().await;
    for line in ["git $X", "ls $X"] {
        raw.agent_calls("3", "terminal/create", create(line)).await;
        let asked = raw
            .client_answers(json!({ "result": { "terminalId": line } }))
            .await;
        assert_eq!(asked["params"]["command"], line);
        assert_eq!(raw.agent.read().await["result"]["terminalId"], line);
    }
}

#[tokio::test]
async fn a_program_runs_in_the_folders_of_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("w/sub/deep")).unwrap();
    std::fs::write(root.join("w/file"), "").unwrap();
    for (link, target) in [
        ("out", "/etc"),
        ("in", "sub"),
        ("up", ".."),
        ("back", "sub/.."),
    ] {
        std::os::unix::fs::symlink(target, root.join("w").join(link)).unwrap();
    }
    let cwd = root.join("w").display().to_string();
    let mut raw = Raw::open_in(Settings::default(), everything(), "a", &cwd).await;
    raw.prompt().await;
    for (path, code) in [
        (cwd.clone(), 0),
        (format!("{cwd}/"), 0),
        (format!("{cwd}/sub/deep"), 0),
        (format!("{cwd}/in/deep"), 0),
        (format!("{cwd}/back"), 0),
        ("/".to_owned(), -31701),
        ("/etc".to_owned(), -31701),
        (root.display().to_string(), -31701),
        (format!("{cwd}/.."), -31701),
        (format!("{cwd}/sub/../.."), -31701),
        (format!("{cwd}/out"), -31701),
        (format!("{cwd}/up"), -31701),
        (format!("{cwd}/file"), -31701),
        (format!("{cwd}/missing"), -31700),
        ("sub".to_owned(), -32602),
        (String::new(), -32602),
        (format!("{cwd}/\0"), -32602),
    ] {
        let params = json!({ "sessionId": "s", "command": "ls", "cwd": path });
        assert_eq!(raw.creates(params).await, code, "{path:?}");
    }
    let summary = raw.guard.summary();
    assert_eq!(summary.denied, 8, "{summary:?}");
}

/// `make` with `PATH=/x` is not the `make` that was allowed.
#[tokio::test]
async fn a_permission_does_not_cover_variables_that_change_the_command() {
    const RULES: &str = r#"
rule "push" {
  action  = "deny"
  command = ["git push*"]
}
rule "tests" {
  action  = "allow"
  command = ["make test*"]
}
"#;
    let mut raw = Raw::open(policy(RULES), everything(), "a").await;
    raw.prompt().await;
    let question = json!({ "sessionId": "s", "toolCall": { "toolCallId": "t", "kind": "execute", "rawInput": { "command": "make test" } },
        "options": [{ "optionId": "yes", "name": "Yes", "kind": "allow_once" }] });
    raw.agent_calls("q", "session/request_permission", question)
        .await;
    let answer = raw.agent.read().await;
    assert_eq!(
        answer["result"]["outcome"]["optionId"], "yes",
        "a rule allows it"
    );
    for (name, value) in [
        ("LD_PRELOAD", "/tmp/x.so"),
        ("PATH", "/tmp"),
        ("BASH_ENV", "x"),
        ("GIT_SSH_COMMAND", "x"),
        ("NODE_OPTIONS", "--require=x"),
        ("MAKEFLAGS", "--eval=x"),
    ] {
        let code = raw.creates(with_variable("make test", name, value)).await;
        assert_eq!(code, -31701, "{name}");
    }
    for (name, value) in [("A=B", ""), ("", "x"), ("A", "\0")] {
        let code = raw.creates(with_variable("make test", name, value)).await;
        assert_eq!(code, -32602, "{name:?}");
    }
    // What a program looks like is not what it does.
    for (name, value) in [("CLAUDECODE", "1"), ("NO_COLOR", "1"), ("PAGER", "cat")] {
        let code = raw.creates(with_variable("make test", name, value)).await;
        assert_eq!(code, 0, "{name}");
    }
    // Nothing is known about this one: the client is asked to run it, and the summary says that no rule allows it.
    assert_eq!(
        raw.creates(with_variable("make test", "STAGE", "a b"))
            .await,
        0
    );
    let denied = with_variable("git push", "STAGE", "x");
    assert_eq!(raw.creates(denied).await, -31701);
    let summary = raw.guard.summary();
    let undecided: Vec<&String> = summary.undecided.keys().collect();
    assert_eq!(undecided, ["STAGE='a b' make test"]);
}

#[tokio::test]
async fn a_permission_holds_in_the_folder_that_it_was_given_for() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    for name in ["a", "b"] {
        std::fs::create_dir(root.join(name)).unwrap();
    }
    let mut raw = Raw::open_in(
        Settings::default(),
        everything(),
        "a",
        &root.display().to_string(),
    )
    .await;
    raw.prompt().await;
    let at = |name: &str| root.join(name).display().to_string();
    let question = json!({ "sessionId": "s", "toolCall": { "toolCallId": "t", "kind": "execute", "rawInput": { "command": "make", "workdir": "a" } },
        "options": [{ "optionId": "yes", "name": "Yes", "kind": "allow_once" }] });
    raw.agent_calls("q", "session/request_permission", question)
        .await;
    raw.client_answers(chosen("yes")).await;
    raw.agent.read().await;
    for name in ["a", "b"] {
        let params = json!({ "sessionId": "s", "command": "make", "cwd": at(name) });
        assert_eq!(raw.creates(params).await, 0);
        let undecided = raw.guard.summary().undecided;
        assert_eq!(undecided.len(), usize::from(name == "b"), "{undecided:?}");
    }
}

#[tokio::test]
async fn secrets_of_programs_are_masked_where_they_are_set() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("r.jsonl");
    let settings = Settings {
        record: Some(Record::open(&path, Masks::default()).unwrap()),
        ..Settings::default()
    };
    let mut raw = Raw::open(settings, everything(), "a").await;
    raw.prompt().await;
    let params = json!({ "sessionId": "s", "command": "deploy", "env": [
        { "name": "DEPLOY_TOKEN", "value": "t0k3n-value" },
        { "name": "DATABASE", "value": "postgres://me:pa55word@host/db" },
        { "name": "STAGE", "value": "production" },
    ] });
    assert_eq!(raw.creates(params).await, 0);
    let said = "for production";
    let update = json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": said } });
    raw.agent_updates("s", update).await;
    let passed = raw.client.read().await;
    assert_eq!(
        passed["params"]["update"]["content"]["text"], said,
        "messages pass as they are"
    );
    let (summary, _) = raw.guard.finish().await.unwrap();
    assert!(
        summary
            .undecided
            .keys()
            .any(|line| line.contains("STAGE=production deploy"))
    );
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("for production") && text.contains("STAGE=production deploy"),
        "{text}"
    );
    for secret in ["t0k3n-value", "pa55word"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}

/// The answer "reject" would be the answer "allow".
#[tokio::test]
async fn options_with_the_same_id_are_refused() {
    let mut raw = Raw::open(policy("default = \"deny\"\n"), everything(), "a").await;
    raw.prompt().await;
    let question = json!({ "sessionId": "s", "toolCall": { "toolCallId": "t", "kind": "execute", "rawInput": { "command": "make" } }, "options": [
        { "optionId": "x", "name": "Yes", "kind": "allow_once" },
        { "optionId": "x", "name": "No", "kind": "reject_once" },
    ] });
    raw.agent_calls("q", "session/request_permission", question)
        .await;
    let refused = raw.agent.read().await;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let details = refused["error"]["data"]["details"].as_str().unwrap();
    assert!(details.contains("\"x\""), "{details}");
}

/// No system can start these.
#[tokio::test]
async fn a_terminal_needs_a_command() {
    let mut raw = Raw::open(Settings::default(), everything(), "a").await;
    raw.prompt().await;
    for line in ["", " ", "r\0m"] {
        assert_eq!(raw.creates(create(line)).await, -32602, "{line:?}");
    }
    let arguments = json!({ "sessionId": "s", "command": "rm", "args": ["a\0b"] });
    assert_eq!(raw.creates(arguments).await, -32602);
    assert_eq!(raw.creates(create("rm")).await, 0);
}

/// The user has not written a rule about these, so each needs a permission of its own.
const ASKING: &str = r#"
default = "ask"
rule "look" {
  action  = "allow"
  command = ["ls", "ls *"]
}
rule "sources" {
  action = "allow"
  kind   = ["edit"]
  path   = ["src/**"]
}
"#;

fn asks(call: Value) -> Value {
    json!({ "sessionId": "s", "toolCall": call, "options": [
        { "optionId": "yes", "name": "Yes", "kind": "allow_once" },
        { "optionId": "all", "name": "All", "kind": "allow_always" },
        { "optionId": "no", "name": "No", "kind": "reject_once" },
    ] })
}

impl Raw {
    /// The agent asks for permission; the policy allows it.
    async fn is_allowed(&mut self, call: Value) {
        self.agent_calls("q", "session/request_permission", asks(call))
            .await;
        let answer = self.agent.read().await;
        assert_eq!(answer["result"]["outcome"]["optionId"], "yes", "{answer}");
    }

    /// The agent asks for permission; the user chooses this option.
    async fn is_given(&mut self, call: Value, option: &str) {
        self.agent_calls("q", "session/request_permission", asks(call))
            .await;
        self.client_answers(chosen(option)).await;
        self.agent.read().await;
    }

    /// The agent creates a terminal, the guard asks, and the user answers.
    async fn is_asked_about(&mut self, params: Value, option: &str) {
        self.agent_calls("c", "terminal/create", params.clone())
            .await;
        let asked = self.client_answers(chosen(option)).await;
        assert_eq!(asked["method"], "session/request_permission", "{params}");
        if option == "allow" {
            let passed = { self.client_answers(json!({ "result": { "terminalId": "t" } })) }.await;
            assert_eq!(passed["params"], params);
        }
        let answer = self.agent.read().await;
        assert_eq!(answer["error"].is_null(), option == "allow", "{answer}");
    }
}

#[tokio::test]
async fn a_permission_for_a_quoted_text_covers_no_command_in_it() {
    let mut raw = Raw::open(policy(ASKING), everything(), "a").await;
    raw.prompt().await;
    let call = json!({ "toolCallId": "t", "kind": "execute", "rawInput": { "command": "ls 'x; rm -r src'" } });
    raw.is_allowed(call).await;
    raw.is_asked_about(create("ls x; rm -r src"), "reject")
        .await;
    let call = json!({ "toolCallId": "u", "kind": "execute", "rawInput": { "command": "rm '*'" } });
    raw.is_given(call, "yes").await;
    assert_eq!(raw.creates(create("rm  \"*\"")).await, 0);
    raw.is_asked_about(create("rm *"), "reject").await;
}

#[tokio::test]
async fn a_permission_for_a_file_covers_no_command_of_that_name() {
    let mut raw = Raw::open(policy(ASKING), everything(), "a").await;
    raw.prompt().await;
    let call = json!({ "toolCallId": "t", "kind": "edit", "rawInput": { "path": "/src/x.sh" } });
    raw.is_allowed(call).await;
    raw.is_asked_about(create("/src/x.sh"), "reject").await;
}

#[tokio::test]
async fn a_command_does_not_stand_for_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let sub = root.join("sub").display().to_string();
    std::fs::create_dir(&sub).unwrap();
    let cwd = root.display().to_string();
    let mut raw = Raw::open_in(policy(ASKING), everything(), "a", &cwd).await;
    raw.prompt().await;
    let line = format!("make in {sub}");
    let call = json!({ "toolCallId": "t", "kind": "execute", "rawInput": { "command": line } });
    raw.is_given(call, "yes").await;
    assert_eq!(raw.creates(create(&line)).await, 0);
    let elsewhere = json!({ "sessionId": "s", "command": "make", "cwd": sub });
    raw.is_asked_about(elsewhere, "reject").await;
}

/// A client may join the words to a line, which is another command then.
#[tokio::test]
async fn words_with_signs_of_shells_need_a_permission_of_their_own() {
    let mut raw = Raw::open(policy(ASKING), everything(), "a").await;
    raw.prompt().await;
    let line = "make 'x; rm y'";
    let call = json!({ "toolCallId": "t", "kind": "execute", "rawInput": { "command": line } });
    raw.is_given(call, "yes").await;
    assert_eq!(raw.creates(create(line)).await, 0);
    let words = json!({ "sessionId": "s", "command": "make", "args": ["x; rm y"] });
    raw.is_asked_about(words.clone(), "allow").await;
    assert_eq!(
        raw.creates(words).await,
        0,
        "the answer holds for the session"
    );
    let plain = json!({ "sessionId": "s", "command": "ls", "args": ["; rm y"] });
    raw.is_asked_about(plain, "reject").await;
    let summary = raw.guard.summary();
    assert!(summary.undecided.is_empty(), "{summary:?}");
}

/// The agent chooses the kind: an "always" for what looks like an edit is not one for programs.
#[tokio::test]
async fn always_holds_for_what_a_request_shows() {
    let mut raw = Raw::open(policy(ASKING), everything(), "a").await;
    raw.prompt().await;
    let edit = json!({ "toolCallId": "t", "kind": "execute", "title": "Edit /a",
        "content": [{ "type": "diff", "path": "/a", "newText": "" }] });
    raw.is_given(edit, "all").await;
    raw.is_asked_about(create("make"), "reject").await;
    let run = json!({ "toolCallId": "u", "kind": "edit", "title": "Run", "rawInput": { "command": "make" } });
    raw.is_given(run, "all").await;
    raw.agent_calls(
        "w",
        "fs/write_text_file",
        json!({ "sessionId": "s", "path": "/b", "content": "" }),
    )
    .await;
    let asked = raw.client_answers(chosen("reject")).await;
    assert_eq!(asked["method"], "session/request_permission");
    raw.agent.read().await;
    let run = json!({ "toolCallId": "v", "kind": "execute", "rawInput": { "command": "make" } });
    raw.is_given(run, "all").await;
    assert_eq!(raw.creates(create("make -j2")).await, 0);
}

/// Only its beginning is kept, so it cannot be compared.
#[tokio::test]
async fn a_permission_for_a_long_command_covers_no_other_one() {
    let mut raw = Raw::open(policy("default = \"ask\"\n"), everything(), "a").await;
    raw.prompt().await;
    let long = format!("echo {}", "x".repeat(1 << 17));
    let call = json!({ "toolCallId": "t", "kind": "execute", "rawInput": { "command": format!("{long} a") } });
    raw.is_given(call, "yes").await;
    raw.is_asked_about(create(&format!("{long}; rm b")), "reject")
        .await;
    raw.is_asked_about(create(&long[..1 << 17]), "reject").await;
}

/// A terminal that the guard does not know could be neither used nor released.
#[tokio::test]
async fn a_terminal_over_the_limit_is_refused_before_it_is_created() {
    let mut raw = Raw::open(Settings::default(), everything(), "a").await;
    raw.prompt().await;
    for number in 1..256 {
        assert_eq!(raw.creates(create(&format!("a{number}"))).await, 0);
    }
    // One that the client has not created yet counts as well.
    raw.agent_calls("slow", "terminal/create", create("slow"))
        .await;
    let slow = raw.client.read().await;
    assert_eq!(raw.creates(create("one more")).await, -32600);
    raw.answer(&slow, json!({ "terminalId": "slow" })).await;
    assert_eq!(raw.agent.read().await["result"]["terminalId"], "slow");
    assert_eq!(raw.creates(create("one more")).await, -32600);
    for method in ["terminal/output", "terminal/release"] {
        let terminal = json!({ "sessionId": "s", "terminalId": "slow" });
        raw.agent_calls("r", method, terminal).await;
        let result = json!({ "result": { "output": "", "truncated": false } });
        assert_eq!(raw.client_answers(result).await["method"], method);
        raw.agent.read().await;
    }
    assert_eq!(raw.creates(create("one more")).await, 0);
}
