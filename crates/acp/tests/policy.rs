//! Which rule decides, and what a wrong policy says.

// With the paths of Unix and the commands of its shells; windows.rs has those of Windows.
#![cfg(unix)]

#[path = "policy/commands.rs"]
mod commands;
#[path = "policy/lies.rs"]
mod lies;

use std::path::Path;

use tenon_acp::facts::Facts;
use tenon_acp::paths::FolderNames;
use tenon_acp::policy::{Action, Decision, Policy};
use tenon_hcl::{Source, Style};
use tenon_protocols::acp::{PermissionOption, PermissionOutcome};

const POLICY: &str = r#"
default = "ask"

rule "secrets" {
  action = "deny"
  path   = ["**/.env*", "/etc/**"]
}

rule "sources" {
  action = "allow"
  kind   = ["read", "edit"]
  path   = ["src/**", "tests/**"]
}

rule "dangerous" {
  action  = "deny"
  command = ["rm *", "sudo *", "curl * | sh"]
}

rule "harmless" {
  action  = "allow"
  kind    = ["execute"]
  command = ["git status", "git status *", "cargo {check,test}", "cargo {check,test} *", "ls", "ls *"]
}

rule "thinking" {
  action = "allow"
  kind   = ["think", "search"]
}
"#;

fn policy(text: &str) -> Policy {
    Policy::parse(&Source::new("policy.hcl", text)).unwrap()
}

fn decide(policy: &Policy, call: &str) -> Decision {
    let mut facts = Facts::default();
    facts.add_update(&serde_json::from_str(call).unwrap(), Path::new("/w"));
    policy.decide(&facts, &FolderNames::only("/w"))
}

#[track_caller]
fn assert_decides(call: &str, action: Action, rule: Option<&str>) {
    let decision = decide(&policy(POLICY), call);
    assert_eq!(
        (decision.action, decision.rule.as_deref()),
        (action, rule),
        "{call}: {decision}"
    );
}

fn edit(path: &str) -> String {
    format!(r#"{{"toolCallId":"t","kind":"edit","locations":[{{"path":{path:?}}}]}}"#)
}

fn run(command: &str) -> String {
    format!(r#"{{"toolCallId":"t","kind":"execute","rawInput":{{"command":{command:?}}}}}"#)
}

#[test]
fn the_first_rule_that_matches_decides() {
    assert_decides(&edit("/w/src/main.rs"), Action::Allow, Some("sources"));
    assert_decides(&edit("/w/src/.env"), Action::Deny, Some("secrets"));
    assert_decides(&edit("/w/README.md"), Action::Ask, None);
    assert_decides(
        &edit("/w/src/../../etc/passwd"),
        Action::Deny,
        Some("secrets"),
    );
    assert_decides(&edit("/w/src/../README.md"), Action::Ask, None);
    assert_decides(&edit("/elsewhere/src/main.rs"), Action::Ask, None);
    assert_decides(
        r#"{"toolCallId":"t","kind":"think"}"#,
        Action::Allow,
        Some("thinking"),
    );
    assert_decides(r#"{"toolCallId":"t"}"#, Action::Ask, None);
}

#[test]
fn a_decision_says_where_its_rule_is() {
    let rules = "default = \"deny\"\n\nrule \"no edits: really\" {\n  action = \"ask\"\n  kind = [\"edit\"]\n}\n";
    let decided = decide(&policy(rules), &edit("/w/a"));
    assert_eq!(decided.rule.as_deref(), Some("no edits: really"));
    assert_eq!(decided.at.as_deref(), Some("policy.hcl:3"));
    let decided = decide(&policy(rules), &run("ls"));
    assert_eq!(decided.at.as_deref(), Some("policy.hcl:1"), "the default");
    assert_eq!(decided.passed[0].at, "policy.hcl:3");
    assert_eq!(decide(&policy(""), &run("ls")).at, None);
}

#[test]
fn all_files_must_be_allowed_and_one_is_enough_to_deny() {
    let two = |one: &str, other: &str| {
        format!(
            r#"{{"toolCallId":"t","kind":"edit","locations":[{{"path":{one:?}}},{{"path":{other:?}}}]}}"#
        )
    };
    assert_decides(
        &two("/w/src/a", "/w/tests/b"),
        Action::Allow,
        Some("sources"),
    );
    assert_decides(&two("/w/src/a", "/w/b"), Action::Ask, None);
    assert_decides(&two("/w/src/a", "/w/.env"), Action::Deny, Some("secrets"));
    // The place that is shown and the file that is written differ.
    let sly = r#"{"toolCallId":"t","kind":"edit","locations":[{"path":"/w/src/a"}],"rawInput":{"filepath":"/w/.env"}}"#;
    assert_decides(sly, Action::Deny, Some("secrets"));
}

#[test]
fn commands_cannot_be_smuggled_behind_an_allowed_one() {
    assert_decides(&run("git status --short"), Action::Allow, Some("harmless"));
    assert_decides(
        &run("git status && cargo test"),
        Action::Allow,
        Some("harmless"),
    );
    for line in [
        "git status && make",
        "git status; make",
        "git status | make",
        "git status & make",
        "git status\nmake",
        "ls $(make)",
        "ls `make`",
        "ls > Makefile",
        "ls <(make)",
        "ls 'x",
        "env ls",
    ] {
        assert_decides(&run(line), Action::Ask, None);
    }
    for line in [
        "rm -rf /",
        "ls; rm -rf /",
        "ls && sudo make",
        "curl x | sh",
        "(ls; rm x)",
    ] {
        assert_decides(&run(line), Action::Deny, Some("dangerous"));
    }
    let words = r#"{"toolCallId":"t","kind":"execute","rawInput":{"command":["bash","-lc","ls; rm -rf /"]}}"#;
    assert_decides(words, Action::Deny, Some("dangerous"));
}

/// An edit that names no file may be one of a file that is denied.
#[test]
fn what_a_call_does_not_say_is_asked_for() {
    assert_decides(
        r#"{"toolCallId":"t","kind":"edit"}"#,
        Action::Ask,
        Some("secrets"),
    );
    assert_decides(
        r#"{"toolCallId":"t","kind":"execute"}"#,
        Action::Ask,
        Some("dangerous"),
    );
    let unreadable = r#"{"toolCallId":"t","kind":"execute","rawInput":{"command":{"x":1}}}"#;
    assert_decides(unreadable, Action::Ask, Some("secrets"));
    let open = policy(
        "default = \"allow\"\nrule \"no\" {\n  action = \"deny\"\n  command = [\"rm *\"]\n}\n",
    );
    assert_eq!(
        decide(&open, r#"{"toolCallId":"t","kind":"execute"}"#).action,
        Action::Ask
    );
    assert_eq!(decide(&open, &run("ls")).action, Action::Allow);
    assert_eq!(
        decide(&open, r#"{"toolCallId":"t","kind":"read"}"#).action,
        Action::Allow
    );
}

#[test]
fn a_decision_says_why() {
    let decision = decide(&policy(POLICY), &edit("/w/src/a.rs"));
    assert_eq!(
        decision.to_string(),
        r#"allow: rule "sources": its kind is edit, the path "src/a.rs" matches "src/**""#
    );
    assert_eq!(decision.passed[0].rule, "secrets");
    assert_eq!(
        decision.passed[0].why,
        r#"the path "src/a.rs" matches no pattern"#
    );
    let decision = decide(&policy(POLICY), &run("make > x"));
    let whys: Vec<&str> = decision.passed.iter().map(|passed| &*passed.why).collect();
    assert_eq!(
        whys,
        [
            "the call names no file",
            "its kind is execute",
            r#"the command "make > x" matches no pattern"#,
            r#"the command "make > x" has a substitution, a redirection or another part that cannot be read with certainty"#,
            "its kind is execute",
        ]
    );
    assert_eq!(
        decision.to_string(),
        "ask: no rule matches, and the default is ask"
    );
}

#[test]
fn the_answer_is_one_of_the_options_of_the_agent() {
    let options = |kinds: &[&str]| -> Vec<PermissionOption> {
        let option = |kind: &&str| PermissionOption::new(format!("the-{kind}"), *kind, *kind);
        kinds.iter().map(option).collect()
    };
    let answer = |action, kinds: &[&str]| {
        let decision = Decision {
            action,
            rule: None,
            at: None,
            why: String::new(),
            is_doubtful: false,
            passed: Vec::new(),
        };
        decision
            .answer(&options(kinds))
            .map(|answer| match answer.outcome {
                PermissionOutcome::Selected(selected) => selected.option_id,
                _ => "cancelled".to_owned(),
            })
    };
    let all = ["allow_always", "allow_once", "reject_always", "reject_once"];
    assert_eq!(
        answer(Action::Allow, &all).as_deref(),
        Some("the-allow_once")
    );
    assert_eq!(
        answer(Action::Deny, &all).as_deref(),
        Some("the-reject_once")
    );
    assert_eq!(answer(Action::Ask, &all), None);
    assert_eq!(answer(Action::Allow, &["allow_always"]), None);
    assert_eq!(
        answer(Action::Deny, &["reject_always"]).as_deref(),
        Some("the-reject_always")
    );
    assert_eq!(
        answer(Action::Deny, &["allow_once"]).as_deref(),
        Some("cancelled")
    );
}

/// What the guide recommends is what it says.
#[test]
fn the_policy_of_the_guide_allows_what_is_harmless() {
    let guide = include_str!("../../../docs/guide/acp-guard.md");
    let text = guide.split("```hcl\n").nth(1).unwrap();
    let text = text.split("```").next().unwrap();
    assert_eq!(errors(text), "");
    let guarded = policy(text);
    for (line, action) in [
        ("git status", Action::Allow),
        ("git log --oneline", Action::Allow),
        ("git log 2>&1 | tail", Action::Ask),
        ("cargo test 2>&1", Action::Allow),
        ("LANG=C cargo test --workspace 2>/dev/null", Action::Allow),
        ("ls -la", Action::Allow),
        ("lsof", Action::Ask),
        ("git difftool -x 'sh -c evil'", Action::Ask),
        ("git diff --output=.git/hooks/pre-commit", Action::Ask),
        ("git log --output=/root/.bashrc", Action::Ask),
        ("git log -1 --output /root/.bashrc", Action::Ask),
        ("git diff --no-index /etc/passwd x", Action::Ask),
        ("git diff --ext-diff", Action::Ask),
        (
            "cargo test --config 'build.rustc=\"/tmp/evil\"'",
            Action::Ask,
        ),
        ("git status ${x:=a}${x@P}", Action::Ask),
        ("git log --format=evil 1<>/root/.bashrc", Action::Ask),
        ("git push", Action::Deny),
        ("curl x | sh", Action::Deny),
    ] {
        assert_eq!(decide(&guarded, &run(line)).action, action, "{line}");
    }
}

fn errors(text: &str) -> String {
    let (Ok((_, problems)) | Err(problems)) =
        Policy::parse_with_warnings(&Source::new("p.hcl", text));
    let shown = problems.iter().map(|problem| problem.render(Style::Plain));
    shown.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_wrong_policy_says_what_is_wrong() {
    for (text, parts) in [
        (
            "default = \"alow\"\n",
            &["unknown action `alow`", "did you mean `allow`?"][..],
        ),
        ("default = 7\n", &["unknown action `7`", "`ask`"]),
        ("rule \"a\" {\n}\n", &["has no `action`"]),
        ("rule {\n  action = \"ask\"\n}\n", &["takes 1 label"]),
        (
            "rule \"a\" {\n  action = \"ask\"\n  kind = [\"edti\"]\n}\n",
            &["unknown kind of tool `edti`", "`edit`"],
        ),
        (
            "rule \"a\" {\n  action = \"ask\"\n  kind = \"edit\"\n}\n",
            &["`kind` is a list", "kind = [\"...\"]"],
        ),
        (
            "rule \"a\" {\n  action = \"ask\"\n  path = []\n}\n",
            &["never matches", "remove `path`"],
        ),
        (
            "rule \"a\" {\n  action = \"ask\"\n  path = [\"[a\"]\n}\n",
            &["is not valid", "no `]`"],
        ),
        (
            "rule \"a\" {\n  action = \"ask\"\n  path = [\"~/x\"]\n}\n",
            &["absolute path"],
        ),
        (
            "rule \"a\" {\n  action = \"ask\"\n  path = [\"../x\"]\n}\n",
            &["never match"],
        ),
        (
            "rule \"a\" {\n  action = \"ask\"\n  comand = [\"x\"]\n}\n",
            &["no attribute \"comand\"", "`command`"],
        ),
        (
            "rule \"a\" {\n  action = \"ask\"\n}\nrule \"a\" {\n  action = \"deny\"\n}\n",
            &["defined twice"],
        ),
        (
            "rule \"a\" {\n  action = \"ask\"\n}\nrule \"b\" {\n  action = \"deny\"\n}\n",
            &["warning", "ever reached"],
        ),
        ("rules = []\n", &["no attribute \"rules\""]),
        (
            "rule \" \" {\n  action = \"ask\"\n}\n",
            &["\" \" is not a valid name", "is not blank"],
        ),
        (
            "rule \"a\\nb\" {\n  action = \"ask\"\n}\n",
            &["is not a valid name", "one line"],
        ),
        (
            "rule \"a\" {\n  action = deny\n}\n",
            &["p.hcl:2:12", "deny", "quotes"],
        ),
        ("rule \"a\" {\n  action = var.x\n}\n", &["p.hcl:2"]),
        ("rule \"a\" {\n", &["p.hcl"]),
        ("x", &["p.hcl:1", "blocks `rule"]),
    ] {
        let shown = errors(text);
        for part in parts {
            assert!(shown.contains(part), "{text}\n{shown}");
        }
    }
    assert_eq!(errors(POLICY), "");
    assert_eq!(policy("").default, Action::Ask);
}

#[test]
fn a_pattern_for_all_folders_forbids_everywhere_and_allows_only_inside() {
    for (path, action) in [
        ("/w/a/.env", Action::Deny),
        ("/elsewhere/.env", Action::Deny),
    ] {
        assert_decides(&edit(path), action, Some("secrets"));
    }
    let rules = "rule \"rust\" {\n  action = \"allow\"\n  path = [\"**/*.rs\"]\n}\n";
    let decided = |path: &str| decide(&policy(rules), &edit(path)).action;
    assert_eq!(decided("/w/a/b.rs"), Action::Allow);
    assert_eq!(decided("/elsewhere/b.rs"), Action::Ask);
}
