//! What a request costs, in counts that noise does not touch: allocations, system calls and
//! instructions. Only an optimised build is worth counting: `cargo test --profile dist --test counts`.

#![cfg(unix)]
#![cfg(not(debug_assertions))]
#![expect(
    clippy::disallowed_methods,
    reason = "the programs that count have to start the plugin themselves"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TENON: &str = env!("CARGO_BIN_EXE_tenon");

fn request(number: usize) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{number},\"method\":\"add\",\"params\":[{number},1]}}\n")
}

/// Where a program is: on PATH, or where `scripts/tools` put it. Without it the test is skipped,
/// but not where everything must be tested.
fn find(program: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tools");
    let fetched = folder.join(program).join(program);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .chain([fetched])
        .find(|file| file.is_file());
    if found.is_none() {
        let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
        assert!(!is_ci, "{program} is missing");
        tell(format_args!("skipped: {program} is not installed"));
    }
    found
}

#[expect(clippy::print_stderr, reason = "the tests' own talk")]
fn tell(line: impl std::fmt::Display) {
    eprintln!("{line}");
}

/// Talks to a plugin.
type Drive = Box<dyn FnOnce(&mut dyn Write, &mut dyn BufRead)>;

/// Counts the system calls of a plugin while `drive` talks to it.
fn system_calls(strace: &Path, drive: Drive) -> f64 {
    let report = tempfile::NamedTempFile::new().unwrap();
    let mut child = Command::new(strace)
        .args(["-f", "-c", "-o"])
        .arg(report.path())
        .args([TENON, "echo"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    drive(&mut stdin, &mut stdout);
    drop(stdin);
    child.wait().unwrap();
    let report = std::fs::read_to_string(report.path()).unwrap();
    // `100.00    0.001   1   1234    5 total`: the fourth column is the number of calls.
    let total = report.lines().last().unwrap();
    total.split_whitespace().nth(3).unwrap().parse().unwrap()
}

fn one_at_a_time(count: usize) -> Drive {
    Box::new(move |stdin, stdout| {
        let mut answer = String::new();
        for number in 0..count {
            stdin.write_all(request(number).as_bytes()).unwrap();
            answer.clear();
            stdout.read_line(&mut answer).unwrap();
            assert!(
                answer.contains(&format!("\"result\":{}", number + 1)),
                "{answer}"
            );
        }
    })
}

fn sixty_four_at_a_time(rounds: usize) -> Drive {
    Box::new(move |stdin, stdout| {
        let mut answer = String::new();
        for _ in 0..rounds {
            let requests: String = (0..64).map(request).collect();
            stdin.write_all(requests.as_bytes()).unwrap();
            for _ in 0..64 {
                answer.clear();
                stdout.read_line(&mut answer).unwrap();
            }
        }
    })
}

#[test]
fn system_calls_per_request() {
    let Some(strace) = find("strace") else {
        return;
    };
    let count = |drive: Drive| system_calls(&strace, drive);
    // Starting and ending costs the same each time: only the difference counts.
    let sequential = count(one_at_a_time(2300)) - count(one_at_a_time(300));
    let sequential = sequential / 2000.0;
    tell(format_args!(
        "{sequential:.3} system calls for each request on its own"
    ));
    assert!(sequential <= 3.2, "{sequential}");
    let windowed = count(sixty_four_at_a_time(230)) - count(sixty_four_at_a_time(30));
    let windowed = windowed / (200.0 * 64.0);
    tell(format_args!(
        "{windowed:.3} system calls for each request with 64 in flight"
    ));
    assert!(windowed <= 0.1, "{windowed}");
}

fn instructions(valgrind: &Path, count: usize) -> u64 {
    let mut child = Command::new(valgrind)
        .args([
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            TENON,
            "echo",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let requests: String = (0..count).map(request).collect();
    let mut stdout = child.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut answers = String::new();
        stdout.read_to_string(&mut answers).unwrap();
        answers.lines().count()
    });
    stdin.write_all(requests.as_bytes()).unwrap();
    drop(stdin);
    let mut report = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut report)
        .unwrap();
    child.wait().unwrap();
    assert_eq!(reader.join().unwrap(), count, "an answer for each request");
    let line = report
        .lines()
        .find(|line| line.contains("Collected"))
        .unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

#[test]
fn instructions_per_request() {
    let Some(valgrind) = find("valgrind") else {
        return;
    };
    let each = (instructions(&valgrind, 2300) - instructions(&valgrind, 300)) as f64 / 2000.0;
    tell(format_args!("{each:.0} instructions for each request"));
    assert!(each <= 9000.0, "{each}");
}
