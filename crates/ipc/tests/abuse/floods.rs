//! More messages than anybody needs.

use std::fmt::Write as _;
use std::io::Write;

use serde_json::json;

use crate::subject::Subject;
use crate::subject::caller::{Caller, pour, request};

/// What waits in both directions is bounded: 1 MiB of requests and 8 MiB of answers, and some
/// more for what is being worked on.
const BOUND: u64 = 128;

/// Lines in pieces of about a hundred kilobytes.
fn in_pieces(lines: impl Iterator<Item = String>) -> impl Iterator<Item = String> {
    let mut lines = lines.peekable();
    std::iter::from_fn(move || {
        lines.peek()?;
        let mut piece = String::new();
        while piece.len() < 100_000
            && let Some(line) = lines.next()
        {
            piece.push_str(&line);
        }
        Some(piece)
    })
}

/// Each is answered, whatever else has the same id.
#[test]
fn a_million_calls_with_one_id() {
    const COUNT: usize = 1_000_000;
    let subject = Subject::start(100);
    subject.withstands(BOUND, || {
        let lines = std::iter::repeat_n(request(7, "echo", "[1]"), COUNT);
        let answers = pour(subject.path(), in_pieces(lines));
        assert_eq!(answers.lines, COUNT as u64, "{answers:?}");
        assert!(
            answers.end.ends_with("\"id\":7,\"result\":[1]}\n"),
            "{answers:?}"
        );
    });
    assert!(subject.status().echoes >= COUNT as u64);
}

#[test]
fn answers_to_nothing() {
    let subject = Subject::start(100);
    subject.withstands(BOUND, || {
        let lines = (0..100_000).map(|id| match id % 3 {
            0 => format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":[{id}]}}\n"),
            1 => format!("{{\"jsonrpc\":\"2.0\",\"id\":\"{id}\",\"result\":null}}\n"),
            _ => format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{{\"code\":1,\"message\":\"{id}\"}}}}\n"
            ),
        });
        let last = request(1, "echo", "[\"last\"]");
        let answers = pour(subject.path(), in_pieces(lines.chain([last])));
        assert_eq!(answers.start, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[\"last\"]}\n");
    });
}

/// Each has a name of its own, so a server that remembered them would need half a gigabyte.
#[test]
fn a_million_events_without_a_handler() {
    const COUNT: usize = 1_000_000;
    let subject = Subject::start(100);
    subject.withstands(BOUND, || {
        let padding = "x".repeat(COUNT / 1000);
        let lines = (0..COUNT).map(|number| {
            let longer = &padding[..number / 1000];
            format!("{{\"jsonrpc\":\"2.0\",\"method\":\"unknown/{number}{longer}\"}}\n")
        });
        let last = request(1, "echo", "[\"last\"]");
        let answers = pour(subject.path(), in_pieces(lines.chain([last])));
        assert_eq!(
            answers.start,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[\"last\"]}\n"
        );
    });
}

#[test]
fn batches_as_large_as_they_may_be() {
    const COUNT: u64 = 300;
    let subject = Subject::start(100);
    subject.withstands(BOUND, || {
        let batch = |size: u64| {
            let requests: Vec<String> = (0..size)
                .map(|id| request(id, "echo", "[1]").trim_end().to_owned())
                .collect();
            format!("[{}]\n", requests.join(","))
        };
        let (full, over) = (batch(1024), batch(1025));
        let batches = (0..COUNT).map(|number| match number % 3 {
            // Larger than what can be sent at once, so many are in pieces.
            0 | 1 => full.clone(),
            _ => over.clone(),
        });
        let answers = pour(subject.path(), batches);
        // One line for each batch, also for those that are refused.
        assert_eq!(answers.lines, COUNT, "{answers:?}");
        assert!(answers.end.contains("\"code\":-32600"), "{answers:?}");
    });
    assert!(subject.status().echoes >= COUNT / 3 * 2 * 1024);
}

/// What is not a message costs an answer, too.
#[test]
fn lines_of_one_character() {
    const COUNT: usize = 500_000;
    let subject = Subject::start(100);
    subject.withstands(BOUND, || {
        let lines = std::iter::repeat_n("x\n".to_owned(), COUNT);
        let answers = pour(subject.path(), in_pieces(lines));
        assert_eq!(answers.lines, COUNT as u64, "{answers:?}");
    });
}

/// A thousand handlers run, four thousand calls wait, and several clients take back calls that
/// nobody made, before they take back their own.
#[test]
fn cancellations_of_everything_and_nothing() {
    const CALLS: u64 = 5_000;
    const OTHERS: u64 = 50_000;
    const CLIENTS: usize = 4;
    let cancel = |id: u64| {
        format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{{\"id\":{id}}}}}\n"
        )
    };
    let subject = Subject::start(100);
    subject.withstands(BOUND, || {
        let client = || {
            let calls = (0..CALLS).map(|id| request(id, "hang", "[]"));
            let others = (CALLS..CALLS + OTHERS).map(cancel);
            // Each twice: the second time there is nothing left.
            let own = (0..CALLS * 2).map(|id| cancel(id / 2));
            let answers = pour(subject.path(), in_pieces(calls.chain(others).chain(own)));
            assert_eq!(answers.lines, CALLS, "{answers:?}");
            assert!(answers.end.contains("\"code\":-32800"), "{answers:?}");
        };
        std::thread::scope(|scope| {
            for client in [client; CLIENTS] {
                scope.spawn(client);
            }
        });
    });
}

/// Every call that waits comes in a read of its own, so that it may hold on to a whole buffer.
#[test]
fn calls_that_wait_one_by_one() {
    const CALLS: u64 = 4_000;
    let subject = Subject::start(100);
    subject.withstands(BOUND, || {
        let mut caller = Caller::connect(subject.path());
        for id in 0..CALLS {
            let line = request(id, "hang", "[\"something to hold on to\"]");
            caller.stream().write_all(line.as_bytes()).unwrap();
            // Once this is answered, that has been read as well.
            subject.status();
        }
    });
}

#[test]
fn ids_and_names_of_a_megabyte() {
    let subject = Subject::start(100);
    subject.withstands(BOUND, || {
        let long = "x".repeat(1024 * 1024);
        let mut caller = Caller::connect(subject.path());
        for _ in 0..20 {
            let mut line = String::new();
            write!(
                line,
                "{{\"jsonrpc\":\"2.0\",\"id\":\"{long}\",\"method\":\"{long}\"}}"
            )
            .unwrap();
            writeln!(caller.stream(), "{line}").unwrap();
            let answer = caller.read();
            assert_eq!(answer["id"], json!(long));
            assert_eq!(answer["error"]["code"], json!(-32601));
        }
    });
}
