//! More clients than anybody needs.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;

use serde_json::json;

use crate::subject::caller::{Caller, connect, request, request_with_header};
use crate::subject::{MANY_FILES, Subject, allow_files, eventually, tell};

/// As many as the system allows, up to ten thousand. Each has asked something and been answered,
/// and has half of its next message on the way.
#[test]
fn ten_thousand_at_the_same_time() {
    const WANTED: usize = 10_000;
    /// With fewer the test would say little.
    const NEEDED: usize = 2_000;
    let subject = Subject::start(WANTED + 10);
    let files = usize::try_from(allow_files(MANY_FILES)).unwrap();
    // Both sides have one for each; some are for everything else.
    let count = WANTED.min(files.saturating_sub(500));
    if count < WANTED {
        // Not the print macros: what they print in a test that passes is never seen.
        let text = format!("with {count} clients only: {files} files may be open");
        let _nobody_reads = writeln!(std::io::stderr(), "ten_thousand_at_the_same_time: {text}");
    }
    assert!(
        count >= NEEDED,
        "this process may have {files} files open only"
    );
    // That is 20 kB for each, three times what was seen.
    subject.withstands(200, || {
        let mut clients: Vec<UnixStream> = Vec::new();
        for _ in 0..count {
            clients.push(connect(subject.path()).unwrap());
        }
        eventually("everybody is in", || subject.status().connections >= count);
        let line = request(1, "echo", "[1]");
        for client in &mut clients {
            client.write_all(line.as_bytes()).unwrap();
        }
        let expected = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":[1]}\n";
        let mut answer = [0; 38];
        for client in &mut clients {
            client.read_exact(&mut answer).unwrap();
            assert_eq!(&answer, expected);
            client.write_all(&line.as_bytes()[..20]).unwrap();
        }
        let taken = subject.memory("VmRSS");
        tell(&format!("{} kB for each", taken / count as u64));
    });
}

/// A byte of each message at a time, on many connections in turn.
#[test]
fn a_byte_at_a_time() {
    const CLIENTS: usize = 500;
    let subject = Subject::start(CLIENTS + 10);
    subject.withstands(64, || {
        let line = request(1, "echo", "[\"é\"]");
        let message = request_with_header(1, "echo", "[\"é\"]");
        for frame in [line.as_bytes(), message.as_bytes()] {
            let mut clients: Vec<UnixStream> = Vec::new();
            for _ in 0..CLIENTS {
                clients.push(connect(subject.path()).unwrap());
            }
            for byte in frame {
                for client in &mut clients {
                    client.write_all(&[*byte]).unwrap();
                }
            }
            for mut client in clients {
                client.shutdown(std::net::Shutdown::Write).unwrap();
                let mut answer = String::new();
                client.read_to_string(&mut answer).unwrap();
                assert!(answer.contains("\"result\":[\"é\"]"), "{answer}");
            }
        }
    });
}

#[test]
fn coming_and_going() {
    // They come faster than the server sees them go.
    let subject = Subject::start(10_000);
    subject.withstands(64, || {
        for number in 0..5_000 {
            let mut caller = Caller::connect(subject.path());
            match number % 3 {
                // Says nothing,
                0 => {}
                // does not wait for the answer,
                1 => caller
                    .stream()
                    .write_all(request(1, "hang", "[]").as_bytes())
                    .unwrap(),
                // or does.
                _ => assert_eq!(caller.call("echo", "[1]"), json!([1])),
            }
        }
    });
}

#[test]
fn more_than_are_let_in() {
    const LIMIT: usize = 20;
    const SILENT: usize = 100;
    let subject = Subject::start(LIMIT);
    subject.withstands(64, || {
        let mut inside: Vec<Caller> = Vec::new();
        // The control and the one who behaves are in already.
        eventually("the other two are in", || subject.status().connections == 2);
        for number in 2..LIMIT {
            inside.push(Caller::connect(subject.path()));
            eventually("it is in", || subject.status().connections == number + 1);
        }
        for number in 0..500 {
            let mut refused = Caller::connect(subject.path());
            // A silent client is refused only after the server has waited for its framing.
            if number >= SILENT {
                let asked = request(1, "echo", "[1]");
                refused.stream().write_all(asked.as_bytes()).unwrap();
            }
            let answer = refused.read();
            assert_eq!(answer["error"]["code"], json!(-32000), "{answer}");
            assert_eq!(answer["id"], json!(null), "{answer}");
            assert_eq!(refused.read_line(), "", "it was hung up on");
        }
        for caller in &mut inside {
            assert_eq!(caller.call("echo", "[1]"), json!([1]));
        }
        drop(inside.pop());
        eventually("there is room", || {
            subject.status().connections == LIMIT - 1
        });
        let mut next = Caller::connect(subject.path());
        assert_eq!(next.call("echo", "[1]"), json!([1]));
    });
}

/// The system has room for a few. The others are refused, so that files are left for the server's own
/// work, and when some leave there is room again.
#[test]
fn more_than_there_are_files_for() {
    const FILES: u64 = 64;
    const CLIENTS: usize = 200;
    let subject = Subject::with_files(CLIENTS + 10, FILES);
    subject.withstands(64, || {
        eventually("the one who behaves is in", || {
            subject.status().connections == 2
        });
        let (mut inside, mut refused) = (Vec::new(), 0);
        for _ in 0..CLIENTS {
            let mut client = Caller::connect(subject.path());
            let asked = request(1, "echo", "[1]");
            // Whoever is refused may be so before it has asked.
            let _refused = client.stream().write_all(asked.as_bytes());
            let answer = client.read();
            if answer["result"] == json!([1]) {
                inside.push(client);
            } else {
                assert_eq!(answer["error"]["code"], json!(-32000), "{answer}");
                refused += 1;
            }
        }
        assert!(inside.len() > 10, "only {} are in", inside.len());
        assert!(refused > CLIENTS / 2, "only {refused} were refused");
        for client in &mut inside {
            assert_eq!(client.call("echo", "[1]"), json!([1]));
        }
        drop(inside);
        eventually("they have left", || subject.status().connections == 2);
        let mut next = Caller::connect(subject.path());
        assert_eq!(next.call("echo", "[1]"), json!([1]));
    });
}
