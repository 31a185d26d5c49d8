//! A client in a few lines of the standard library: what it does is all in the test.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

/// Nobody should have to wait longer for a simple answer, however busy the server is.
const LONGEST_ANSWER: Duration = Duration::from_secs(15);

/// A connection that fails instead of waiting forever.
pub(crate) fn connect(path: &Path) -> io::Result<UnixStream> {
    let stream = UnixStream::connect(path)?;
    stream.set_read_timeout(Some(LONGEST_ANSWER))?;
    stream.set_write_timeout(Some(LONGEST_ANSWER))?;
    Ok(stream)
}

/// One call after the other, a line each.
pub(crate) struct Caller {
    reader: BufReader<UnixStream>,
    last: u64,
}

impl Caller {
    pub(crate) fn connect(path: &Path) -> Caller {
        Caller::try_connect(path).unwrap()
    }

    pub(crate) fn try_connect(path: &Path) -> io::Result<Caller> {
        let reader = BufReader::new(connect(path)?);
        Ok(Caller { reader, last: 0 })
    }

    /// What is written to.
    pub(crate) fn stream(&mut self) -> &mut UnixStream {
        self.reader.get_mut()
    }

    pub(crate) fn read_line(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        line
    }

    pub(crate) fn read(&mut self) -> Value {
        let line = self.read_line();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// Calls a method and gives its result. Events that come before it are passed over.
    #[track_caller]
    pub(crate) fn call(&mut self, method: &str, params: &str) -> Value {
        self.last += 1;
        let line = request(self.last, method, params);
        self.stream().write_all(line.as_bytes()).unwrap();
        let mut answer = self.read();
        while answer.get("id").is_none() {
            answer = self.read();
        }
        assert_eq!(answer["id"], self.last, "{answer}");
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].take()
    }
}

/// A request on a line.
pub(crate) fn request(id: u64, method: &str, params: &str) -> String {
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\",\"params\":{params}}}\n")
}

/// A request behind a header.
pub(crate) fn request_with_header(id: u64, method: &str, params: &str) -> String {
    let body = request(id, method, params);
    let body = body.trim_end();
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

/// What came back.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    pub(crate) lines: u64,
    /// The first bytes.
    pub(crate) start: String,
    /// The last bytes.
    pub(crate) end: String,
}

/// Sends one piece after the other and finishes, while it reads everything that comes until the
/// server hangs up.
pub(crate) fn pour<P: AsRef<[u8]>>(path: &Path, pieces: impl Iterator<Item = P>) -> Answers {
    let mut stream = connect(path).unwrap();
    let reader = stream.try_clone().unwrap();
    std::thread::scope(|scope| {
        let answers = scope.spawn(|| count(reader));
        for piece in pieces {
            if let Err(error) = stream.write_all(piece.as_ref()) {
                // It has had enough of us, and has said why.
                let has_hung_up = [io::ErrorKind::BrokenPipe, io::ErrorKind::ConnectionReset];
                assert!(has_hung_up.contains(&error.kind()), "{error}");
                break;
            }
        }
        let _already_gone = stream.shutdown(Shutdown::Write);
        answers.join().unwrap()
    })
}

/// Reads to the end.
pub(crate) fn count(mut stream: UnixStream) -> Answers {
    /// How much is kept of both ends.
    const KEPT: usize = 300;
    let (mut start, mut end) = (Vec::new(), Vec::new());
    let mut lines = 0;
    let mut buffer = vec![0; 256 * 1024];
    loop {
        let bytes = match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => &buffer[..count],
            // It hung up while there was more to read for it.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => break,
            Err(error) => panic!("no answer: {error}"),
        };
        lines += bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        let room = KEPT.saturating_sub(start.len()).min(bytes.len());
        start.extend_from_slice(&bytes[..room]);
        end.extend_from_slice(&bytes[bytes.len().saturating_sub(KEPT)..]);
        end.drain(..end.len().saturating_sub(KEPT));
    }
    Answers {
        lines,
        start: String::from_utf8_lossy(&start).into_owned(),
        end: String::from_utf8_lossy(&end).into_owned(),
    }
}
