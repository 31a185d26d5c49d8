//! Secrets are not shown: not in a plan, not in a log, not in an error.

use serde_json::json;

use crate::outcome::Outcome;
use crate::tools::Need;
use crate::trial::trial;
use crate::workspace::Workspace;

const PASSWORD: &str = "password-Ahqu4e";
const TOKEN: &str = "token-eiL9oo";
const LOOKED_UP: &str = "looked-up-Xoh3ie";
const LEASED: &str = "leased-Iey7ae";
const PRIVATE: &str = "private-ohS2ai";
const SECRETS: [&str; 5] = [PASSWORD, TOKEN, LOOKED_UP, LEASED, PRIVATE];

fn configure(workspace: &Workspace, colour: &str) {
    workspace.configure(&format!(
        r#"
ephemeral "denobridge_ephemeral_resource" "a" {{
  path  = "./puppet.py"
  props = {{ name = "lease" }}
}}

data "denobridge_datasource" "a" {{
  path  = "./puppet.py"
  props = {{ name = "data" }}
}}

resource "denobridge_resource" "a" {{
  path  = "./puppet.py"
  props = {{ name = "a", colour = "{colour}" }}
  write_only_props = {{
    token  = "{TOKEN}"
    leased = ephemeral.denobridge_ephemeral_resource.a.sensitive_result.token
    found  = data.denobridge_datasource.a.sensitive_result.text
  }}
}}

output "password" {{
  value     = denobridge_resource.a.sensitive_state.password
  sensitive = true
}}
"#
    ));
}

/// Moves in which every secret appears, and a script that prints everything it knows.
fn moves(workspace: &Workspace, read: &serde_json::Value) {
    let chatter = json!({ "stderr": format!("[WARN] given {TOKEN} and {LEASED}") });
    let kept = json!({ "with": { "sensitiveState": { "password": PASSWORD } } });
    let warning = json!({
        "severity": "warning",
        "summary": format!("Weak: {TOKEN}"),
        "detail": format!("The token {TOKEN} is weak."),
    });
    workspace.moves(&json!({
        "open lease": [{ "result": {
            "result": {},
            "sensitiveResult": { "token": LEASED },
            "privateData": { "key": PRIVATE },
        } }],
        "close": [{ "stderr": format!("closing {PRIVATE}") }, { "result": { "done": true } }],
        "read data": [{ "result": { "result": {}, "sensitiveResult": { "text": LOOKED_UP } } }],
        "create a": [chatter, kept, { "with": { "diagnostics": [warning] } }],
        "update a": [chatter, kept],
        "read a": read,
    }));
}

/// Terraform writes this for every dynamic attribute in a state, whatever the provider.
const SAID_BY_TERRAFORM: &str = "UpgradeResourceState: ignoring dynamic block";

fn tells_no_secret(outcome: &Outcome) {
    let lines = outcome.stdout.lines().chain(outcome.stderr.lines());
    for line in lines.filter(|line| !line.contains(SAID_BY_TERRAFORM)) {
        let told = SECRETS.iter().find(|secret| line.contains(**secret));
        assert_eq!(told, None, "by {}: {line}", outcome.command);
    }
}

#[test]
fn a_debug_log_shows_every_frame_without_its_secrets() {
    trial(&[], |workspace| {
        workspace.set("TF_LOG", "debug");
        let usual = json!([
            { "stderr": format!("still {PASSWORD}") },
            { "with": { "sensitiveState": { "password": PASSWORD } } },
        ]);
        moves(workspace, &usual);
        configure(workspace, "visible-red");
        let applied = workspace.apply();
        tells_no_secret(&applied);
        applied.says("Warning: Weak: ");
        for frame in [
            "create",
            "health",
            "open",
            "close",
            "writeOnlyProps",
            "visible-red",
        ] {
            assert!(applied.stderr.contains(frame), "no {frame} in the log");
        }
        assert!(applied.stderr.contains("[WARN]"), "the level of a line");
        assert_eq!(workspace.output("password"), PASSWORD);

        let planned = workspace.assert_nothing_to_do();
        tells_no_secret(&planned);
        assert!(planned.stderr.contains("still "), "what scripts say");

        configure(workspace, "visible-blue");
        tells_no_secret(&workspace.apply());
        tells_no_secret(&workspace.destroy());
    });
}

/// The state contains sensitive values, as Terraform requires, but no write-only or ephemeral ones.
#[test]
fn a_state_has_no_secret_but_the_sensitive_state() {
    trial(&[], |workspace| {
        moves(
            workspace,
            &json!([{ "with": { "sensitiveState": { "password": PASSWORD } } }]),
        );
        configure(workspace, "red");
        let applied = workspace.apply();
        tells_no_secret(&applied);
        applied.says("sensitive_state = (sensitive value)");
        let state = workspace.read("terraform.tfstate");
        assert!(state.contains(PASSWORD));
        for secret in [TOKEN, LEASED, PRIVATE] {
            assert!(!state.contains(secret), "{secret}");
        }
        workspace.destroy();
    });
}

#[test]
fn an_error_tells_no_secret() {
    trial(&[], |workspace| {
        let thrown = json!({ "code": -32000, "message": format!("the token {TOKEN} is refused") });
        let crash = json!([{ "stderr": format!("the token {TOKEN} kills me") }, { "exit": 3 }]);
        configure(workspace, "red");
        moves(workspace, &json!([]));
        for (moves, seen) in [
            (json!([{ "error": thrown }]), "is refused"),
            (crash, "kills me"),
        ] {
            workspace.moves(&json!({
                "open lease": [{ "result": { "result": {}, "sensitiveResult": { "token": LEASED } } }],
                "read data": [{ "result": { "result": {}, "sensitiveResult": { "text": LOOKED_UP } } }],
                "create a": moves,
            }));
            let failed = workspace.apply_fails();
            failed.says(seen);
            tells_no_secret(&failed);
        }
    });
}

/// A token that is known only as a part of a header, a secret with all characters that are escaped, and
/// a word that Tenon's own messages use.
fn configure_blabber(workspace: &Workspace, script: &str, how: &str) {
    workspace.configure(&format!(
        r#"
resource "denobridge_resource" "a" {{
  path        = "./{script}"
  permissions = {{ all = true }}
  props       = {{ how = "{how}" }}
  write_only_props = {{
    header = "Bearer geheim.token-0123"
    secret = "Zürich's \"geheim\"/<&>\\+ key"
    word   = "Script"
  }}
}}
"#
    ));
}

/// No spelling of a secret is in the diagnostics or in the log of the provider.
fn blabbers_are_silenced(workspace: &mut Workspace, script: &str) {
    workspace.set("TF_LOG_PROVIDER", "trace");
    for (how, seen) in [
        ("exit", "exit status: 3"),
        ("error", "refused: "),
        ("answer", "Warning: Said"),
    ] {
        configure_blabber(workspace, script, how);
        let outcome = workspace.run("apply -auto-approve -no-color");
        outcome.says(seen);
        let printed = format!("{}\n{}", outcome.stdout, outcome.stderr);
        let spellings = serde_json::from_str(&workspace.read("spellings.json"));
        let mut spellings: Vec<String> = spellings.expect("what it said");
        spellings.push("geheim".to_owned());
        let lines = printed.lines();
        for line in lines.filter(|line| !line.contains(SAID_BY_TERRAFORM)) {
            let told = { spellings.iter() }.find(|spelling| line.contains(spelling.as_str()));
            assert_eq!(told, None, "{how}: {line}");
        }
        assert!(
            printed.contains("a frame that is not a message"),
            "{printed}"
        );
        if how != "answer" {
            // A secret that is one of our words does not mask our own messages.
            outcome.says(&format!("Script: ./{script}"));
        }
    }
    workspace.destroy();
}

#[test]
fn no_spelling_of_a_secret_by_python_is_shown() {
    trial(&[], |workspace| {
        blabbers_are_silenced(workspace, "blabber.py");
    });
}

#[test]
fn no_spelling_of_a_secret_by_javascript_is_shown() {
    trial(&[Need::Deno], |workspace| {
        blabbers_are_silenced(workspace, "blabber.ts");
    });
}
