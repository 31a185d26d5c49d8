//! Events that a client asked for: their bytes, encoded once for each call.

use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bench_workload::{Echo, Many, Size};
use serde::{Deserialize, Serialize};

#[derive(Serialize)]
struct Event {
    jsonrpc: &'static str,
    method: &'static str,
    params: Echo,
}

#[derive(Deserialize)]
struct Asked {
    params: Many,
}

/// As many as the request asks for, in one piece.
pub fn asked_for(line: &[u8]) -> io::Result<Vec<u8>> {
    let asked: Asked = serde_json::from_slice(line)?;
    let event = Event {
        jsonrpc: "2.0",
        method: "note",
        params: Size::Tiny.echo(),
    };
    let mut bytes = serde_json::to_vec(&event)?;
    bytes.push(b'\n');
    Ok(bytes.repeat(asked.params.count as usize))
}

/// All who are connected.
#[derive(Default)]
pub struct Everybody(Mutex<Vec<UnixStream>>);

impl Everybody {
    pub fn enter(&self, stream: UnixStream) {
        self.streams().push(stream);
    }

    /// A client that cannot be written to has gone.
    pub fn send(&self, bytes: &[u8]) {
        self.streams()
            .retain_mut(|stream| stream.write_all(bytes).is_ok());
    }

    fn streams(&self) -> MutexGuard<'_, Vec<UnixStream>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
