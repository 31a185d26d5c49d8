//! Counts that noise does not touch: system calls, allocations, instructions per request.
//!
//! Each count is the difference of two runs, one with more requests than the other, so what a
//! program does to start and to end is not in it.

use std::fs;
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use bench_harness::child::Program;
use bench_harness::link::{self, Scratch};
use bench_harness::raw::Client;
use bench_harness::row::Row;
use bench_harness::watchdog::Watchdog;
use bench_workload::Size;

use crate::rows::names;

pub struct Counts {
    pub row: Row,
    pub syscalls_sequential: Option<f64>,
    pub syscalls_64: Option<f64>,
    pub allocations: Option<f64>,
    pub instructions: Option<f64>,
    pub instructions_sequential: Option<f64>,
}

/// Requests of the shorter and of the longer run.
struct Span(u64, u64);

/// For those of the rows that are counted, with the tools that are installed.
pub fn count(rows: &[&Row], scratch: &Scratch, quick: bool) -> Vec<Counts> {
    let strace = installed("strace");
    let valgrind = installed("valgrind");
    if !strace && !valgrind {
        return Vec::new();
    }
    let report = |row: &Row, what: &str, outcome: io::Result<f64>| {
        outcome
            .map_err(|error| eprintln!("{} ({what}): {error}", row.name))
            .ok()
    };
    let most_wanted = [names::TYPED_FLOOR, names::READY, names::SPAWNED];
    rows.iter()
        .filter(|row| !quick || most_wanted.contains(&row.name))
        .map(|row| {
            let calls = |window, span| {
                report(
                    row,
                    "strace",
                    per_request(row, &Strace, window, span, scratch),
                )
            };
            let under = |tool: &dyn Tool, window| {
                report(
                    row,
                    "valgrind",
                    per_request(row, tool, window, Span(300, 1_300), scratch),
                )
            };
            let long = if quick {
                Span(2_000, 12_000)
            } else {
                Span(5_000, 55_000)
            };
            Counts {
                row: (*row).clone(),
                syscalls_sequential: strace.then(|| calls(1, Span(200, 1_200))).flatten(),
                syscalls_64: strace.then(|| calls(64, long)).flatten(),
                allocations: valgrind.then(|| under(&Allocations, 64)).flatten(),
                instructions: valgrind.then(|| under(&Instructions, 64)).flatten(),
                instructions_sequential: (valgrind && !quick)
                    .then(|| under(&Instructions, 1))
                    .flatten(),
            }
        })
        .collect()
}

fn installed(tool: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).any(|folder| folder.join(tool).exists())
}

/// A program that runs another one and leaves a report.
trait Tool {
    fn command(&self, report: &Path) -> Vec<String>;
    fn total(&self, report: &str) -> Option<f64>;
}

fn per_request(
    row: &Row,
    tool: &dyn Tool,
    window: usize,
    span: Span,
    scratch: &Scratch,
) -> io::Result<f64> {
    let few = total(row, tool, window, span.0, scratch)?;
    let many = total(row, tool, window, span.1, scratch)?;
    Ok((many - few) / (span.1 - span.0) as f64)
}

fn total(
    row: &Row,
    tool: &dyn Tool,
    window: usize,
    calls: u64,
    scratch: &Scratch,
) -> io::Result<f64> {
    let path = scratch.file("counts");
    let program: Program = row.server.under(&tool.command(&path));
    let (mut server, link) = link::over_pipes_with(&program, Stdio::null())?;
    let watchdog = Watchdog::over(server.pid(), Duration::from_secs(30));
    let mut client = Client::new(link, row.wire)?;
    client.run_exactly(Size::Tiny, window, calls)?;
    client.close();
    server.finish(Duration::from_secs(10))?;
    drop(watchdog);
    let report = fs::read_to_string(&path)?;
    tool.total(&report)
        .ok_or_else(|| io::Error::other("the tool's report has no total"))
}

struct Strace;

impl Tool for Strace {
    fn command(&self, report: &Path) -> Vec<String> {
        ["strace", "-f", "-c", "-o", &report.to_string_lossy()]
            .map(str::to_owned)
            .to_vec()
    }

    /// The last line has the sum; its fourth column is the number of calls.
    fn total(&self, report: &str) -> Option<f64> {
        let line = report
            .lines()
            .rev()
            .find(|line| line.trim_end().ends_with(" total"))?;
        line.split_whitespace().nth(3)?.parse().ok()
    }
}

struct Allocations;

impl Tool for Allocations {
    fn command(&self, report: &Path) -> Vec<String> {
        let log = format!("--log-file={}", report.display());
        [
            "valgrind",
            "--tool=memcheck",
            "--leak-check=no",
            "--undef-value-errors=no",
            &log,
        ]
        .map(str::to_owned)
        .to_vec()
    }

    fn total(&self, report: &str) -> Option<f64> {
        number_after(report, "total heap usage: ")
    }
}

struct Instructions;

impl Tool for Instructions {
    fn command(&self, report: &Path) -> Vec<String> {
        let log = format!("--log-file={}", report.display());
        [
            "valgrind",
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            &log,
        ]
        .map(str::to_owned)
        .to_vec()
    }

    fn total(&self, report: &str) -> Option<f64> {
        number_after(report, "Collected : ")
    }
}

/// valgrind groups digits with commas.
fn number_after(text: &str, label: &str) -> Option<f64> {
    let rest = &text[text.find(label)? + label.len()..];
    let digits: String = rest
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .filter(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_read_from_the_tools_reports() {
        let strace = "% time seconds usecs/call calls errors syscall\n---\n 60.0 0.1 1 20 read\n\
                      ------ --- --- --- --- ---\n100.00    0.000100           3        33         2 total\n";
        assert_eq!(Strace.total(strace), Some(33.0));
        let memcheck = "==1==   total heap usage: 1,234 allocs, 1,230 frees, 5 bytes allocated";
        assert_eq!(Allocations.total(memcheck), Some(1234.0));
        assert_eq!(
            Instructions.total("==1== Collected : 5571000\n"),
            Some(5_571_000.0)
        );
    }
}
