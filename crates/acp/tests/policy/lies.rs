//! Calls that do more than their kind says, and policies that look right.

use serde_json::{Value, json};
use tenon_acp::policy::Action;

use super::{decide, errors, policy};

fn rule(action: &str, conditions: &str) -> String {
    format!("rule \"r\" {{\n  action = \"{action}\"\n{conditions}\n}}\n")
}

fn action(text: &str, call: &Value) -> Action {
    decide(&policy(text), &call.to_string()).action
}

fn call(kind: &str, input: &Value) -> Value {
    json!({ "toolCallId": "t", "kind": kind, "rawInput": input })
}

/// The agent chooses the kind.
#[test]
fn what_a_call_shows_counts_besides_its_kind() {
    let diff = json!([{ "type": "diff", "path": "/w/a", "newText": "" }]);
    let reading = json!({ "toolCallId": "t", "kind": "read", "content": diff });
    let thinking = call("think", &json!({ "command": "rm x" }));
    let reads = rule("allow", "  kind = [\"read\", \"think\"]\n  path = [\"**\"]");
    let plain = json!({ "toolCallId": "t", "kind": "read", "locations": [{ "path": "/w/a" }] });
    assert_eq!(action(&reads, &plain), Action::Allow);
    assert_eq!(action(&reads, &reading), Action::Ask, "it shows a change");
    let both = rule("allow", "  kind = [\"read\", \"edit\"]\n  path = [\"**\"]");
    assert_eq!(action(&both, &reading), Action::Allow);
    for (rules, call, expected) in [
        (rule("deny", "  kind = [\"edit\"]"), &reading, Action::Deny),
        (
            rule("deny", "  kind = [\"execute\"]"),
            &thinking,
            Action::Deny,
        ),
        (
            rule("deny", "  kind = [\"execute\"]"),
            &reading,
            Action::Ask,
        ),
        (rule("deny", "  kind = [\"edit\"]"), &plain, Action::Ask),
        (
            rule("allow", "  kind = [\"think\"]"),
            &thinking,
            Action::Ask,
        ),
        (
            rule("allow", "  kind = [\"think\"]\n  command = [\"rm *\"]"),
            &thinking,
            Action::Ask,
        ),
    ] {
        assert_eq!(action(&rules, call), expected, "{rules}{call}");
    }
}

#[test]
fn a_command_is_allowed_where_the_session_is() {
    let tests = rule("allow", "  command = [\"make test*\"]");
    let run = |cwd: &str| call("execute", &json!({ "command": "make test", "cwd": cwd }));
    for (cwd, expected) in [
        ("/w", Action::Allow),
        ("/w/sub", Action::Allow),
        ("sub", Action::Allow),
        ("/tmp/x", Action::Ask),
        ("..", Action::Ask),
        ("/w/../tmp", Action::Ask),
        ("/w2", Action::Ask),
    ] {
        assert_eq!(action(&tests, &run(cwd)), expected, "{cwd}");
    }
    let elsewhere = rule(
        "allow",
        "  command = [\"make test*\"]\n  path = [\"/tmp/**\"]",
    );
    assert_eq!(action(&elsewhere, &run("/tmp/x")), Action::Allow);
    let secrets = format!(
        "default = \"allow\"\n{}",
        rule("deny", "  path = [\"secrets/**\"]")
    );
    for cwd in ["/w/secrets", "secrets/deep"] {
        assert_eq!(action(&secrets, &run(cwd)), Action::Deny, "{cwd}");
    }
    assert_eq!(action(&secrets, &run("/w/src")), Action::Allow);
}

#[test]
fn a_command_with_variables_is_another_command() {
    let tests = rule("allow", "  command = [\"make test*\", \"STAGE=* make *\"]");
    let run = |variables: Value| {
        call(
            "execute",
            &json!({ "command": "make test", "env": variables }),
        )
    };
    for (variables, expected) in [
        (json!({}), Action::Allow),
        (json!({ "NO_COLOR": "1" }), Action::Allow),
        (json!({ "STAGE": "x" }), Action::Allow),
        (json!({ "STAGE": "x", "PATH": "/x" }), Action::Ask),
        (json!({ "PATH": "/x" }), Action::Ask),
        (json!({ "UNKNOWN": "x" }), Action::Ask),
        (json!("PATH=/x"), Action::Ask),
    ] {
        assert_eq!(
            action(&tests, &run(variables.clone())),
            expected,
            "{variables}"
        );
    }
    // By default it would be allowed, but what `git` is here is not known.
    let push = format!(
        "default = \"allow\"\n{}",
        rule("deny", "  command = [\"git push*\"]")
    );
    let status = |variables: Value| {
        call(
            "execute",
            &json!({ "command": "git status", "env": variables }),
        )
    };
    assert_eq!(action(&push, &status(json!({ "PATH": "/x" }))), Action::Ask);
    assert_eq!(
        action(&push, &status(json!({ "UNKNOWN": "x" }))),
        Action::Allow
    );
}

/// What people mean who write these.
#[test]
fn patterns_that_deny_mean_what_they_look_like() {
    let denies = |condition: &str, call: &Value| {
        let text = format!("default = \"allow\"\n{}", rule("deny", condition));
        action(&text, call) == Action::Deny
    };
    let run = |line: &str| call("execute", &json!({ "command": line }));
    let edit = |path: &str| call("edit", &json!({ "path": path }));
    assert!(denies("  command = [\"git push *\"]", &run("git push")));
    assert!(denies(
        "  command = [\"git push *\"]",
        &run("sudo git  push")
    ));
    assert!(denies(
        "  command = [\"git push *\"]",
        &run("git push origin")
    ));
    assert!(!denies("  command = [\"git push *\"]", &run("git pushx")));
    assert!(denies("  command = [\"rm [/~]*\"]", &run("rm /etc/passwd")));
    assert!(denies("  path = [\"secrets\"]", &edit("secrets/deep/key")));
    assert!(denies("  path = [\"**/.ssh\"]", &edit("/home/me/.ssh/id")));
    assert!(!denies("  path = [\"secrets\"]", &edit("secrets2/key")));
    assert!(!denies("  path = [\"*.md\"]", &edit("a.md/b")));
    // A rule that allows means only what it says.
    let allowed = rule("allow", "  path = [\"src\"]");
    assert_eq!(action(&allowed, &edit("src/a")), Action::Ask);
    let allowed = rule("allow", "  command = [\"git push *\"]");
    assert_eq!(action(&allowed, &run("git push")), Action::Ask);
}

#[test]
fn patterns_that_cannot_be_meant_are_reported() {
    let shown = errors(&rule("deny", "  path = [\"secrets/\"]"));
    assert!(
        shown.contains("never ends with `/`") && shown.contains("`/**`"),
        "{shown}"
    );
    let shown = errors(&rule("deny", "  command = [\"git push\"]"));
    assert!(
        shown.contains("warning") && shown.contains("`git push*`"),
        "{shown}"
    );
    assert_eq!(errors(&rule("allow", "  command = [\"git push\"]")), "");
    assert_eq!(
        errors(&rule("deny", "  command = [\"git push*\", \"rm [a-z]\"]")),
        ""
    );
}
