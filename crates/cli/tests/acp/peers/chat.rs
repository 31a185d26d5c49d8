//! `tenon acp chat` with agents of others, directly and through the guard.

use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::programs::{CHANGED, Command, Sdk, Sdks, guarded, opencode};
use crate::support::program::Program;
use crate::support::shell::{Outcome, Shell};
use crate::support::terminal::Step::{Expect, Send};
use crate::support::terminal::{CONTROL_C, CONTROL_D, session};
use crate::support::trial::{optional_trial, trial_within};

/// Several runtimes are started, one after the other, on a busy machine.
const WATCHDOG: Duration = Duration::from_secs(600);

const POLICY: &str = r#"
rule "notes" {
  action = "allow"
  kind   = ["edit"]
  path   = ["notes.txt"]
}

rule "counting" {
  action  = "allow"
  kind    = ["execute"]
  command = ["wc *"]
}
"#;

/// A folder with notes, and an agent that works in it.
struct Place {
    shell: Shell,
    agent: Command,
}

impl Place {
    fn new(agent: Command) -> Place {
        let shell = Shell::new();
        shell.file("notes.txt", "one\n");
        Place { shell, agent }
    }

    fn line(&self, options: &str) -> String {
        let quoted = |word: &String| format!("'{}'", word.replace('\'', r"'\''"));
        let agent: Vec<String> = self.agent.iter().map(quoted).collect();
        format!("tenon acp chat {options} -- {}", agent.join(" "))
    }

    async fn chat(&self, options: &str) -> Outcome {
        self.shell.run_unnoted(&self.line(options)).await
    }

    fn read(&self, name: &str) -> Option<String> {
        std::fs::read_to_string(self.shell.path(name)).ok()
    }

    /// Sends a prompt as events, interrupts it when this is said, and returns the events.
    async fn interrupt(&self, options: &str, said: &str) -> Vec<Value> {
        let program = Program::start(&self.shell, &self.line(options));
        program.stdout.line_with(said).await;
        program.signal(Signal::INT);
        let ended = program.ended().await;
        assert_eq!(ended.code, Some(130), "{}{}", ended.stdout, ended.stderr);
        events(&ended)
    }
}

fn events(outcome: &Outcome) -> Vec<Value> {
    let parse = |line| serde_json::from_str(line).expect("an event");
    outcome.stdout.lines().map(parse).collect()
}

/// The only event of a name.
#[track_caller]
fn event<'a>(events: &'a [Value], name: &str) -> &'a Value {
    let mut found = events.iter().filter(|event| event["event"] == name);
    let event = found
        .next()
        .unwrap_or_else(|| panic!("{name}: {events:#?}"));
    assert!(found.next().is_none(), "{name}: {events:#?}");
    event
}

#[track_caller]
fn assert_shows(outcome: &Outcome, code: i32, parts: &[&str]) {
    let Outcome { stdout, stderr, .. } = outcome;
    assert_eq!(outcome.code, Some(code), "{stdout}{stderr}");
    for part in parts {
        assert!(stderr.contains(part), "{part}: {stderr}");
    }
}

/// An agent as it is, and behind the guard.
fn both(agent: &Command) -> [Command; 2] {
    [agent.clone(), guarded(&[], agent.clone())]
}

#[tokio::test]
async fn agents_of_both_sdks_do_what_the_rules_allow() {
    trial_within(WATCHDOG, Sdks::installed(), async |sdks, _| {
        for agent in Sdk::ALL.map(|sdk| sdks.agent(sdk)).iter().flat_map(both) {
            let place = Place::new(agent);
            // Without a rule and without a user.
            let outcome = place.chat("--prompt everything").await;
            let hint = "rejected, because no rule allows it: edit: Change the notes";
            assert_shows(
                &outcome,
                1,
                &[hint, "--allow edit", "✗ edit: Change the notes"],
            );
            assert_eq!(place.read("notes.txt").unwrap(), "one\n");
            // Denied by a rule: that is a decision, and not a failure.
            let outcome = place
                .chat("--prompt everything --deny edit --allow execute")
                .await;
            assert_shows(
                &outcome,
                0,
                &["denied by --deny edit", "✓ execute: Count the notes"],
            );
            assert_eq!(place.read("notes.txt").unwrap(), "one\n");

            let options = "--prompt everything --allow edit:notes.txt --allow 'execute:wc *'";
            let outcome = place.chat(options).await;
            let shown = [
                "Where are the notes?",
                "▸ Change the notes",
                "+ changed by the agent",
            ];
            assert_shows(&outcome, 0, &shown);
            assert_eq!(outcome.stdout, "I read the notes. \nDone.\n");
            assert_eq!(place.read("notes.txt").unwrap(), CHANGED);
        }
    })
    .await;
}

#[tokio::test]
async fn agents_of_both_sdks_are_driven_by_scripts() {
    trial_within(WATCHDOG, Sdks::installed(), async |sdks, _| {
        for agent in Sdk::ALL.map(|sdk| sdks.agent(sdk)).iter().flat_map(both) {
            let place = Place::new(agent);
            place.shell.file("policy.hcl", POLICY);
            let outcome = place
                .chat("--json --prompt everything --policy policy.hcl")
                .await;
            assert_shows(&outcome, 0, &[]);
            let seen = events(&outcome);
            assert_eq!(event(&seen, "turn")["stopReason"], "end_turn");
            let rules = seen.iter().filter(|event| event["event"] == "permission");
            let rules: Vec<&Value> = rules.map(|event| &event["rule"]).collect();
            assert_eq!(rules, ["notes", "counting"]);
            assert_eq!(place.read("notes.txt").unwrap(), CHANGED);

            let seen = place.interrupt("--json --prompt wait", "Waiting. ").await;
            assert_eq!(event(&seen, "turn")["stopReason"], "cancelled");

            // Sessions of these agents end with them.
            let outcome = place.chat("--prompt everything --resume unknown").await;
            assert_shows(&outcome, 1, &["the agent does not know this session"]);
        }
    })
    .await;
}

/// A prompt that makes the stand-in for the model write a file.
fn writing(folder: &Path, name: &str) -> String {
    let file = json!({ "filePath": folder.join(name), "content": "hello" });
    format!("TOOL:write:{file}")
}

#[tokio::test]
async fn opencode_edits_is_cancelled_and_resumes_a_session() {
    optional_trial(WATCHDOG, opencode(), async |(sdks, opencode), _| {
        for is_guarded in [false, true] {
            let home = tempfile::tempdir().expect("a folder");
            let mut agent = sdks.with_service("opencode", home.path(), opencode.clone());
            if is_guarded {
                agent = guarded(&[], agent);
            }
            let place = Place::new(agent);
            let folder = place.shell.path("").canonicalize().expect("a folder");
            let prompt = |name: &str| format!("--prompt '{}'", writing(&folder, name));

            let outcome = place.chat(&prompt("a.txt")).await;
            assert_shows(
                &outcome,
                1,
                &["rejected, because no rule allows it: edit", "--allow edit"],
            );
            assert_eq!(place.read("a.txt"), None);
            let options = format!("{} --allow 'edit:*.txt'", prompt("b.txt"));
            let outcome = place.chat(&options).await;
            assert_shows(&outcome, 0, &["allowed by --allow edit:*.txt", "+ hello"]);
            assert_eq!(outcome.stdout, "Working. \nAll done.\n");
            assert_eq!(place.read("b.txt").as_deref(), Some("hello"));

            let seen = place.interrupt("--json --prompt SLOW", "Slowly. ").await;
            assert_eq!(event(&seen, "turn")["stopReason"], "cancelled");
            let id = event(&seen, "session")["sessionId"]
                .as_str()
                .expect("an id");
            let outcome = place.chat("--list").await;
            assert_shows(&outcome, 0, &[]);
            assert!(outcome.stdout.contains(id), "{}", outcome.stdout);
            // One prompt needs no history, a talk begins with it.
            let outcome = place
                .chat(&format!("--resume {id} --prompt 'Say hello'"))
                .await;
            assert_shows(&outcome, 0, &[]);
            assert_eq!(outcome.stdout, "Hello.\n");
            let line = format!(
                "echo 'Say hello' | {}",
                place.line(&format!("--resume {id}"))
            );
            let outcome = place.shell.run_unnoted(&line).await;
            assert_shows(&outcome, 0, &["> SLOW", "Slowly.", "> Say hello", "Hello."]);
            assert_eq!(outcome.stdout, "Hello.\n");
        }
    })
    .await;
}

/// opencode takes an answer `cancelled` for a rejection if it does not know yet that the turn is cancelled.
#[tokio::test]
async fn opencode_is_cancelled_while_it_asks_for_permission() {
    optional_trial(WATCHDOG, opencode(), async |(sdks, opencode), _| {
        let home = tempfile::tempdir().expect("a folder");
        let agent = sdks.with_service("opencode", home.path(), opencode);
        let place = Place::new(agent);
        let folder = place.shell.path("").canonicalize().expect("a folder");
        let prompt = format!("{}\r", writing(&folder, "a.txt"));
        let steps = [
            Expect("> "),
            Send(&prompt),
            Expect("? edit: "),
            Expect("[y] "),
            Send(CONTROL_C),
            Expect("cancelling"),
            Expect("cancelled"),
            Expect("> "),
            Send("Say hello\r"),
            Expect("Hello."),
            Expect("> "),
            Send(CONTROL_D),
        ];
        let line = format!("exec {}", place.line(""));
        session(&place.shell, &line, &steps).await;
        assert_eq!(place.read("a.txt"), None);
    })
    .await;
}
