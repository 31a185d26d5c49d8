//! `tenon acp policy`.

use std::path::Path;

use super::support::shell::Shell;

const POLICY: &str = r#"default = "ask"

rule "secrets" {
  action = "deny"
  path   = ["**/.env*", "/etc/**"]
}

rule "sources" {
  action = "allow"
  kind   = ["read", "edit"]
  path   = ["src/**"]
}

rule "harmless" {
  action  = "allow"
  kind    = ["execute"]
  command = ["git status", "git status *", "cargo {check,test}"]
}
"#;

#[tokio::test]
async fn a_policy_is_checked_with_places_and_hints() {
    let mut shell = Shell::new();
    shell.file("guard.hcl", POLICY);
    shell.run("tenon acp policy check guard.hcl").await;
    shell.run("tenon acp policy check --json guard.hcl").await;
    shell.file(
        "wrong.hcl",
        r#"default = "maybe"
rule "a" {
  action = "alow"
  kind   = ["edti"]
  path   = ["../x", "[a"]
  paths  = ["x"]
}
rule "a" {
  action = "deny"
}
"#,
    );
    let wrong = shell.run("tenon acp policy check wrong.hcl").await;
    assert_eq!(wrong.code, Some(2));
    let wrong = shell.run("tenon acp policy check --json wrong.hcl").await;
    assert_eq!(wrong.code, Some(2));
    shell.file(
        "late.hcl",
        "rule \"all\" {\n  action = \"ask\"\n}\nrule \"late\" {\n  action = \"deny\"\n}\n",
    );
    let warned = shell.run("tenon acp policy check late.hcl").await;
    assert_eq!(warned.code, Some(0), "a warning is not an error");
    shell.run("tenon acp policy check none.hcl").await;
    insta::assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn a_decision_is_explained() {
    let mut shell = Shell::new();
    shell.file("guard.hcl", POLICY);
    for call in [
        r#"{"kind":"execute","rawInput":{"command":"git status && rm -rf /"}}"#,
        r#"{"kind":"edit","locations":[{"path":"src/main.rs"}]}"#,
        r#"{"toolCallId":"t","kind":"edit","rawInput":{"path":"src/.env"}}"#,
        r#"{"kind":"execute"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"t","kind":"edit","rawInput":{"path":"/etc/passwd"}},"options":[{"optionId":"no","name":"No","kind":"reject_once"}]}}"#,
        r#"{"method":"terminal/create","params":{"command":"cargo","args":["test"]}}"#,
        r#"{"sha256":"x","entry":{"message":{"at":"x","from":"agent","message":{"method":"fs/write_text_file","params":{"sessionId":"s","path":"/w/x","content":""}}}}}"#,
    ] {
        let line = format!("echo '{call}' | tenon acp policy explain --cwd /w guard.hcl -");
        let explained = shell.run(&line).await;
        assert_eq!(explained.code, Some(0), "{}", explained.stderr);
    }
    shell.file(
        "call.json",
        r#"{"kind":"edit","locations":[{"path":"src/main.rs"}]}"#,
    );
    shell
        .run("tenon acp policy explain --json --cwd /w guard.hcl call.json")
        .await;
    insta::assert_snapshot!(shell.transcript());
}

#[tokio::test]
async fn rules_may_have_names_of_several_words() {
    let mut shell = Shell::new();
    shell.file(
        "guard.hcl",
        "rule \"no edits in CI\" {\n  action = \"deny\"\n  kind   = [\"edit\"]\n}\n",
    );
    shell.file("call.json", r#"{"kind":"edit","locations":[{"path":"a"}]}"#);
    let line = "tenon acp policy explain --cwd /w guard.hcl call.json";
    let explained = shell.run(line).await;
    let first = explained.stdout.lines().next();
    assert_eq!(
        first,
        Some("deny by rule \"no edits in CI\" at guard.hcl:1: its kind is edit")
    );
}

/// The first policy that a reader copies has to be valid.
#[tokio::test]
async fn the_policies_of_the_guide_are_valid() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/acp-guard.md");
    let guide = std::fs::read_to_string(guide).expect("the guide");
    let policies: Vec<&str> = { guide.split("```hcl\n").skip(1) }
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(!policies.is_empty());
    for policy in policies {
        let mut shell = Shell::new();
        shell.file("guard.hcl", policy);
        let checked = shell.run("tenon acp policy check guard.hcl").await;
        assert_eq!(checked.code, Some(0), "{}", checked.stderr);
    }
}

#[tokio::test]
async fn what_is_not_a_tool_call_is_refused() {
    let mut shell = Shell::new();
    shell.file("guard.hcl", POLICY);
    for wrong in [
        "{\"kind\":\"edit\"",
        "nonsense",
        "[]",
        "{}",
        "{\"kind\":7}",
        "{\"method\":\"session/prompt\",\"params\":{}}",
    ] {
        shell.file("call.json", wrong);
        let refused = shell
            .run("tenon acp policy explain guard.hcl call.json")
            .await;
        assert_eq!(refused.code, Some(2), "{wrong}");
    }
    let missing = shell
        .run("tenon acp policy explain guard.hcl none.json")
        .await;
    assert_eq!(missing.code, Some(2));
    insta::assert_snapshot!(shell.transcript());
}
