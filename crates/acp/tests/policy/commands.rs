//! Commands in every spelling, and calls that do more than a rule is about.

use serde_json::{Value, json};
use tenon_acp::policy::Action;

use super::{decide, policy};

fn action(text: &str, call: &Value) -> Action {
    decide(&policy(text), &call.to_string()).action
}

fn runs(command: &str) -> Value {
    json!({ "toolCallId": "t", "kind": "execute", "rawInput": { "command": command } })
}

/// A command is the same however it is written.
#[test]
fn a_denied_command_is_found_in_every_spelling() {
    let text = r#"
default = "allow"
rule "push" {
  action  = "deny"
  command = ["git push*"]
}
"#;
    for command in [
        "git  push",
        "env X=1 git push",
        "/usr/bin/git push",
        "sh -c 'cd x; git push'",
        "echo $(git push)",
        "sudo -u me 'git' push --force",
        "git -C . push",
        "git -c x=y push",
        "git --git-dir=x push",
    ] {
        assert_eq!(action(text, &runs(command)), Action::Deny, "{command}");
    }
    for command in [
        "$X push",
        "git $X",
        "cat <<E | sh\ngit push\nE",
        "git --unknown x push",
    ] {
        assert_eq!(action(text, &runs(command)), Action::Ask, "{command}");
    }
    for command in ["git status", "echo 'git push'", "ls $HOME"] {
        assert_eq!(action(text, &runs(command)), Action::Allow, "{command}");
    }
    // A shell that is given its script as a word is a command too.
    let shell = r#"
default = "allow"
rule "bash" {
  action  = "deny"
  command = ["bash *"]
}
"#;
    let call = json!({ "toolCallId": "t", "kind": "execute", "rawInput": { "command": ["bash", "-lc", "ls"] } });
    assert_eq!(action(shell, &call), Action::Deny);
}

/// What may be denied is asked for, unless it is denied by what follows.
#[test]
fn a_doubt_does_not_hide_a_rule_that_denies() {
    let text = r#"
default = "allow"
rule "push" {
  action  = "deny"
  command = ["git push*"]
}
rule "git" {
  action  = "deny"
  command = ["git *"]
}
rule "all" {
  action = "allow"
}
"#;
    assert_eq!(action(text, &runs("git $X")), Action::Deny);
    assert_eq!(action(text, &runs("$X")), Action::Ask);
    let denying = r#"
default = "deny"
rule "push" {
  action  = "deny"
  command = ["git push*"]
}
"#;
    assert_eq!(action(denying, &runs("$X")), Action::Deny);
}

#[test]
fn what_cannot_be_read_with_certainty_is_not_allowed() {
    let text = r#"
rule "git" {
  action  = "allow"
  command = ["git log*"]
}
"#;
    assert_eq!(action(text, &runs("git log --oneline")), Action::Allow);
    for command in [
        "git log # it's\nrm -rf / # '",
        r"git log $'\'' ; rm -rf / ; echo \'",
        "git log <<E\n'\nE\nrm -rf / #'",
        "git log \\\n; rm x",
        "git log \u{0}",
        "git\u{a0}log",
        "git log & rm x",
    ] {
        assert_eq!(action(text, &runs(command)), Action::Ask, "{command:?}");
    }
}

/// A rule that allows must know about everything that a call does.
#[test]
fn a_rule_about_files_does_not_allow_a_command_and_the_other_way_round() {
    let both = json!({ "toolCallId": "t", "kind": "edit", "rawInput": { "path": "/w/src/a", "command": "rm -rf /" } });
    let file = json!({ "toolCallId": "t", "kind": "edit", "rawInput": { "path": "/w/src/a" } });
    let shown = json!({ "toolCallId": "t", "kind": "execute", "rawInput": { "command": "make" },
        "content": [{ "type": "diff", "path": "/w/src/a", "newText": "" }] });
    let made = json!({ "toolCallId": "t", "kind": "execute", "rawInput": { "command": "make", "path": "/w/src/a" } });
    let rule =
        |conditions: &str| format!("rule \"r\" {{\n  action = \"allow\"\n{conditions}\n}}\n");
    let files = rule("  path = [\"src/**\"]");
    assert_eq!(action(&files, &file), Action::Allow);
    assert_eq!(action(&files, &both), Action::Ask);
    let edits = rule("  kind = [\"edit\"]");
    assert_eq!(action(&edits, &file), Action::Allow);
    assert_eq!(action(&edits, &both), Action::Ask);
    let commands = rule("  command = [\"make\", \"rm *\"]");
    assert_eq!(action(&commands, &made), Action::Allow);
    assert_eq!(action(&commands, &shown), Action::Ask);
    assert_eq!(action(&commands, &both), Action::Ask);
    let covered = rule("  path = [\"src/**\"]\n  command = [\"make\", \"rm *\"]");
    for call in [&both, &shown, &made] {
        assert_eq!(action(&covered, call), Action::Allow);
    }
    let everything = rule("");
    for call in [&both, &shown, &made] {
        assert_eq!(action(&everything, call), Action::Allow);
    }
}
