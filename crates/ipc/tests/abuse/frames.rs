//! Frames that are too long, too deep, unfinished, or none at all.

use std::io::Write;
use std::iter::repeat_n;

use serde_json::json;

use crate::subject::Subject;
use crate::subject::caller::{Caller, connect, count, pour, request, request_with_header};

const MEGABYTE: usize = 1024 * 1024;

/// The limit of a frame is 16 MiB. A buffer that grows to it is copied on the way, and two
/// connections' worth of that is here.
const BOUND: u64 = 128;

#[test]
fn a_line_of_a_gigabyte() {
    let subject = Subject::start(100);
    subject.withstands(BOUND, || {
        let block = vec![b'x'; MEGABYTE];
        let line = repeat_n(&block[..], 1024);
        let after = request(1, "echo", "[\"after\"]");
        let pieces = line.chain([&b"\n"[..], after.as_bytes()]);
        let answers = pour(subject.path(), pieces);
        assert_eq!(answers.lines, 2, "{answers:?}");
        assert!(answers.start.contains("\"code\":-32600"), "{answers:?}");
        assert!(answers.start.contains("\"id\":null"), "{answers:?}");
        assert!(
            answers.end.ends_with("\"id\":1,\"result\":[\"after\"]}\n"),
            "{answers:?}"
        );
    });
}

#[test]
fn a_line_that_never_ends() {
    let subject = Subject::start(100);
    subject.withstands(BOUND, || {
        // It is a message that goes on and on, so it is no use to look at its beginning.
        let block = "[1,2,3],".repeat(MEGABYTE / 8);
        let mut stream = connect(subject.path()).unwrap();
        stream
            .write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":[")
            .unwrap();
        for _ in 0..256 {
            stream.write_all(block.as_bytes()).unwrap();
        }
    });
}

#[test]
fn declared_lengths_of_4_gib_and_more() {
    let subject = Subject::start(100);
    // Nothing is made from a length before the bytes are there.
    subject.withstands(16, || {
        let body = "{\"jsonrpc\":\"2.0\"".repeat(1000);
        for length in [4_u64 * 1024 * 1024 * 1024, u64::MAX - 1, u64::MAX] {
            let message = format!("Content-Length: {length}\r\n\r\n{body}");
            let answers = pour(subject.path(), [message].iter());
            assert!(
                answers.start.contains("\"code\":-32600"),
                "{length}: {answers:?}"
            );
            assert!(
                answers.start.contains("\"id\":null"),
                "{length}: {answers:?}"
            );
        }
        let answers = pour(
            subject.path(),
            ["Content-Length: 99999999999999999999\r\n\r\n{"].iter(),
        );
        assert!(answers.start.contains("\"code\":-32600"), "{answers:?}");
    });
}

#[test]
fn a_body_that_is_too_long_is_skipped() {
    let subject = Subject::start(100);
    subject.withstands(BOUND, || {
        let header = format!("Content-Length: {}\r\n\r\n", 64 * MEGABYTE);
        let block = vec![b' '; MEGABYTE];
        let after = request_with_header(1, "echo", "[\"after\"]");
        let body = repeat_n(&block[..], 64);
        let pieces = [header.as_bytes()]
            .into_iter()
            .chain(body)
            .chain([after.as_bytes()]);
        let answers = pour(subject.path(), pieces);
        assert!(answers.start.contains("\"code\":-32600"), "{answers:?}");
        assert!(
            answers.end.ends_with("\"id\":1,\"result\":[\"after\"]}"),
            "{answers:?}"
        );
    });
}

#[test]
fn headers_without_end() {
    let subject = Subject::start(100);
    subject.withstands(BOUND, || {
        let header = format!("Content-Note: {}\r\n", "x".repeat(100));
        let answers = pour(subject.path(), repeat_n(header, 100_000));
        assert!(answers.start.contains("\"code\":-32600"), "{answers:?}");
    });
}

#[test]
fn disconnects_in_the_middle_of_a_frame() {
    // They come faster than the server sees them go.
    let subject = Subject::start(10_000);
    subject.withstands(BOUND, || {
        let line = request(1, "echo", "[\"é\"]");
        let message = request_with_header(1, "echo", "[\"é\"]");
        for frame in [line.as_bytes(), message.as_bytes()] {
            for end in 0..frame.len() {
                connect(subject.path())
                    .unwrap()
                    .write_all(&frame[..end])
                    .unwrap();
            }
        }
        // Also one that the server has made room for.
        let large = request(1, "echo", &format!("[\"{}\"]", "x".repeat(8 * MEGABYTE)));
        for _ in 0..10 {
            connect(subject.path())
                .unwrap()
                .write_all(&large.as_bytes()[..6 * MEGABYTE])
                .unwrap();
        }
    });
}

#[test]
fn invalid_utf_8() {
    let subject = Subject::start(100);
    subject.withstands(BOUND, || {
        let line = |bad: &[u8]| {
            let start = &b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"echo\",\"params\":[\""[..];
            [start, bad, b"\"]}\n"].concat()
        };
        let bad: [&[u8]; 5] = [
            b"\xff",
            b"\xc3",
            b"\xed\xa0\x80",
            b"\xf4\x90\x80\x80",
            b"\xc0\xaf",
        ];
        let mut caller = Caller::connect(subject.path());
        for bad in bad.into_iter().cycle().take(10_000) {
            caller.stream().write_all(&line(bad)).unwrap();
            let answer = caller.read();
            assert_eq!(answer["error"]["code"], json!(-32700), "{answer}");
            assert_eq!(answer["id"], json!(null), "{answer}");
        }
        assert_eq!(caller.call("echo", "[\"é\"]"), json!(["é"]));
    });
}

#[test]
fn nesting_without_end() {
    let subject = Subject::start(100);
    subject.withstands(BOUND, || {
        let mut caller = Caller::connect(subject.path());
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            for depth in [129, 100_000, 1_000_000] {
                let deep = format!("{}1{}", open.repeat(depth), close.repeat(depth));
                let line = request(1, "echo", &deep);
                let unfinished = format!("{}\n", open.repeat(depth));
                for line in [line, format!("{deep}\n"), unfinished] {
                    caller.stream().write_all(line.as_bytes()).unwrap();
                    let answer = caller.read();
                    assert_eq!(answer["error"]["code"], json!(-32700), "{depth}: {answer}");
                }
            }
        }
        let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(caller.call("echo", &deep).to_string(), deep);
    });
}

/// Numbers that look random, and are the same each time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }
}

#[test]
fn random_bytes() {
    let subject = Subject::start(100);
    subject.withstands(BOUND, || {
        let mut random = Random(0x7E40_12C0);
        for _ in 0..100 {
            let bytes: Vec<u8> = repeat_n((), 100_000).map(|()| random.byte()).collect();
            pour(subject.path(), bytes.chunks(7_000));
        }
    });
}

#[test]
fn damaged_messages() {
    let subject = Subject::start(100);
    subject.withstands(BOUND, || {
        let mut random = Random(0x0DD5_EED5);
        let frames = [
            request(1, "echo", "{\"a\":[1,2.5e3,null,\"\\u00e9\"]}"),
            request_with_header(1, "text", "[10]"),
            format!(
                "[{},{}]\n",
                request(1, "echo", "[1]").trim(),
                request(2, "no", "[]").trim()
            ),
            "{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":1}}\n"
                .to_owned(),
        ];
        for round in 0..400 {
            let mut bytes = frames[round % frames.len()].repeat(50).into_bytes();
            for _ in 0..40 {
                let place = random.below(bytes.len());
                match random.below(3) {
                    0 => bytes[place] = random.byte(),
                    1 => drop(bytes.remove(place)),
                    _ => bytes.insert(place, b"\n\r{}[]\":,\\0"[random.below(11)]),
                }
            }
            let mut stream = connect(subject.path()).unwrap();
            let reader = stream.try_clone().unwrap();
            // It may have had enough before it has read everything.
            let _gone = stream.write_all(&bytes);
            let _gone = stream.shutdown(std::net::Shutdown::Write);
            count(reader);
        }
    });
}
