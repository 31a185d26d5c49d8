//! What signals do to a plugin.

use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin};

use crate::program::{in_time, rust, start};

/// A plugin whose only action waits for a file.
struct Patient {
    child: Child,
    /// It stays open: the plugin must not end by its end.
    stdin: ChildStdin,
    stderr: BufReader<ChildStderr>,
    folder: TempDir,
}

/// The call in the form of each host, and what the answer has in it.
fn hosts(file: &str) -> [(String, &'static str); 3] {
    let attrs = json!({ "file": file });
    let execute =
        json!({ "id": 1, "method": "execute", "params": { "action": "wait", "attrs": attrs } });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "wait", "params": attrs });
    let invoke =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "invoke", "params": { "props": attrs } });
    [
        (execute.to_string(), "\"outputs\":{}"),
        (call.to_string(), "\"result\":null"),
        (invoke.to_string(), "\"done\":true"),
    ]
}

impl Patient {
    fn start() -> Patient {
        let mut child = start(&rust("patient"), &[]);
        Patient {
            stdin: child.stdin.take().unwrap(),
            stderr: BufReader::new(child.stderr.take().unwrap()),
            child,
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn file(&self) -> String {
        self.folder.path().join("file").display().to_string()
    }

    /// Sends a message, and waits until the action runs.
    async fn call(&mut self, message: &str) {
        let line = format!("{message}\n");
        self.stdin.write_all(line.as_bytes()).await.unwrap();
        let mut said = String::new();
        self.stderr.read_line(&mut said).await.unwrap();
        assert_eq!(said, "waiting\n");
    }

    fn signal(&self, signal: Signal) {
        if let Some(id) = self.child.id() {
            kill_process(Pid::from_raw(id as i32).unwrap(), signal).unwrap();
        }
    }

    /// How it ended, with what it wrote.
    async fn end(mut self) -> (ExitStatus, String, String) {
        let (mut stdout, mut stderr) = (String::new(), String::new());
        let mut pipe = self.child.stdout.take().unwrap();
        pipe.read_to_string(&mut stdout).await.unwrap();
        self.stderr.read_to_string(&mut stderr).await.unwrap();
        (self.child.wait().await.unwrap(), stdout, stderr)
    }
}

#[tokio::test]
async fn a_signal_finishes_what_runs_and_calls_shutdown() {
    for signal in [Signal::TERM, Signal::INT] {
        for host in 0..3 {
            let mut plugin = Patient::start();
            let file = plugin.file();
            let (message, answer) = hosts(&file)[host].clone();
            in_time(&rust("patient"), async {
                plugin.call(&message).await;
                plugin.signal(signal);
                std::fs::write(&file, "").unwrap();
                let (status, stdout, stderr) = plugin.end().await;
                assert!(status.success(), "{status}: {stderr}");
                assert!(stdout.contains(answer), "{stdout}");
                assert_eq!(stderr, "goodbye\n");
            })
            .await;
        }
    }
}

#[tokio::test]
async fn a_plugin_that_was_never_called_says_goodbye_too() {
    let plugin = Patient::start();
    in_time(&rust("patient"), async {
        // It may be too early: the process is still being started, and a signal would end it without a word.
        until_it_catches(&plugin).await;
        plugin.signal(Signal::TERM);
        let (status, stdout, stderr) = plugin.end().await;
        assert!(status.success(), "{status}");
        assert_eq!((stdout.as_str(), stderr.as_str()), ("", "goodbye\n"));
    })
    .await;
}

/// Waits until the process has a handler for SIGTERM.
async fn until_it_catches(plugin: &Patient) {
    let status = format!("/proc/{}/status", plugin.child.id().unwrap());
    loop {
        let text = std::fs::read_to_string(&status).unwrap();
        let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = u64::from_str_radix(caught.unwrap().trim(), 16).unwrap();
        if caught & (1 << (Signal::TERM.as_raw() - 1)) != 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_second_signal_ends_a_plugin_that_does_not_come_to_an_end() {
    let mut plugin = Patient::start();
    let (message, _) = hosts(&plugin.file())[0].clone();
    in_time(&rust("patient"), async {
        plugin.call(&message).await;
        // Signals that come before the first one is seen count as one.
        while plugin.child.try_wait().unwrap().is_none() {
            plugin.signal(Signal::TERM);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        let (status, stdout, _) = plugin.end().await;
        assert_eq!(status.code(), Some(143));
        assert_eq!(stdout, "");
    })
    .await;
}
