//! Programs on a pseudo-terminal, with what is typed there.

use std::path::Path;

use serde_json::{Value, json};

use super::shell::Shell;

/// Something that is done at a terminal.
pub(crate) enum Step<'a> {
    /// Waits until this is printed after what was expected before.
    Expect(&'a str),
    /// Types this.
    Send(&'a str),
    /// Opens a FIFO that a program waits for.
    Open(&'a str),
}

/// How a program on a terminal ended.
pub(crate) struct Session {
    pub(crate) code: i64,
    /// What it wrote, without escape sequences and carriage returns.
    pub(crate) screen: String,
    /// Everything that it wrote.
    pub(crate) raw: String,
}

pub(crate) const CONTROL_A: &str = "\u{1}";
pub(crate) const CONTROL_C: &str = "\u{3}";
pub(crate) const CONTROL_D: &str = "\u{4}";
pub(crate) const LEFT: &str = "\u{1b}[D";
pub(crate) const UP: &str = "\u{1b}[A";

/// A session with `tenon echo`.
pub(crate) const REPL: &str = "exec tenon call --repl -- tenon echo";

/// Runs a line of shell on a terminal.
pub(crate) async fn at_a_terminal(shell: &Shell, line: &str, steps: &[Step<'_>]) -> Session {
    let steps: Vec<Value> = steps
        .iter()
        .map(|step| match step {
            Step::Expect(text) => json!(["expect", text]),
            Step::Send(text) => json!(["send", text]),
            Step::Open(fifo) => json!(["open", fifo]),
        })
        .collect();
    let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/terminal.py");
    let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    let command = format!(
        "TERM=xterm XDG_STATE_HOME=$PWD/state python3 {} {} sh -c {}",
        driver.display(),
        quoted(&Value::from(steps).to_string()),
        quoted(line)
    );
    let outcome = shell.run_unnoted(&command).await;
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let said: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let text = |name: &str| said[name].as_str().expect("text").to_owned();
    Session {
        code: said["code"].as_i64().expect("a code"),
        screen: text("screen").replace('\r', ""),
        raw: text("raw"),
    }
}

/// Runs a session that has to end with exit code 0, and returns what was on the screen.
pub(crate) async fn session(shell: &Shell, line: &str, steps: &[Step<'_>]) -> String {
    let session = at_a_terminal(shell, line, steps).await;
    assert_eq!(session.code, 0, "{}", session.screen);
    session.screen
}
