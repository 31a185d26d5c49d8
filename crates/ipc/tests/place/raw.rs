//! The other side of a socket as plain bytes: nothing of the library is between the test and the
//! wire.

use std::path::Path;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};

use super::system::{self, Listener, Stream};

/// How frames are told from each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wire {
    Lines,
    Headers,
}

impl Wire {
    pub(crate) const BOTH: [Wire; 2] = [Wire::Lines, Wire::Headers];

    /// A text as a frame.
    pub(crate) fn frame(self, text: &str) -> String {
        match self {
            Wire::Lines => format!("{text}\n"),
            Wire::Headers => format!("Content-Length: {}\r\n\r\n{text}", text.len()),
        }
    }
}

/// A connection that speaks bytes.
pub(crate) struct Raw {
    stream: BufReader<Stream>,
    wire: Wire,
}

impl Raw {
    pub(crate) async fn connect(path: &Path, wire: Wire) -> Raw {
        let stream = system::connect(path).await;
        Raw {
            stream: BufReader::new(stream),
            wire,
        }
    }

    pub(crate) async fn send(&mut self, text: &str) {
        let frame = self.wire.frame(text);
        self.send_bytes(frame.as_bytes()).await;
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// Sends nothing more, but still reads.
    pub(crate) async fn finish(&mut self) {
        self.stream.shutdown().await.unwrap();
    }

    /// The next frame; `None` at the end.
    pub(crate) async fn receive(&mut self) -> Option<String> {
        match self.wire {
            Wire::Lines => self.line().await,
            Wire::Headers => {
                let mut length = None;
                loop {
                    let line = self.line().await?;
                    if line.is_empty() {
                        break;
                    }
                    let (name, value) = line.split_once(": ").expect("a header");
                    assert_eq!(name, "Content-Length");
                    length = value.parse().ok();
                }
                let mut body = vec![0; length.expect("a length")];
                self.stream.read_exact(&mut body).await.unwrap();
                Some(String::from_utf8(body).unwrap())
            }
        }
    }

    async fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        // A connection that the other side cut off ends as well as one it closed.
        let read = self.stream.read_line(&mut line).await.unwrap_or(0);
        let end = line.trim_end_matches(['\r', '\n']).len();
        line.truncate(end);
        (read > 0).then_some(line)
    }

    /// Sends a frame and reads the next one.
    pub(crate) async fn ask(&mut self, text: &str) -> String {
        self.send(text).await;
        self.receive().await.expect("an answer")
    }

    /// Every frame until the end.
    pub(crate) async fn rest(&mut self) -> Vec<String> {
        let mut frames = Vec::new();
        while let Some(frame) = self.receive().await {
            frames.push(frame);
        }
        frames
    }
}

/// A listener that speaks bytes.
pub(crate) struct RawServer(Listener);

impl RawServer {
    /// Listens there, in place of whatever was there before.
    pub(crate) fn bind(path: &Path) -> RawServer {
        RawServer(Listener::bind(path))
    }

    pub(crate) async fn accept(&self) -> Raw {
        Raw {
            stream: BufReader::new(self.0.accept().await),
            wire: Wire::Lines,
        }
    }
}
