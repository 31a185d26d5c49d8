//! Clients that do not read, stop in the middle, or are gone.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::subject::caller::{Caller, connect, request};
use crate::subject::{PATIENCE, Subject, eventually, tell};

/// Sends the same thing until it is no longer accepted; returns how often it was.
fn send_until_full(stream: &mut UnixStream, line: &str, most: usize) -> usize {
    // The server may need a moment to take in what it can.
    stream
        .set_write_timeout(Some(Duration::from_secs(1)))
        .unwrap();
    for count in 0..most {
        if let Err(error) = stream.write_all(line.as_bytes()) {
            assert_eq!(error.kind(), ErrorKind::WouldBlock, "{error}");
            return count;
        }
    }
    panic!("{most} requests were taken from somebody who reads no answer");
}

/// One that asks for a megabyte again and again, and reads none of it. 8 MiB of answers wait for
/// it, and what is being worked on comes on top.
#[test]
fn never_reads_large_answers() {
    let subject = Subject::start(100);
    subject.withstands(128, || {
        // One by one, and so that many of them come with one read.
        for piece in [1, 1000] {
            let mut stream = connect(subject.path()).unwrap();
            let requests = request(1, "text", "[1000000]").repeat(piece);
            send_until_full(&mut stream, &requests, 1_000_000 / piece);
        }
    });
}

/// Small ones as well: then it is their number that counts. Each client may have 8 MiB of answers
/// and a thousand handlers, and has far less.
#[test]
fn never_reads_small_answers() {
    never_reads_answers_to(&request(1, "echo", "[1]"));
}

#[test]
fn never_reads_answers_to_rubbish() {
    for line in ["x\n", "[]\n", "[1,2,3]\n", "{}\n"] {
        never_reads_answers_to(line);
    }
}

fn never_reads_answers_to(line: &str) {
    const CLIENTS: usize = 10;
    let subject = Subject::start(100);
    subject.withstands(128, || {
        // In large pieces, so that many lines come with one read.
        let piece = line.repeat(100_000 / line.len());
        let client = || {
            let mut stream = connect(subject.path()).unwrap();
            send_until_full(&mut stream, &piece, 1_000);
            stream
        };
        // All stay until the last one is full.
        let _clients: Vec<UnixStream> = std::thread::scope(|scope| {
            let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
            clients
                .into_iter()
                .map(|client| client.join().unwrap())
                .collect()
        });
    });
}

/// The others get every broadcast.
#[test]
fn never_reads_broadcasts() {
    const ROUNDS: u64 = 100;
    const EACH: u64 = 200;
    const IDLE: usize = 10;
    let subject = Subject::start(100);
    // For each of those who do not read 8 MiB may wait in the connection and 1,024 events before
    // it. All share these.
    subject.withstands(200, || {
        let idle: Vec<UnixStream> = (0..IDLE)
            .map(|_| connect(subject.path()).unwrap())
            .collect();
        let mut readers: Vec<Caller> = (0..3).map(|_| Caller::connect(subject.path())).collect();
        for reader in &mut readers {
            reader.call("echo", "[1]");
        }
        let mut shouting = Caller::connect(subject.path());
        eventually("everybody is in", || {
            subject.status().connections == IDLE + 6
        });
        let mut missed = 0;
        for round in 0..ROUNDS {
            let numbers = round * EACH..(round + 1) * EACH;
            let line = request(
                round,
                "shout",
                &format!("[{},{}]", numbers.start, numbers.end),
            );
            shouting.stream().write_all(line.as_bytes()).unwrap();
            for number in numbers {
                for reader in readers.iter_mut().chain([&mut shouting]) {
                    let news = reader.read();
                    assert_eq!(news["params"][0], json!(number), "{news}");
                }
            }
            assert_eq!(shouting.read()["id"], json!(round));
            // The control is told as well, and reads it now.
            missed = subject.status().missed;
        }
        tell(&format!("{missed} missed"));
        assert!(missed > 0, "those who do not read miss some");
        drop(idle);
    });
}

#[test]
fn half_a_client() {
    let subject = Subject::start(300);
    subject.withstands(64, || {
        let mut clients: Vec<UnixStream> = Vec::new();
        for _ in 0..200 {
            let mut client = connect(subject.path()).unwrap();
            // The last line has no end.
            let lines = request(1, "wait", "[200]") + request(2, "echo", "[2]").trim_end();
            client.write_all(lines.as_bytes()).unwrap();
            client.shutdown(Shutdown::Write).unwrap();
            clients.push(client);
        }
        for client in &mut clients {
            let mut answers = String::new();
            client.read_to_string(&mut answers).unwrap();
            let expected = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":[2]}\n\
                            {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}\n";
            assert_eq!(answers, expected);
        }
    });
}

/// It has finished sending and waits, until it disconnects.
#[test]
fn half_a_client_goes_for_good() {
    let subject = Subject::start(300);
    subject.withstands(64, || {
        let mut clients: Vec<UnixStream> = Vec::new();
        for _ in 0..200 {
            let mut client = connect(subject.path()).unwrap();
            client
                .write_all(request(1, "hang", "[]").as_bytes())
                .unwrap();
            client.shutdown(Shutdown::Write).unwrap();
            clients.push(client);
        }
        eventually("all handlers run", || subject.status().handlers == 200);
        sleep(Duration::from_millis(100));
        assert_eq!(subject.status().handlers, 200, "they are still waited for");
        drop(clients);
        eventually("no handler runs", || subject.status().handlers == 0);
    });
}

/// One that listens no more, but goes on asking. It gets a second for its last words.
#[test]
fn the_other_half_of_a_client() {
    let subject = Subject::start(300);
    subject.withstands(64, || {
        let client = || {
            let mut client = connect(subject.path()).unwrap();
            client.shutdown(Shutdown::Read).unwrap();
            let line = request(1, "echo", "[1]");
            let started = Instant::now();
            while let Ok(()) = client.write_all(line.as_bytes()) {
                assert!(
                    started.elapsed() < PATIENCE,
                    "the server keeps the connection"
                );
            }
        };
        std::thread::scope(|scope| {
            for client in [client; 10] {
                scope.spawn(client);
            }
        });
    });
}

/// It has asked for more than is begun or kept, so the server has stopped reading. That it has gone
/// is noticed all the same.
#[test]
fn leaves_while_nothing_of_it_is_read() {
    let subject = Subject::start(100);
    subject.withstands(64, || {
        for _ in 0..3 {
            let mut stream = connect(subject.path()).unwrap();
            send_until_full(&mut stream, &request(1, "hang", "[]"), 100_000);
            eventually("all that may run", || subject.status().handlers == 1024);
            drop(stream);
            eventually("no handler runs", || subject.status().handlers == 0);
        }
    });
}

#[test]
fn is_killed_while_a_thousand_handlers_run() {
    let subject = Subject::start(100);
    subject.withstands(64, || {
        for _ in 0..3 {
            let victim = subject.victim();
            drop(victim);
            eventually("no handler runs", || subject.status().handlers == 0);
        }
    });
}
