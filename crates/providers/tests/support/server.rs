//! A small HTTP server: each connection is one request.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A request as it came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Received {
    /// `GET /path HTTP/1.1`
    pub(crate) line: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// What is written back: raw bytes, and whether the connection stays open after them.
pub(crate) struct Reply {
    pub(crate) bytes: Vec<u8>,
    pub(crate) holds_on: bool,
}

impl Reply {
    /// A status with headers and a body.
    pub(crate) fn new(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Reply {
        let mut bytes = format!("HTTP/1.1 {status} x\r\ncontent-length: {}\r\n", body.len());
        for (name, value) in headers {
            bytes.push_str(&format!("{name}: {value}\r\n"));
        }
        let mut bytes = (bytes + "connection: close\r\n\r\n").into_bytes();
        bytes.extend_from_slice(body);
        Reply {
            bytes,
            holds_on: false,
        }
    }

    /// A redirect.
    pub(crate) fn redirect(status: u16, location: &str) -> Reply {
        Reply::new(status, &[("location", location)], b"")
    }
}

/// A server on a port of its own.
pub(crate) struct Server {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Server {
    /// Answers each request with what `answer` makes of it.
    pub(crate) fn start(answer: impl Fn(&Received) -> Reply + Send + Sync + 'static) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let (seen, answer) = (received.clone(), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (seen, answer) = (seen.clone(), answer.clone());
                thread::spawn(move || serve(stream, &seen, &*answer));
            }
        });
        Server { url, received }
    }

    /// What was asked so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

fn serve(
    stream: TcpStream,
    seen: &Mutex<Vec<Received>>,
    answer: &(dyn Fn(&Received) -> Reply + Send + Sync),
) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let Some(request) = read(&mut reader) else {
        return;
    };
    seen.lock().unwrap().push(request.clone());
    let reply = answer(&request);
    // A client that has enough goes away.
    let _gone = (&stream).write_all(&reply.bytes);
    if reply.holds_on {
        let _gone = reader.read_to_end(&mut Vec::new());
    }
}

fn read(reader: &mut BufReader<TcpStream>) -> Option<Received> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let mut lines = lines.into_iter();
    let mut received = Received {
        line: lines.next()?,
        ..Received::default()
    };
    for line in lines {
        let (name, value) = line.split_once(':')?;
        let header = (name.to_ascii_lowercase(), value.trim().to_owned());
        received.headers.push(header);
    }
    let length = received.header("content-length").map(str::parse::<usize>);
    received.body = vec![0; length.map_or(0, |length| length.unwrap())];
    reader.read_exact(&mut received.body).ok()?;
    Some(received)
}
