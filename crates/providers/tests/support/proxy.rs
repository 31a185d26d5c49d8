//! A connection to PostgreSQL that breaks when a test wants it to.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;

/// Passes everything on between clients and a server's socket. When one of these texts is in what a client sends, the
/// server still gets it, but nothing after it, and its answers are not passed on any more. The connection of the client is
/// cut when the server has done everything and has closed its own.
pub(crate) struct Proxy {
    pub(crate) port: u16,
    cuts: Cuts,
}

/// Texts, each with how often it is let through before.
type Cuts = Arc<Mutex<Vec<(Vec<u8>, usize)>>>;

impl Proxy {
    /// A proxy for the server with this socket.
    pub(crate) fn start(socket: PathBuf) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let cuts = Arc::new(Mutex::new(Vec::new()));
        let shared = cuts.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = UnixStream::connect(&socket).unwrap();
                let cuts = shared.clone();
                thread::spawn(move || pass_on(client, server, &cuts));
            }
        });
        Proxy { port, cuts }
    }

    /// Cuts the connection of whoever sends this text, once, after it was sent so often before.
    pub(crate) fn cut_at(&self, text: &str, before: usize) {
        let cut = (text.as_bytes().to_vec(), before);
        self.cuts.lock().unwrap().push(cut);
    }
}

fn pass_on(client: TcpStream, server: UnixStream, cuts: &Cuts) {
    let is_cut = Arc::new(Mutex::new(false));
    let (mut from, mut to) = (server.try_clone().unwrap(), client.try_clone().unwrap());
    let silent = is_cut.clone();
    let back = thread::spawn(move || {
        let mut bytes = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            let is_silent = *silent.lock().unwrap();
            if !is_silent && to.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        let _gone = to.shutdown(Shutdown::Both);
        let _gone = from.shutdown(Shutdown::Both);
    });
    let (mut from, mut to) = (client, server);
    let mut bytes = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        let sent = &bytes[..count];
        let is_last = is_cut_by(cuts, sent);
        *is_cut.lock().unwrap() |= is_last;
        if to.write_all(sent).is_err() {
            break;
        }
        if is_last {
            // The server does what it was told before it sees this. Its answers to earlier messages may still be on their way.
            let _half = to.shutdown(Shutdown::Write);
            let _ended = back.join();
            return;
        }
    }
    let _gone = to.shutdown(Shutdown::Both);
    let _ended = back.join();
}

/// Whether the connection is to be cut after this.
fn is_cut_by(cuts: &Cuts, sent: &[u8]) -> bool {
    let has = |text: &[u8]| sent.windows(text.len()).any(|part| part == text);
    let mut waiting = cuts.lock().unwrap();
    let Some(place) = waiting.iter().position(|(text, _)| has(text)) else {
        return false;
    };
    let before = &mut waiting[place].1;
    if *before > 0 {
        *before -= 1;
        return false;
    }
    waiting.remove(place);
    true
}
