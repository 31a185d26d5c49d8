//! A client that sends exactly the given bytes.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

/// A connection, byte by byte. It blocks, and gives up after a while.
pub(crate) struct Wire(BufReader<UnixStream>);

impl Wire {
    pub(crate) fn connect(path: &Path) -> Wire {
        let stream = UnixStream::connect(path).expect("a server that listens");
        let limit = Some(Duration::from_secs(60));
        stream.set_read_timeout(limit).expect("a limit");
        stream.set_write_timeout(limit).expect("a limit");
        Wire(BufReader::new(stream))
    }

    /// Sends a line.
    pub(crate) fn send(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).expect("a reader");
    }

    /// Sends a request.
    pub(crate) fn ask(&mut self, id: Value, method: &str, params: Value) {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&request.to_string());
    }

    /// The next line; an empty text when there is none any more.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a line in time");
        line.trim_end_matches('\n').to_owned()
    }

    /// The next message.
    pub(crate) fn message(&mut self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Sends a request and gives the next message.
    pub(crate) fn answer(&mut self, id: Value, method: &str, params: Value) -> Value {
        self.ask(id, method, params);
        self.message()
    }

    /// Ends our side of the connection.
    pub(crate) fn finish(&mut self) {
        let finished = self.0.get_mut().shutdown(Shutdown::Write);
        finished.expect("a connection");
    }

    /// Everything up to the end.
    pub(crate) fn rest(mut self) -> String {
        let mut rest = String::new();
        self.0.read_to_string(&mut rest).expect("an end in time");
        rest
    }
}
