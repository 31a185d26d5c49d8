//! A server in its own folder.

use std::path::PathBuf;

use rustix::process::Signal;
use serde_json::Value;
use tenon_ipc::{Client, ClientSettings};
use tenon_rpc::Router;

use crate::support::program::{Program, eventually};
use crate::support::shell::{Outcome, Shell};
use crate::wire::Wire;

/// A `tenon serve` that runs. Its socket is `s` in its folder.
pub(crate) struct Serving {
    pub(crate) shell: Shell,
    pub(crate) program: Program,
}

/// A server that has ended, and what it leaves behind.
pub(crate) struct Stopped {
    pub(crate) shell: Shell,
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Serving {
    /// Starts a server with these options and this plugin, `--timeout 1s -- tenon echo`, and waits
    /// until it listens.
    pub(crate) async fn start(options: &str) -> Serving {
        Serving::start_in(Shell::new(), options).await
    }

    /// Starts a server in a folder that has something in it already.
    pub(crate) async fn start_in(shell: Shell, options: &str) -> Serving {
        let mut serving = Serving::spawn(shell, options);
        serving.listens().await;
        serving
    }

    /// Waits until it listens.
    pub(crate) async fn listens(&mut self) {
        eventually("a server that listens", || {
            let program = &mut self.program;
            let is_over = program.has_ended();
            assert!(!is_over, "it came to {}", program.stderr.text());
            program.stderr.text().contains("listening")
                || program.stdout.text().contains("listening")
        })
        .await;
    }

    /// Starts a server, and does not wait for it.
    pub(crate) fn spawn(shell: Shell, options: &str) -> Serving {
        Serving::spawn_as(shell, "tenon", options)
    }

    /// Starts a server by another command than `tenon`, and does not wait for it.
    pub(crate) fn spawn_as(shell: Shell, command: &str, options: &str) -> Serving {
        let line = format!("{command} serve --socket ./s {options}");
        let program = Program::start(&shell, &line);
        Serving { shell, program }
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.shell.path("s")
    }

    /// A client of the library.
    pub(crate) async fn client(&self) -> Client {
        self.client_with(Router::new(())).await
    }

    /// A client that answers what it is asked.
    pub(crate) async fn client_with(&self, router: Router<()>) -> Client {
        let socket = self.socket();
        let name = socket.to_str().expect("a plain path");
        let client = Client::connect_with(name, router, ClientSettings::default()).await;
        client.expect("a server that listens")
    }

    /// A client that sends exactly the given bytes.
    pub(crate) fn wire(&self) -> Wire {
        Wire::connect(&self.socket())
    }

    /// `tenon call` with these words.
    pub(crate) async fn call(&self, words: &str) -> Outcome {
        let line = format!("tenon call {words} --socket ./s");
        self.shell.run_unnoted(&line).await
    }

    /// Waits until a line on stderr has this in it, and gives the line.
    pub(crate) async fn says(&self, text: &str) -> String {
        self.program.stderr.line_with(text).await
    }

    /// Waits until an event on stdout has this in it, with `--json`.
    pub(crate) async fn tells(&self, text: &str) -> Value {
        let line = self.program.stdout.line_with(text).await;
        serde_json::from_str(&line).expect("JSON")
    }

    /// What the plugin was sent (`out`) or what it sent (`in`), with `--record record`.
    pub(crate) fn frames(&self, direction: &str) -> Vec<Value> {
        frames(&self.shell, direction)
    }

    /// Waits for the end of the server. No process that it started may be left.
    pub(crate) async fn ended(self) -> Stopped {
        let ended = self.program.ended().await;
        Stopped {
            shell: self.shell,
            code: ended.code,
            stdout: ended.stdout,
            stderr: ended.stderr,
        }
    }

    /// Ends the server, which has to succeed.
    pub(crate) async fn stop(self) -> Stopped {
        self.program.signal(Signal::TERM);
        let stopped = self.ended().await;
        assert_eq!(stopped.code, Some(0), "{}", stopped.stderr);
        assert!(!stopped.shell.path("s").exists(), "the socket is left");
        stopped
    }
}

/// The frames in a recording that went this way.
pub(crate) fn frames(shell: &Shell, direction: &str) -> Vec<Value> {
    let recorded = std::fs::read_to_string(shell.path("record")).expect("a recording");
    let records = recorded.lines().map(|line| {
        let record: Value = serde_json::from_str(line).expect("JSON");
        record
    });
    let wanted = records.filter(|record| record["direction"] == direction);
    wanted.map(|record| record["frame"].clone()).collect()
}
