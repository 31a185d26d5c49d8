//! The command on Windows, as a user runs it: the real `tenon.exe`. Its plugins are `tenon echo`, batch files, and this test
//! program again with a task.
//!
//! The transcripts of the other tests are those of a shell of Unix. `scripts/wine-test` runs this one under Wine.

#![cfg(windows)]

mod agents;
mod calls;
mod endings;
mod program;
mod scenarios;
mod sockets;

use std::fs::{File, TryLockError};
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use program::{again, until};

/// What this program does when it is started again.
const TASK: &str = "TENON_TEST_TASK";
/// The file that it holds locked while it lives.
const FILE: &str = "TENON_TEST_FILE";

/// The arguments that make a task of it.
const AS_TASK: [&str; 5] = [
    "--ignored",
    "--exact",
    "process_of_its_own",
    "--nocapture",
    "-q",
];

#[test]
#[ignore = "is not a test but what the tests start"]
fn process_of_its_own() {
    let Ok(task) = std::env::var(TASK) else {
        return;
    };
    let file = PathBuf::from(std::env::var_os(FILE).unwrap_or_default());
    match task.as_str() {
        "answer" => answer(),
        // Holds the file, answers, and does not end when its stdin does.
        "stay" => {
            hold(&file);
            answer();
            wait();
        }
        "parent" => {
            let _child = again("hold", &file);
            until("the grandchild holds its file", || is_held(&file));
            answer();
            wait();
        }
        "hold" => {
            hold(&file);
            wait();
        }
        // The first one is to be killed, the second one ends.
        "hold-once" => {
            if !file.exists() {
                hold(&file);
                wait();
            }
        }
        other => panic!("unknown task {other:?}"),
    }
    std::process::exit(0);
}

/// Answers every call with `"hello"`, up to the end of stdin.
fn answer() {
    let mut id = 0;
    for line in std::io::stdin().lock().lines() {
        line.unwrap();
        id += 1;
        let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":\"hello\"}}\r\n");
        std::io::stdout().write_all(answer.as_bytes()).unwrap();
        std::io::stdout().flush().unwrap();
    }
}

fn wait() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Locks a file as long as this process lives.
fn hold(file: &Path) {
    let file = File::create(file).unwrap();
    file.lock().unwrap();
    std::mem::forget(file);
}

/// Whether a process holds the file.
fn is_held(path: &Path) -> bool {
    let file = File::options().read(true).write(true).open(path);
    file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}
