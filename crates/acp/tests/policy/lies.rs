//! Calls that do more than their kind says, and policies that look right.

use serde_json::{Value, json};
use tenon_acp::facts::Facts;
use tenon_acp::paths::{FolderNames, Roots};
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

const FILES: &str = r#"
rule "secrets" {
  action = "deny"
  path   = ["**/.env*", "/etc/**"]
}
rule "edits" {
  action = "allow"
  kind   = ["edit", "read", "search", "move", "delete"]
  path   = ["src/**"]
}
rule "look around" {
  action = "allow"
  kind   = ["read", "search"]
  path   = ["**"]
}
"#;

/// One harmless file does not hide the others.
#[test]
fn files_are_found_wherever_an_input_names_them() {
    for (kind, input, expected) in [
        (
            "edit",
            json!({ "file_path": "src/a", "edits": [{ "path": ".env" }] }),
            Action::Deny,
        ),
        (
            "edit",
            json!({ "file_path": "src/a", "edits": [{ "path": "b" }] }),
            Action::Ask,
        ),
        (
            "edit",
            json!({ "file_path": "src/a", "changes": { ".env": {} } }),
            Action::Deny,
        ),
        (
            "edit",
            json!({ "file_path": "src/a", "changes": { "b": {} } }),
            Action::Ask,
        ),
        (
            "edit",
            json!({ "file_path": "src/a", "a": [{ "b": { "command": "make" } }] }),
            Action::Ask,
        ),
        (
            "edit",
            json!({ "patchText": "*** Begin Patch\n*** Update File: /etc/passwd\n" }),
            Action::Deny,
        ),
        (
            "edit",
            json!({ "patch": "--- a/src/a\n+++ b/src/a\n--- x\n" }),
            Action::Allow,
        ),
        (
            "edit",
            json!({ "patch": "--- a/src/a\n+++ b/README\n" }),
            Action::Ask,
        ),
        ("edit", json!({ "patch": "?" }), Action::Ask),
        (
            "edit",
            json!({ "path": "src/a", "diff": "<<< x" }),
            Action::Allow,
        ),
        (
            "edit",
            json!({ "file_path": "src/a", "edits": [{ "old_string": ".env", "new_string": "x" }] }),
            Action::Allow,
        ),
        ("read", json!({ "path": "file:/etc/passwd" }), Action::Deny),
        (
            "read",
            json!({ "path": "FILE:///etc/passwd" }),
            Action::Deny,
        ),
        (
            "read",
            json!({ "path": "file://host/etc/passwd" }),
            Action::Deny,
        ),
        ("read", json!({ "directory": "/etc" }), Action::Deny),
        ("read", json!({ "dir": "/etc" }), Action::Deny),
        (
            "fetch",
            json!({ "url": "file:///etc/passwd" }),
            Action::Deny,
        ),
        (
            "fetch",
            json!({ "url": "https://example.org/etc" }),
            Action::Ask,
        ),
        (
            "search",
            json!({ "glob": "../.env*", "path": "src" }),
            Action::Deny,
        ),
        (
            "search",
            json!({ "pattern": "x", "glob": "*.rs", "path": "src" }),
            Action::Allow,
        ),
    ] {
        assert_eq!(
            action(FILES, &call(kind, &input)),
            expected,
            "{kind} {input}"
        );
    }
    let sly = json!({ "toolCallId": "t", "kind": "edit", "locations": [{ "path": "/w/src/a" }],
        "rawInput": { "patchText": "*** Begin Patch\n*** Update File: README\n" } });
    assert_eq!(action(FILES, &sly), Action::Ask);
    let deep = (0..20).fold(json!("x"), |inner, _| json!({ "a": inner }));
    let deep = json!({ "path": "src/a", "deep": deep });
    assert_eq!(action(FILES, &call("edit", &deep)), Action::Ask);
}

/// A call of the kind `read` that runs or writes is more than that.
#[test]
fn what_runs_or_changes_is_not_read_alone() {
    let terminal = json!({ "toolCallId": "t", "kind": "read", "locations": [{ "path": "/w/src/a" }],
        "content": [{ "type": "terminal", "terminalId": "1" }] });
    assert_eq!(action(FILES, &terminal), Action::Ask);
    for (name, value) in [
        ("shell", json!("make")),
        ("bash", json!("make")),
        ("argv", json!(["make"])),
        ("code", json!("exit()")),
        ("content", json!("x")),
        ("new_string", json!("x")),
    ] {
        let path = if value == "x" { "b" } else { "src/a" };
        let input = json!({ "path": path, name: value });
        assert_eq!(action(FILES, &call("read", &input)), Action::Ask, "{input}");
    }
    let written = json!({ "path": "src/a", "content": "x" });
    assert_eq!(action(FILES, &call("edit", &written)), Action::Allow);
    // Which shell runs a command is not a command.
    let make = rule("allow", "  command = [\"make\"]");
    let input = json!({ "command": "make", "shell": "bash" });
    assert_eq!(action(&make, &call("execute", &input)), Action::Allow);
}

/// One of its other names may be denied.
#[test]
fn a_file_with_several_names_is_asked_about() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().canonicalize().unwrap();
    std::fs::create_dir(folder.join("src")).unwrap();
    std::fs::write(folder.join("src/plain"), "").unwrap();
    std::fs::write(folder.join(".env"), "").unwrap();
    std::fs::hard_link(folder.join(".env"), folder.join("src/hard")).unwrap();
    let decided = |path: &str| {
        let mut facts = Facts::reading(path, &folder);
        facts.follow_links();
        policy(FILES).decide(&facts, &FolderNames::only(&folder))
    };
    assert_eq!(decided("src/plain").action, Action::Allow);
    assert_eq!(decided(".env").action, Action::Deny);
    let hard = decided("src/hard");
    assert_eq!((hard.action, hard.is_doubtful), (Action::Ask, true));
    assert!(hard.why.contains("hard links"), "{hard}");
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
    for pattern in ["ls*", "git {status,diff}*"] {
        let shown = errors(&rule("allow", &format!("  command = [\"{pattern}\"]")));
        assert!(
            shown.contains("warning") && shown.contains("only begin with this text"),
            "{pattern}: {shown}"
        );
    }
    for pattern in ["ls *", "make -j*", "cat src/a*", "A=x* make", "*"] {
        let shown = errors(&rule("allow", &format!("  command = [\"{pattern}\"]")));
        assert_eq!(shown, "", "{pattern}");
    }
    assert_eq!(
        errors(&rule("deny", "  command = [\"git push*\", \"rm [a-z]\"]")),
        ""
    );
}

/// Allow rules look at the script alone, so it must be all that runs.
#[test]
fn a_program_that_is_called_like_a_shell_is_not_one() {
    let ls = rule("allow", "  command = [\"ls\", \"ls *\"]");
    let deny = format!(
        "default = \"allow\"\n{}",
        rule("deny", "  command = [\"git push*\", \"curl * | sh\"]")
    );
    let words = |program: &str, option: &str, script: &str| {
        call(
            "execute",
            &json!({ "command": program, "args": [option, script] }),
        )
    };
    assert_eq!(action(&ls, &words("bash", "-lc", "ls -l")), Action::Allow);
    assert_eq!(action(&ls, &words("/bin/sh", "-c", "ls")), Action::Allow);
    for (program, option, script) in [
        ("./sh", "-c", "ls"),
        ("/w/bin/bash", "-c", "ls"),
        ("bash", "--norc", "ls"),
        ("bash", "-oc", "ls"),
        ("fish", "-c", r"ls 'a\'b' ; rm x #'"),
    ] {
        let call = words(program, option, script);
        assert_eq!(action(&ls, &call), Action::Ask, "{call}");
    }
    for program in ["./sh", "bash", "fish"] {
        for option in ["-c", "--norc", "-oc"] {
            for script in ["cd x; git push", "curl x | sh"] {
                let call = words(program, option, script);
                assert_eq!(action(&deny, &call), Action::Deny, "{call}");
            }
        }
    }
}

/// Some clients join the words to a line for a shell.
#[test]
fn words_are_also_read_without_their_quotes() {
    let rules = format!(
        "default = \"allow\"\n{}{}",
        rule("deny", "  command = [\"git push*\", \"rm *\"]"),
        rule("allow", "  command = [\"git status\", \"git status *\"]").replace("\"r\"", "\"s\""),
    );
    let asks = rules.replace("default = \"allow\"\n", "");
    let words = |program: &str, arguments: &[&str]| {
        call("execute", &json!({ "command": program, "args": arguments }))
    };
    for (program, arguments) in [
        ("git", &["status", "; git push"][..]),
        ("git", &["status", "a\nrm x"]),
        ("git", &["status", "$(rm x)"]),
        ("git", &["status", "`rm x`"]),
        ("cd x; git push", &["--all"]),
        ("bash", &["-c", "'a;git push'"]),
        ("PATH=/x", &["git", "push"]),
    ] {
        assert_eq!(
            action(&rules, &words(program, arguments)),
            Action::Ask,
            "{arguments:?}"
        );
    }
    for (program, arguments, expected) in [
        ("git", &["status", "a b"][..], Action::Allow),
        ("git", &["status", "it's"], Action::Ask),
        ("git", &["status", "; git status"], Action::Allow),
        ("git", &["status", "; make"], Action::Ask),
        ("git", &["status", "> x"], Action::Ask),
        ("bash", &["-c", "git status && git status x"], Action::Allow),
    ] {
        assert_eq!(
            action(&asks, &words(program, arguments)),
            expected,
            "{arguments:?}"
        );
    }
}

/// Systems take any text as the name of a program or of a variable.
#[test]
fn a_name_is_not_a_part_of_the_command() {
    let tests = rule(
        "allow",
        "  command = [\"make test\", \"make test *\", \"./run\"]",
    );
    let deny = format!(
        "default = \"allow\"\n{}",
        rule("deny", "  command = [\"rm *\"]")
    );
    let set = |name: &str| {
        let input =
            json!({ "command": "rm", "args": ["x"], "env": [{ "name": name, "value": "" }] });
        call("execute", &input)
    };
    for name in ["make test x", "echo y", "LC_x/y", "; make test", "'", "#"] {
        assert_eq!(action(&tests, &set(name)), Action::Ask, "{name}");
        assert_eq!(action(&deny, &set(name)), Action::Deny, "{name}");
    }
    for input in [
        json!({ "command": "LANG=x/y", "args": ["make", "test"] }),
        json!({ "command": "LC_x/y=z make test" }),
        json!({ "command": "./run\u{a0}" }),
        json!({ "command": "./run\r\n" }),
        json!({ "command": "make test \\\r\nrm x" }),
    ] {
        assert_eq!(
            action(&tests, &call("execute", &input)),
            Action::Ask,
            "{input}"
        );
    }
}

/// Agents use the name that the client gave, and the one that the system tells them.
#[test]
fn patterns_are_about_the_folder_under_each_of_its_names() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    for folder in ["real/p/secrets", "real/p/src", "real/x", "real/p2"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    std::os::unix::fs::symlink("real", root.join("link")).unwrap();
    let text = format!(
        "{}{}",
        rule("deny", "  path = [\"secrets/**\"]"),
        rule("allow", "  path = [\"src/**\"]").replace("\"r\"", "\"s\""),
    );
    let rules = policy(&text);
    for given in ["real/p", "link/p", "link/x/../p"] {
        let folder = FolderNames::find(root.join(given));
        for (path, expected) in [
            ("secrets/k".into(), Action::Deny),
            (root.join("real/p/secrets/k"), Action::Deny),
            (root.join("link/p/secrets/k"), Action::Deny),
            ("src/a".into(), Action::Allow),
            (root.join("real/p/src/a"), Action::Allow),
            (root.join("real/p2/src/a"), Action::Ask),
        ] {
            let mut facts = Facts::writing(path.to_str().unwrap(), &folder);
            facts.follow_links();
            let decision = rules.decide(&facts, &folder);
            assert_eq!(decision.action, expected, "{given} {path:?}: {decision}");
        }
        // A link that only the agent has named may lead elsewhere later.
        let is_known = given != "real/p";
        let mut facts = Facts::writing(root.join("link/p/src/a").to_str().unwrap(), &folder);
        facts.follow_links();
        let decision = rules.decide(&facts, &folder);
        assert_eq!(
            decision.action == Action::Allow,
            is_known,
            "{given}: {decision}"
        );
    }
}

/// A rule with kinds alone was written for the project, not for the whole disk.
#[test]
fn a_rule_with_kinds_alone_allows_what_is_in_the_folder_of_the_session() {
    let allows = |kinds: &str| rule("allow", &format!("  kind = [{kinds}]"));
    let edits = allows(r#""edit", "read", "delete", "move", "search""#);
    for (kind, input, expected) in [
        ("edit", json!({ "path": "src/a" }), Action::Allow),
        ("edit", json!({ "path": "/w/new/a" }), Action::Allow),
        ("edit", json!({ "path": "/etc/passwd" }), Action::Ask),
        ("edit", json!({ "path": "src/../../x" }), Action::Ask),
        ("edit", json!({ "path": "~/.bashrc" }), Action::Ask),
        ("edit", json!({ "path": "/w2/a" }), Action::Ask),
        ("edit", json!({ "paths": ["a", "/x"] }), Action::Ask),
        (
            "move",
            json!({ "source": "a", "destination": "/x" }),
            Action::Ask,
        ),
        (
            "read",
            json!({ "path": "file:///root/.netrc" }),
            Action::Ask,
        ),
        ("search", json!({ "pattern": "x" }), Action::Allow),
        (
            "search",
            json!({ "pattern": "x", "path": "/" }),
            Action::Ask,
        ),
        // It does not say where.
        ("edit", json!({}), Action::Ask),
        ("edit", json!({ "path": { "x": 1 } }), Action::Ask),
    ] {
        assert_eq!(action(&edits, &call(kind, &input)), expected, "{input}");
    }
    let runs = allows(r#""execute""#);
    for (input, expected) in [
        (json!({ "command": "make" }), Action::Allow),
        (json!({ "command": "make", "cwd": "sub" }), Action::Allow),
        (json!({ "command": "make", "cwd": "/tmp" }), Action::Ask),
    ] {
        let call = call("execute", &input);
        assert_eq!(action(&runs, &call), expected, "{input}");
    }
    // Without any condition, or with `path`, a rule says itself how far it goes.
    let outside = call("edit", &json!({ "path": "/x/a" }));
    for rules in [
        rule("allow", ""),
        rule("allow", "  kind = [\"edit\"]\n  path = [\"/**\"]"),
    ] {
        assert_eq!(action(&rules, &outside), Action::Allow, "{rules}");
    }
    let ask = rule("ask", "  kind = [\"edit\"]");
    assert_eq!(
        decide(&policy(&ask), &outside.to_string()).rule.as_deref(),
        Some("r")
    );
}

#[test]
fn a_rule_with_kinds_alone_covers_all_folders_of_the_session_and_no_links_out_of_them() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().canonicalize().unwrap();
    for folder in ["w", "more", "other"] {
        std::fs::create_dir(root.join(folder)).unwrap();
        std::fs::write(root.join(folder).join("file"), "").unwrap();
    }
    std::os::unix::fs::symlink(root.join("other"), root.join("w/link")).unwrap();
    std::fs::hard_link(root.join("other/file"), root.join("w/second")).unwrap();
    let roots = Roots::open([root.join("w"), root.join("more")]).unwrap();
    let folder = roots.folder().unwrap();
    let rules = policy(&rule("allow", "  kind = [\"edit\"]"));
    for (path, expected) in [
        ("w/file", Action::Allow),
        ("w/missing", Action::Allow),
        ("more/file", Action::Allow),
        ("other/missing", Action::Ask),
        ("w/link/missing", Action::Ask),
        ("w/second", Action::Ask),
    ] {
        let mut facts = Facts::writing(root.join(path).to_str().unwrap(), folder);
        facts.follow_links();
        let decision = rules.decide(&facts, folder);
        assert_eq!(decision.action, expected, "{path}: {decision}");
    }
}
