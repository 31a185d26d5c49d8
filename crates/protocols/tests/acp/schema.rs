//! The JSON Schema of the official TypeScript SDK, checked by a validator on Node.
#![expect(
    clippy::disallowed_methods,
    reason = "these tests start a validator, not a plugin"
)]

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

const WATCHDOG: Duration = Duration::from_secs(60);

/// What the schema says about each value: `ok`, `unknown`, or what is wrong. Nothing if the tools are missing.
pub(crate) fn verdicts(values: &[(String, &str, Value)]) -> Option<Vec<String>> {
    let (node, folder) = match tools() {
        Ok(tools) => tools,
        Err(why) => {
            assert!(
                std::env::var_os("CI").is_none_or(|ci| ci != "true"),
                "{why}"
            );
            let _nobody_reads = writeln!(std::io::stderr(), "skipped: the schema of ACP: {why}");
            return None;
        }
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/acp/validate.mjs");
    let child = Command::new(node)
        .args([script.as_path(), &folder])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines: Vec<String> = { values.iter() }
        .map(|(method, part, value)| {
            format!(
                "{}\n",
                json!({ "method": method, "part": part, "value": value })
            )
        })
        .collect();
    let output = exchange(child, lines.concat());
    Some(output.lines().map(str::to_owned).collect())
}

/// Writes the input, reads the output, and waits for the end; ends the program if that takes too long.
fn exchange(mut child: Child, input: String) -> String {
    let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let (sender, received) = mpsc::sync_channel(1);
    std::thread::spawn(move || {
        let mut output = String::new();
        let read = stdout.read_to_string(&mut output);
        let _timed_out = sender.send(read.map(|_| output));
    });
    let output = received.recv_timeout(WATCHDOG);
    if output.is_err() {
        let _ended = child.kill();
    }
    let status = child.wait().unwrap();
    assert!(status.success(), "the validator ended with {status}");
    writer.join().unwrap().unwrap();
    output.unwrap().unwrap()
}

/// Node, and the folder with the packages of `scripts/locks/acp`.
fn tools() -> Result<(PathBuf, PathBuf), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools/acp");
    if !folder.join("stamp").is_file() {
        return Err("there is no .tools/acp; run scripts/tools".into());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let node = std::env::split_paths(&path)
        .map(|folder| folder.join("node"))
        .find(|file| file.is_file());
    Ok((
        node.ok_or("there is no node on PATH")?,
        folder.canonicalize().unwrap(),
    ))
}
